/* The declarations of CUDA's headers and C++'s library that drafts need. A compiler includes this
 * text before the program, in place of these headers. A function that accesses memory has a body,
 * which shows which arguments it reads and writes. Other functions are only declared. */
#pragma once
__attribute__((device)) void __syncthreads(); /* a builtin of device code */
#pragma clang force_cuda_host_device begin
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __grid_constant__
#define __cluster_dims__(...)
#define __launch_bounds__(...) __attribute__((annotate("launch_bounds " #__VA_ARGS__)))
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __inline_hint__
#define __nv_pure__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __CUDA_ALIGN__(n) __attribute__((aligned(n)))
#define CUDARTAPI
#define CUDART_CB
#define CUDA_VERSION 13000
#define CUDART_VERSION 13000
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __NVCC__ 1
#define __CUDACC__ 1
typedef __SIZE_TYPE__ size_t; typedef __PTRDIFF_TYPE__ ptrdiff_t, ssize_t;
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t; typedef unsigned char uint8_t; typedef unsigned short uint16_t;
typedef unsigned uint32_t; typedef unsigned long uint64_t; typedef long intptr_t; typedef unsigned long uintptr_t;
#define NULL 0
typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned uint; typedef unsigned long ulong;
#define CHAR_BIT 8
#define INT_MAX 2147483647
#define RAND_MAX INT_MAX
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LLONG_MAX 9223372036854775807ll
#define ULLONG_MAX 18446744073709551615ull
#define INT32_MAX INT_MAX
#define UINT32_MAX UINT_MAX
#define UINT64_MAX ULLONG_MAX
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define INFINITY __builtin_huge_valf()
#define NAN __builtin_nanf("")
#define CUDART_INF_F __builtin_huge_valf()
#define CUDART_INF __builtin_huge_val()
#define CUDART_PI_F 3.141592654f
#define M_PI 3.14159265358979323846
#define M_SQRT2 1.41421356237309504880
#define M_LOG2E 1.44269504088896340736
#define assert(x) ((void)(x))
#define GT_VECTORS(name, type, b1, b2, b4) \
    struct __align__(b1) name##1 { type x; }; struct __align__(b2) name##2 { type x, y; }; \
    struct name##3 { type x, y, z; }; struct __align__(b4) name##4 { type x, y, z, w; }; \
    name##1 make_##name##1(type x) { return {x}; } \
    name##2 make_##name##2(type x, type y) { return {x, y}; } \
    name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
    name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
