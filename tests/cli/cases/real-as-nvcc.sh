# Code that nvcc accepts: kernels defined by macros, enumerators as values, files found by __has_include, a
# reference beside templates with a parameter of the same name, std:: without an include, attributes of
# parameters, enumerators that a macro makes, a struct's operators for the host, CUtensorMap declared as
# <cuda/barrier> does, structs of a namespace in each other, macros and words of the GNU compiler, a kernel
# made by a macro that is the value of another one, and headers of std that nvcc includes by itself.
export GPUTUNE_DB=:memory: GPUTUNE_DRIVER=emu
clauses='problem(n = 1000) args(out float y[n], in float x[n], int n) block(64) grid(ceil_div(n, 64))'
body='int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n)'
cat >macro.cu <<F
#ifndef __linux__
#error Unsupported system
#endif
#ifdef __OPENCL_VERSION__
#define KERNEL __kernel
#elifdef __NVCC__
#define KERNEL extern "C" __global__
#endif
#pragma gputune kernel(k) $clauses tune(U = 1, 2) reference(y[i] = x[i] < 0 ? -x[i] : x[i])
KERNEL void k(float *y, const float *x, int n) { $body y[i] = std::abs(x[i]) * (U / U); }
F
cat >made.cu <<F
#define DEFINE(name, op) template <int B> __global__ void name(float *y, const float *x, int n) \\
    { $body y[i] = x[i] op B; }
DEFINE(plus, +)
#pragma gputune kernel(plus<B>) $clauses tune(B = 2, 3) reference(self)
F
cat >words.cu <<F
#include <cuda.h>
#include <cudaTypedefs.h>
struct CUtensorMap_st;
typedef struct CUtensorMap_st CUtensorMap;
#if __has_include("factor.cuh") && !__has_include("nowhere.cuh")
#include "factor.cuh"
#endif
enum class Mode { Fast, Slow };
enum {
#define NAME(a) a##_NAME,
    NAME(FIRST)
#undef NAME
    NAMES
};
template <typename T> struct Value {
    T v;
    friend std::ostream &operator<<(std::ostream &to, const Value &from) { return to << from.v; }
};
template <typename T> __device__ T two() { return Value<T>{2}.v * NAMES; }
#pragma gputune kernel(k<T, MODE>) problem(n = 1000, type T = float, double)
#pragma gputune args(out T y[n], in T x[n], int n) block(64) grid(ceil_div(n, 64))
#pragma gputune tune(MODE = Mode::Fast, Mode::Slow) reference(y[i] = x[i] * 6)
template <typename T, Mode M> __global__ void k(T *y, const T *x, [[maybe_unused]] int n)
{
    $body y[i] = x[i] * (M == Mode::Slow ? FACTOR : T(3)) * two<T>();
}
F
echo '#define FACTOR 3' >factor.cuh
cat >scopes.cu <<F
namespace [[deprecated]] lib __attribute__((visibility("hidden"))) { typedef double real; enum Kind { FEW = 2 }; struct Pair { real a; Kind b; }; struct Both { Pair p; int n; }; }
#pragma gputune kernel(k) problem(n = 1000) args(out float y[n], lib::Both s = {.p = {3, FEW}, .n = n})
#pragma gputune block(64) grid(ceil_div(n, 64)) tune(U = 1, 2) reference(y[i] = 6)
__global__ void k(float *y, lib::Both s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < s.n) y[i] = s.p.a * s.p.b * (U / U);
}
F
cat >gnu.cu <<F
#include <cuda.h>
#include <cstddef>
struct S { char c; int i; };
#if CUDA_VERSION < 12000 || !defined(__x86_64__) && !defined(__aarch64__) || !defined __unix__
#error
#endif
#if !defined(__NVCC__) || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ || __SIZEOF_POINTER__ != 8 || \\
    __BYTE_ORDER == __BIG_ENDIAN || __WORDSIZE != 64 || __SIZEOF_SIZE_T__ != 8 || __LONG_MAX__ < 1L << 62
#error
#endif
#if defined(__GNUC__) && !defined(__clang__)
#ifdef __GNUG__
#define ALIGNED(n) __attribute__((aligned(n)))
#endif
#elifndef _MSC_VER
#error
#else
#define ALIGNED(n) __declspec(align(n))
#endif
#define MAKE_IMPL(name) __global__ void name(float *y, const float *x, int n) \\
    { $body y[i] = x[i] * two() * (U / U); }
#define MAKE MAKE_IMPL
__device__ float two()
{
    ALIGNED(16) typeof(1.0f) sum = __builtin_popcount(7) + offsetof(S, i);
    __int128 wide = (__int128)1 << 65;
    __asm__ __volatile__("add.f32 %0, %0, 0fC0E00000;" : "+f"(sum));
    return sum + (int)(wide >> 64);
}
#pragma gputune kernel(k) $clauses tune(U = 1, 2) reference(y[i] = x[i] * 2)
MAKE(k)
F
cat >implicit.cu <<F
template <typename T> __device__ T two(std::pair<T, T> of)
{
    return std::is_same<T, float>::value && std::numeric_limits<T>::max() > 1 ? of.first : of.second;
}
#pragma gputune kernel(k) $clauses tune(U = 1, 2) reference(y[i] = x[i] * 2)
__global__ void k(float *y, const float *x, int n) { $body y[i] = x[i] * two<float>({2, 3}) * (U / U); }
F
for file in macro made words scopes gnu implicit; do
    $GPUTUNE warm ./$file.cu -q --format csv | cut -d, -f1,2
done
