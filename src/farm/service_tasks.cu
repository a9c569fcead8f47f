// Service kernels of the measure worker: fill, reset, check, clear, sweep, delay, poison shared
// memory. Compiled by NVRTC like any variant, as one text without headers: this file, then
// service_fill.cu, service_check.cu and service_time.cu.
//
// Fill, reset and check carry out a table of tasks. A task covers `tiles` tiles of TILE elements
// (bytes, for copies, poison and guards; TILE_HASH bytes for hashes), `repeats` times, `stride` bytes apart. The tiles
// of all tasks are numbered in one sequence, and blocks walk through it. The struct and the
// numbers are the same in measure_task.h.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define TILE      4096u
#define TILE_HASH (4 * TILE)
#define THREADS   256u

enum operation {
    FILL,
    CONVERT,
    NARROW,
    MOVE,
    PATTERN,
    COPY,
    POISON,
    COMPARE,
    GUARD,
    HASH,
    SPREAD
};
enum fill_kind { UNIFORM, INDEX, ZERO, CONSTANT, SORTED, PERMUTATION, PREFIX };
enum type { I8, U8, I16, U16, I32, U32, I64, U64, BOOL, F16, BF16, F32, F64, E4M3, E5M2 };
enum { NAN_OK = 1, GAPS = 2, WHOLE = 4, EXTREMES = 8, SPECIALS = 16, FREE = 32 };

struct task {
    u64 first_tile, tiles, repeats, stride;
    u64 target, source, scale; // addresses
    u64 count;                 // elements or bytes
    u64 seed;
    double low, high, stol; // fill, move: low and high, move: the step, fill: the largest value that
                            // is drawn; compare: atol, rtol, stol
    u32 operation, type, source_type, scale_type;
    u32 pattern, flags; // fill: the fill_kind; poison, compare: the poison; guard: its seed
    u32 source_pattern; // compare, narrow: the byte of the poison that the source holds
    u32 sparse;         // move: one in so many elements
    u64 numbers;         // the numbers of an element, `number_count` of them; 0: all are alike
    u32 number_count;
    u32 pitch; // with numbers: bytes from one element to the next
};

// One number of an element of several.
struct number {
    u32 offset, type, fill, unused;
    double low, high;
};

// What check found for one task. Guard: first is the offset of the first byte overwritten. Hash:
// the sum is in `count`. Compare: `need` is the largest atol that a mismatch would have taken,
// `gaps` how many elements neither side wrote, `unwritten` whether the first mismatch still has its
// poison: 1, the source's: 2. Spread: `worst` is the largest |target - source|,
// `need` the same over |target|, `count` how many differ; without a source `worst` is the largest
// |target|, and `count` how many are not finite.
struct finding {
    u64 count, first, worst, need, gaps, value, expected, unwritten;
};

struct findings {
    u64 sequence; // of the launch that wrote it; in the accumulators: blocks that are done
    finding items[1];
};

static __device__ u32 size_of(u32 type) // two bits a type: the logarithm
{
    return 1u << (0x394fa50u >> 2 * type & 3);
}

static __device__ double infinity()
{
    return __longlong_as_double(0x7ff0000000000000ll);
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

// fp8 (as __nv_fp8_e4m3 and __nv_fp8_e5m2 convert): m bits of mantissa, normal from 2^low on, `most`
// the largest finite one, at which conversions saturate.
static __device__ u8 float_to_fp8(float value, int m, int low, u8 most)
{
    u32 bits = __float_as_uint(value), sign = bits >> 24 & 0x80;
    float magnitude = fabsf(value);
    if (magnitude != magnitude) {
        return 0x7f;
    }
    int exponent = (int)(__float_as_uint(magnitude) >> 23) - 127;
    exponent = exponent < low ? low : exponent > 16 ? 16 : exponent;
    float per_step = __uint_as_float((u32)(127 - exponent + m) << 23);
    float steps = rintf(fminf(magnitude, 1e6f) * per_step); // to nearest even
    u32 code = (u32)steps + ((u32)(exponent - low) << m);
    return (u8)(sign | (code > most ? most : code));
}

static __device__ float e4m3_to_float(u8 bits)
{
    u32 exponent = bits >> 3 & 15, fraction = bits & 7;
    float step = __uint_as_float((exponent + (exponent == 0) + 117) << 23); // 2^(exponent - 7 - 3)
    float value = (float)(fraction + (exponent == 0 ? 0 : 8)) * step;
    value = (bits & 0x7f) == 0x7f ? __uint_as_float(0x7fc00000u) : value;
    return bits & 0x80 ? -value : value;
}

// The largest finite value of a type that saturates, or 0.
static __device__ double saturation_of(u32 type)
{
    return type == E4M3 ? 448.0 : type == E5M2 ? 57344.0 : 0.0;
}

static __device__ __noinline__ double to_double(u32 type, u64 bits)
{
    switch (type) {
    case I8: return (double)(signed char)bits;
    case BOOL:
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
    case E4M3: return e4m3_to_float((u8)bits);
    case E5M2: return half_to_float((u16)(bits << 8)); // a half cut short
    default: return __longlong_as_double((long long)bits);
    }
}

static __device__ __noinline__ u64 from_double(u32 type, double value) // float types
{
    switch (type) {
    case F16: return float_to_half((float)value);
    case BF16: return float_to_bfloat((float)value);
    case F32: return __float_as_uint((float)value);
    case E4M3: return float_to_fp8((float)value, 3, -6, 0x7e);
    case E5M2: return float_to_fp8((float)value, 2, -14, 0x7b);
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

// The poison's byte at an address. Poisons below 4 are mixed: each 16 bytes have another of NaN,
// negative and huge, zero, and positive and huge, and the poison says which comes first.
static __device__ u32 poison_byte(u32 poison, u64 address)
{
    return poison < 4 ? 0x7b00fbffu >> 8 * ((poison + (u32)(address >> 4)) & 3) & 0xff : poison;
}

// What is left of a poison in an element of that size.
static __device__ u64 poison_bits(u32 byte, u32 size)
{
    return byte * 0x0101010101010101ull >> (64 - 8 * size);
}

// --- elements of several numbers -----------------------------------------------------------------

// The task on number i alone, as its element 0.
static __device__ __noinline__ void narrow_to_number(task *one, const task *all, u64 i)
{
    const number *f = (const number *)all->numbers + i % all->number_count;
    u64 offset = i / all->number_count * all->pitch + f->offset;
    *one = *all;
    one->numbers = 0;
    one->target += offset;
    one->source += one->source != 0 ? offset : 0;
    one->scale += one->scale != 0 ? i * size_of(one->scale_type) : 0;
    one->type = one->source_type = f->type;
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
