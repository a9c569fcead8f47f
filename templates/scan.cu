// y[i] = x[0] + … + x[i] in one pass: each tile gets its initial value from the tiles before it
// (Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVR-2016-002)
#include "blocks.cuh"

#pragma gputune kernel(scan)
#pragma gputune problem(n = 1 << 26)
#pragma gputune problem(type T = float, int)
#pragma gputune args(out T y[n], in T x[n] = uniform(-100, 100), size_t n)
#pragma gputune scratch(unsigned long long told[ceil_div(n, BLOCK * VEC * STEPS)] = zero,          \
                        unsigned long long ticket[1] = zero)
#pragma gputune vector(VEC = 1, 2, 4 : x, y)
#pragma gputune tune(BLOCK = 128, 256, 512, 1024)
#pragma gputune tune(STEPS = 1, 2, 3, 4, 6, 8) // number of vectors of a thread
#pragma gputune tune(CACHE = cached, streamed) // whether data that is used once is cached
// How tiles publish and read sums, and the nanoseconds between two reads. Many tiles that read
// without a pause slow down the tiles that publish.
#pragma gputune tune(TOLD_BY = words, atomics)
#pragma gputune tune(PAUSE = 0, 200, 700)
#pragma gputune default(VEC = 1, BLOCK = 512, STEPS = 6, CACHE = cached, TOLD_BY = atomics)
#pragma gputune require(PAUSE == 0 || (cc >= 70 && TOLD_BY == words))
#pragma gputune require(VEC *STEPS <= 24)
#pragma gputune block(BLOCK)
#pragma gputune grid(ceil_div(n, BLOCK *VEC *STEPS))
#pragma gputune work(bytes = 2 * n * sizeof(T), flops = n)
#pragma gputune reference(scan_reference, block = 1024, grid = ceil_div(n, 1 << 22))

#if CACHE_streamed
typedef gputune_streamed caching;
#else
typedef gputune_cached caching;
#endif

enum { SUM_OF_TILE = 1, SUM_OF_ALL = 2 }; // sum of a single tile; sum of a tile and all tiles before it

// Publishes the launch's number, a kind and a sum in a single word, so they become visible together.
// Words of earlier launches have another number, so nothing needs to be cleared.
struct teller {
    unsigned long long *told;
    unsigned int launch;

    GPUTUNE_INLINE unsigned int mark(unsigned int kind) const
    {
        return launch << 2 | kind;
    }
    GPUTUNE_INLINE void tell(unsigned int tile, unsigned int kind, T sum) const
    {
        unsigned int bits;
        memcpy(&bits, &sum, sizeof bits);
        const unsigned long long word = (unsigned long long)mark(kind) << 32 | bits;
#if TOLD_BY_atomics
        atomicExch(&told[tile], word);
#else
        *(volatile unsigned long long *)&told[tile] = word;
#endif
    }
    GPUTUNE_INLINE unsigned long long ask(unsigned int tile) const
    {
        return TOLD_BY_atomics ? atomicAdd(&told[tile], 0ull)
                               : *(const volatile unsigned long long *)&told[tile];
    }
    GPUTUNE_INLINE bool is_told(unsigned long long word) const
    {
        return word >> 32 == mark(SUM_OF_TILE) || word >> 32 == mark(SUM_OF_ALL);
    }
    // Computes the sum of all tiles before this tile, with a warp whose threads read one tile each.
    GPUTUNE_INLINE T sum_before(unsigned int tile) const
    {
        T sum = 0;
        int at = int(tile) - 1 - int(threadIdx.x % 32);
        for (;; at -= 32) {
            unsigned long long word = (unsigned long long)mark(SUM_OF_ALL)
                                      << 32; // there is nothing before the first tile
            if (at >= 0) {
                while (!is_told(word = ask(at))) {
#if PAUSE
                    __nanosleep(PAUSE);
#endif
                }
            }
            const unsigned int bits = (unsigned int)word;
            T part;
            memcpy(&part, &bits, sizeof part);
            const unsigned int whole = __ballot_sync(0xffffffffu, word >> 32 == mark(SUM_OF_ALL));
            const int nearest = whole ? __ffs(whole) - 1 : 31;
            sum += gputune_warp_reduce(int(threadIdx.x % 32) <= nearest ? part : T(0), gputune_sum());
            if (whole) {
                return sum;
            }
        }
    }
};

// Computes the prefix sums of a warp's threads.
template <typename number> GPUTUNE_INLINE number warp_scan(number value)
{
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const number before = __shfl_up_sync(0xffffffffu, value, step);
        value += int(threadIdx.x % 32) >= step ? before : number(0);
    }
    return value;
}

