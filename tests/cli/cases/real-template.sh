# Drafts from complete programs can be tuned without changes.
export GPUTUNE_DRIVER=emu:h200 GPUTUNE_DB=$PWD/table.db
has_libclang || exit 77
# draft FILE OPTION... writes drafted.cu; tune SIZES :KERNEL counts its kernels that have a winner.
draft() {
    file=$1
    shift
    $GPUTUNE template "$file" -o drafted.cu -f "$@" 2>messages || echo "exit $?"
    sed 's/\(this draft does not compile yet\):.*/\1/' messages >&2 # omits the compiler's text
}
tune() {
    $GPUTUNE warm "./drafted.cu$2" -s "$1" --format csv -q | grep -c ',measured,'
}
cat >axpy.cu <<'CU'
#include <vector>
#include <cstdio>
/* y += a x */
__global__ void axpy(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] += a * x[i];
    }
}
int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 4096, threads = 128;
    std::vector<float> host(count);
    float *from, *to;
    cudaMalloc(&from, count * sizeof(float));
    cudaMalloc(&to, count * sizeof(float));
    axpy<<<(count + threads - 1) / threads, threads>>>(to, from, 2.5f, count);
    printf("done\n");
}
CU
draft axpy.cu
cat drafted.cu
tune n=4K
# An existing file is not overwritten.
$GPUTUNE template axpy.cu -o drafted.cu || echo "exit $?"
# A function reads one constant that the program fills, and one that nothing fills. Another kernel reads none.
cat >constant.cu <<'CU'
__constant__ float weights[9], offsets[2]; __managed__ int shift = 5;
__device__ float weigh(const float *x, int i, int n)
{
    float sum = offsets[0] + shift;
    for (int k = 0; k < 9; k++) if (i + k < n) sum += weights[k] * x[i + k];
    return sum;
}
__global__ void conv(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = weigh(x, i, n);
}
__global__ void fill(float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 1;
}
void setup(const float *w) { cudaMemcpyToSymbol(weights, w, sizeof weights); shift = 7; }
void go(float *y, const float *x, int n)
{
    conv<<<(n + 255) / 256, 256>>>(y, x, n);
    fill<<<(n + 255) / 256, 256>>>(y, n);
}
CU
draft constant.cu
grep -E 'constant\(|kernel\(' drafted.cu
# Another file computes the grid: the draft asks for its extents, and covers each index once.
cat >grid.cu <<'CU'
dim3 gridsize(size_t n);
struct Out { float *x; };
__global__ void /* no __launch_bounds__(64) */ mask(int n, Out out, const bool *m)
{
    int i = (blockIdx.x + blockIdx.y * gridDim.x) * blockDim.x + threadIdx.x;
    if (i < n) out.x[i] = 2 * m[i];
}
void go(int n, Out out, const bool *m) { mask<<<gridsize(n), 512>>>(n, out, m); }
CU
draft grid.cu
grep 'grid(' drafted.cu
# Another file launches the kernel.
sed '/^void go/d; /^dim3/d' grid.cu >kernel.cu
cat >launch.cu <<'CU'
struct Out { float *x; };
__global__ void mask(int n, Out out, const bool *m);
void go(int count, Out out, const bool *m) { mask<<<(count + 63) / 64, 64>>>(count, out, m); }
CU
draft kernel.cu mask
draft kernel.cu mask --host launch.cu
grep -E 'grid|block|args|tune' drafted.cu
# Struct members have the names of host variables; -I and -D provide a struct and a macro.
mkdir -p inc/sub src
cat >inc/sub/types.h <<'CU'
#ifndef TYPES_H
#define TYPES_H
#include <cstdint>
struct Size { int count; };
typedef struct : Size { const float *weights; int factor; } Params;
#endif
CU
cat >src/scale.cu <<'CU'
#include "sub/types.h"
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 200
#error - no longer supports CC1.x devices. Please \
         configure with --use-cuda=no
