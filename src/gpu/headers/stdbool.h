// <stdbool.h> for kernels: bool is C++'s own.
#pragma once
