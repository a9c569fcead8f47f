/* Addition, subtraction, multiplication, division and fused multiply-add in single and double
 * precision. Rounding modes other than to nearest, and .sat, are slower because the handlers must
 * set the host's rounding mode. */
#include "emulator/float.h"
#include "emulator/lanes.h"

#include <math.h>

enum { ADD, SUB, MUL, DIV, FMA, SQRT, RCP };

/* ---- .ftz ----
 *
 * A result becomes zero if it is subnormal after rounding to 24 bits. Ordinary rounding of
 * subnormals keeps fewer bits and may yield the least normal number; .ftz clears it, too. */

#define LEAST_NORMAL 0x1p-126f
/* The smallest value that becomes normal when it is rounded to 24 bits. */
#define LEAST_ROUNDED (0x1p-126 * (1 - 0x1p-25))

/* Rounds a product or quotient with .ftz. A double is precise enough to round correctly. */
static inline float flush_narrow(double exact)
{
    double kept = fabs(exact) < LEAST_ROUNDED ? copysign(0, exact) : exact;
    return emu_nan32((float)kept);
}

static inline float fma_flushed(float a, float b, float c)
{
    float result = emu_flush(fmaf(a, b, c));
    if (fabsf(result) == LEAST_NORMAL && fabs(emu_add_to_odd((double)a * b, c)) < LEAST_ROUNDED)
        return copysignf(0, result);
    return emu_nan32(result);
}

/* ---- to nearest ---- */

EMU_BINARY(add_f32, emu_f32, emu_f32, emu_nan32(a + b))
EMU_BINARY(sub_f32, emu_f32, emu_f32, emu_nan32(a - b))
EMU_BINARY(mul_f32, emu_f32, emu_f32, emu_nan32(a *b))
EMU_BINARY(div_f32, emu_f32, emu_f32, emu_nan32(a / b))
EMU_BINARY(add_ftz, emu_f32, emu_f32, emu_nan32(emu_flush(emu_flush(a) + emu_flush(b))))
EMU_BINARY(sub_ftz, emu_f32, emu_f32, emu_nan32(emu_flush(emu_flush(a) - emu_flush(b))))
EMU_BINARY(mul_ftz, emu_f32, emu_f32, flush_narrow((double)emu_flush(a) * emu_flush(b)))
EMU_BINARY(div_ftz, emu_f32, emu_f32, flush_narrow((double)emu_flush(a) / emu_flush(b)))
EMU_BINARY(add_f64, emu_f64, emu_f64, a + b)
EMU_BINARY(sub_f64, emu_f64, emu_f64, a - b)
EMU_BINARY(mul_f64, emu_f64, emu_f64, a *b)
EMU_BINARY(div_f64, emu_f64, emu_f64, a / b)
EMU_UNARY(sqrt_f32, emu_f32, emu_f32, emu_nan32(sqrtf(a)))
EMU_UNARY(sqrt_f64, emu_f64, emu_f64, sqrt(a))
EMU_UNARY(rcp_f32, emu_f32, emu_f32, emu_nan32(1 / a))
EMU_UNARY(rcp_f64, emu_f64, emu_f64, 1 / a)
EMU_TERNARY(fma_f32, emu_f32, emu_f32, emu_nan32(fmaf(a, b, c)))
EMU_TERNARY(fma_ftz, emu_f32, emu_f32, fma_flushed(emu_flush(a), emu_flush(b), emu_flush(c)))
EMU_TERNARY(fma_f64, emu_f64, emu_f64, fma(a, b, c))

/* Handlers that need no function call for each lane, for hosts with FMA instructions. */
#if defined(__x86_64__)
#define HAS_FMA() (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2"))
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#pragma push_macro("EMU_WIDE")
#undef EMU_WIDE
#define EMU_WIDE
#endif
EMU_TERNARY(fma_f32_host, emu_f32, emu_f32, emu_nan32(__builtin_fmaf(a, b, c)))
EMU_TERNARY(fma_f64_host, emu_f64, emu_f64, __builtin_fma(a, b, c))
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma pop_macro("EMU_WIDE")
#pragma GCC pop_options
#endif
#else
#define HAS_FMA()    false
#define fma_f32_host fma_f32
#define fma_f64_host fma_f64
#endif

/* ---- any rounding mode ---- */

/* The operands are volatile to prevent a computation before the rounding mode is set. */
#define COMPUTE(T, sqrt_, fma_)                                                                    \
    volatile T x = a, y = b, z = c, result = 0;                                                    \
    switch (kind) {                                                                                \
    case ADD:                                                                                      \
        result = x + y;                                                                            \
        break;                                                                                     \
    case SUB:                                                                                      \
        result = x - y;                                                                            \
        break;                                                                                     \
    case MUL:                                                                                      \
        result = x * y;                                                                            \
        break;                                                                                     \
    case DIV:                                                                                      \
        result = x / y;                                                                            \
        break;                                                                                     \
    case SQRT:                                                                                     \
        result = sqrt_(x);                                                                         \
        break;                                                                                     \
    case RCP:                                                                                      \
        result = 1 / x;                                                                            \
        break;                                                                                     \
    default:                                                                                       \
        result = fma_(x, y, z);                                                                    \
        break;                                                                                     \
    }                                                                                              \
    return result;