GT_VECTORS(char, signed char, 1, 2, 4) GT_VECTORS(uchar, unsigned char, 1, 2, 4) GT_VECTORS(short, short, 2, 4, 8) GT_VECTORS(ushort, unsigned short, 2, 4, 8)
GT_VECTORS(int, int, 4, 8, 16) GT_VECTORS(uint, unsigned, 4, 8, 16) GT_VECTORS(long, long, 8, 16, 16) GT_VECTORS(ulong, unsigned long, 8, 16, 16)
GT_VECTORS(longlong, long long, 8, 16, 16) GT_VECTORS(ulonglong, unsigned long long, 8, 16, 16) GT_VECTORS(float, float, 4, 8, 16) GT_VECTORS(double, double, 8, 16, 16)
unsigned gt_unset_extent();
struct dim3 {
    unsigned x, y, z;
    dim3() : x(gt_unset_extent()), y(1), z(1) {} /* the draft asks for x if nothing sets it */
    constexpr dim3(unsigned a, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    template <class T, class = typename T::gt_mark> dim3(const T &);
    constexpr operator uint3() const { return {x, y, z}; }
};
extern const uint3 threadIdx, blockIdx; extern const dim3 blockDim, gridDim; extern const int warpSize;

/* ---- host runtime ---- */
#pragma clang force_cuda_host_device end
typedef struct CUstream_st *cudaStream_t; typedef struct CUevent_st *cudaEvent_t; typedef struct CUgraph_st *cudaGraph_t; typedef struct CUgraphExec_st *cudaGraphExec_t;
enum cudaError { cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorNotReady = 600 }; typedef cudaError cudaError_t;
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0);
extern "C" { /* these functions may have any parameters */
cudaError_t cudaMalloc(...), cudaMallocHost(...), cudaHostAlloc(...), cudaMallocManaged(...), cudaMallocAsync(...), cudaMallocPitch(...), cudaFree(...), cudaFreeHost(...), cudaFreeAsync(...);
cudaError_t cudaMemcpy(void *, const void *, ...), cudaMemcpyAsync(void *, const void *, ...), cudaMemcpy2D(void *, size_t, const void *, ...), cudaMemset(...), cudaMemsetAsync(...), cudaMemGetInfo(...), cudaMemPrefetchAsync(const void *, ...);
cudaError_t cudaDeviceSynchronize(...), cudaThreadSynchronize(...), cudaDeviceReset(...), cudaSetDevice(...), cudaGetDevice(...), cudaGetDeviceCount(...), cudaGetDeviceProperties(...), cudaDeviceGetAttribute(...), cudaGetLastError(...), cudaPeekAtLastError(...);
cudaError_t cudaEventCreate(...), cudaEventCreateWithFlags(...), cudaEventRecord(...), cudaEventSynchronize(...), cudaEventElapsedTime(...), cudaEventDestroy(...), cudaStreamCreate(...), cudaStreamCreateWithFlags(...), cudaStreamSynchronize(...), cudaStreamDestroy(...);
const char *cudaGetErrorString(...);
}
template <class T> cudaError_t cudaLaunchKernel(T *, dim3, dim3, void **, size_t = 0, cudaStream_t = 0);
template <class T> cudaError_t cudaLaunchCooperativeKernel(T *, dim3, dim3, void **, size_t = 0, cudaStream_t = 0);
template <class T> cudaError_t cudaMemcpyToSymbol(const T &, const void *, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyHostToDevice);

#pragma clang force_cuda_host_device begin
/* ---- barriers, memory ---- */
void __syncwarp(unsigned = ~0u); int __syncthreads_or(int); int __syncthreads_and(int); int __syncthreads_count(int); void __threadfence();
void __threadfence_block(); void __threadfence_system(); void __nanosleep(unsigned); void __trap(); unsigned __isShared(const void *);
size_t __cvta_generic_to_shared(const void *); typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
template <class T> T tex1Dfetch(cudaTextureObject_t, int); template <class T> T tex1D(cudaTextureObject_t, float);
template <class T> T tex2D(cudaTextureObject_t, float, float); template <class T> T tex3D(cudaTextureObject_t, float, float, float);
#define GT_ATOMIC(name) \
    template <class T, class U> T name(T *p, U v) { T old = *p; *p = v; return old; } \
    template <class T, class U> T name##_block(T *p, U v) { T old = *p; *p = v; return old; } \
    template <class T, class U> T name##_system(T *p, U v) { T old = *p; *p = v; return old; }
GT_ATOMIC(atomicAdd) GT_ATOMIC(atomicSub) GT_ATOMIC(atomicMin) GT_ATOMIC(atomicMax) GT_ATOMIC(atomicExch) GT_ATOMIC(atomicAnd) GT_ATOMIC(atomicOr) GT_ATOMIC(atomicXor)
GT_ATOMIC(atomicInc) GT_ATOMIC(atomicDec)
template <class T, class U, class V> T atomicCAS(T *p, U a, V b) { T old = *p; *p = b; return old; }
#define GT_LOAD(name) template <class T> T name(const T *p) { return *p; }
GT_LOAD(__ldg) GT_LOAD(__ldcs) GT_LOAD(__ldcg) GT_LOAD(__ldca) GT_LOAD(__ldlu) GT_LOAD(__ldcv)
#define GT_STORE(name) template <class T, class U> void name(T *p, U v) { *p = v; }
GT_STORE(__stcs) GT_STORE(__stcg) GT_STORE(__stwt) GT_STORE(__stwb)
void *gt_copy(char *to, const char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        to[i] = from[i];
    }
    return to;
}
#define memcpy(to, from, bytes) gt_copy((char *)(to), (const char *)(from), bytes)
void *gt_set(char *to, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        to[i] = 0;
    }
    return to;
}
#define memset(to, value, bytes) gt_set((char *)(to), bytes)
#define __pipeline_memcpy_async(to, from, bytes, ...) gt_copy((char *)(to), (const char *)(from), bytes)
void __pipeline_commit(); void __pipeline_wait_prior(size_t);

