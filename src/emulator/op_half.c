/* Arithmetic on half-precision and bfloat16 values, either single values or pairs. */
#include "emulator/float.h"
#include "emulator/lanes.h"

#include <math.h>

enum { ADD, SUB, MUL, FMA, MIN, MAX, EX2, TANH };

typedef struct format {
    float (*widen)(uint16_t);
    uint16_t (*narrow)(double, emu_rounding);
    uint16_t subnormal_mask;
} format;

static const format formats[2] = {
    {emu_half_to_float, emu_half_from_double, 0x7c00},
    {emu_bfloat_to_float, emu_bfloat_from_double, 0x7f80},
};

static uint16_t flush_subnormal(uint16_t bits, const format *f)
{
    return bits & f->subnormal_mask ? bits : bits & 0x8000;
}

/* Returns true if .ftz makes the value zero, because it is subnormal after rounding to 11 bits. */
static bool is_tiny(double value, const emu_op *op)
{
    bool is_half = op->width == 0;
    return is_half && op->count <= FMA && fabs(value) < 0x1p-14 * (1 - 0x1p-12);
}

/* Computes exactly or rounds to odd, so the second rounding to the result's format is correct. */
static double compute_rounded(int kind, double a, double b, double c)
{
    switch (kind) {
    case ADD:
        return emu_add_to_odd(a, b);
    case SUB:
        return emu_add_to_odd(a, -b);
    case MUL:
        return a * b;
    case FMA:
        return emu_add_to_odd(a * b, c);
    case EX2:
        return exp2(a);
    default:
        return tanh(a);
    }
}

static uint16_t extreme(uint16_t x, uint16_t y, const emu_op *op, const format *f)
{
    uint16_t sign = op->flags & EMU_XORSIGN ? (x ^ y) & 0x8000 : 0;
    if (op->flags & EMU_XORSIGN)
        x &= 0x7fff, y &= 0x7fff;
    float a = f->widen(x), b = f->widen(y);
    bool nan = a != a || b != b;
    if (nan && ((op->flags & EMU_NAN) || (a != a && b != b)))
        return 0x7fff;
    if (nan)
        return (uint16_t)((a != a ? y : x) | sign);
    bool a_first = a < b || (a == b && x >> 15);
    return (uint16_t)((a_first == (op->count == MAX) ? y : x) | sign);
}

static uint16_t calculate_half(uint16_t a, uint16_t b, uint16_t c, const emu_op *op,
                               const format *f)
{
    if (op->flags & EMU_FTZ)
        a = flush_subnormal(a, f), b = flush_subnormal(b, f), c = flush_subnormal(c, f);
    if (op->count == MIN || op->count == MAX)
        return extreme(a, b, op, f);
    double value = compute_rounded(op->count, f->widen(a), f->widen(b), f->widen(c));
    if (op->flags & EMU_SAT)
        value = emu_saturate64(value);
    uint16_t result = f->narrow(value, EMU_RN);
    if (op->flags & EMU_FTZ)
        result = is_tiny(value, op) ? result & 0x8000 : flush_subnormal(result, f);
    if ((op->flags & EMU_RELU) && value == value && result >> 15)
        result = 0;
    return result;
}

static void single(emu_warp *warp, const emu_op *op)
{
    const emu_u16 *a = emu_lanes(warp, op->a), *b = emu_lanes(warp, op->b);
    const emu_u16 *c = emu_lanes(warp, op->c);
    emu_u16 *dst = emu_lanes(warp, op->dst);
    const format *f = &formats[op->width];
    EMU_FOR_LANES(i, warp->mask)
    dst[i] = calculate_half(a[i], b[i], c[i], op, f);
}

static void paired(emu_warp *warp, const emu_op *op)
{
    const emu_u32 *a = emu_lanes(warp, op->a), *b = emu_lanes(warp, op->b);
    const emu_u32 *c = emu_lanes(warp, op->c);
    emu_u32 *dst = emu_lanes(warp, op->dst);
    const format *f = &formats[op->width];
    EMU_FOR_LANES(i, warp->mask)
    {
        uint16_t low = calculate_half((uint16_t)a[i], (uint16_t)b[i], (uint16_t)c[i], op, f);
        uint16_t high = calculate_half((uint16_t)(a[i] >> 16), (uint16_t)(b[i] >> 16),
                                       (uint16_t)(c[i] >> 16), op, f);
        dst[i] = low | (uint32_t)high << 16;
    }
}

static int find_kind(const emu_decoder *decoder)
{
    static const char *const roots[] = {"add", "sub", "mul", "fma", "min", "max", "ex2", "tanh"};
    for (int i = 0; i < (int)EMU_COUNT(roots); i++)
        if (strlen(roots[i]) == decoder->lengths[0] &&
            memcmp(roots[i], decoder->words[0], decoder->lengths[0]) == 0)
            return i;
    return -1;
}

static void take_modifiers(emu_decoder *decoder, int kind)
{
    emu_op *op = decoder->op;
    emu_take(decoder, "rn");
    if (kind >= EX2)
        emu_take(decoder, "approx");
    op->flags |= emu_take(decoder, "ftz") ? EMU_FTZ : 0;
    op->flags |= emu_take(decoder, "sat") ? EMU_SAT : 0;
    op->flags |= emu_take(decoder, "relu") ? EMU_RELU : 0;
    if (kind != MIN && kind != MAX)
        return;
    op->flags |= emu_take(decoder, "NaN") ? EMU_NAN : 0;
    if (emu_take(decoder, "xorsign") && emu_take(decoder, "abs"))
        op->flags |= EMU_XORSIGN;
}

void emu_decode_half(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    int kind = find_kind(decoder);
    ptx_type type = emu_take_type(decoder);
    bool is_pair = type == PTX_F16X2 || type == PTX_BF16X2;
    if (kind < 0 || (!is_pair && type != PTX_F16 && type != PTX_BF16))
        return;
    unsigned bytes = is_pair ? 4 : 2, sources = kind == FMA ? 3 : kind >= EX2 ? 1 : 2;
    take_modifiers(decoder, kind);
    if (!emu_operands(decoder, sources + 1, sources + 1))
        return;
    op->count = (uint8_t)kind;
    op->width = type == PTX_BF16 || type == PTX_BF16X2;
    op->unit = kind >= EX2 ? EMU_CLASS_SFU : EMU_CLASS_FMA;
    op->a = op->b = op->c = emu_source(decoder, emu_operand(decoder, 1), bytes);
    if (sources > 1)
        op->b = emu_source(decoder, emu_operand(decoder, 2), bytes);
    if (sources > 2)
        op->c = emu_source(decoder, emu_operand(decoder, 3), bytes);
    op->dst = emu_target(decoder, emu_operand(decoder, 0), bytes);
    op->run = is_pair ? paired : single;
}
