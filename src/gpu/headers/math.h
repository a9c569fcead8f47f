// <math.h> for kernels: the functions are the compiler's own, the constants the prelude's.
#pragma once
