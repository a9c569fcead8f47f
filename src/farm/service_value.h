/* Values of elements, as bits or numbers, and fills. The host and the kernels get equal bits. */
#pragma once

#ifdef __CUDACC__

#define SERVICE      static __device__
#define SERVICE_CALL static __device__ __noinline__ /* inlining does not make these faster */

/* Operations that the compiler must not combine to a fused multiply-add. */
#define ADD(a, b)          __dadd_rn(a, b)
#define SUBTRACT(a, b)     __dsub_rn(a, b)
#define MULTIPLY(a, b)     __dmul_rn(a, b)
#define DIVIDE(a, b)       __ddiv_rn(a, b)
#define HIGH_PRODUCT(a, b) __umul64hi(a, b)
#define LEADING_ZEROS(x)   __clzll((long long)(x))
#define FLOAT_BITS(x)      __float_as_uint(x)
#define BITS_FLOAT(x)      __uint_as_float(x)
#define DOUBLE_BITS(x)     (uint64_t) __double_as_longlong(x)
#define BITS_DOUBLE(x)     __longlong_as_double((long long)(x))

SERVICE float half_to_float(uint16_t bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

SERVICE uint16_t float_to_half(float value)
{
    uint16_t bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

#else

#include "farm/service.h"

#include <math.h>
#include <string.h>

#define SERVICE      static inline
#define SERVICE_CALL static inline

#define ADD(a, b)        ((a) + (b))
#define SUBTRACT(a, b)   ((a) - (b))
#define MULTIPLY(a, b)   ((a) * (b))
#define DIVIDE(a, b)     ((a) / (b))
#define LEADING_ZEROS(x) __builtin_clzll(x)

SERVICE uint64_t HIGH_PRODUCT(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)a * b >> 64);
}

