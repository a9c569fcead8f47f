#include "tally.h"

#include <math.h>
#include <string.h>

double half_value(uint16_t bits, bool brain)
{
    if (brain) {
        uint32_t wide = (uint32_t)bits << 16;
        float value;
        memcpy(&value, &wide, sizeof value);
        return value;
    }
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 31 ? (fraction ? NAN : INFINITY)
                   : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                  : ldexp(fraction, -24);
    return bits >> 15 ? -value : value;
}

static double value_of(result_kind kind, uint64_t bits)
{
    float single;
    double value;
    uint32_t low = (uint32_t)bits;
    switch (kind) {
    case RESULT_F32:
        memcpy(&single, &low, sizeof single);
        return single;
    case RESULT_F64:
        memcpy(&value, &bits, sizeof value);
        return value;
    default:
        return half_value((uint16_t)bits, kind == RESULT_BF16);
    }
}

static bool floats_agree(tally *counts, result_kind kind, tolerance allowed, uint64_t one,
                         uint64_t other)
{
    double a = value_of(kind, one), b = value_of(kind, other);
    if (isnan(a) || isnan(b)) {
        counts->nan_bits += isnan(a) && isnan(b);
        return isnan(a) && isnan(b);
    }
    if (allowed.relative == 0 && allowed.absolute == 0) {
        return false;
    }
    if (isinf(a) || isinf(b)) {
        return a == b;
    }
    counts->inexact++;
    double gap = fabs(a - b), size = fmax(fabs(a), fabs(b));
    if (gap <= allowed.absolute) {
        return true;
    }
    if (size > 0 && gap / size > counts->largest) {
        counts->largest = gap / size;
    }
    return gap <= allowed.relative * size;
}

bool results_agree(tally *counts, result_kind kind, tolerance allowed, uint64_t one, uint64_t other)
{
    counts->results++;
    if (one == other) {
        return true;
    }
    if (kind == RESULT_BITS) {
        return false;
    }
    if (kind == RESULT_F16X2 || kind == RESULT_BF16X2) {
        result_kind part = kind == RESULT_F16X2 ? RESULT_F16 : RESULT_BF16;
        uint16_t low = (uint16_t)one, high = (uint16_t)(one >> 16);
        uint16_t other_low = (uint16_t)other, other_high = (uint16_t)(other >> 16);
        return one >> 32 == other >> 32 &&
               (low == other_low || floats_agree(counts, part, allowed, low, other_low)) &&
               (high == other_high || floats_agree(counts, part, allowed, high, other_high));
    }
    uint64_t upper = kind == RESULT_F64   ? 0
                     : kind == RESULT_F32 ? ~(uint64_t)0xffffffff
                                          : ~(uint64_t)0xffff;
    return (one & upper) == (other & upper) && floats_agree(counts, kind, allowed, one, other);
}
