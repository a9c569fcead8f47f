/* The fill and reset kernels prepare buffers before a launch. In the text for NVRTC, this file follows
 * service_tasks.cu. */

// --- fill kernel -------------------------------------------------------------------------------------------------

/* Returns a rare value of a kind, such as -0. If a range is declared, the value is within this range. Other values are
 * powers of two: their products are exact, so products that cancel each other leave no rounding error. */
static __device__ double rare_value(const task &t, u64 kind, bool finite)
{
    bool wide = t.type == GT_TYPE_F32 || t.type == GT_TYPE_F64, signs = is_float(t.type);
    double tiny = t.type == GT_TYPE_F64            ? 4e-310
                  : t.type == GT_TYPE_F16          ? 2e-6
                  : wide || t.type == GT_TYPE_BF16 ? 4e-39
                                                   : 0.004;
    double large = wide ? 128.0 : 16.0;
    double zero = fmin(fmax(0.0, t.low), t.high);
    bool around = signs && t.low <= 0 && t.high > 0;
    if ((t.flags & GT_TASK_FREE) == 0) {
        switch (kind % 5) {
        case 0: return t.low;
        case 1: return t.stol;
        case 2: return zero;
        case 3: return around ? -0.0 : t.low;
        default: return around ? tiny : t.stol;
        }
    }
    switch (kind % 12) {
    case 0: return finite ? -4.0 : infinity() - infinity(); // NaN
    case 1: return finite ? 4.0 : infinity();
    case 2: return finite ? -0.0 : -infinity();
    case 3: return -0.0;
    case 4: return tiny;
    case 5: return -tiny;
    case 6: return large;
    case 7: return -large;
    case 8: return 4.0;
    case 9: return -4.0;
    case 10: return kind % 24 == 10 ? 1.0 : -1.0;
    default: return 0.0;
    }
}

/* If number i of the task should not have its uniform value, sets *value and returns true. The elements are divided
 * into eight parts. In parts 0 to 3, about one in 32 elements gets a rare value, and more in a small buffer, so all
 * kinds occur; the value is finite in parts 2 and 3. Parts 4, 5 and 6 contain only the largest value, the least value
 * and zero (without a range, 2.5, -1.75 and 0). In part 7, all values are rare and finite, after a run of
 * each of NaN, infinity and -infinity, so there are rows with nothing else. */
static __device__ bool is_varied(double *value, const task &t, u64 i)
{
    u64 numbers = t.number_count != 0 ? t.number_count : 1, at = i / numbers, count = t.count / numbers;
    u64 part = at / (count / 8 + 1), spacing = count < 128 ? 2 : count < 2048 ? count / 64 : 32;
    u64 group = at / spacing, draw = mix(~draw_of(&t, group));
    if ((t.flags & GT_TASK_EXTREMES) == 0 || (part < 4 && at % spacing != draw % spacing)) {
        return false;
    }
    u64 eighth = at % (count / 8 + 1) * 8 / (count / 8 + 1);
    bool special = (t.flags & GT_TASK_SPECIALS) != 0, in_run = special && part == 7 && eighth < 3;
    bool finite = !special || (part >= 2 && !in_run);
    u64 kind = in_run ? eighth : part == 7 ? mix(~draw_of(&t, i)) : group + 5 * (i % numbers);
    bool free = (t.flags & GT_TASK_FREE) != 0;
    *value = part == 4   ? (free ? 2.5 : t.stol)
             : part == 5 ? (free ? -1.75 : t.low)
             : part == 6 ? fmin(fmax(0.0, t.low), t.high)
                         : rare_value(t, kind, finite);
    return true;
}

// Chooses one of eight values. For floats, they are halfway between integers if the range allows this.
static __device__ bool is_tied(double *value, const task &t, u64 i)
{
    u64 draw = mix(~draw_of(&t, i)) % 8;
    if ((t.flags & GT_TASK_FREE) != 0) {
        *value = (double)draw - 3.5;
    } else {
        double at = t.low + (t.stol - t.low) * ((double)draw / 8), tie = floor(at) + 0.5;
        *value = !is_float(t.type) ? floor(at) : tie >= t.low && tie <= t.stol ? tie : at;
    }
    return (t.flags & GT_TASK_TIES) != 0;
}

