// <assert.h> for kernels: assert() is the compiler's own.
#pragma once
