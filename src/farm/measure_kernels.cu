// Service kernels of the measure worker: fill, reset, check, sweep, delay. Compiled by NVRTC like
// any variant, without headers.
//
// Fill, reset and check carry out a table of tasks. A task covers `tiles` tiles of TILE elements
// (bytes, for copies, poison, guards and hashes), `repeats` times, `stride` bytes apart; the tiles
// of all tasks are numbered in one sequence, and blocks walk through it. The struct and the
// numbers are mirrored in measure_task.h.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define TILE    4096u
#define THREADS 256u

enum operation { FILL, CONVERT, PATTERN, COPY, POISON, COMPARE, GUARD, HASH };
enum fill_kind { UNIFORM, INDEX, ZERO, CONSTANT };
enum type { I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64 };
enum { NAN_OK = 1 };

struct task {
    u64 first_tile, tiles, repeats, stride;
    u64 target, source, scale; // addresses
    u64 count;                 // elements or bytes
    u64 seed;
    double low, high, stol; // fill: low and high; compare: atol, rtol and stol
    u32 operation, type, source_type, scale_type;
    u32 pattern, flags; // fill: the fill_kind; poison, compare: the poison's byte; guard: its seed
};

// What check found for one task. Guard: first is the offset of the first byte overwritten. Hash:
// the sum is in `count`.
struct finding {
    u64 count, first, worst, value, expected;
};

struct findings {
    u64 sequence; // of the launch that wrote it; in the accumulators: blocks that are done
    finding items[1];
};

static __device__ u32 size_of(u32 type) // two bits a type: the logarithm
{
    return 1u << (0xe5fa50u >> 2 * type & 3);
}

static __device__ bool is_float(u32 type)
{
    return type >= F16;
}

// --- numbers: raw bits of an element, and doubles ------------------------------------------------

static __device__ __noinline__ u64 load_bits(u64 address, u64 index, u32 size)
{
    switch (size) {
    case 1: return ((const u8 *)address)[index];
    case 2: return ((const u16 *)address)[index];
    case 4: return ((const u32 *)address)[index];
    default: return ((const u64 *)address)[index];
    }
}

static __device__ __noinline__ void store_bits(u64 address, u64 index, u32 size, u64 bits)
{
    switch (size) {
    case 1: ((u8 *)address)[index] = (u8)bits; break;
    case 2: ((u16 *)address)[index] = (u16)bits; break;
    case 4: ((u32 *)address)[index] = (u32)bits; break;
    default: ((u64 *)address)[index] = bits; break;
    }
}

