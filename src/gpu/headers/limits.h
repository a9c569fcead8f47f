// <limits.h> for kernels: the limits are the prelude's.
#pragma once
