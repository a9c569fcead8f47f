// The part of cuda.h that kernels use: handles as arguments.
#pragma once
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef unsigned long long CUdeviceptr;
struct alignas(64) CUtensorMap {
    unsigned long long opaque[16];
};
