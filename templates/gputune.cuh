// The prelude of every kernel that gputune compiles. It stands in front of the source; including it
// is only needed for editors. No headers, C++17.
//
//   gputune_each<VEC, UNROLL>(n, [&](auto part) { … })   every element once, the tail included
//   gputune_vector<T, W>, gputune_load<W>, gputune_store<W>   aligned vectors of 1, 2, 4 or 8
//   gputune_grid_sync()                                   waits for all blocks of a cooperative launch
//   gputune_dependency_sync / _trigger                    for programmatic launches of a pipeline
//   gputune_cluster_rank / _size / _index / _count        a block in its cluster, a cluster in the grid
//   gputune_cluster_sync / _map                           distributed shared memory, and one block
//   GPUTUNE_PARAM(block), block(i)                        a pass() block, made for each variant
//   int32_t, uint, INFINITY, NAN, INT_MAX, M_PI, …        what kernels for nvcc have without asking
#pragma once

#define GPUTUNE_INLINE __device__ __forceinline__

// The same as those of <cuda/std/cstdint>, so that both may be there.
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;

// What nvcc includes by itself, of <sys/types.h>, <cstddef>, <math.h> and <limits.h>.
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
namespace std {
using ::ptrdiff_t; using ::size_t; using ::abs; using ::acos; using ::acosh; using ::asin;
using ::asinh; using ::atan; using ::atan2; using ::atanh; using ::cbrt; using ::ceil;
using ::copysign; using ::cos; using ::cosh; using ::erf; using ::erfc; using ::exp; using ::exp2;
using ::expm1; using ::fabs; using ::fdim; using ::floor; using ::fma; using ::fmax; using ::fmin;
using ::fmod; using ::frexp; using ::hypot; using ::isfinite; using ::isinf; using ::isnan;
using ::ldexp; using ::lgamma; using ::log; using ::log10; using ::log1p; using ::log2;
using ::lrint; using ::lround; using ::modf; using ::nearbyint; using ::nextafter; using ::pow;
using ::remainder; using ::rint; using ::round; using ::signbit; using ::sin; using ::sinh;
using ::sqrt; using ::tan; using ::tanh; using ::tgamma; using ::trunc;
} // namespace std

#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#ifndef HUGE_VAL
#define HUGE_VAL  __longlong_as_double(0x7ff0000000000000LL)
#define HUGE_VALF INFINITY
#endif
#ifndef M_PI
#define M_E        2.7182818284590452354
#define M_LOG2E    1.4426950408889634074
#define M_LOG10E   0.43429448190325182765
#define M_LN2      0.69314718055994530942
#define M_LN10     2.30258509299404568402
#define M_PI       3.14159265358979323846
#define M_PI_2     1.57079632679489661923
#define M_PI_4     0.78539816339744830962
#define M_1_PI     0.31830988618379067154
#define M_2_PI     0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2    1.41421356237309504880
#define M_SQRT1_2  0.70710678118654752440
#endif

// As on the platforms of CUDA: int has 32 bits, long and long long 64, char is signed.
#ifndef CHAR_BIT
#define CHAR_BIT 8
#endif
#ifndef INT_MAX
#define SCHAR_MIN  (-128)
#define SCHAR_MAX  127
#define UCHAR_MAX  255
#define CHAR_MIN   SCHAR_MIN
#define CHAR_MAX   SCHAR_MAX
#define SHRT_MIN   (-32767 - 1)
#define SHRT_MAX   32767
#define USHRT_MAX  65535
#define INT_MIN    (-2147483647 - 1)
#define INT_MAX    2147483647
#define UINT_MAX   4294967295U
#define LONG_MIN   (-9223372036854775807L - 1)
#define LONG_MAX   9223372036854775807L
#define ULONG_MAX  18446744073709551615UL
#define LLONG_MIN  (-9223372036854775807LL - 1)
#define LLONG_MAX  9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#endif

// ---- Vectors --------------------------------------------------------------------------------

// The widest access that the machine does at once: wider vectors are two of them.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
#define GPUTUNE_WIDEST 32
#else
#define GPUTUNE_WIDEST 16
#endif

// W elements of type T, aligned so that one access carries them.
template <typename T, int W>
struct alignas(sizeof(T) * W < GPUTUNE_WIDEST ? sizeof(T) * W : GPUTUNE_WIDEST) gputune_vector {
    T data[W];
    GPUTUNE_INLINE T &operator[](int i) { return data[i]; }
    GPUTUNE_INLINE const T &operator[](int i) const { return data[i]; }
};

// How a vector's bytes are moved: as words, so that small elements make wide accesses too.
template <int BYTES> struct gputune_words {
    struct alignas(BYTES < GPUTUNE_WIDEST ? BYTES : GPUTUNE_WIDEST) type {
        unsigned int word[BYTES / 4];
    };
};
template <> struct gputune_words<1> {
    typedef unsigned char type;
};
template <> struct gputune_words<2> {
    typedef unsigned short type;
};
template <> struct gputune_words<4> {
    typedef unsigned int type;
};

