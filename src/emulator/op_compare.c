/* setp, set, selp and slct. */
#include "emulator/float.h"
#include "emulator/lanes.h"

typedef enum comparison {
    EQ,
    NE,
    LT,
    LE,
    GT,
    GE,
    EQU,
    NEU,
    LTU,
    LEU,
    GTU,
    GEU,
    NUM,
    NAN_
} comparison;
enum { COMBINE_NONE, COMBINE_AND, COMBINE_OR, COMBINE_XOR, FLIP = 4 };

typedef uint32_t (*compare)(const void *, const void *);

#define INTEGER(suffix, T)                                                                         \
    EMU_COMPARE(eq_##suffix, T, a == b)                                                            \
    EMU_COMPARE(ne_##suffix, T, a != b)                                                            \
    EMU_COMPARE(lt_##suffix, T, a < b)                                                             \
    EMU_COMPARE(le_##suffix, T, a <= b)                                                            \
    EMU_COMPARE(gt_##suffix, T, a > b)                                                             \
    EMU_COMPARE(ge_##suffix, T, a >= b)
INTEGER(u16, emu_u16)
INTEGER(s16, emu_s16)
INTEGER(u32, emu_u32)
INTEGER(s32, emu_s32)
INTEGER(u64, emu_u64)
INTEGER(s64, emu_s64)

/* If an operand is NaN, unordered comparisons (equ to geu) are true and all others are false. */
#define FLOAT(suffix, T, get)                                                                      \
    EMU_COMPARE(eq_##suffix, T, get(a) == get(b))                                                  \
    EMU_COMPARE(ne_##suffix, T, get(a) < get(b) || get(a) > get(b))                                \
    EMU_COMPARE(lt_##suffix, T, get(a) < get(b))                                                   \
    EMU_COMPARE(le_##suffix, T, get(a) <= get(b))                                                  \
    EMU_COMPARE(gt_##suffix, T, get(a) > get(b))                                                   \
    EMU_COMPARE(ge_##suffix, T, get(a) >= get(b))                                                  \
    EMU_COMPARE(equ_##suffix, T, !(get(a) < get(b) || get(a) > get(b)))                            \
    EMU_COMPARE(neu_##suffix, T, get(a) != get(b))                                                 \
    EMU_COMPARE(ltu_##suffix, T, !(get(a) >= get(b)))                                              \
    EMU_COMPARE(leu_##suffix, T, !(get(a) > get(b)))                                               \
    EMU_COMPARE(gtu_##suffix, T, !(get(a) <= get(b)))                                              \
    EMU_COMPARE(geu_##suffix, T, !(get(a) < get(b)))                                               \
    EMU_COMPARE(num_##suffix, T, get(a) == get(a) && get(b) == get(b))                             \
    EMU_COMPARE(nan_##suffix, T, get(a) != get(a) || get(b) != get(b))
#define SAME(x) (x)
FLOAT(f32, emu_f32, SAME)
FLOAT(ftz, emu_f32, emu_flush)
FLOAT(f64, emu_f64, SAME)
FLOAT(f16, emu_u16, emu_half_to_float)
FLOAT(bf16, emu_u16, emu_bfloat_to_float)

#define INTEGER_ROW(suffix)                                                                        \
    {                                                                                              \
        eq_##suffix, ne_##suffix, lt_##suffix, le_##suffix, gt_##suffix, ge_##suffix               \
    }
#define FLOAT_ROW(suffix)                                                                          \
    {                                                                                              \
        eq_##suffix, ne_##suffix, lt_##suffix, le_##suffix, gt_##suffix, ge_##suffix,              \
            equ_##suffix, neu_##suffix, ltu_##suffix, leu_##suffix, gtu_##suffix, geu_##suffix,    \
            num_##suffix, nan_##suffix                                                             \
    }
static const compare comparisons[PTX_TYPE_COUNT][14] = {
    [PTX_B16] = INTEGER_ROW(u16), [PTX_U16] = INTEGER_ROW(u16), [PTX_S16] = INTEGER_ROW(s16),
    [PTX_B32] = INTEGER_ROW(u32), [PTX_U32] = INTEGER_ROW(u32), [PTX_S32] = INTEGER_ROW(s32),
    [PTX_B64] = INTEGER_ROW(u64), [PTX_U64] = INTEGER_ROW(u64), [PTX_S64] = INTEGER_ROW(s64),
    [PTX_F32] = FLOAT_ROW(f32),   [PTX_F64] = FLOAT_ROW(f64),   [PTX_F16] = FLOAT_ROW(f16),
    [PTX_BF16] = FLOAT_ROW(bf16),
};
static const compare flushing[14] = FLOAT_ROW(ftz);

/* ---- setp ---- */

static uint32_t evaluate_lanes(const emu_warp *warp, const emu_op *op)
{
    const compare *of = op->extra;
    return (*of)(emu_lanes(warp, op->a), emu_lanes(warp, op->b));
}

static uint32_t combine_predicate(const emu_warp *warp, const emu_op *op, uint32_t value)
{
    uint32_t other = emu_predicate(warp, op->c) ^ (op->flags & FLIP ? UINT32_MAX : 0);
    switch (op->flags & 3) {
    case COMBINE_AND:
        return value & other;
    case COMBINE_OR:
        return value | other;
    case COMBINE_XOR:
        return value ^ other;
    default:
        return value;
    }
}

static void setp(emu_warp *warp, const emu_op *op)
{
    emu_set_predicate(warp, op->dst, warp->mask, evaluate_lanes(warp, op));
}

/* setp with p|q: p is the comparison combined with c, q is the opposite combined with c */
static void setp_combined(emu_warp *warp, const emu_op *op)
{
    uint32_t value = evaluate_lanes(warp, op);
    uint32_t first = combine_predicate(warp, op, value),
             second = combine_predicate(warp, op, ~value);
    emu_set_predicate(warp, op->dst, warp->mask, first);
    emu_set_predicate(warp, op->d, warp->mask, second);
}

/* Compares both halves of f16x2 and combines each result with c. */
static void evaluate_pair(const emu_warp *warp, const emu_op *op, uint32_t values[2])
{
    const compare *of = op->extra;
    const emu_u32 *a = emu_lanes(warp, op->a), *b = emu_lanes(warp, op->b);
    uint16_t x[EMU_WARP], y[EMU_WARP];
    for (unsigned half = 0; half < 2; half++) {
        for (unsigned i = 0; i < EMU_WARP; i++)
            x[i] = (uint16_t)(a[i] >> half * 16), y[i] = (uint16_t)(b[i] >> half * 16);
        values[half] = combine_predicate(warp, op, (*of)(x, y));
    }
}

static void setp_x2(emu_warp *warp, const emu_op *op)
{
    uint32_t values[2];
    evaluate_pair(warp, op, values);
    emu_set_predicate(warp, op->dst, warp->mask, values[0]);
    emu_set_predicate(warp, op->d, warp->mask, values[1]);
}

static const char *const comparison_names[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                               "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
static const char *const unsigned_names[] = {"lo", "ls", "hi", "hs"};
static const comparison unsigned_meaning[] = {LT, LE, GT, GE};

/* Takes the modifiers of a comparison. Sets op->extra to the comparing function. */
static bool take_comparison(emu_decoder *decoder, ptx_type type)
{
    static const char *const combinations[] = {"and", "or", "xor"};
    emu_op *op = decoder->op;
    int which = emu_take_one(decoder, comparison_names, 14);
    if (which < 0 && (which = emu_take_one(decoder, unsigned_names, 4)) >= 0)
        which = (int)unsigned_meaning[which];
    op->flags = (uint16_t)(emu_take_one(decoder, combinations, 3) + 1);
    bool ftz = emu_take(decoder, "ftz");
    ptx_type scalar = type == PTX_F16X2 ? PTX_F16 : type == PTX_BF16X2 ? PTX_BF16 : type;
    if (which < 0 || !comparisons[scalar][which]) {
        emu_decode_fail(decoder, "no such comparison of .%s", ptx_type_name(type));
        return false;
    }
    op->extra = ftz && type == PTX_F32 ? &flushing[which] : &comparisons[scalar][which];
    return true;
}

/* Takes the two operands to compare and the predicate, if any, to combine with the result. */
static bool take_operands(emu_decoder *decoder, ptx_type type)
{
    emu_op *op = decoder->op;
    size_t count = op->flags & 3 ? 4 : 3;
    ptx_operand other = *emu_operand(decoder, 3);
    if (!emu_operands(decoder, count, count))
        return false;
    op->a = emu_source(decoder, emu_operand(decoder, 1), ptx_type_bytes(type));
    op->b = emu_source(decoder, emu_operand(decoder, 2), ptx_type_bytes(type));
    if (count == 3)
        return true;
    op->flags |= other.is_negated ? FLIP : 0;
    other.is_negated = false;
    op->c = emu_source(decoder, &other, 0);
    return true;
}

void emu_decode_setp(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    ptx_type type = emu_take_type(decoder);
    if (decoder->failed || !take_comparison(decoder, type))
        return;
    bool pair = type == PTX_F16X2 || type == PTX_BF16X2;
    const ptx_operand *result = emu_operand(decoder, 0);
    if (!take_operands(decoder, type))
        return;
    op->dst = emu_target(decoder, result, 0);
    op->d = result->second ? emu_target(decoder, result->second, 0) : EMU_SINK_PREDICATE;
    op->run = pair ? setp_x2 : op->flags & 3 || result->second ? setp_combined : setp;
    op->unit = type == PTX_F64 ? EMU_CLASS_FP64 : EMU_CLASS_ALU;
}

/* ---- set returns all ones, or 1.0, if the comparison is true ---- */

static void set(emu_warp *warp, const emu_op *op)
{
    uint32_t value = combine_predicate(warp, op, evaluate_lanes(warp, op));
    emu_u32 *dst = emu_lanes(warp, op->dst);
    uint32_t yes = (uint32_t)op->imm;
    EMU_EACH_LANE(warp, dst[i] = value >> i & 1 ? yes : 0);
}

static void set_16(emu_warp *warp, const emu_op *op)
{
    uint32_t value = combine_predicate(warp, op, evaluate_lanes(warp, op));
    emu_u16 *dst = emu_lanes(warp, op->dst);
    uint16_t yes = (uint16_t)op->imm;
    EMU_EACH_LANE(warp, dst[i] = value >> i & 1 ? yes : 0);
}

static void set_x2(emu_warp *warp, const emu_op *op)
{
    emu_u32 *dst = emu_lanes(warp, op->dst);
    uint32_t values[2], yes = (uint32_t)op->imm;
    evaluate_pair(warp, op, values);
    EMU_FOR_LANES(i, warp->mask)
    dst[i] = (values[0] >> i & 1 ? yes & 0xffff : 0) | (values[1] >> i & 1 ? yes & 0xffff0000 : 0);
}

static uint64_t truth(ptx_type type)
{
    switch (type) {
    case PTX_F32:
        return 0x3f800000;
    case PTX_F16:
        return 0x3c00;
    case PTX_BF16:
        return 0x3f80;
    case PTX_F16X2:
        return 0x3c003c00;
    case PTX_BF16X2:
        return 0x3f803f80;
    default:
        return UINT64_MAX;
    }
}

void emu_decode_set(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    ptx_type to = emu_take_type(decoder), type = emu_take_type(decoder);
    if (decoder->failed || !take_comparison(decoder, type))
        return;
    bool pair = type == PTX_F16X2 || type == PTX_BF16X2;
    unsigned bytes = ptx_type_bytes(to);
    if ((bytes != 4 && bytes != 2) || !take_operands(decoder, type))
        return;
    op->imm = truth(to);
    op->dst = emu_target(decoder, emu_operand(decoder, 0), bytes);
    op->run = pair ? set_x2 : bytes == 4 ? set : set_16;
}

/* ---- selp, slct ---- */

/* NOLINTBEGIN(bugprone-macro-parentheses): the arguments are type names */
#define SELECT(name, T, condition)                                                                 \
    static void name(emu_warp *warp, const emu_op *op)                                             \
    {                                                                                              \
        const T *a = emu_lanes(warp, op->a), *b = emu_lanes(warp, op->b);                          \
        T *dst = emu_lanes(warp, op->dst);                                                         \
        uint32_t chosen = condition;                                                               \
        EMU_EACH_LANE(warp, dst[i] = chosen >> i & 1 ? a[i] : b[i]);                               \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
SELECT(selp_16, emu_u16, emu_predicate(warp, op->c))
SELECT(selp_32, emu_u32, emu_predicate(warp, op->c))
SELECT(selp_64, emu_u64, emu_predicate(warp, op->c))

/* Returns the lanes in which slct chooses a, because c is at least 0. */
static uint32_t is_positive(const emu_warp *warp, const emu_op *op)
{
    const compare *ge = op->extra;
    return (*ge)(emu_lanes(warp, op->c), emu_lanes(warp, op->d));
}
SELECT(slct_16, emu_u16, is_positive(warp, op))
SELECT(slct_32, emu_u32, is_positive(warp, op))
SELECT(slct_64, emu_u64, is_positive(warp, op))

static void decode_selection(emu_decoder *decoder, ptx_type type, const emu_handler handlers[3],
                             char condition)
{
    static const char letters[] = {'h', 'w', 'l'};
    unsigned bytes = ptx_type_bytes(type), index = bytes == 2 ? 0 : bytes == 4 ? 1 : 2;
    const char letter = letters[index];
    if (bytes < 2 || bytes > 8)
        return;
    decoder->op->run = handlers[index];
    emu_decode_signature(decoder, (const char[]){letter, letter, letter, condition, '\0'});
}

void emu_decode_selp(emu_decoder *decoder)
{
    static const emu_handler handlers[] = {selp_16, selp_32, selp_64};
    decode_selection(decoder, emu_take_type(decoder), handlers, 'p');
}

void emu_decode_slct(emu_decoder *decoder)
{
    static const emu_handler handlers[] = {slct_16, slct_32, slct_64};
    ptx_type type = emu_take_type(decoder), by = emu_take_type(decoder);
    if (by != PTX_S32 && by != PTX_F32)
        return;
    decode_selection(decoder, type, handlers, 'w');
    bool ftz = by == PTX_F32 && emu_take(decoder, "ftz");
    decoder->op->extra = ftz ? &flushing[GE] : &comparisons[by][GE];
    decoder->op->d = emu_constant(decoder, 0, 4);
}
