/* Element values on the host, bit by bit as the service kernels make them. */
#include "farm/measure_value.h"

#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Half types ------------------------------------------------------------------------------ */

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double half_to_double(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double fraction = bits & 1023, value;
    if (exponent == 31) {
        value = fraction != 0 ? (double)NAN : (double)INFINITY;
    } else {
        value = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    }
    return bits & 0x8000 ? -value : value;
}

/* Scaled so that one unit is one step of the half at this magnitude, then rounded to even by
 * nearbyint (the default rounding mode). */
static uint16_t float_to_half(float value)
{
    uint16_t sign = (uint16_t)(float_bits(value) >> 16 & 0x8000);
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

static uint16_t float_to_bfloat(float value)
{
    uint32_t bits = float_bits(value);
    if (value != value) {
        return (uint16_t)(bits >> 16 | 0x40);
    }
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* As __nv_fp8_e4m3 and __nv_fp8_e5m2 convert: to nearest even, and no further than the largest
 * finite value. */
static uint8_t float_to_fp8(float value, gt_type type)
{
    const bool e4m3 = type == GT_TYPE_E4M3;
    const int mantissa = e4m3 ? 3 : 2, low = e4m3 ? -6 : -14;
    const uint32_t most = e4m3 ? 0x7e : 0x7b;
    const uint8_t sign = (uint8_t)(float_bits(value) >> 24 & 0x80);
    double magnitude = fmin(fabs((double)value), 1e6);
    int exponent;
    if (value != value) {
        return 0x7f;
    }
    (void)frexp(magnitude, &exponent);
    exponent = magnitude == 0 || exponent - 1 < low ? low : exponent - 1;
    uint32_t code = (uint32_t)nearbyint(ldexp(magnitude, mantissa - exponent));
    code += (uint32_t)(exponent - low) << mantissa;
    return (uint8_t)(sign | (code > most ? most : code));
}

static double e4m3_to_double(uint8_t bits)
{
    int exponent = bits >> 3 & 15;
    double value = exponent == 0 ? ldexp(bits & 7, -9) : ldexp((bits & 7) + 8, exponent - 10);
    value = (bits & 0x7f) == 0x7f ? (double)NAN : value;
    return bits & 0x80 ? -value : value;
}

/* ---- Bits and numbers ------------------------------------------------------------------------ */

double gt_bits_to_double(gt_type type, uint64_t bits)
{
    double real;
    switch (type) {
    case GT_TYPE_I8:
        return (int8_t)bits;
    case GT_TYPE_U8:
    case GT_TYPE_BOOL:
        return (uint8_t)bits;
    case GT_TYPE_I16:
        return (int16_t)bits;
    case GT_TYPE_U16:
        return (uint16_t)bits;
    case GT_TYPE_I32:
        return (int32_t)bits;
    case GT_TYPE_U32:
        return (uint32_t)bits;
    case GT_TYPE_I64:
        return (double)(int64_t)bits;
    case GT_TYPE_U64:
        return (double)bits;
    case GT_TYPE_F16:
        return half_to_double((uint16_t)bits);
    case GT_TYPE_BF16:
        return (double)bits_float((uint32_t)bits << 16);
    case GT_TYPE_F32:
        return (double)bits_float((uint32_t)bits);
    case GT_TYPE_E4M3:
        return e4m3_to_double((uint8_t)bits);
    case GT_TYPE_E5M2: /* a half cut short */
        return half_to_double((uint16_t)(bits << 8));
    case GT_TYPE_F64:
        break;
    }
    memcpy(&real, &bits, sizeof real);
    return real;
}

uint64_t gt_bits_from_double(gt_type type, double value)
{
    uint64_t bits;
    switch (type) {
    case GT_TYPE_F16:
        return float_to_half((float)value);
    case GT_TYPE_BF16:
        return float_to_bfloat((float)value);
    case GT_TYPE_F32:
        return float_bits((float)value);
    case GT_TYPE_E4M3:
    case GT_TYPE_E5M2:
        return float_to_fp8((float)value, type);
    case GT_TYPE_F64:
        memcpy(&bits, &value, sizeof bits);
        return bits;
    default:
        break;
    }
    uint32_t width = 8 * gt_type_bytes(type);
    return (uint64_t)(int64_t)value & (UINT64_MAX >> (64 - width));
}

uint64_t gt_scalar_bits(const gt_scalar *scalar)
{
    return gt_type_is_float(scalar->type) ? gt_bits_from_double(scalar->type, scalar->real)
                                          : (uint64_t)scalar->integer;
}

void gt_scalar_write(void *out, const gt_workload *workload, const gt_scalar *scalar)
{
    uint64_t bits = gt_scalar_bits(scalar);
    memset(out, 0, gt_scalar_bytes(scalar));
    if (scalar->number_count == 0) {
        memcpy(out, &bits, gt_type_bytes(scalar->type));
    }
    for (uint32_t k = 0; k < scalar->number_count; ++k) {
        const gt_number *number = &workload->numbers[scalar->first_number + k];
        const gt_scalar one = {
            .type = number->type, .integer = number->integer, .real = number->low};
        bits = gt_scalar_bits(&one);
        memcpy((char *)out + number->offset, &bits, gt_type_bytes(number->type));
    }
}

/* ---- Fills ----------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t state)
{
    state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9ull;
    state = (state ^ state >> 27) * 0x94d049bb133111ebull;
    return state ^ state >> 31;
}

uint64_t gt_fill_seed(uint64_t seed, uint32_t buffer)
{
    return mix(seed + (buffer + 1) * 0xd1b54a32d192ed03ull);
}

static uint64_t high_product(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)a * b >> 64);
}

static uint64_t draw_of(uint64_t seed, uint64_t index)
{
    return mix(seed + (index + 1) * 0x9e3779b97f4a7c15ull);
}

static double unit_of(uint64_t draw)
{
    return (double)(draw >> 11) * (1.0 / 9007199254740992.0);
}

/* Where an element of sorted ones lies, from 0 to 1: in its own part of that range. */
static double place_of(const gt_buffer *buffer, uint64_t seed, uint64_t index)
{
    return ((double)index + unit_of(draw_of(seed, index))) / (double)buffer->elements;
}

static uint64_t scaled(double unit, uint64_t most)
{
    uint64_t value = (uint64_t)(unit * ((double)most + 1));
    return value < most ? value : most;
}

/* Row pointers: 0 first, the total last, and rows of 0 to twice the mean length between. */
static uint64_t prefix(const gt_buffer *buffer, uint64_t seed, uint64_t index)
{
    uint64_t total = (uint64_t)buffer->low, rows = buffer->elements - 1;
    if (index == 0 || index >= rows) {
        return index == 0 ? 0 : total;
    }
    double place = ((double)index - 0.5 + unit_of(draw_of(seed, index))) / (double)rows;
    uint64_t value = (uint64_t)(place * (double)total);
    return value < total ? value : total;
}

/* Each number below `elements` once: steps that can be undone on the next power of two, until the
 * result is below it. */
static uint64_t permuted(const gt_buffer *buffer, uint64_t seed, uint64_t index)
{
    uint64_t count = buffer->elements, x = index;
    uint32_t bits = count > 1 ? 64 - (uint32_t)__builtin_clzll(count - 1) : 1;
    uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    do {
        for (uint32_t round = 0; round < 3; ++round) {
            uint64_t key = mix(seed + round);
            x = (x * (key | 1) + (key >> 32)) & mask;
            x ^= x >> (bits / 2 + 1);
        }
    } while (x >= count);
    return x;
}

static uint64_t integer_bits(const gt_buffer *buffer, uint64_t seed, uint64_t index)
{
    int64_t low = (int64_t)buffer->low;
    uint64_t range = (uint64_t)((int64_t)buffer->high - low);
    switch (buffer->fill) {
    case GT_FILL_INDEX:
        return index;
    case GT_FILL_CONSTANT:
        return (uint64_t)low;
    case GT_FILL_SORTED:
        return (uint64_t)low + scaled(place_of(buffer, seed, index), range);
    case GT_FILL_PERMUTATION:
        return permuted(buffer, seed, index);
    case GT_FILL_PREFIX:
        return prefix(buffer, seed, index);
    case GT_FILL_UNIFORM:
        break;
    default:
        return 0;
    }
    uint64_t draw = draw_of(seed, index);
    return (uint64_t)low + (range == UINT64_MAX ? draw : high_product(draw, range + 1));
}

static double between(const gt_buffer *buffer, double unit)
{
    return buffer->low + unit * (buffer->high - buffer->low);
}

static double float_value(const gt_buffer *buffer, uint64_t seed, uint64_t index)
{
    switch (buffer->fill) {
    case GT_FILL_INDEX:
        return (double)index;
    case GT_FILL_CONSTANT:
        return buffer->low;
    case GT_FILL_SORTED:
        return between(buffer, place_of(buffer, seed, index));
    case GT_FILL_PERMUTATION:
        return (double)permuted(buffer, seed, index);
    case GT_FILL_PREFIX:
        return (double)prefix(buffer, seed, index);
    case GT_FILL_UNIFORM:
        return between(buffer, unit_of(draw_of(seed, index)));
    default:
        return 0;
    }
}

uint64_t gt_fill_bits(const gt_buffer *buffer, uint64_t seed, uint64_t index)
{
    uint32_t width = 8 * gt_type_bytes(buffer->type);
    uint64_t bits = gt_type_is_float(buffer->type)
                        ? gt_bits_from_double(buffer->type, float_value(buffer, seed, index))
                        : integer_bits(buffer, seed, index);
    return bits & (buffer->type == GT_TYPE_BOOL ? 1 : UINT64_MAX >> (64 - width));
}

/* One number of every element. An index is the element's. */
static void fill_number(char *out, const gt_number *number, const gt_buffer *buffer, uint32_t place,
                        uint64_t seed)
{
    const gt_buffer one = {
        .type = number->type, .fill = number->fill, .low = number->low, .high = number->high};
    uint64_t count = gt_buffer_count(buffer), pitch = gt_buffer_element_bytes(buffer);
    for (uint64_t i = 0; i < count; ++i) {
        bool index = number->fill == GT_FILL_INDEX;
        uint64_t bits = gt_fill_bits(&one, seed, index ? i : i * buffer->number_count + place);
        memcpy(out + i * pitch + number->offset, &bits, gt_type_bytes(number->type));
    }
}

void gt_fill_host(void *out, const gt_workload *workload, const gt_buffer *buffer, uint64_t seed)
{
    uint32_t bytes = gt_type_bytes(buffer->type);
    for (uint32_t k = 0; k < buffer->number_count; ++k) {
        fill_number(out, &workload->numbers[buffer->first_number + k], buffer, k, seed);
    }
    for (uint64_t i = 0; buffer->number_count == 0 && i < buffer->elements; ++i) {
        uint64_t bits = gt_fill_bits(buffer, seed, i);
        memcpy((char *)out + i * bytes, &bits, bytes); /* little-endian, as all hosts of CUDA are */
    }
}

const char *gt_bits_text(char out[40], gt_type type, uint64_t bits)
{
    if (gt_type_is_float(type)) {
        int digits = type == GT_TYPE_F64 ? 17 : type == GT_TYPE_F32 ? 9 : 5;
        gt_snprintf(out, 40, "%.*g", digits, gt_bits_to_double(type, bits));
    } else if (type == GT_TYPE_U64) {
        snprintf(out, 40, "%" PRIu64, bits);
    } else if (type == GT_TYPE_I64) {
        snprintf(out, 40, "%" PRId64, (int64_t)bits);
    } else {
        gt_snprintf(out, 40, "%.0f", gt_bits_to_double(type, bits));
    }
    return out;
}
