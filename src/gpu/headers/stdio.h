// <stdio.h> for kernels: printf() is the compiler's own.
#pragma once