static float compute_f32(int kind, float a, float b, float c)
{
    COMPUTE(float, sqrtf, fmaf)
}

static double compute_f64(int kind, double a, double b, double c)
{
    COMPUTE(double, sqrt, fma)
}

/* Computes with .ftz. A result that is the least normal number may have been rounded up from a
 * number that .ftz replaces by zero. To find out, repeats the operation scaled by 2^64. */
static float compute_ftz(int kind, float a, float b, float c)
{
    float result = compute_f32(kind, a, b, c);
    if (fabsf(result) != LEAST_NORMAL || kind == ADD || kind == SUB || kind == SQRT)
        return result;
    float large = kind == RCP ? compute_f32(DIV, 0x1p64f, a, 0)
                              : compute_f32(kind, a * 0x1p64f, b, c * 0x1p64f);
    return fabsf(large) < LEAST_NORMAL * 0x1p64f ? copysignf(0, result) : result;
}

static float finish_f32(float value, unsigned flags)
{
    value = emu_nan32(flags & EMU_FTZ ? emu_flush(value) : value);
    return flags & EMU_SAT ? emu_saturate32(value) : value;
}

static void any_f32(emu_warp *warp, const emu_op *op)
{
    emu_f32 *dst = emu_lanes(warp, op->dst);
    const emu_f32 *a = emu_lanes(warp, op->a), *b = emu_lanes(warp, op->b);
    const emu_f32 *c = emu_lanes(warp, op->c);
    bool ftz = op->flags & EMU_FTZ;
    int before = emu_round_begin((emu_rounding)(op->flags & EMU_ROUNDING));
    EMU_FOR_LANES(i, warp->mask)
    {
        float result =
            ftz ? compute_ftz(op->count, emu_flush(a[i]), emu_flush(b[i]), emu_flush(c[i]))
                : compute_f32(op->count, a[i], b[i], c[i]);
        dst[i] = finish_f32(result, op->flags);
    }
    emu_round_restore(before);
}

static void any_f64(emu_warp *warp, const emu_op *op)
{
    emu_f64 *dst = emu_lanes(warp, op->dst);
    const emu_f64 *a = emu_lanes(warp, op->a), *b = emu_lanes(warp, op->b);
    const emu_f64 *c = emu_lanes(warp, op->c);
    int before = emu_round_begin((emu_rounding)(op->flags & EMU_ROUNDING));
    EMU_FOR_LANES(i, warp->mask)
    dst[i] = compute_f64(op->count, a[i], b[i], c[i]);
    emu_round_restore(before);
}

/* ---- approximations, computed in double precision ---- */

/* Divides. Unlike div.full, div.approx returns 0 for divisors beyond 2^126. */
static float divide_approx(float a, float b, unsigned flags)
{
    float x = flags & EMU_FTZ ? emu_flush(a) : a, y = flags & EMU_FTZ ? emu_flush(b) : b;
    float magnitude = fabsf(y);
    if ((flags & EMU_SAT) && x == x && magnitude > 0x1p126f && magnitude < INFINITY)
        return isinf(x) ? emu_float32(0x7fffffff) : copysignf(0, signbit(x) == signbit(y) ? 1 : -1);
    return finish_f32((float)((double)x / y), flags & EMU_FTZ);
}
EMU_BINARY(div_approx, emu_f32, emu_f32, divide_approx(a, b, op->flags))

static float reciprocal(float a, unsigned flags)
{
    float x = flags & EMU_FTZ ? emu_flush(a) : a;
    return finish_f32((float)(1 / (double)x), flags);
}
EMU_UNARY(rcp_approx, emu_f32, emu_f32, reciprocal(a, op->flags))

static float root(float a, unsigned flags)
{
    float x = flags & EMU_FTZ ? emu_flush(a) : a;
    return finish_f32((float)sqrt((double)x), flags);
}
EMU_UNARY(sqrt_approx, emu_f32, emu_f32, root(a, op->flags))

/* Keeps only the upper word of a result and flushes subnormals, as the hardware does. */
static double upper_word(double value)
{
    uint64_t bits = emu_bits64(value);
    bool subnormal = (bits & 0x7ff0000000000000) == 0;
    return emu_float64(subnormal ? bits & 0x8000000000000000 : bits & 0xffffffff00000000);
}
EMU_UNARY(rcp_approx_f64, emu_f64, emu_f64, upper_word(1 / emu_flush64(a)))

typedef struct kind {
    const char *root;
    uint8_t what, operands;
    emu_handler f32, ftz, f64, any32, any64;
} kind;

