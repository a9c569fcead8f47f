// The part of cuda.h that kernels use: handles as arguments.
#pragma once
#define __cuda_cuda_h__
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef unsigned long long CUdeviceptr;
typedef struct CUtensorMap_st {
    alignas(64) unsigned long long opaque[16];
} CUtensorMap;