/* ---- warps, bits, mathematics ---- */
template <class T> T __shfl_sync(unsigned, T, int, int = 32); template <class T> T __shfl(T, int, int = 32);
template <class T> T __shfl_up_sync(unsigned, T, int, int = 32); template <class T> T __shfl_up(T, int, int = 32);
template <class T> T __shfl_down_sync(unsigned, T, int, int = 32); template <class T> T __shfl_down(T, int, int = 32);
template <class T> T __shfl_xor_sync(unsigned, T, int, int = 32); template <class T> T __shfl_xor(T, int, int = 32);
int __any_sync(unsigned, int), __all_sync(unsigned, int), __any(int), __all(int); unsigned __ballot_sync(unsigned, int), __activemask(), __ballot(int);
template <class T> T __reduce_add_sync(unsigned, T); template <class T> T __reduce_max_sync(unsigned, T); template <class T> T __reduce_min_sync(unsigned, T);
template <class T> unsigned __match_any_sync(unsigned, T);
int __popc(unsigned), __popcll(unsigned long long), __clz(int), __clzll(long long), __ffs(int), __ffsll(long long);
unsigned __brev(unsigned), __umulhi(unsigned, unsigned), __byte_perm(unsigned, unsigned, unsigned), __funnelshift_l(unsigned, unsigned, unsigned), __funnelshift_r(unsigned, unsigned, unsigned), __vabsdiffu4(unsigned, unsigned);
int __mulhi(int, int), __dp4a(int, int, int); unsigned __dp4a(unsigned, unsigned, unsigned); int __mul24(int a, int b) { return a * b; }
unsigned __umul24(unsigned a, unsigned b) { return a * b; } unsigned long long __umul64hi(unsigned long long, unsigned long long), __brevll(unsigned long long);
typedef long clock_t; long long clock64(); clock_t clock(); template <class T> struct gt_real { typedef double type; }; template <> struct gt_real<float> { typedef float type; };
#define GT_MATH1(name) float name##f(float); template <class T> typename gt_real<T>::type name(T);
#define GT_MATH2(name) float name##f(float, float); template <class T, class U> typename gt_real<decltype(T() + U())>::type name(T, U);
GT_MATH1(sin) GT_MATH1(cos) GT_MATH1(tan) GT_MATH1(asin) GT_MATH1(acos) GT_MATH1(atan) GT_MATH1(sinh) GT_MATH1(cosh) GT_MATH1(tanh) GT_MATH1(asinh) GT_MATH1(acosh) GT_MATH1(atanh) GT_MATH1(exp) GT_MATH1(exp2) GT_MATH1(exp10) GT_MATH1(expm1) GT_MATH1(log) GT_MATH1(log2) GT_MATH1(log10) GT_MATH1(log1p) GT_MATH1(logb) GT_MATH1(sqrt) GT_MATH1(rsqrt) GT_MATH1(cbrt) GT_MATH1(rcbrt) GT_MATH1(fabs) GT_MATH1(floor) GT_MATH1(ceil) GT_MATH1(round) GT_MATH1(trunc) GT_MATH1(rint) GT_MATH1(nearbyint) GT_MATH1(erf) GT_MATH1(erfc) GT_MATH1(erfinv) GT_MATH1(erfcinv) GT_MATH1(erfcx) GT_MATH1(tgamma) GT_MATH1(lgamma) GT_MATH1(normcdf) GT_MATH1(normcdfinv) GT_MATH1(sinpi) GT_MATH1(cospi) GT_MATH1(j0) GT_MATH1(j1)
GT_MATH2(pow) GT_MATH2(atan2) GT_MATH2(fmod) GT_MATH2(fmin) GT_MATH2(fmax) GT_MATH2(hypot) GT_MATH2(copysign) GT_MATH2(remainder) GT_MATH2(fdim)
float fmaf(float, float, float), fma(float, float, float), saturate(float), ldexpf(float, int), powif(float, int); double fma(double, double, double), ldexp(double, int);
void sincosf(float, float *s, float *c) { *s = 0; *c = 0; } void __sincosf(float, float *s, float *c) { *s = 0; *c = 0; }
void sincos(double, double *s, double *c) { *s = 0; *c = 0; } int abs(int a) { return a < 0 ? -a : a; } long abs(long a) { return a < 0 ? -a : a; }
long long abs(long long a) { return a < 0 ? -a : a; } long labs(long); long long llabs(long long), llrint(double), llround(double);
float abs(float); double abs(double); long lrintf(float), lrint(double), lroundf(float), lround(double); template <class T> bool isnan(T);
template <class T> bool isinf(T); template <class T> bool isfinite(T); template <class T> bool signbit(T);
float __sinf(float), __cosf(float), __tanf(float), __expf(float), __exp10f(float), __logf(float), __log2f(float), __log10f(float), __powf(float, float), __fdividef(float, float), __saturatef(float), __frsqrt_rn(float), __tanhf(float);
#define GT_ROUNDED(to) \
    float __fadd_##to(float, float), __fsub_##to(float, float), __fmul_##to(float, float), __fdiv_##to(float, float), __fmaf_##to(float, float, float), __frcp_##to(float), __fsqrt_##to(float); \
    float __int2float_##to(int), __uint2float_##to(unsigned), __double2float_##to(double), __ll2float_##to(long long), __ull2float_##to(unsigned long long); \
    double __dadd_##to(double, double), __dsub_##to(double, double), __dmul_##to(double, double), __ddiv_##to(double, double), __fma_##to(double, double, double), __drcp_##to(double), __dsqrt_##to(double), __ll2double_##to(long long); \
    int __float2int_##to(float), __double2int_##to(double); \
    unsigned __float2uint_##to(float), __double2uint_##to(double); \
    long long __float2ll_##to(float), __double2ll_##to(double);