// Which caches an access goes through: cached as usual, or touched once and streamed past them.
struct gputune_cached {
};
struct gputune_streamed {
};

template <typename R> GPUTUNE_INLINE R gputune_move_in(const R *at, gputune_cached) { return *at; }
template <typename R> GPUTUNE_INLINE void gputune_move_out(R *at, const R &value, gputune_cached)
{
    *at = value;
}

GPUTUNE_INLINE unsigned char gputune_move_in(const unsigned char *at, gputune_streamed)
{
    return __ldcs(at);
}
GPUTUNE_INLINE unsigned short gputune_move_in(const unsigned short *at, gputune_streamed)
{
    return __ldcs(at);
}
GPUTUNE_INLINE unsigned int gputune_move_in(const unsigned int *at, gputune_streamed)
{
    return __ldcs(at);
}
GPUTUNE_INLINE void gputune_move_out(unsigned char *at, unsigned char value, gputune_streamed)
{
    __stcs(at, value);
}
GPUTUNE_INLINE void gputune_move_out(unsigned short *at, unsigned short value, gputune_streamed)
{
    __stcs(at, value);
}
GPUTUNE_INLINE void gputune_move_out(unsigned int *at, unsigned int value, gputune_streamed)
{
    __stcs(at, value);
}

// Words by eights and sixteens of bytes.
template <typename R> GPUTUNE_INLINE R gputune_move_in(const R *at, gputune_streamed)
{
    R value;
    if constexpr (sizeof(R) == 8) {
        uint2 w = __ldcs(reinterpret_cast<const uint2 *>(at));
        value.word[0] = w.x, value.word[1] = w.y;
    } else {
#pragma unroll
        for (int i = 0; i < int(sizeof(R) / 16); i++) {
            uint4 w = __ldcs(reinterpret_cast<const uint4 *>(at) + i);
            value.word[4 * i] = w.x, value.word[4 * i + 1] = w.y;
            value.word[4 * i + 2] = w.z, value.word[4 * i + 3] = w.w;
        }
    }
    return value;
}
template <typename R> GPUTUNE_INLINE void gputune_move_out(R *at, const R &value, gputune_streamed)
{
    if constexpr (sizeof(R) == 8) {
        __stcs(reinterpret_cast<uint2 *>(at), make_uint2(value.word[0], value.word[1]));
    } else {
#pragma unroll
        for (int i = 0; i < int(sizeof(R) / 16); i++) {
            __stcs(reinterpret_cast<uint4 *>(at) + i,
                   make_uint4(value.word[4 * i], value.word[4 * i + 1], value.word[4 * i + 2],
                              value.word[4 * i + 3]));
        }
    }
}

// One vector at `at`, which is aligned to it.
template <int W, typename CACHE = gputune_cached, typename T>
GPUTUNE_INLINE gputune_vector<T, W> gputune_load(const T *at)
{
    typedef typename gputune_words<sizeof(T) * W>::type words;
    gputune_vector<T, W> value;
    words moved = gputune_move_in(reinterpret_cast<const words *>(at), CACHE());
    memcpy(&value, &moved, sizeof value);
    return value;
}
template <int W, typename CACHE = gputune_cached, typename T>
GPUTUNE_INLINE void gputune_store(T *at, const gputune_vector<T, W> &value)
{
    typedef typename gputune_words<sizeof(T) * W>::type words;
    words moved;
    memcpy(&moved, &value, sizeof value);
    gputune_move_out(reinterpret_cast<words *>(at), moved, CACHE());
}

// ---- Iterating ------------------------------------------------------------------------------

// COUNT elements of a thread: UNROLL vectors of W.
template <typename T, int W, int UNROLL> struct gputune_elements {
    gputune_vector<T, W> vectors[UNROLL];
    GPUTUNE_INLINE T &operator[](int i) { return vectors[i / W].data[i % W]; }
    GPUTUNE_INLINE const T &operator[](int i) const { return vectors[i / W].data[i % W]; }
};

// What one call of a loop's body is to do: `count` elements, that of index(i) for each i.
template <int W, int UNROLL> struct gputune_part {
    static constexpr int count = W * UNROLL;
    size_t first, step; // of the thread's first vector; from one of its vectors to the next

    GPUTUNE_INLINE size_t index(int i) const { return first + (i / W) * step + i % W; }

    // All loads are issued before anything waits for one of them.
    template <typename CACHE = gputune_cached, typename T>
    GPUTUNE_INLINE gputune_elements<T, W, UNROLL> load(const T *from) const
    {
        gputune_elements<T, W, UNROLL> elements;
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            elements.vectors[u] = gputune_load<W, CACHE>(from + first + u * step);
        }
        return elements;
    }
    template <typename CACHE = gputune_cached, typename T>
    GPUTUNE_INLINE void store(T *to, const gputune_elements<T, W, UNROLL> &elements) const
    {
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            gputune_store<W, CACHE>(to + first + u * step, elements.vectors[u]);
        }
    }
    template <typename T> GPUTUNE_INLINE gputune_elements<T, W, UNROLL> make() const { return {}; }
};

