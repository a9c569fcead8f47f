/* Converts between floating-point formats, with PTX's rounding modes. */
#include "emulator/float.h"

#include <fenv.h>
#include <math.h>

typedef struct format {
    int fraction_bits;
    int bias;
    uint32_t infinity, nan;
} format;

static const format half = {10, 15, 0x7c00, 0x7fff};
static const format bfloat = {7, 127, 0x7f80, 0x7fff};
static const format e4m3 = {3, 7, 0x7f, 0x7f}; /* code 0x7f is NaN; the format has no infinity */
static const format e5m2 = {2, 15, 0x7c, 0x7f};

/* Returns true if the magnitude `kept` must be rounded up. `rest` is the part that was cut off;
 * `half_way` is the value of this part for a number halfway between two results. */
static bool rounds_up(emu_rounding rounding, bool negative, uint64_t kept, uint64_t rest,
                      uint64_t half_way)
{
    switch (rounding) {
    case EMU_RZ:
        return false;
    case EMU_RM:
        return negative && rest;
    case EMU_RP:
        return !negative && rest;
    case EMU_RNA:
        return rest >= half_way;
    default:
        return rest > half_way || (rest == half_way && (kept & 1));
    }
}

/* Returns infinity or the largest finite value, depending on the rounding mode. */
static uint32_t overflow_result(const format *f, emu_rounding rounding, bool negative)
{
    bool to_largest =
        rounding == EMU_RZ || (rounding == EMU_RM && !negative) || (rounding == EMU_RP && negative);
    return to_largest ? f->infinity - 1 : f->infinity;
}

static uint16_t narrow_double(double value, emu_rounding rounding, const format *f)
{
    uint64_t bits = emu_bits64(value);
    bool negative = bits >> 63;
    uint32_t sign = negative ? 0x8000 : 0;
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    if (value != value)
        return (uint16_t)f->nan;
    if (exponent == 1024)
        return (uint16_t)(sign | f->infinity);
    if (exponent == -1023)
        /* use the exponent of the smallest normal double: all are far below the format's range */
        exponent = -1022;
    else
        fraction |= UINT64_C(1) << 52;
    int least = 1 - f->bias, cut = 52 - f->fraction_bits;
    if (exponent < least)
        cut += least - exponent;
    if (cut > 63) { /* below all subnormals of the format, so 0 unless it is rounded up */
        bool up = fraction && rounds_up(rounding, negative, 0, 1, 2);
        return (uint16_t)(sign | up);
    }
    uint64_t kept = fraction >> cut, rest = fraction & ((UINT64_C(1) << cut) - 1);
    kept += rounds_up(rounding, negative, kept, rest, UINT64_C(1) << (cut - 1));
    if (exponent > least) /* a carry out of the fraction increments the exponent */
        kept += (uint64_t)(exponent - least) << f->fraction_bits;
    if (kept >= f->infinity)
        kept = overflow_result(f, rounding, negative);
    return (uint16_t)(sign | kept);
}

uint16_t emu_half_from_double(double value, emu_rounding rounding)
{
    return narrow_double(value, rounding, &half);
}

uint16_t emu_bfloat_from_double(double value, emu_rounding rounding)
{
    return narrow_double(value, rounding, &bfloat);
}

uint16_t emu_half_from_float(float value, emu_rounding rounding)
{
    return narrow_double(value, rounding, &half);
}

float emu_half_to_float(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, fraction = bits & 0x3ff;
    uint32_t exponent = bits >> 10 & 31;
    if (exponent == 31)
        return emu_float32(sign | (fraction ? 0x7fffffff : 0x7f800000));
    if (exponent == 0)
        return emu_float32(sign | emu_bits32((float)fraction * 0x1p-24f));
    return emu_float32(sign | (exponent + 112) << 23 | fraction << 13);
}

float emu_bfloat_to_float(uint16_t bits)
{
    return emu_float32((uint32_t)bits << 16);
}

uint8_t emu_fp8_from_double(double value, bool is_e5m2)
{
    const format *f = is_e5m2 ? &e5m2 : &e4m3;
    unsigned bits = narrow_double(value, EMU_RN, f), magnitude = bits & 0x7f;
    if (value == value && magnitude >= f->infinity)
        magnitude = f->infinity - 1;
    return (uint8_t)(magnitude | (bits >> 8 & 0x80));
}

float emu_fp8_to_float(uint8_t bits, bool is_e5m2)
{
    const format *f = is_e5m2 ? &e5m2 : &e4m3;
    int magnitude = bits & 0x7f, exponent = magnitude >> f->fraction_bits;
    int fraction = magnitude & ((1 << f->fraction_bits) - 1);
    float value;
    if (magnitude > (int)f->infinity || magnitude == (int)f->nan)
        return emu_float32(0x7fffffff);
    if (magnitude == (int)f->infinity)
        value = INFINITY;
    else if (exponent == 0)
        value = ldexpf((float)fraction, 1 - f->bias - f->fraction_bits);
    else
        value = ldexpf((float)(fraction + (1 << f->fraction_bits)),
                       exponent - f->bias - f->fraction_bits);
    return bits & 0x80 ? -value : value;
}

double emu_add_to_odd(double a, double b)
{
    double sum = a + b;
    if (!isfinite(sum))
        return sum;
    double part = sum - a;
    double error = (a - (sum - part)) + (b - part);
    uint64_t bits = emu_bits64(sum);
    if (error == 0 || (bits & 1))
        return sum;
    /* the exact result is between `sum` and its neighbour: return the odd one */
    bool away = (error > 0) == (sum > 0);
    return emu_float64(away ? bits + 1 : bits - 1);
}

int emu_round_begin(emu_rounding rounding)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
    int before = modes[rounding] == FE_TONEAREST ? -1 : fegetround();
    if (before >= 0)
        fesetround(modes[rounding]);
    return before;
}

void emu_round_restore(int before)
{
    if (before >= 0)
        fesetround(before);
}