GT_ROUNDED(rn) GT_ROUNDED(rz) GT_ROUNDED(ru) GT_ROUNDED(rd)
int __float_as_int(float), __double2hiint(double), __double2loint(double); unsigned __float_as_uint(float); float __int_as_float(int), __uint_as_float(unsigned);
long long __double_as_longlong(double); double __longlong_as_double(long long), __int2double_rn(int), __uint2double_rn(unsigned), __hiloint2double(int, int);

/* ---- half types ---- */
#define GT_HALF(type, pair, number) \
    struct __align__(2) type { unsigned short v; type() = default; template <class T> type(T); operator float() const; \
        template <class T> type &operator+=(T); template <class T> type &operator-=(T); template <class T> type &operator*=(T); template <class T> type &operator/=(T); }; \
    struct __align__(4) pair { type x, y; pair() = default; pair(type, type); explicit pair(type); }; \
    type operator+(type, type), operator-(type, type), operator*(type, type), operator/(type, type), operator-(type); \
    bool operator<(type, type), operator>(type, type), operator<=(type, type), operator>=(type, type), operator==(type, type), operator!=(type, type); \
    pair operator+(pair, pair), operator-(pair, pair), operator*(pair, pair), operator/(pair, pair); \
    type __hadd(type, type), __hsub(type, type), __hmul(type, type), __hdiv(type, type), __hfma(type, type, type), __hmax(type, type), __hmin(type, type), __hneg(type), __habs(type), __low2##number(pair), __high2##number(pair); \
    pair __hadd2(pair, pair), __hsub2(pair, pair), __hmul2(pair, pair), __h2div(pair, pair), __hfma2(pair, pair, pair), __hmax2(pair, pair), __hmin2(pair, pair), __hneg2(pair), __habs2(pair), __low2##number##2(pair), __high2##number##2(pair), __lowhigh2highlow(pair), __halves2##number##2(type, type), __##number##2##number##2(type), __float2##number##2_rn(float), __floats2##number##2_rn(float, float), make_##number##2(type, type); \
    bool __hgt(type, type), __hlt(type, type), __hge(type, type), __hle(type, type), __heq(type, type), __hne(type, type), __hisnan(type), __hisinf(type); \
    type hexp(type), hexp2(type), hlog(type), hlog2(type), hsqrt(type), hrsqrt(type), hrcp(type), hsin(type), hcos(type), hfloor(type), hceil(type), htrunc(type), hrint(type), htanh(type); \
    pair h2exp(pair), h2exp2(pair), h2log(pair), h2sqrt(pair), h2rsqrt(pair), h2rcp(pair), h2sin(pair), h2cos(pair), h2tanh(pair); \
    float __##number##2float(type), __low2float(pair), __high2float(pair); \
    type __float2##number(float), __float2##number##_rn(float), __float2##number##_rz(float), __double2##number(double), __int2##number##_rn(int), __uint2##number##_rn(unsigned), __short_as_##number(short), __ushort_as_##number(unsigned short); \
    int __##number##2int_rn(type), __##number##2int_rz(type); \
    short __##number##_as_short(type); \
    unsigned short __##number##_as_ushort(type);