// Calls body(part) until every index below n was in exactly one part, whatever the grid (in x) and
// the block (in x). Tiles of blockDim.x * UNROLL * W elements go block by block; the block that the
// last, partial tile falls to does it vector by vector, then one by one. No division.
template <int W, int UNROLL, typename BODY> GPUTUNE_INLINE void gputune_each(size_t n, BODY body)
{
    const size_t step = size_t(blockDim.x) * W;
    const size_t tile = step * UNROLL;
    const size_t stride = gridDim.x * tile;
    const size_t mine = size_t(threadIdx.x) * W;
    size_t at = blockIdx.x * tile;
    if constexpr (UNROLL == 1) {
        for (; at + mine + W <= n; at += stride) {
            body(gputune_part<W, 1>{at + mine, step});
        }
        at = blockIdx.x ? n : 0;
    } else {
        for (; at + tile <= n; at += stride) {
            body(gputune_part<W, UNROLL>{at + mine, step});
        }
#pragma unroll 1
        for (size_t i = at + mine; i + W <= n && i < at + tile; i += step) {
            body(gputune_part<W, 1>{i, step});
        }
    }
    if constexpr (W > 1) {
        if (at < n) {
#pragma unroll 1
            for (size_t i = n / W * W + threadIdx.x; i < n; i += blockDim.x) {
                body(gputune_part<1, 1>{i, 1});
            }
        }
    }
}

// ---- Blocks of parameters -------------------------------------------------------------------
//
// For a pass(block : …) the engine makes GPUTUNE_PARAM(block), block(i), and GPUTUNE_FIRST(block):
// the elements before it come from one place and those behind it from another, so that a loop over
// each of the two ranges has no branch. It is the whole count where there is one place.

// Element i of a block whose first FIRST elements came by value.
template <int FIRST, typename T>
GPUTUNE_INLINE T gputune_split(const T *value, const T *constant, int i)
{
    return i < FIRST ? value[i] : constant[i - FIRST];
}

// ---- Clusters -------------------------------------------------------------------------------

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
// This block's place in its cluster, and the cluster's blocks: 0 and 1 without a cluster.
GPUTUNE_INLINE unsigned int gputune_cluster_rank()
{
    return __clusterRelativeBlockRank();
}
GPUTUNE_INLINE unsigned int gputune_cluster_size()
{
    return __clusterSizeInBlocks();
}
// Waits for all threads of the cluster; what they wrote to shared memory is then seen.
GPUTUNE_INLINE void gputune_cluster_sync()
{
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
}
// The same variable in the shared memory of another block of the cluster.
template <typename T> GPUTUNE_INLINE T *gputune_cluster_map(T *shared, unsigned int rank)
{
    return static_cast<T *>(__cluster_map_shared_rank(shared, rank));
}
#else
GPUTUNE_INLINE unsigned int gputune_cluster_rank()
{
    return 0;
}
GPUTUNE_INLINE unsigned int gputune_cluster_size()
{
    return 1;
}
GPUTUNE_INLINE void gputune_cluster_sync()
{
    __syncthreads();
}
template <typename T> GPUTUNE_INLINE T *gputune_cluster_map(T *shared, unsigned int)
{
    return shared;
}
#endif
// The cluster's number in the grid, and how many there are; for clusters along x.
GPUTUNE_INLINE unsigned int gputune_cluster_index()
{
    return blockIdx.x / gputune_cluster_size();
}
GPUTUNE_INLINE unsigned int gputune_cluster_count()
{
    return gridDim.x / gputune_cluster_size();
}

// Waits for all threads of the grid, as cooperative_groups' grid_group::sync() does; what they wrote
// to global memory is then seen. For cooperative launches: others have no place for the barrier. The
// driver gives its address in two registers; the highest bit turns when the last block has come.
GPUTUNE_INLINE void gputune_grid_sync()
{
    unsigned int high, low, before, now;
    asm volatile("mov.u32 %0, %%envreg1;" : "=r"(high));
    asm volatile("mov.u32 %0, %%envreg2;" : "=r"(low));
    size_t barrier = (size_t(high) << 32 | low) + sizeof(unsigned int);
    __syncthreads();
    if ((threadIdx.x | threadIdx.y | threadIdx.z) == 0) {
        unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;
        bool first = (blockIdx.x | blockIdx.y | blockIdx.z) == 0;
        unsigned int add = first ? 0x80000000u - (blocks - 1) : 1;
        asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;"
                     : "=r"(before)
                     : "l"(barrier), "r"(add)
                     : "memory");
        do {
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(barrier) : "memory");
        } while (((before ^ now) & 0x80000000u) == 0);
    }
    __syncthreads();
}

// For a launch() with programmatic = 1, which may begin before the kernel before it ends: waits until
// that one has ended and its results are seen. Nothing it writes may be read, and nothing it reads be
// written, before.
GPUTUNE_INLINE void gputune_dependency_sync()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// Lets the next kernel of the pipeline begin as soon as all blocks have called this or ended.
GPUTUNE_INLINE void gputune_dependency_trigger()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