static __device__ u64 fill_bits(const task &t, u64 i)
{
    double value;
    i = t.pattern == GT_FILL_SORTED && (t.flags & GT_TASK_TIES) != 0 ? i & ~3ull : i;
    bool varied =
        t.pattern == GT_FILL_UNIFORM && (is_tied(&value, t, i) || is_varied(&value, t, i));
    if (is_float(t.type)) {
        return from_double(t.type, varied ? value : fill_real(&t, i));
    }
    u64 bits = varied ? (u64)(long long)value : fill_whole(&t, i);
    return t.type == GT_TYPE_BOOL ? bits & 1 : bits;
}

static __device__ u8 guard_byte(u32 pattern, u64 offset)
{
    return (u8)(pattern + (u32)offset * 59u);
}

// Moves an element up or down at random by a relative step, but not out of [low, high]. `at` selects the draw.
static __device__ void move_element(const task &t, u64 i, u64 at)
{
    u64 draw = draw_of(&t, at);
    double value = to_double(t.type, load_bits(t.target, i, size_of(t.type)));
    double by = __dmul_rn(value, t.stol);
    double moved = draw & 1 ? __dadd_rn(value, by) : __dsub_rn(value, by);
    bool stays = (t.flags & GT_TASK_WHOLE) != 0 && value == trunc(value);
    bool is_chosen = !stays && (draw >> 1) % t.sparse == 0;
    if (!(moved >= t.low && moved <= t.high)) {
        // some elements move by half a step; otherwise the sum of -1 and 1 at the ends of [-1, 1] would not change
        by = draw >> 40 & 1 ? by : __dmul_rn(by, 0.5);
        moved = draw & 1 ? __dsub_rn(value, by) : __dadd_rn(value, by);
    }
    if (is_chosen && moved >= t.low && moved <= t.high) {
        store_bits(t.target, i, size_of(t.type), from_double(t.type, moved));
    }
}

// Converts a result of the reference to the type of an output. Poison is converted to poison.
static __device__ u64 narrow_bits(const task &t, u64 i)
{
    u32 size = size_of(t.type), source_size = size_of(t.source_type);
    u64 bits = load_bits(t.source, i, source_size);
    if (t.type == t.source_type) {
        return bits;
    }
    if (bits == poison_bits(t.source_pattern, source_size)) {
        return poison_bits(t.source_pattern, size);
    }
    double value = to_double(t.source_type, bits);
    return is_float(t.type) ? from_double(t.type, value) : (u64)(long long)value;
}

// Executes the task for element i, which is number `at` of its buffer.
static __device__ void fill_element(const task &t, u64 i, u64 at)
{
    switch (t.operation) {
    case GT_DO_FILL:
        store_bits(t.target, i, size_of(t.type), fill_bits(t, at));
        break;
    case GT_DO_NARROW: store_bits(t.target, i, size_of(t.type), narrow_bits(t, i)); break;
    case GT_DO_MOVE: move_element(t, i, at); break;
    default: ((u8 *)t.target)[i] = guard_byte(t.pattern, i); break;
    }
}

// Fills number i of a buffer whose elements consist of several numbers, each with its own fill.
static __device__ __noinline__ void fill_number(const task *all, u64 i)
{
    const number *f = (const number *)all->numbers + i % all->number_count;
    task one;
    narrow_to_number(&one, all, i);
    if (one.operation == GT_DO_FILL || one.operation == GT_DO_MOVE) {
        bool index = f->fill == GT_FILL_INDEX;
        one.pattern = index ? GT_FILL_CONSTANT : f->fill;
        bool moves_far = one.operation == GT_DO_MOVE && f->free && (one.flags & GT_TASK_FREE) != 0;
        one.low = index ? (double)(i / all->number_count) : moves_far ? all->low : f->low;
        one.high = moves_far ? all->high : f->high;
        one.stol = one.operation == GT_DO_MOVE ? all->stol : f->largest;
        one.flags = f->free ? one.flags : one.flags & ~GT_TASK_FREE;
    }
    if (one.operation != GT_DO_MOVE || (is_float(one.type) && one.pattern == GT_FILL_UNIFORM)) {
        fill_element(one, 0, i);
    }
}

