// The check kernel examines buffers after a launch. In the text for NVRTC, this file follows service_fill.cu.

struct tally {
    u64 count, first;
    double worst;
    float need; // only for messages, so single precision suffices
    u32 gaps;
};

/* The result of comparing an element. `ratio` is |v - r| / tolerance. The element is a mismatch if `ratio` is above 1.
 * `ratio` is infinite if the values must be equal but are not. `need` is an atol that would accept the element. */
struct verdict {
    double ratio;
    float need;
    bool is_gap;
};

static __device__ verdict exactly(bool equal)
{
    double ratio = equal ? 0.0 : infinity();
    verdict result = {ratio, (float)ratio, false};
    return result;
}

static __device__ verdict judge_numbers(const task &t, double v, double r, u64 index)
{
    bool overflows = !(fabs(v) < infinity()), is_expected = !(fabs(r) < overflow_of(t.type));
    if (((t.flags & GT_TASK_UNBOUNDED) && overflows && is_expected) ||
        ((t.flags & GT_TASK_HUGE) && (overflows || is_expected))) {
        /* whether a correct formula overflows, and to inf or NaN, may depend on the order of its operations */
        return exactly(true);
    }
    if (v != v || r != r) {
        return exactly((t.flags & GT_TASK_NAN_OK) && v != v && r != r);
    }
    double saturation = saturation_of(t.type);
    if (saturation > 0 && fabs(r) > saturation) {
        r = r < 0 ? -saturation : saturation;
    } else if (fabs(r) >= overflow_of(t.type)) {
        r = r < 0 ? -infinity() : infinity();
    }
    if (v == r || !is_float(t.type) || fabs(v) == infinity() || fabs(r) == infinity()) {
        return exactly(v == r);
    }
    double without_atol = t.high * fabs(r);
    if (t.scale != 0) {
        u64 bits = load_bits(t.scale, index, size_of(t.scale_type));
        without_atol += t.stol * fabs(to_double(t.scale_type, bits));
    }
    double error = fabs(v - r), tolerance = without_atol + t.low;
    verdict result = {tolerance > 0 ? error / tolerance : infinity(),
                      (float)(error - without_atol), false};
    return result;
}

static __device__ verdict judge(const task *at, u64 index)
{
    const task &t = *at;
    u32 size = size_of(t.type), source_size = size_of(t.source_type);
    u64 v = load_bits(t.target, index, size);
    u64 r = load_bits(t.source, index, source_size);
    if ((t.flags & GT_TASK_GAPS) && v == poison_bits(poison_byte(t.pattern, t.target + index * size), size) &&
        r == poison_bits(t.source_pattern, source_size)) {
        verdict gap = {0, 0, true}; // unwritten on both sides
        return gap;
    }
    if (!is_float(t.type) && t.type == t.source_type) {
        return exactly(v == r);
    }
    return judge_numbers(t, to_double(t.type, v), to_double(t.source_type, r), index);
}

// not inlined, because it is large and rarely called
static __device__ __noinline__ void compare_element(const task *at, tally &sum, u64 index)
{
    verdict result;
    if (at->numbers != 0) {
        task one;
        narrow_to_number(&one, at, index);
        result = judge(&one, 0);
    } else {
        result = judge(at, index);
    }
    sum.gaps += result.is_gap;
    sum.worst = result.ratio > sum.worst ? result.ratio : sum.worst;
    if (result.ratio > 1.0) {
        ++sum.count;
        sum.first = index < sum.first ? index : sum.first;
        sum.need = result.need > sum.need ? result.need : sum.need;
    }
}

/* Records by how much an element has changed. All four elements of a group get the maximum, because a single element
 * may change only a little by chance. */
static __device__ void note_scale(const task &t, u64 index, float by)
{
    u64 first = index & ~3ull;
#pragma unroll 1
    for (u64 i = first; i < first + 4 && i < t.count && t.scale != 0 && by < 3e38f; ++i) {
        atomicMax((u32 *)t.scale + i, __float_as_uint(by)); // positive floats are ordered like their bits
    }
}

static __device__ __noinline__ void spread_element(const task *at, tally &sum, u64 index)
{
    task one;
    if (at->numbers != 0) {
        narrow_to_number(&one, at, index);
        if (!is_float(one.type)) {
            return;
        }
        at = &one;
        index = 0;
    }
    const task &t = *at;
    u64 bits = load_bits(t.target, index, size_of(t.type));
    double value = to_double(t.type, bits), size = fabs(value);
    bool is_gap = bits == poison_bits(t.pattern, size_of(t.type));
    sum.count += t.source == 0 && !is_gap && !(size < infinity());
    if (t.source != 0) {
        double by = fabs(value - to_double(t.source_type, load_bits(t.source, index,
                                                                    size_of(t.source_type))));
        sum.count += by != 0;
        sum.need = by > 0 ? fmaxf(sum.need, (float)(by / size)) : sum.need;
        size = by;
        note_scale(t, index, (float)by);
    }
    sum.worst = size > sum.worst && size < infinity() ? size : sum.worst;
}

