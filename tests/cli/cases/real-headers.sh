# the kernel's own files, named folders, the toolkit and the C library, in the kernel and its reference
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
    whole i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) y[i] = scale(x[i]);
}
__global__ void rounded_reference(float *y, const float *x, size_t n)
{
    whole i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) y[i] = scale(x[i]);
}
F
$GPUTUNE warm ./k.cu -I lib --format csv 2>/dev/null | cut -d, -f1,2 
GPUTUNE_INCLUDE=$PWD/lib $GPUTUNE emit ./k.cu --as ptx 2>/dev/null | grep -c 'entry rounded('
$GPUTUNE emit ./k.cu --as ptx 2>&1 | sed 's/looked in .*; name/looked in FOLDERS; name/'
sed -i 's/scale.cuh/iostream/' k.cu
$GPUTUNE emit ./k.cu --as ptx 2>&1 | sed 's/looked in .*; kernels/looked in FOLDERS; kernels/'
$GPUTUNE emit ./k.cu -I nowhere