__global__ void scan(T *__restrict__ y, const T *__restrict__ x, size_t n, unsigned long long *told,
                     unsigned long long *ticket)
{
    __shared__ T sums[BLOCK / 32]; // the sum of each warp; later the sum of all warps before it
    __shared__ T begin;
    __shared__ unsigned long long number; // of the launch in the upper half, of the tile in the lower half
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        number = atomicAdd(ticket, 1ull); // all tiles before this tile have started
        if ((unsigned int)number == gridDim.x - 1) {
            *ticket = ((number >> 32) + 1) << 32; // this is the last tile, so the next launch starts with tile 0
        }
    }
    __syncthreads();
    const unsigned int tile = (unsigned int)number;
    const teller others = {told, (unsigned int)(number >> 32)};
    const size_t first =
        size_t(tile) * (BLOCK * VEC * STEPS) + warp * (32 * VEC * STEPS) + lane * VEC;
    T value[STEPS][VEC];
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        const size_t at = first + s * 32 * VEC;
        if (at + VEC <= n) {
            auto part = gputune_load<VEC, caching>(x + at);
#pragma unroll
            for (int v = 0; v < VEC; v++) {
                value[s][v] = part[v];
            }
        } else {
#pragma unroll
            for (int v = 0; v < VEC; v++) {
                value[s][v] = at + v < n ? x[at + v] : T(0);
            }
        }
    }
    T sum = 0; // sum of the thread's previous steps
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
#pragma unroll
        for (int v = 1; v < VEC; v++) {
            value[s][v] += value[s][v - 1];
        }
        const T upto = warp_scan(value[s][VEC - 1]);
        const T left = __shfl_up_sync(0xffffffffu, upto, 1);
        const T before = sum + (lane ? left : T(0));
#pragma unroll
        for (int v = 0; v < VEC; v++) {
            value[s][v] += before;
        }
        sum += __shfl_sync(0xffffffffu, upto, 31);
    }
    if (lane == 0) {
        sums[warp] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        const T upto = warp_scan(lane < BLOCK / 32 ? sums[lane] : T(0));
        const T left = __shfl_up_sync(0xffffffffu, upto, 1);
        const T all = __shfl_sync(0xffffffffu, upto, 31);
        if (lane == 0) {
            others.tell(tile, tile ? SUM_OF_TILE : SUM_OF_ALL, all);
        }
        if (lane < BLOCK / 32) {
            sums[lane] = lane ? left : T(0);
        }
        const T before = tile ? others.sum_before(tile) : T(0);
        if (lane == 0) {
            begin = before;
            if (tile) {
                others.tell(tile, SUM_OF_ALL, before + all);
            }
        }
    }
    __syncthreads();
    const T offset = begin + sums[warp];
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        const size_t at = first + s * 32 * VEC;
        if (at + VEC <= n) {
            gputune_vector<T, VEC> part;
#pragma unroll
            for (int v = 0; v < VEC; v++) {
                part[v] = value[s][v] + offset;
            }
            gputune_store<VEC, caching>(y + at, part);
        } else {
#pragma unroll
            for (int v = 0; v < VEC; v++) {
                if (at + v < n) {
                    y[at + v] = value[s][v] + offset;
                }
            }
        }
    }
}

// Each block adds up all elements before its part, then those of its part, 1024 at a time.
__global__ void scan_reference(double *y, const T *x, size_t n, double *scale)
{
    __shared__ double sums[32], magnitudes[32]; // of the warps
    const int warp = threadIdx.x / 32;
    const size_t first = size_t(blockIdx.x) << 22, end = min(n, first + (1 << 22));
    double sum = 0, magnitude = 0; // sums over all previous elements
#pragma unroll 8
    for (size_t i = threadIdx.x; i < first; i += 1024) {
        const double value = x[i];
        sum += value;
        magnitude += fabs(value);
    }
    sum = gputune_block_reduce<1024>(sum, gputune_sum());
    __syncthreads();
    magnitude = gputune_block_reduce<1024>(magnitude, gputune_sum());
    for (size_t i = first + threadIdx.x; i < end + threadIdx.x; i += 1024) {
        const double value = i < end ? x[i] : T(0);
        const double upto = warp_scan(value), upto_magnitude = warp_scan(fabs(value));
        if (threadIdx.x % 32 == 31) {
            sums[warp] = upto;
            magnitudes[warp] = upto_magnitude;
        }
        __syncthreads();
        double before = sum, before_magnitude = magnitude;
        for (int w = 0; w < 32; w++) {
            before += w < warp ? sums[w] : 0;
            before_magnitude += w < warp ? magnitudes[w] : 0;
            sum += sums[w];
            magnitude += magnitudes[w];
        }
        __syncthreads();
        if (i < end) {
            y[i] = before + upto;
            scale[i] = before_magnitude + upto_magnitude;
        }
    }
}