/* Returns the masks with which is_special() finds inf and NaN in a word of one or two values. A mask covers the
 * exponent of a value, whose bits are all 1 in inf and NaN. An unused mask is 0. Both are 0 if inf and NaN need not be
 * found. */
static __device__ uint2 special_masks(const task &t)
{
    if (!is_float(t.type) || (t.flags & GT_TASK_NAN_OK)) {
        return make_uint2(0, 0);
    }
    return t.type == GT_TYPE_F16    ? make_uint2(0x7c000000u, 0x7c00u)
           : t.type == GT_TYPE_BF16 ? make_uint2(0x7f800000u, 0x7f80u)
           : t.type == GT_TYPE_F32  ? make_uint2(0x7f800000u, 0)
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

// Compares 16 bytes at a time. Elements are judged one by one only if the bits differ, or if there is inf or NaN.
static __device__ void compare_vectors(const task &t, const task *at, tally &sum, u64 begin, u64 end)
{
    u32 size = size_of(t.type), per = 16 / size;
    u32 count = (u32)((end - begin) / per);
    const uint4 *left = (const uint4 *)(t.target + begin * size);
    const uint4 *right = (const uint4 *)(t.source + begin * size);
    uint2 masks = special_masks(t);
#pragma unroll 1
    for (u32 i = threadIdx.x; i < count; i += 2 * GT_SERVICE_THREADS) {
        uint4 v[2], r[2];
#pragma unroll
        for (u32 k = 0; k < 2; ++k) {
            bool within = i + k * GT_SERVICE_THREADS < count;
            v[k] = within ? left[i + k * GT_SERVICE_THREADS] : make_uint4(0, 0, 0, 0);
            r[k] = within ? right[i + k * GT_SERVICE_THREADS] : make_uint4(0, 0, 0, 0);
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
                compare_element(at, sum, begin + (u64)(i + k * GT_SERVICE_THREADS) * per + e);
            }
        }
    }
}

/* Returns true if a result is within its tolerance. `worst` is only for messages, so single precision suffices. */
static __device__ bool is_plainly_right(const task &t, float v, double r, float *worst)
{
    double error = fabs(v - r), tolerance = t.low + t.high * fabs(r);
    if (!(error <= tolerance) || !(fabs(r) < 3.4028235677973366e38)) {
        return false;
    }
    *worst = error == 0 ? *worst : fmaxf(*worst, __fdividef((float)error, (float)tolerance));
    return true;
}

