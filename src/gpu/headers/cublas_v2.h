// The part of cublas_v2.h that kernels use: its number types.
#pragma once
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
