# Kernel and reference can include headers of any origin, and use names that nvcc declares without an include.
export GPUTUNE_DB=:memory: GPUTUNE_DRIVER=emu
mkdir lib
cat >lib/scale.cuh <<'F'
#pragma once
#include <cuda_fp16.h>
__device__ float scale(float x) { return __half2float(__float2half(x)); }
F
cat >own.cuh <<'F'
#pragma once
#include <cstdint>
typedef std::int64_t whole;
static_assert(sizeof(whole) == 8 && INT32_MAX > 0, "");
F
cat >k.cu <<'F'
// rounded: rounds to half precision
#include <cuda/std/type_traits>
#include <scale.cuh>
#include "own.cuh"
#pragma gputune kernel(rounded) problem(n = 4096) args(out float y[n], in float x[n], size_t n)
#pragma gputune tune(BLOCK = 64, 128) block(BLOCK) grid(ceil_div(n, BLOCK))
#pragma gputune reference(rounded_reference)
__global__ void rounded(float *y, const float *x, size_t n)
{
    static_assert(cuda::std::is_same<whole, long long>::value, "");
    static_assert(sizeof(uint) == 4 && sizeof(ushort) + sizeof(ulong) == 10 && M_PI > 3, "");
    static_assert(INT_MAX == 2147483647 && CHAR_BIT == 8 && sizeof(std::size_t) == 8, "");
    whole i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) y[i] = fabsf(x[i]) < INFINITY ? scale(x[i]) : NAN;
}
__global__ void rounded_reference(float *y, const float *x, size_t n)
{
    whole i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) y[i] = scale(x[i]);
}
F
$GPUTUNE warm ./k.cu -I lib --format csv 2>/dev/null | cut -d, -f1,2 
GPUTUNE_INCLUDE=$PWD/lib $GPUTUNE emit ./k.cu --as ptx 2>/dev/null | grep -c 'entry rounded('
$GPUTUNE emit ./k.cu --as ptx 2>&1 | sed 's/looked in .*; install/looked in FOLDERS; install/'
sed -i 's,scale.cuh,boost/regex.hpp,' k.cu
$GPUTUNE emit ./k.cu --as ptx 2>&1 | sed 's/looked in .*; install/looked in FOLDERS; install/'
$GPUTUNE emit ./k.cu -I nowhere
# Includes that only the host code needs do not prevent compiling.
cat >h.cu <<'F'
#include <chrono>
#include <cstdio>
#include <errno.h>
#include <limits>
#include <new>
#include <thrust/partition.h>
#include <thrust/sort.h>
#include <vector>
#pragma gputune kernel(k) args(out float y[64]) block(64) grid(1) tune(ADD = 1, 2)
__global__ void k(float *y) { y[threadIdx.x] = ADD + std::numeric_limits<float>::epsilon(); }
F
$GPUTUNE emit ./h.cu --as ptx | grep -c 'entry k('
sed '7d; s/partition/complex/; s/= ADD/& * thrust::complex<float>(1).real()/' h.cu >c.cu
$GPUTUNE emit ./c.cu --as ptx | grep -c 'entry k('
sed -i '9i void show() { std::vector<float> y(64); } // no kernel needs it' h.cu
$GPUTUNE emit ./h.cu --as ptx | grep -c 'entry k('
sed -i 's/= ADD/= show() + ADD/; s/^void/int/' h.cu
$GPUTUNE emit ./h.cu --as ptx 2>&1 | sed 's/looked in .*; install/looked in FOLDERS; install/'
# Names of C++'s library work with their headers.
cat >s.cu <<'F'
#include <algorithm>
#include <concepts>
#include <nvtx3/nvToolsExt.h>
#pragma gputune kernel(k) args(out float y[64]) block(64) grid(1) tune(ADD = 1, 2) options("--std=c++20")
__global__ void k(float *y) { y[threadIdx.x] = std::clamp(std::max(1.f, 2.f), 0.f, ADD * 1.f) * std::is_arithmetic_v<float>; }
F
$GPUTUNE emit ./s.cu --as ptx | grep -c 'entry k('
