// <stdlib.h> for kernels: malloc(), free() and abs() are the compiler's own.
#pragma once
