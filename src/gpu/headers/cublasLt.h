// The part of cublasLt.h that kernels use: its number types.
#pragma once
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