static const kind kinds[] = {
    {"add", ADD, 2, add_f32, add_ftz, add_f64, any_f32, any_f64},
    {"sub", SUB, 2, sub_f32, sub_ftz, sub_f64, any_f32, any_f64},
    {"mul", MUL, 2, mul_f32, mul_ftz, mul_f64, any_f32, any_f64},
    {"div", DIV, 2, div_f32, div_ftz, div_f64, any_f32, any_f64},
    {"fma", FMA, 3, fma_f32, fma_ftz, fma_f64, any_f32, any_f64},
    {"mad", FMA, 3, fma_f32, fma_ftz, fma_f64, any_f32, any_f64},
    {"sqrt", SQRT, 1, sqrt_f32, any_f32, sqrt_f64, any_f32, any_f64},
    {"rcp", RCP, 1, rcp_f32, any_f32, rcp_f64, any_f32, any_f64},
};

static const kind *find_kind(const emu_decoder *decoder)
{
    for (size_t i = 0; i < EMU_COUNT(kinds); i++)
        if (strlen(kinds[i].root) == decoder->lengths[0] &&
            memcmp(kinds[i].root, decoder->words[0], decoder->lengths[0]) == 0)
            return &kinds[i];
    return NULL;
}

static emu_handler choose_approximate(emu_decoder *decoder, const kind *k, bool is_double)
{
    static const char *const words[] = {"approx", "full"};
    int which = emu_take_one(decoder, words, 2);
    if (which < 0)
        return NULL;
    decoder->op->unit = EMU_CLASS_SFU;
    if (is_double)
        return k->what == RCP && (decoder->op->flags & EMU_FTZ) ? rcp_approx_f64 : NULL;
    if (k->what == DIV && which == 0)
        decoder->op->flags |= EMU_SAT; /* div.approx has no .sat, so this flag marks div.approx */
    return k->what == DIV    ? div_approx
           : k->what == RCP  ? rcp_approx
           : k->what == SQRT ? sqrt_approx
                             : NULL;
}

static emu_handler choose_handler(emu_decoder *decoder, const kind *k, bool is_double)
{
    unsigned flags = decoder->op->flags;
    emu_handler handler = choose_approximate(decoder, k, is_double);
    if (handler)
        return handler;
    if (is_double)
        handler = flags ? k->any64 : k->f64;
    else if (flags & ~(unsigned)EMU_FTZ)
        handler = k->any32;
    else
        handler = flags ? k->ftz : k->f32;
    if (handler == fma_f32 && HAS_FMA())
        return fma_f32_host;
    return handler == fma_f64 && HAS_FMA() ? fma_f64_host : handler;
}

static void decode_kind(emu_decoder *decoder, ptx_type type)
{
    static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
    emu_op *op = decoder->op;
    const kind *k = find_kind(decoder);
    bool is_double = type == PTX_F64;
    unsigned bytes = is_double ? 8 : 4;
    int rounding = emu_take_one(decoder, roundings, 4);
    op->flags = (uint16_t)(rounding > 0 ? rounding : EMU_RN);
    op->flags |= emu_take(decoder, "ftz") ? EMU_FTZ : 0;
    op->flags |= emu_take(decoder, "sat") ? EMU_SAT : 0;
    op->unit = is_double                          ? EMU_CLASS_FP64
               : k->what >= DIV && k->what != FMA ? EMU_CLASS_SFU
                                                  : EMU_CLASS_FMA;
    op->count = k->what;
    op->run = choose_handler(decoder, k, is_double);
    if (!emu_operands(decoder, k->operands + 1u, k->operands + 1u))
        return;
    op->a = op->b = op->c = emu_source(decoder, emu_operand(decoder, 1), bytes);
    if (k->operands > 1)
        op->b = emu_source(decoder, emu_operand(decoder, 2), bytes);
    if (k->operands > 2)
        op->c = emu_source(decoder, emu_operand(decoder, 3), bytes);
    op->dst = emu_target(decoder, emu_operand(decoder, 0), bytes);
}

static void decode_any(emu_decoder *decoder, emu_decode_function *integer)
{
    uint32_t taken = decoder->taken;
    ptx_type type = emu_take_type(decoder);
    if (type == PTX_F32 || type == PTX_F64) {
        decode_kind(decoder, type);
        return;
    }
    decoder->taken = taken;
    bool is_half = type == PTX_F16 || type == PTX_BF16 || type == PTX_F16X2 || type == PTX_BF16X2;
    if (type != PTX_NO_TYPE)
        (is_half ? emu_decode_half : integer)(decoder);
}

void emu_decode_float_arithmetic(emu_decoder *decoder)
{
    decode_any(decoder, emu_decode_integer);
}

void emu_decode_float_fma(emu_decoder *decoder)
{
    decode_any(decoder, emu_decode_multiply);
}