#endif
__global__ void scale(float *y, Params p)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < p.count) y[i] = p.weights[i] * p.factor;
}
void go(float *out, const float *weights, int count)
{
    Params p{{count}, weights, 2};
    scale<<<(count + THREADS - 1) / THREADS, THREADS>>>(out, p);
}
CU
draft src/scale.cu -D THREADS=64
draft src/scale.cu -I inc -D THREADS=64
cat drafted.cu
tune count=4K
# C++ templates, overloads, lambdas, a sparse matrix, and a loop over the grid.
cat >several.cu <<'CU'
namespace lib {
template <typename T> struct Pair { T a, b; };
template <typename T> __device__ T both(const Pair<T> &p) { return p.a + p.b; }
template <typename T, int B, bool twice> __global__ void pairs(T *out, const Pair<T> *in, int n)
{
    auto scale = [](T v) { return twice ? v + v : v; };
    for (int i = blockIdx.x * B + threadIdx.x; i < n; i += gridDim.x * B) out[i] = scale(both(in[i]));
}
}
__global__ void rows(float *y, const int *begin, const int *column, const float *value, const float *x, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    float sum = 0;
    for (int k = begin[row]; k < begin[row + 1]; k++) sum += value[k] * x[column[k]];
    y[row] = sum;
}
void go(float *out, const lib::Pair<float> *in, int n, const int *begin, const int *column, const float *value, int nonzeros)
{
    float *x;
    cudaMalloc(&x, n * sizeof *x);
    lib::pairs<float, 128, true><<<(n + 127) / 128, 128>>>(out, in, n);
    rows<<<(n + 63) / 64, 64>>>(out, begin, column, value, x, n);
}
CU
draft several.cu
cat drafted.cu
tune n=3000 :lib::pairs
tune 'n=3000 begin_range=9000' :rows
# The number of elements per thread becomes an axis, like the block size, also with a #pragma at its loop.
cat >items.cu <<'CU'
#define THREADS 256
#define ITEMS 4
__global__ void scale(float *y, const float *x, float a, int n)
{
    int base = blockIdx.x * THREADS * ITEMS + threadIdx.x;
    #pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        int i = base + k * THREADS;
        if (i < n) y[i] = a * x[i];
    }
}
void go(float *y, const float *x, int n)
{
    scale<<<(n + THREADS * ITEMS - 1) / (THREADS * ITEMS), THREADS>>>(y, x, 2.0f, n);
}
CU
draft items.cu
grep '^#pragma' drafted.cu
tune n=3000
# Conversions, operators and functions that are only declared use the buffers.
cat >halves.cu <<'CU'
#include <cuda_fp16.h>
__device__ float unlogged(const float *table, int i);
static __device__ float clamp(float x, float low) { return fmaxf(x, low); }
template <class T> __global__ void halves(const T *x, T *y, const float *table, const int *unused, T low, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = (T)(clamp((float)x[i], (float)low) + unlogged(table, i));
}
void go(const half *x, half *y, const float *t, int n) { halves<<<(n + 255) / 256, 256>>>(x, y, t, nullptr, half(0.f), n); }
CU
draft halves.cu
grep 'args(' drafted.cu
# A header that is not found includes the one that declares the types.
cat >bare.cu <<'CU'
#include "common.h"
__global__ void bare(half *y, const __nv_bfloat16 *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = (float)x[i]; }
void go(half *y, const __nv_bfloat16 *x, int n) { bare<<<(n + 255) / 256, 256>>>(y, x, n); }
CU
draft bare.cu
grep include drafted.cu
# The host computes values: members of an extent, equal defaults of two options, a floating-point quotient.
# One buffer is passed for two parameters, and the stream comes from a library that is not installed.
cat >host.cu <<'CU'
#include "library.h"
int option(char **argv, const char *name, int usual)
{
    int value = usual;
    if (argv[1] && strcmp(argv[1], name) == 0) value = atoi(argv[2]);
    return value;
}
__global__ void smooth(float *to, const float *from, float h, int rows, int columns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    if (i < columns && j < rows) to[j * columns + i] = h * from[j * columns + i];
}
int main(int argc, char **argv)
{
    int rows = option(argv, "-r", 512), columns = option(argv, "-c", 512);
    dim3 block(32, 32), grid;
    float *x;
    cudaMalloc(&x, rows * columns * sizeof(float));
    block.y = 1;
    grid.x = (columns + block.x - 1) / block.x;
    grid.y = rows;
    smooth<<<grid, block, 0, library::stream()>>>(x, x, 1.0f / (columns - 1), rows, columns);
}
CU
draft host.cu
grep '^#pragma' drafted.cu
tune 'rows=30 columns=50'
# Elements that are indices get the range of the array that they index, or a size of their own.
cat >loaded.cu <<'CU'
__global__ void count(int *bins, const int *key, const int *place, const float *table, float *out, int n)
{
    __shared__ int own[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    own[threadIdx.x] = 0;
    __syncthreads();
    if (i >= n) return;
    atomicAdd(&own[key[i]], 1);
    out[i] = table[place[i]];
    bins[i] = own[threadIdx.x];
}
void go(int *bins, const int *key, const int *place, const float *table, float *out, int n)
{
    count<<<(n + 63) / 64, 64>>>(bins, key, place, table, out, n);
}
CU
draft loaded.cu
grep -E '(args|BLOCK =)' drafted.cu
# The draft asks about undeclared names in a kernel and in a launch.
cat >unknown.cu <<'CU'
#include "missing.h"
__global__ void k(float *y, const Missing *m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = m[i].value + OFFSET;
}
void go(float *y, const Missing *m, int n) { k<<<(n + 255) / 256, 256, 0, stream_of()>>>(y, m, n); }
CU
draft unknown.cu
# Mistakes: no kernel, no kernel of that name, or a kernel that no template can describe.
$GPUTUNE template several.cu rovs || echo "exit $?"
$GPUTUNE template absent.cu || echo "exit $?"
printf 'int n;\n' >none.cu
$GPUTUNE template none.cu || echo "exit $?"
printf '__global__ void k(float **y) { y[0][threadIdx.x] = 0; }\n' >nested.cu
$GPUTUNE template nested.cu || echo "exit $?"
$GPUTUNE template -I absent axpy.cu || echo "exit $?"
printf '#ifdef GPU\n__global__ void k(float *y) { y[0] = 0; }\n#endif\n' >ifdef.cu
$GPUTUNE template ifdef.cu || echo "exit $?"
# libclang crashes, or is missing.
printf '#!/bin/sh\nkill -SEGV $$\n' >worker
chmod +x worker
GPUTUNE_WORKER=$PWD/worker $GPUTUNE template axpy.cu 2>&1 | sed 's/(.*)/(…)/'
GPUTUNE_LIBCLANG=/nonexistent.so $GPUTUNE template axpy.cu || echo "exit $?"