// Compares float results with double results of the reference, four elements at a time. This is the usual case.
static __device__ void compare_doubles(const task &t, const task *at, tally &sum, u64 begin, u64 end)
{
    const float4 *left = (const float4 *)(t.target + begin * 4);
    const double2 *right = (const double2 *)(t.source + begin * 8);
    u32 count = (u32)((end - begin) / 4);
    float worst = 0;
#pragma unroll 1
    for (u32 i = threadIdx.x; i < count; i += GT_SERVICE_THREADS) {
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
    if (t.numbers == 0 && t.type == t.source_type && saturation_of(t.type) == 0 &&
        ((t.target | t.source) & 15) == 0) {
        cut = end & ~(u64)(16 / size_of(t.type) - 1);
        compare_vectors(t, at, sum, begin, cut);
    } else if (t.type == GT_TYPE_F32 && t.source_type == GT_TYPE_F64 && t.scale == 0 &&
               ((t.target | t.source) & 15) == 0) {
        cut = end & ~3ull;
        compare_doubles(t, at, sum, begin, cut);
    }
#pragma unroll 1
    for (u64 i = cut + threadIdx.x; i < end; i += GT_SERVICE_THREADS) {
        compare_element(at, sum, i);
    }
}

// Hashes a vector like wyhash, which needs fewer multiplications than splitmix64.
static __device__ u64 hash_vector(uint4 v, u64 i)
{
    u64 a = ((u64)v.y << 32 | v.x) ^ (i + 1) * 0x9e3779b97f4a7c15ull;
    u64 b = ((u64)v.w << 32 | v.z) ^ (i + 1) * 0xd1b54a32d192ed03ull;
    return a * b ^ __umul64hi(a, b);
}

static __device__ void hash_tile(const task &t, tally &sum, u64 begin, u64 end)
{
    u64 cut = begin, hash = 0;
    if ((t.target & 3) == 0) {
        const u32 *words = (const u32 *)t.target;
        bool aligned = (t.target & 15) == 0;
        cut = end & ~15ull;
#pragma unroll 4
        for (u64 i = begin / 16 + threadIdx.x; i < cut / 16; i += GT_SERVICE_THREADS) {
            const u32 *at = &words[4 * i];
            hash += hash_vector(aligned ? *(const uint4 *)at : make_uint4(at[0], at[1], at[2], at[3]), i);
        }
    }
#pragma unroll 1
    for (u64 i = cut + threadIdx.x; i < end; i += GT_SERVICE_THREADS) {
        hash += mix(~((i << 8) + ((const u8 *)t.target)[i]));
    }
    sum.count += hash;
}

static __device__ void check_tile(const task &t, const task *at, tally &sum, u64 begin, u64 end)
{
    switch (t.operation) {
    case GT_DO_COMPARE: compare_tile(t, at, sum, begin, end); break;
    case GT_DO_HASH: hash_tile(t, sum, begin, end); break;
    case GT_DO_SPREAD:
#pragma unroll 1
        for (u64 i = begin + threadIdx.x; i < end; i += GT_SERVICE_THREADS) {
            spread_element(at, sum, i);
        }
        break;
    default:
#pragma unroll 1
        for (u64 i = begin + threadIdx.x; i < end; i += GT_SERVICE_THREADS) {
            if (((const u8 *)t.target)[i] != guard_byte(t.pattern, i)) {
                ++sum.count;
                sum.first = i < sum.first ? i : sum.first;
            }
        }
        break;
    }
}

static __device__ u64 larger(u64 a, u64 b)
{
    return a > b ? a : b;
}

// Adds the tally of a warp to the accumulator of a task. Must be called by all lanes.
static __device__ __noinline__ void flush(finding *into, tally &sum)
{
    if (!__any_sync(0xffffffffu, sum.count != 0 || sum.gaps != 0 || sum.worst != 0)) {
        return;
    }
    u64 worst = (u64)__double_as_longlong(sum.worst); // positive doubles are ordered like their bits
    u64 need = (u64)__double_as_longlong((double)sum.need);
#pragma unroll 1
    for (int step = 16; step > 0; step >>= 1) {
        sum.count += __shfl_xor_sync(0xffffffffu, sum.count, step);
        sum.gaps += __shfl_xor_sync(0xffffffffu, sum.gaps, step);
        u64 first = __shfl_xor_sync(0xffffffffu, sum.first, step);
        sum.first = first < sum.first ? first : sum.first;
        worst = larger(worst, __shfl_xor_sync(0xffffffffu, worst, step));
        need = larger(need, __shfl_xor_sync(0xffffffffu, need, step));
    }
    if ((threadIdx.x & 31) == 0) {
        atomicAdd(&into->count, sum.count);
        atomicAdd(&into->gaps, (u64)sum.gaps);
        atomicMin(&into->first, sum.first);
        atomicMax(&into->worst, worst);
        atomicMax(&into->need, need);
    }
    sum.count = 0;
    sum.gaps = 0;
    sum.first = ~0ull;
    sum.worst = 0;
    sum.need = 0;
}

// Copies the accumulators to the findings, and resets them for the next launch. Called by the last block only.
static __device__ void hand_over(const task *tasks, u32 count, findings *sums, findings *out,
                                 u64 sequence)
{
#pragma unroll 1
    for (u32 i = threadIdx.x; i < count; i += GT_SERVICE_THREADS) {
        finding *sum = &sums->items[i];
        finding result;
        result.count = atomicExch(&sum->count, 0ull);
        result.first = atomicExch(&sum->first, ~0ull);
        result.worst = atomicExch(&sum->worst, 0ull);
        result.need = atomicExch(&sum->need, 0ull);
        result.gaps = atomicExch(&sum->gaps, 0ull);
        result.value = result.expected = result.unwritten = 0;
        if (tasks[i].operation == GT_DO_COMPARE && result.count != 0) {
            const task *at = &tasks[i];
            u64 index = result.first;
            task one;
            if (at->numbers != 0) {
                narrow_to_number(&one, at, index);
                at = &one;
                index = 0;
            }
            u32 size = size_of(at->type), source_size = size_of(at->source_type);
            u32 poison = poison_byte(at->pattern, at->target + index * size);
            result.value = load_bits(at->target, index, size);
            result.expected = load_bits(at->source, index, source_size);
            result.unwritten = (result.value == poison_bits(poison, size) ? 1 : 0) |
                               (result.expected == poison_bits(at->source_pattern, source_size) ? 2 : 0);
        }
        out->items[i] = result;
    }
    if (threadIdx.x == 0) {
        sums->sequence = 0;
        out->sequence = sequence;
    }
}

extern "C" __global__ void __launch_bounds__(GT_SERVICE_THREADS)
    gt_service_check(const task *tasks, u64 tiles, u32 count, findings *sums, findings *out,
                     u64 sequence)
{
    __shared__ u32 is_last;
    const task *at = tasks;
    tally sum = {0, ~0ull, 0.0, 0.0f, 0};
#pragma unroll 1
    for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const task *next = advance(at, tile);
        if (next != at) {
            flush(&sums->items[at - tasks], sum);
            at = next;
        }
        task t = *at;
        u32 length = t.operation == GT_DO_HASH ? GT_TILE_HASH : GT_TILE;
        u64 begin = (tile - t.first_tile) * length;
        u64 end = begin + length < t.count ? begin + length : t.count;
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