static __device__ float half_to_float(u16 bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

static __device__ u16 float_to_half(float value)
{
    u16 bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

static __device__ u16 float_to_bfloat(float value) // round to nearest even; NaN stays one
{
    u32 bits = __float_as_uint(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return (u16)(bits >> 16 | 0x40);
    }
    return (u16)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

static __device__ __noinline__ double to_double(u32 type, u64 bits)
{
    switch (type) {
    case I8: return (double)(signed char)bits;
    case U8: return (double)(u8)bits;
    case I16: return (double)(short)bits;
    case U16: return (double)(u16)bits;
    case I32: return (double)(int)bits;
    case U32: return (double)(u32)bits;
    case I64: return (double)(long long)bits;
    case U64: return (double)bits;
    case F16: return half_to_float((u16)bits);
    case BF16: return __uint_as_float((u32)bits << 16);
    case F32: return __uint_as_float((u32)bits);
    default: return __longlong_as_double((long long)bits);
    }
}

static __device__ __noinline__ u64 from_double(u32 type, double value) // float types
{
    switch (type) {
    case F16: return float_to_half((float)value);
    case BF16: return float_to_bfloat((float)value);
    case F32: return __float_as_uint((float)value);
    default: return (u64)__double_as_longlong(value);
    }
}

// Magnitudes from here on are infinite in the type.
static __device__ double overflow_of(u32 type)
{
    return type == F16    ? 65520.0
           : type == BF16 ? 3.3961775292304959e38
           : type == F32  ? 3.4028235677973366e38
                          : __longlong_as_double(0x7ff0000000000000ll);
}

static __device__ u64 mix(u64 state) // splitmix64's output function
{
    state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9ull;
    state = (state ^ state >> 27) * 0x94d049bb133111ebull;
    return state ^ state >> 31;
}

// --- tables ----------------------------------------------------------------------------------------

// Moves `task` on to the one that holds `tile`; tiles ascend from call to call.
static __device__ const task *advance(const task *task, u64 tile)
{
    while (tile >= task->first_tile + task->tiles * task->repeats) {
        ++task;
    }
    return task;
}

// --- fill: inputs, guard patterns, conversions -----------------------------------------------------

static __device__ u64 integer_bits(const task &t, u64 i)
{
    long long low = (long long)t.low;
    switch (t.pattern) {
    case INDEX: return i;
    case ZERO: return 0;
    case CONSTANT: return (u64)low;
    default: break;
    }
    u64 draw = mix(t.seed + (i + 1) * 0x9e3779b97f4a7c15ull);
    u64 range = (u64)((long long)t.high - low) + 1;
    return (u64)low + (range == 0 ? draw : __umul64hi(draw, range));
}

static __device__ u64 float_bits(const task &t, u64 i)
{
    switch (t.pattern) {
    case INDEX: return from_double(t.type, (double)i);
    case ZERO: return 0;
    case CONSTANT: return from_double(t.type, t.low);
    default: break;
    }
    u64 draw = mix(t.seed + (i + 1) * 0x9e3779b97f4a7c15ull);
    double unit = __dmul_rn((double)(draw >> 11), 1.0 / 9007199254740992.0);
    double value = __dadd_rn(t.low, __dmul_rn(unit, __dsub_rn(t.high, t.low)));
    return from_double(t.type, value);
}

static __device__ u8 guard_byte(u32 pattern, u64 offset)
{
    return (u8)(pattern + (u32)offset * 59u);
}

static __device__ void fill_element(const task &t, u64 i)
{
    switch (t.operation) {
    case FILL:
        store_bits(t.target, i, size_of(t.type),
                   is_float(t.type) ? float_bits(t, i) : integer_bits(t, i));
        break;
    case CONVERT: // to double
        ((double *)t.target)[i] = to_double(t.type, load_bits(t.source, i, size_of(t.type)));
        break;
    default:
        ((u8 *)t.target)[i] = guard_byte(t.pattern, i);
        break;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) gt_service_fill(const task *tasks, u64 tiles)
{
    const task *at = tasks;
#pragma unroll 1
    for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        at = advance(at, tile);
        task t = *at;
        u64 begin = (tile - t.first_tile) * TILE;
        u64 end = begin + TILE < t.count ? begin + TILE : t.count;
#pragma unroll 1
        for (u64 i = begin + threadIdx.x; i < end; i += THREADS) {
            fill_element(t, i);
        }
    }
}

// --- reset: copies and poison ------------------------------------------------------------------------

static __device__ void reset_vectors(const task &t, u64 target, u64 begin, u64 end)
{
    u32 word = t.pattern * 0x01010101u;
    uint4 *to = (uint4 *)(target + begin);
    const uint4 *from = (const uint4 *)(t.source + begin);
    u32 count = (u32)((end - begin) / 16);
    if (t.operation == POISON) {
#pragma unroll 1
        for (u32 i = threadIdx.x; i < count; i += THREADS) {
            to[i] = make_uint4(word, word, word, word);
        }
        return;
    }
#pragma unroll 1
    for (u32 i = threadIdx.x; i < count; i += 4 * THREADS) {
        uint4 held[4];
#pragma unroll
        for (u32 k = 0; k < 4; ++k) {
            if (i + k * THREADS < count) {
                held[k] = from[i + k * THREADS];
            }
        }
#pragma unroll
        for (u32 k = 0; k < 4; ++k) {
            if (i + k * THREADS < count) {
                to[i + k * THREADS] = held[k];
            }
        }
    }
}

static __device__ void reset_bytes(const task &t, u64 target, u64 begin, u64 end)
{
    u8 *to = (u8 *)target;
    const u8 *from = (const u8 *)t.source;
#pragma unroll 1
    for (u64 i = begin + threadIdx.x; i < end; i += THREADS) {
        to[i] = t.operation == POISON ? (u8)t.pattern : from[i];
    }
}

// A tile is 4 * TILE bytes here: 4 vectors a thread.
extern "C" __global__ void __launch_bounds__(THREADS) gt_service_reset(const task *tasks, u64 tiles)
{
    const task *at = tasks;
#pragma unroll 1
    for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        at = advance(at, tile);
        task t = *at;
        u64 local = tile - t.first_tile;
        u64 repeat = t.repeats == 1 ? 0 : local / t.tiles;
        u64 target = t.target + repeat * t.stride;
        u64 begin = (local - repeat * t.tiles) * (4 * TILE);
        u64 end = begin + 4 * TILE < t.count ? begin + 4 * TILE : t.count;
        u64 cut = ((target | t.source) & 15) == 0 ? end & ~15ull : begin;
        reset_vectors(t, target, begin, cut);
        reset_bytes(t, target, cut, end);
    }
}

// --- check: comparison, guards, hashes -----------------------------------------------------------------

struct tally {
    u64 count, first;
    double worst;
};

static __device__ void mismatch(tally &sum, u64 index)
{
    ++sum.count;
    sum.first = index < sum.first ? index : sum.first;
}

static __device__ double infinity()
{
    return __longlong_as_double(0x7ff0000000000000ll);
}

// |v - r| over what the tolerance allows; infinite where nothing but equality would do. Over 1 is
// a mismatch.
static __device__ double excess(const task &t, double v, double r, u64 index)
{
    if (v != v || r != r) {
        return (t.flags & NAN_OK) && v != v && r != r ? 0.0 : infinity();
    }
    if (fabs(r) >= overflow_of(t.type)) {
        r = r < 0 ? -infinity() : infinity();
    }
    if (v == r) {
        return 0.0;
    }
    if (!is_float(t.type) || fabs(v) == infinity() || fabs(r) == infinity()) {
        return infinity();
    }
    double tolerance = t.low + t.high * fabs(r);
    if (t.scale != 0) {
        u64 bits = load_bits(t.scale, index, size_of(t.scale_type));
        tolerance += t.stol * fabs(to_double(t.scale_type, bits));
    }
    double error = fabs(v - r);
    return tolerance > 0 ? error / tolerance : infinity();
}

// Not inlined: this part is large, and most vectors never get here. Returns whether it matches.
static __device__ __noinline__ bool judge(const task *at, u64 index, double *worst)
{
    const task &t = *at;
    u64 v = load_bits(t.target, index, size_of(t.type));
    u64 r = load_bits(t.source, index, size_of(t.source_type));
    u64 poison = t.pattern * 0x0101010101010101ull; // left alone by both: not part of the result
    u64 left_v = poison >> (64 - 8 * size_of(t.type));
    u64 left_r = poison >> (64 - 8 * size_of(t.source_type));
    double ratio = 0;
    if (v == left_v && r == left_r) {
        return true;
    }
    if (!is_float(t.type) && t.type == t.source_type) {
        ratio = v == r ? 0.0 : infinity();
    } else {
        ratio = excess(t, to_double(t.type, v), to_double(t.source_type, r), index);
    }
    *worst = ratio > *worst ? ratio : *worst;
    return ratio <= 1.0;
}

static __device__ void compare_element(const task *at, tally &sum, u64 index)
{
    double worst = sum.worst;
    if (!judge(at, index, &worst)) {
        mismatch(sum, index);
    }
    sum.worst = worst;
}

// Exponent bits that are all ones in inf and NaN, for the upper and the lower half of a word; 0
// where no look is needed. A false alarm only costs time.
static __device__ uint2 special_masks(const task &t)
{
    if (!is_float(t.type) || (t.flags & NAN_OK)) {
        return make_uint2(0, 0);
    }
    return t.type == F16    ? make_uint2(0x7c000000u, 0x7c00u)
           : t.type == BF16 ? make_uint2(0x7f800000u, 0x7f80u)
           : t.type == F32  ? make_uint2(0x7f800000u, 0)
                            : make_uint2(0x7ff00000u, 0);
}

static __device__ bool is_special(u32 word, uint2 masks)
{
    return (word & masks.x) == (masks.x | (masks.x == 0)) ||
           (word & masks.y) == (masks.y | (masks.y == 0));
}

static __device__ bool is_plain_equal(uint4 v, uint4 r, uint2 masks)
{
    return v.x == r.x && v.y == r.y && v.z == r.z && v.w == r.w && !is_special(v.x, masks) &&
           !is_special(v.y, masks) && !is_special(v.z, masks) && !is_special(v.w, masks);
}

// Equal bits settle most vectors; the rest is judged element by element.
static __device__ void compare_vectors(const task &t, const task *at, tally &sum, u64 begin, u64 end)
{
    u32 size = size_of(t.type), per = 16 / size;
    u32 count = (u32)((end - begin) / per);
    const uint4 *left = (const uint4 *)(t.target + begin * size);
    const uint4 *right = (const uint4 *)(t.source + begin * size);
    uint2 masks = special_masks(t);
#pragma unroll 1
    for (u32 i = threadIdx.x; i < count; i += 2 * THREADS) {
        uint4 v[2], r[2];
#pragma unroll
        for (u32 k = 0; k < 2; ++k) {
            bool within = i + k * THREADS < count;
            v[k] = within ? left[i + k * THREADS] : make_uint4(0, 0, 0, 0);
            r[k] = within ? right[i + k * THREADS] : make_uint4(0, 0, 0, 0);
        }
        u32 odd = 0;
#pragma unroll
        for (u32 k = 0; k < 2; ++k) {
            odd |= is_plain_equal(v[k], r[k], masks) ? 0u : 1u << k;
        }
#pragma unroll 1
        for (u32 k = 0; k < 2 && odd != 0; ++k) {
#pragma unroll 1
            for (u32 e = 0; e < per && (odd >> k & 1); ++e) {
                compare_element(at, sum, begin + (u64)(i + k * THREADS) * per + e);
            }
        }
    }
}

// Whether v is within the tolerance; what is not plainly so (special values, poison) is left to
// judge(). The share of the tolerance used is only told, so that single precision is enough for it.
static __device__ bool is_plainly_right(const task &t, float v, double r, float *worst)
{
    double error = fabs(v - r), tolerance = t.low + t.high * fabs(r);
    if (!(error <= tolerance) || !(fabs(r) < 3.4028235677973366e38)) {
        return false;
    }
    *worst = error == 0 ? *worst : fmaxf(*worst, __fdividef((float)error, (float)tolerance));
    return true;
}

// Floats against doubles, the usual result and reference: four at a time and inline.
static __device__ void compare_doubles(const task &t, const task *at, tally &sum, u64 begin, u64 end)
{
    const float4 *left = (const float4 *)(t.target + begin * 4);
    const double2 *right = (const double2 *)(t.source + begin * 8);
    u32 count = (u32)((end - begin) / 4);
    float worst = 0;
#pragma unroll 1
    for (u32 i = threadIdx.x; i < count; i += THREADS) {
        float4 v = left[i];
        double2 r = right[2 * i], q = right[2 * i + 1];
        if (is_plainly_right(t, v.x, r.x, &worst) && is_plainly_right(t, v.y, r.y, &worst) &&
            is_plainly_right(t, v.z, q.x, &worst) && is_plainly_right(t, v.w, q.y, &worst)) {
            continue;
        }
#pragma unroll 1
        for (u32 e = 0; e < 4; ++e) {
            compare_element(at, sum, begin + (u64)i * 4 + e);
        }
    }
    sum.worst = fmax(sum.worst, (double)worst);
}

static __device__ void compare_tile(const task &t, const task *at, tally &sum, u64 begin, u64 end)
{
    u64 cut = begin;
    if (t.type == t.source_type && ((t.target | t.source) & 15) == 0) {
        cut = end & ~(u64)(16 / size_of(t.type) - 1);
        compare_vectors(t, at, sum, begin, cut);
    } else if (t.type == F32 && t.source_type == F64 && t.scale == 0 &&
               ((t.target | t.source) & 15) == 0) {
        cut = end & ~3ull;
        compare_doubles(t, at, sum, begin, cut);
    }
#pragma unroll 1
    for (u64 i = cut + threadIdx.x; i < end; i += THREADS) {
        compare_element(at, sum, i);
    }
}

static __device__ void hash_tile(const task &t, tally &sum, u64 begin, u64 end)
{
    u64 cut = begin;
    if ((t.target & 3) == 0) {
        cut = end & ~3ull;
#pragma unroll 1
        for (u64 i = begin / 4 + threadIdx.x; i < cut / 4; i += THREADS) {
            sum.count += mix((i << 32) + ((const u32 *)t.target)[i]);
        }
    }
#pragma unroll 1
    for (u64 i = cut + threadIdx.x; i < end; i += THREADS) {
        sum.count += mix(~((i << 8) + ((const u8 *)t.target)[i]));
    }
}

static __device__ void check_tile(const task &t, const task *at, tally &sum, u64 begin, u64 end)
{
    switch (t.operation) {
    case COMPARE: compare_tile(t, at, sum, begin, end); break;
    case HASH: hash_tile(t, sum, begin, end); break;
    default:
#pragma unroll 1
        for (u64 i = begin + threadIdx.x; i < end; i += THREADS) {
            if (((const u8 *)t.target)[i] != guard_byte(t.pattern, i)) {
                mismatch(sum, i);
            }
        }
        break;
    }
}

// Adds a warp's tally to the task's accumulator. All lanes of the warp are here.
static __device__ __noinline__ void flush(finding *into, tally &sum)
{
    if (!__any_sync(0xffffffffu, sum.count != 0 || sum.worst != 0)) {
        return;
    }
    u64 worst = (u64)__double_as_longlong(sum.worst); // as integers, such doubles keep their order
#pragma unroll 1
    for (int step = 16; step > 0; step >>= 1) {
        sum.count += __shfl_xor_sync(0xffffffffu, sum.count, step);
        u64 first = __shfl_xor_sync(0xffffffffu, sum.first, step);
        u64 other = __shfl_xor_sync(0xffffffffu, worst, step);
        sum.first = first < sum.first ? first : sum.first;
        worst = other > worst ? other : worst;
    }
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(&into->count, sum.count);
        atomicMin(&into->first, sum.first);
        atomicMax(&into->worst, worst);
    }
    sum.count = 0;
    sum.first = ~0ull;
    sum.worst = 0;
}

// The last block hands the result over and readies the accumulators for the next launch.
static __device__ void hand_over(const task *tasks, u32 count, findings *sums, findings *out,
                                 u64 sequence)
{
#pragma unroll 1
    for (u32 i = threadIdx.x; i < count; i += THREADS) {
        finding *sum = &sums->items[i];
        finding result;
        result.count = atomicExch(&sum->count, 0ull);
        result.first = atomicExch(&sum->first, ~0ull);
        result.worst = atomicExch(&sum->worst, 0ull);
        result.value = result.expected = 0;
        if (tasks[i].operation == COMPARE && result.count != 0) {
            result.value = load_bits(tasks[i].target, result.first, size_of(tasks[i].type));
            result.expected =
                load_bits(tasks[i].source, result.first, size_of(tasks[i].source_type));
        }
        out->items[i] = result;
    }
    if (threadIdx.x == 0) {
        sums->sequence = 0;
        out->sequence = sequence;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    gt_service_check(const task *tasks, u64 tiles, u32 count, findings *sums, findings *out,
                     u64 sequence)
{
    __shared__ u32 is_last;
    const task *at = tasks;
    tally sum = {0, ~0ull, 0.0};
#pragma unroll 1
    for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const task *next = advance(at, tile);
        if (next != at) {
            flush(&sums->items[at - tasks], sum);
            at = next;
        }
        task t = *at;
        u64 begin = (tile - t.first_tile) * TILE;
        u64 end = begin + TILE < t.count ? begin + TILE : t.count;
        check_tile(t, at, sum, begin, end);
    }
    flush(&sums->items[at - tasks], sum);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(&sums->sequence, 1ull) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) {
        __threadfence();
        hand_over(tasks, count, sums, out, sequence);
    }
}

// Readies the accumulators for the first launch.
extern "C" __global__ void gt_service_clear(findings *sums, u32 count)
{
#pragma unroll 1
    for (u32 i = threadIdx.x; i < count; i += blockDim.x) {
        finding empty = {0, ~0ull, 0, 0, 0};
        sums->items[i] = empty;
    }
    if (threadIdx.x == 0) {
        sums->sequence = 0;
    }
}

// --- cache and time ----------------------------------------------------------------------------------

// Reads `bytes` (a multiple of 16) of zeros, so that nothing else stays in L2. The write keeps the
// loads alive and never happens.
extern "C" __global__ void __launch_bounds__(THREADS)
    gt_service_sweep(const uint4 *data, u64 bytes, u32 *sink)
{
    u64 count = bytes / 16, step = (u64)gridDim.x * THREADS;
    u32 seen = 0;
#pragma unroll 8
    for (u64 i = (u64)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
        uint4 item = data[i];
        seen |= item.x | item.y | item.z | item.w;
    }
    if (seen != 0) {
        *sink = seen;
    }
}

// Keeps the stream busy for a while, so that what is queued behind it starts without gaps.
extern "C" __global__ void gt_service_delay(u64 nanoseconds)
{
    u64 start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - start < nanoseconds);
}