SERVICE uint32_t FLOAT_BITS(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

SERVICE float BITS_FLOAT(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

SERVICE uint64_t DOUBLE_BITS(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

SERVICE double BITS_DOUBLE(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

SERVICE float half_to_float(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    float fraction = (float)(bits & 1023), value;
    if (exponent == 31) {
        value = fraction != 0 ? NAN : INFINITY;
    } else {
        value = exponent == 0 ? ldexpf(fraction, -24) : ldexpf(fraction + 1024, exponent - 25);
    }
    return bits & 0x8000 ? -value : value;
}

/* Rounds to half precision. `units` is the result in units of the last place; nearbyint() rounds
 * ties to even. */
SERVICE uint16_t float_to_half(float value)
{
    uint16_t sign = (uint16_t)(FLOAT_BITS(value) >> 16 & 0x8000);
    double magnitude = fabs((double)value);
    if (value != value) {
        return 0x7fff;
    }
    if (magnitude >= 65520.0 || magnitude == 0) {
        return magnitude == 0 ? sign : sign | 0x7c00;
    }
    int exponent;
    (void)frexp(magnitude, &exponent);
    int step = exponent < -13 ? -24 : exponent - 11;
    uint32_t units = (uint32_t)nearbyint(ldexp(magnitude, -step));
    return sign | (uint16_t)(units + ((uint32_t)(step + 24) << 10));
}

#endif

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Rounds to the nearest value, ties to even. NaN stays NaN. */
SERVICE uint16_t float_to_bfloat(float value)
{
    uint32_t bits = FLOAT_BITS(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
        return (uint16_t)(bits >> 16 | 0x40);
    }
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

/* Converts to fp8 like __nv_fp8_e4m3 and __nv_fp8_e5m2. `m` is the number of mantissa bits; 2^low
 * is the smallest normal value. `most` is the code of the largest finite value, which also replaces
 * all larger values. */
SERVICE uint8_t float_to_fp8(float value, int m, int low, uint8_t most)
{
    uint32_t bits = FLOAT_BITS(value), sign = bits >> 24 & 0x80;
    float magnitude = fabsf(value);
    if (magnitude != magnitude) {
        return 0x7f;
    }
    int exponent = (int)(FLOAT_BITS(magnitude) >> 23) - 127;
    exponent = exponent < low ? low : exponent > 16 ? 16 : exponent;
    float per_step = BITS_FLOAT((uint32_t)(127 - exponent + m) << 23);
    float steps = rintf(fminf(magnitude, 1e6f) * per_step); /* ties to even */
    uint32_t code = (uint32_t)steps + ((uint32_t)(exponent - low) << m);
    return (uint8_t)(sign | (code > most ? most : code));
}

SERVICE float e4m3_to_float(uint8_t bits)
{
    uint32_t exponent = bits >> 3 & 15, fraction = bits & 7;
    float step = BITS_FLOAT((exponent + (exponent == 0) + 117) << 23); /* 2^(exponent - 7 - 3) */
    float value = (float)(fraction + (exponent == 0 ? 0 : 8)) * step;
    value = (bits & 0x7f) == 0x7f ? BITS_FLOAT(0x7fc00000u) : value;
    return bits & 0x80 ? -value : value;
}

/* Converts to double. Integers above 2^53 are rounded. */
SERVICE_CALL double to_double(uint32_t type, uint64_t bits)
{
    switch (type) {
    case GT_TYPE_I8:
        return (double)(signed char)bits;
    case GT_TYPE_BOOL:
    case GT_TYPE_U8:
        return (double)(uint8_t)bits;
    case GT_TYPE_I16:
        return (double)(short)bits;
    case GT_TYPE_U16:
        return (double)(uint16_t)bits;
    case GT_TYPE_I32:
        return (double)(int)bits;
    case GT_TYPE_U32:
        return (double)(uint32_t)bits;
    case GT_TYPE_I64:
        return (double)(int64_t)bits;
    case GT_TYPE_U64:
        return (double)bits;
    case GT_TYPE_F16:
        return (double)half_to_float((uint16_t)bits);
    case GT_TYPE_BF16:
        return (double)BITS_FLOAT((uint32_t)bits << 16);
    case GT_TYPE_F32:
        return (double)BITS_FLOAT((uint32_t)bits);
    case GT_TYPE_E4M3:
        return (double)e4m3_to_float((uint8_t)bits);
    case GT_TYPE_E5M2: /* an e5m2 value is the upper byte of a half */
        return (double)half_to_float((uint16_t)(bits << 8));
    default:
        return BITS_DOUBLE(bits);
    }
}

SERVICE_CALL uint64_t from_double(uint32_t type, double value)
{
    switch (type) {
    case GT_TYPE_F16:
        return float_to_half((float)value);
    case GT_TYPE_BF16:
        return float_to_bfloat((float)value);
    case GT_TYPE_F32:
        return FLOAT_BITS((float)value);
    case GT_TYPE_E4M3:
        return float_to_fp8((float)value, 3, -6, 0x7e);
    case GT_TYPE_E5M2:
        return float_to_fp8((float)value, 2, -14, 0x7b);
    default:
        return DOUBLE_BITS(value);
    }
}

/* ---- Contents of inputs ---------------------------------------------------------------------- */

SERVICE uint64_t mix(uint64_t state)
{
    state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9ull;
    state = (state ^ state >> 27) * 0x94d049bb133111ebull;
    return state ^ state >> 31;
}

SERVICE uint64_t draw_of(const gt_service_task *t, uint64_t i)
{
    return mix(t->seed + (i + 1) * 0x9e3779b97f4a7c15ull);
}

SERVICE double unit_of(uint64_t draw)
{
    return MULTIPLY((double)(draw >> 11), 1.0 / 9007199254740992.0);
}

/* Returns the position of element i in a sorted buffer, from 0 to 1. [0, 1] is divided into one
 * section per element, and the position is a random point in section i. */
SERVICE double place_of(const gt_service_task *t, uint64_t i)
{
    return DIVIDE(ADD((double)i, unit_of(draw_of(t, i))), (double)t->count);
}

SERVICE uint64_t scaled(double unit, uint64_t most)
{
    uint64_t value = (uint64_t)MULTIPLY(unit, ADD((double)most, 1.0));
    return value < most ? value : most;
}

/* Returns row pointer i, from 0 to the number of elements. No row exceeds twice the mean length. */
SERVICE uint64_t prefix(const gt_service_task *t, uint64_t i)
{
    uint64_t total = (uint64_t)t->low, rows = t->count - 1;
    if (i == 0 || i >= rows) {
        return i == 0 ? 0 : total;
    }
    double half = ADD(ADD((double)i, -0.5), unit_of(draw_of(t, i)));
    uint64_t value = (uint64_t)MULTIPLY(DIVIDE(half, (double)rows), (double)total);
    return value < total ? value : total;
}

/* Permutes the numbers below `count`, using a bijection of the numbers below a power of two. */
SERVICE uint64_t permuted(const gt_service_task *t, uint64_t i)
{
    uint32_t bits = t->count > 1 ? 64 - (uint32_t)LEADING_ZEROS(t->count - 1) : 1;
    uint64_t mask = bits < 64 ? (1ull << bits) - 1 : ~0ull;
    uint64_t x = i;
    do {
        for (uint32_t round = 0; round < 3; ++round) {
            uint64_t key = mix(t->seed + round);
            x = (x * (key | 1) + (key >> 32)) & mask;
            x ^= x >> (bits / 2 + 1);
        }
    } while (x >= t->count);
    return x;
}

SERVICE uint64_t fill_whole(const gt_service_task *t, uint64_t i)
{
    int64_t low = (int64_t)t->low;
    uint64_t range = (uint64_t)((int64_t)t->high - low), draw;
    switch (t->pattern) {
    case GT_FILL_INDEX:
        return i;
    case GT_FILL_CONSTANT:
        return (uint64_t)low;
    case GT_FILL_SORTED:
        return (uint64_t)low + scaled(place_of(t, i), range);
    case GT_FILL_PERMUTATION:
        return permuted(t, i);
    case GT_FILL_PREFIX:
        return prefix(t, i);
    case GT_FILL_UNIFORM:
        draw = draw_of(t, i);
        return (uint64_t)low + (range == ~0ull ? draw : HIGH_PRODUCT(draw, range + 1));
    default:
        return 0;
    }
}

SERVICE double between(const gt_service_task *t, double unit)
{
    return ADD(t->low, MULTIPLY(unit, SUBTRACT(t->high, t->low)));
}

SERVICE double fill_real(const gt_service_task *t, uint64_t i)
{
    switch (t->pattern) {
    case GT_FILL_INDEX:
        return (double)i;
    case GT_FILL_CONSTANT:
        return t->low;
    case GT_FILL_SORTED:
        return between(t, place_of(t, i));
    case GT_FILL_PERMUTATION:
        return (double)permuted(t, i);
    case GT_FILL_PREFIX:
        return (double)prefix(t, i);
    case GT_FILL_UNIFORM:
        return between(t, unit_of(draw_of(t, i)));
    default:
        return 0;
    }
}
