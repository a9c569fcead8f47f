#include "op_inputs.h"

#include "base/random.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const uint64_t integers[] = {0,
                                    1,
                                    2,
                                    3,
                                    31,
                                    32,
                                    33,
                                    63,
                                    64,
                                    65,
                                    0x7f,
                                    0x80,
                                    0xff,
                                    0x7fff,
                                    0x8000,
                                    0xffff,
                                    0x10000,
                                    0x7fffffff,
                                    0x80000000,
                                    0x80000001,
                                    0xfffffffe,
                                    0xffffffff,
                                    0x100000000,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0xffffffff80000000,
                                    0xfffffffffffffffe,
                                    0xffffffffffffffff,
                                    0x0123456789abcdef,
                                    0xaaaaaaaaaaaaaaaa};
static const uint64_t singles[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00400000, 0x00800000,
    0x80800000, 0x00800001, 0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x3f000000, 0x40000000,
    0x40400000, 0x4b000000, 0x4b800001, 0x4f000000, 0xcf000000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
    0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0x5f3759df, 0x1f800000};
static const uint64_t doubles[] = {
    0x0000000000000000, 0x8000000000000000, 0x0000000000000001, 0x8000000000000001,
    0x000fffffffffffff, 0x0010000000000000, 0x8010000000000000, 0x0010000000000001,
    0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001, 0x3fefffffffffffff,
    0x3fe0000000000000, 0x4000000000000000, 0x4008000000000000, 0x4330000000000001,
    0x41dfffffffc00000, 0xc1e0000000000000, 0x43e0000000000000, 0x47efffffe0000000,
    0x47effffff0000000, 0x3690000000000000, 0x36a0000000000000, 0x380fffffffffffff,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
    0x7ff8000000000000, 0xfff8000000000001};
static const uint64_t halves[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400,
                                  0x0401, 0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x3800, 0x4000, 0x4200,
                                  0x6400, 0x6801, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01,
                                  0x1400, 0x7800, 0x5bff, 0x2e66, 0xae66, 0x4bff};
static const uint64_t brains[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x807f, 0x0080, 0x8080,
                                  0x0081, 0x3f80, 0xbf80, 0x3f81, 0x3f7f, 0x3f00, 0x4000, 0x4040,
                                  0x4300, 0x4381, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc1,
                                  0x1f80, 0x5f00, 0x4f00, 0xcf00, 0x3dcd, 0xbdcd};
enum { SPECIALS = 30 };

static uint64_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double near_limit(gt_random *random)
{
    static const int powers[] = {7, 8, 15, 16, 31, 32, 63, 64, 6, 1, 0};
    double value = ldexp(1, powers[gt_random_below(random, 11)]);
    value += ((double)gt_random_below(random, 17) - 8) / 4;
    return gt_random_below(random, 2) ? value : -value;
}

static uint64_t pair_of(const uint64_t *list, gt_random *random, uint64_t low)
{
    return low | list[gt_random_below(random, SPECIALS)] << 16;
}

static uint64_t special(char letter, size_t index, gt_random *random)
{
    switch (letter) {
    case 'i':
        return integers[index];
    case 's':
        return gt_random_below(random, 71);
    case 'd':
        return doubles[index];
    case 'h':
        return pair_of(halves, random, halves[index]);
    case 'b':
        return pair_of(brains, random, brains[index]);
    case 'I':
        return float_bits((float)near_limit(random));
    case 'J':
        return double_bits(near_limit(random));
    case 'f':
        return singles[index];
    default:
        return 0;
    }
}

static float in_range(gt_random *random, double bound)
{
    return (float)((gt_random_unit(random) * 2 - 1) * bound);
}

static uint64_t short_float(gt_random *random, int fraction_bits, int low, int high)
{
    uint64_t exponent = (uint64_t)low + gt_random_below(random, (uint64_t)(high - low + 1));
    uint64_t fraction = gt_random_next(random) & ((1u << fraction_bits) - 1);
    return gt_random_below(random, 2) << 15 | exponent << fraction_bits | fraction;
}

/* Half of the inputs have random bits. The exponents of the other inputs are close together, so
 * sums do not lose all digits of one operand. */
static uint64_t random_value(char letter, gt_random *random)
{
    uint64_t bits = gt_random_next(random);
    bool near = gt_random_below(random, 2);
    switch (letter) {
    case 's':
        return bits % 71;
    case 'd':
        return near ? (bits & 0x800fffffffffffff) | (1013 + gt_random_below(random, 20)) << 52
                    : bits;
    case 'h':
        return near ? short_float(random, 10, 11, 19) | short_float(random, 10, 11, 19) << 16
                    : bits & 0xffffffff;
    case 'b':
        return near ? short_float(random, 7, 123, 131) | short_float(random, 7, 123, 131) << 16
                    : bits & 0xffffffff;
    case 't':
        return float_bits(in_range(random, 6.283185));
    case 'e':
        return float_bits(in_range(random, 150));
    case 'q':
        return short_float(random, 10, 1, 18) | short_float(random, 10, 1, 18) << 16;
    case 'r':
        return short_float(random, 7, 90, 130) | short_float(random, 7, 90, 130) << 16;
    case 'I':
        return float_bits((float)near_limit(random));
    case 'J':
        return double_bits(near_limit(random));
    case 'f':
        return near ? (bits & 0x807fffff) | (117 + gt_random_below(random, 20)) << 23
                    : bits & 0xffffffff;
    case 'n':
        return (bits & 0x807fffff) | (107 + gt_random_below(random, 40)) << 23;
    default:
        return near ? bits >> gt_random_below(random, 64) : bits;
    }
}

void op_inputs_make(uint64_t *out[3], const char *letters)
{
    gt_random random = {20130};
    for (size_t i = 0; i < OP_INPUTS; i++) {
        size_t index[3] = {i % SPECIALS, i / SPECIALS % SPECIALS,
                           gt_random_below(&random, SPECIALS)};
        bool first = i < SPECIALS * SPECIALS;
        for (size_t k = 0; k < 3; k++) {
            char letter = k < strlen(letters) ? letters[k] : 'i';
            bool listed = strchr("isdhbIJf", letter) != NULL;
            bool take = first || gt_random_below(&random, 16) == 0;
            out[k][i] =
                listed && take ? special(letter, index[k], &random) : random_value(letter, &random);
        }
    }
}
