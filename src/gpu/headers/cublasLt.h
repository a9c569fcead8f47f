// What kernels use of cublasLt.h: the types of its numbers.
#pragma once
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
