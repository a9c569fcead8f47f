// <string.h> for kernels: memcpy(), memset() and the like are the compiler's own.
#pragma once