GT_HALF(__half, __half2, half) /* #include <cuda_fp16.h> */
GT_HALF(__nv_bfloat16, __nv_bfloat162, bfloat16) /* #include <cuda_bf16.h> */
typedef __half half; typedef __half2 half2;
typedef __nv_bfloat16 nv_bfloat16; typedef __nv_bfloat162 nv_bfloat162;
float2 __half22float2(__half2); __half2 __float22half2_rn(float2);
float2 __bfloat1622float2(__nv_bfloat162);
__nv_bfloat162 __float22bfloat162_rn(float2), __halves2bfloat162(__nv_bfloat16, __nv_bfloat16), __bfloat162bfloat162(__nv_bfloat16);
struct __align__(1) __nv_fp8_e4m3 { unsigned char __x; __nv_fp8_e4m3() = default; template <class T> explicit __nv_fp8_e4m3(T); explicit operator float() const; }; /* #include <cuda_fp8.h> */
struct __align__(1) __nv_fp8_e5m2 { unsigned char __x; __nv_fp8_e5m2() = default; template <class T> explicit __nv_fp8_e5m2(T); explicit operator float() const; }; /* #include <cuda_fp8.h> */

/* ---- C's and C++'s library ---- */
template <class T, class U> constexpr auto min(T a, U b) -> decltype(true ? T(a) : U(b)) { return a < b ? a : b; }
template <class T, class U> constexpr auto max(T a, U b) -> decltype(true ? T(a) : U(b)) { return a < b ? b : a; }
extern "C" {
typedef struct gt_file FILE; extern FILE *stderr, *stdout, *stdin; int printf(const char *, ...);
int fprintf(FILE *, const char *, ...), sprintf(char *, const char *, ...), snprintf(char *, size_t, const char *, ...), puts(const char *), fclose(FILE *), fflush(FILE *), atoi(const char *), rand(), strcmp(const char *, const char *);
void *malloc(size_t), *calloc(size_t, size_t), *realloc(void *, size_t), free(void *), exit(int), abort(), srand(unsigned); char *getenv(const char *);
long atol(const char *), strtol(const char *, char **, int); long long atoll(const char *), strtoll(const char *, char **, int); double atof(const char *), strtod(const char *, char **);
unsigned long strtoul(const char *, char **, int); unsigned long long strtoull(const char *, char **, int);
}
namespace std {
using ::size_t; using ::ptrdiff_t; using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t; using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::uintptr_t; using ::intptr_t;
using ::min; using ::max; using ::abs; using ::printf; using ::malloc; using ::free; using ::exit; using ::abort; using ::isnan; using ::isinf; using ::isfinite; using ::FILE; using ::atoi; using ::atol; using ::atoll; using ::atof; using ::strtol; using ::strtoll; using ::strtoul; using ::strtoull; using ::strtod; using ::rand; using ::srand; using ::sin; using ::cos; using ::tan; using ::asin; using ::acos; using ::atan; using ::sinh; using ::cosh; using ::tanh; using ::asinh; using ::acosh; using ::atanh; using ::exp; using ::exp2; using ::expm1; using ::log; using ::log2; using ::log10; using ::log1p; using ::logb; using ::sqrt; using ::cbrt; using ::fabs; using ::floor; using ::ceil; using ::round; using ::trunc; using ::rint; using ::nearbyint; using ::pow; using ::atan2; using ::fmod; using ::fmin; using ::fmax; using ::hypot; using ::fma;
typedef decltype(nullptr) nullptr_t;
template <class T, T v> struct integral_constant { static constexpr T value = v; typedef T value_type; typedef integral_constant type; constexpr operator T() const { return v; } };
typedef integral_constant<bool, true> true_type; typedef integral_constant<bool, false> false_type; template <class T, class U> struct is_same : false_type {};
template <class T> struct is_same<T, T> : true_type {}; template <class T, class U> inline constexpr bool is_same_v = is_same<T, U>::value;
template <class T> struct is_integral : integral_constant<bool, __is_integral(T)> {};
template <class T> struct is_floating_point : integral_constant<bool, __is_floating_point(T)> {};
template <class T> inline constexpr bool is_integral_v = __is_integral(T); template <class T> inline constexpr bool is_floating_point_v = __is_floating_point(T);
template <bool b, class T = void> struct enable_if {}; template <class T> struct enable_if<true, T> { typedef T type; };
template <bool b, class T = void> using enable_if_t = typename enable_if<b, T>::type; template <bool b, class T, class F> struct conditional { typedef T type; };
template <class T, class F> struct conditional<false, T, F> { typedef F type; };
template <bool b, class T, class F> using conditional_t = typename conditional<b, T, F>::type; template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T &> { typedef T type; }; template <class T> struct remove_cv { typedef T type; };
template <class T> struct remove_cv<const T> { typedef T type; }; template <class T> using decay_t = typename remove_cv<typename remove_reference<T>::type>::type;
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> constexpr T &&forward(typename remove_reference<T>::type &v) { return static_cast<T &&>(v); }
template <class T> constexpr typename remove_reference<T>::type &&move(T &&v) { return static_cast<typename remove_reference<T>::type &&>(v); }
template <class T> struct numeric_limits { static constexpr T max(), min(), lowest(), infinity(), epsilon(), quiet_NaN(); };
template <class T> void swap(T &a, T &b) { T t = a; a = b; b = t; } template <class A, class B> struct pair { A first; B second; };
template <class A, class B> pair<A, B> make_pair(A, B);
template <class T, size_t n> struct array { T items[n]; T &operator[](size_t i) { return items[i]; } const T &operator[](size_t i) const { return items[i]; } constexpr size_t size() const { return n; } T *data(), *begin(), *end(); };
template <class T> struct initializer_list { const T *items; size_t count; const T *begin() const, *end() const; size_t size() const; };
template <class T> struct allocator {};
template <class T, class A = allocator<T>> struct vector {
    T *items;
    size_t length;
    vector() : length(0) {} explicit vector(size_t n) : length(n) {} vector(size_t n, const T &) : length(n) {} vector(initializer_list<T>); template <class I, class = enable_if_t<!__is_integral(I)>> vector(I, I);
    T &operator[](size_t), &front(), &back(), &at(size_t); const T &operator[](size_t) const, &at(size_t) const;
    T *data(), *begin(), *end(); const T *data() const, *begin() const, *end() const;
    size_t size() const { return length; } void resize(size_t n) { length = n; } void resize(size_t n, const T &) { length = n; } void assign(size_t n, const T &) { length = n; } void clear() { length = 0; } void push_back(const T &) { length++; } template <class... X> void emplace_back(X &&...) { length++; } void pop_back() { length--; }
    static size_t changed(); template <class... X> T *insert(X &&...) { length = changed(); return items; } template <class... X> T *erase(X &&...) { length = changed(); return items; } void swap(vector &v) { length = v.length = changed(); }
    bool empty() const; void reserve(size_t);
};
struct string { string(); string(const char *); const char *c_str() const; size_t size() const, length() const; string operator+(const string &) const; bool operator==(const string &) const; };
int stoi(const string &); long stol(const string &); long long stoll(const string &); unsigned long stoul(const string &); unsigned long long stoull(const string &); float stof(const string &); double stod(const string &);
}
namespace thrust {
template <class T> struct device_ptr { T *get() const; }; template <class T> T *raw_pointer_cast(const device_ptr<T> &); template <class T> T *raw_pointer_cast(T *);
template <class T> struct device_vector { size_t length; device_vector() : length(0) {} device_vector(size_t n) : length(n) {} template <class U> device_vector(size_t n, U) : length(n) {} template <class V> device_vector(const V &v) : length(v.length) {} template <class I, class = std::enable_if_t<!__is_integral(I)>> device_vector(I, I); void resize(size_t n) { length = n; } void push_back(T) { length++; } void clear() { length = 0; } T &operator[](size_t); device_ptr<T> data(); size_t size() const { return length; } device_ptr<T> begin(), end(); };
template <class T> using host_vector = std::vector<T>;
}
#define AT_DISPATCH_FLOATING_TYPES(type, name, ...) [&] { typedef float scalar_t; return (__VA_ARGS__)(); }()
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF AT_DISPATCH_FLOATING_TYPES
#define AT_DISPATCH_ALL_TYPES AT_DISPATCH_FLOATING_TYPES
#define AT_DISPATCH_FLOATING_TYPES_AND(more, type, name, ...) AT_DISPATCH_FLOATING_TYPES(type, name, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(more, most, type, name, ...) AT_DISPATCH_FLOATING_TYPES(type, name, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND(more, type, name, ...) AT_DISPATCH_FLOATING_TYPES(type, name, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND2(more, most, type, name, ...) AT_DISPATCH_FLOATING_TYPES(type, name, __VA_ARGS__)
namespace cooperative_groups {
struct thread_group { void sync() const; unsigned size() const, thread_rank() const, num_threads() const; template <class T> T shfl_down(T, int) const, shfl_up(T, int) const, shfl(T, int) const, shfl_xor(T, int) const; int any(int) const, all(int) const; unsigned ballot(int) const; };
struct grid_group : thread_group { bool is_valid() const; };
struct thread_block : thread_group {
    dim3 group_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    dim3 thread_index() const { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    dim3 group_dim() const { return blockDim; }
};
struct coalesced_group : thread_group {};
template <unsigned n, class P = void> struct thread_block_tile : thread_group { unsigned meta_group_rank() const, meta_group_size() const; };
thread_block this_thread_block(); grid_group this_grid(); coalesced_group coalesced_threads();
template <unsigned n, class G> thread_block_tile<n> tiled_partition(const G &);
template <class T> struct plus { T operator()(T, T) const; }; template <class T> struct less { T operator()(T, T) const; };
template <class T> struct greater { T operator()(T, T) const; }; template <class G, class T, class O> T reduce(const G &, T, O);
template <class G> void sync(const G &);
}
#pragma clang force_cuda_host_device end