extern "C" __global__ void __launch_bounds__(GT_SERVICE_THREADS) gt_service_fill(const task *tasks, u64 tiles)
{
    const task *at = tasks;
#pragma unroll 1
    for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        at = advance(at, tile);
        task t = *at;
        u64 begin = (tile - t.first_tile) * GT_TILE;
        u64 end = begin + GT_TILE < t.count ? begin + GT_TILE : t.count;
#pragma unroll 1
        for (u64 i = begin + threadIdx.x; i < end; i += GT_SERVICE_THREADS) {
            if (t.numbers != 0) {
                fill_number(at, i);
            } else {
                fill_element(t, i, i);
            }
        }
    }
}

// --- reset: copies and poison ------------------------------------------------------------------------

static __device__ void reset_vectors(const task &t, u64 target, u64 begin, u64 end)
{
    // the vectors of a thread have the same poison, because their distances are multiples of 64 bytes
    u32 word = poison_byte(t.pattern, target + begin + 16 * threadIdx.x) * 0x01010101u;
    uint4 *to = (uint4 *)(target + begin);
    const uint4 *from = (const uint4 *)(t.source + begin);
    u32 count = (u32)((end - begin) / 16);
    if (t.operation == GT_DO_POISON) {
#pragma unroll 1
        for (u32 i = threadIdx.x; i < count; i += GT_SERVICE_THREADS) {
            to[i] = make_uint4(word, word, word, word);
        }
        return;
    }
#pragma unroll 1
    for (u32 i = threadIdx.x; i < count; i += 4 * GT_SERVICE_THREADS) {
        uint4 held[4];
#pragma unroll
        for (u32 k = 0; k < 4; ++k) {
            if (i + k * GT_SERVICE_THREADS < count) {
                held[k] = from[i + k * GT_SERVICE_THREADS];
            }
        }
#pragma unroll
        for (u32 k = 0; k < 4; ++k) {
            if (i + k * GT_SERVICE_THREADS < count) {
                to[i + k * GT_SERVICE_THREADS] = held[k];
            }
        }
    }
}

static __device__ void reset_bytes(const task &t, u64 target, u64 begin, u64 end)
{
    u8 *to = (u8 *)target;
    const u8 *from = (const u8 *)t.source;
#pragma unroll 1
    for (u64 i = begin + threadIdx.x; i < end; i += GT_SERVICE_THREADS) {
        to[i] = t.operation == GT_DO_POISON ? (u8)poison_byte(t.pattern, target + i) : from[i];
    }
}

// A tile consists of GT_TILE_RESET bytes, which is four vectors per thread.
extern "C" __global__ void __launch_bounds__(GT_SERVICE_THREADS) gt_service_reset(const task *tasks, u64 tiles)
{
    const task *at = tasks;
#pragma unroll 1
    for (u64 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        at = advance(at, tile);
        task t = *at;
        u64 local = tile - t.first_tile;
        u64 repeat = t.repeats == 1 ? 0 : local / t.tiles;
        u64 target = t.target + repeat * t.stride;
        u64 begin = (local - repeat * t.tiles) * (4 * GT_TILE);
        u64 end = begin + 4 * GT_TILE < t.count ? begin + 4 * GT_TILE : t.count;
        u64 cut = ((target | t.source) & 15) == 0 ? end & ~15ull : begin;
        reset_vectors(t, target, begin, cut);
        reset_bytes(t, target, cut, end);
    }
}
