/* cvt.
 *
 * Common conversions have their own handlers. Other conversions go lane by lane, through a 64-bit
 * integer, a float or a double. */
#include "emulator/float.h"
#include "emulator/lanes.h"

#include <math.h>

/* ---- fast forms ---- */

#define CAST(name, D, T) EMU_UNARY(name, D, T, a)
CAST(u64_u32, emu_u64, emu_u32)
CAST(s64_s32, emu_s64, emu_s32)
CAST(b32_b64, emu_u32, emu_u64)
CAST(u32_u16, emu_u32, emu_u16)
CAST(s32_s16, emu_s32, emu_s16)
CAST(b16_b32, emu_u16, emu_u32)
CAST(f32_s32, emu_f32, emu_s32)
CAST(f32_u32, emu_f32, emu_u32)
CAST(f64_s32, emu_f64, emu_s32)
CAST(f64_u32, emu_f64, emu_u32)
EMU_UNARY(f64_f32, emu_f64, emu_f32, a)
EMU_UNARY(f32_f64, emu_f32, emu_f64, emu_nan32((float)a))

static int32_t to_s32(float value)
{
    if (!(value > -2147483648.0f))
        return value != value ? 0 : INT32_MIN;
    return value < 2147483648.0f ? (int32_t)value : INT32_MAX;
}
EMU_UNARY(rzi_s32_f32, emu_s32, emu_f32, to_s32(a))

typedef struct fast {
    const char *opcode;
    emu_handler run;
    const char *signature;
} fast;

static const fast fast_forms[] = {
    {"cvt.u64.u32", u64_u32, "lw"},         {"cvt.s64.s32", s64_s32, "lw"},
    {"cvt.s64.u32", u64_u32, "lw"},         {"cvt.u64.s32", s64_s32, "lw"},
    {"cvt.u32.u64", b32_b64, "wl"},         {"cvt.s32.s64", b32_b64, "wl"},
    {"cvt.u32.s64", b32_b64, "wl"},         {"cvt.s32.u64", b32_b64, "wl"},
    {"cvt.u32.u16", u32_u16, "wh"},         {"cvt.s32.s16", s32_s16, "wh"},
    {"cvt.u16.u32", b16_b32, "hw"},         {"cvt.s16.s32", b16_b32, "hw"},
    {"cvt.rn.f32.s32", f32_s32, "ww"},      {"cvt.rn.f32.u32", f32_u32, "ww"},
    {"cvt.rn.f64.s32", f64_s32, "lw"},      {"cvt.rn.f64.u32", f64_u32, "lw"},
    {"cvt.f64.f32", f64_f32, "lw"},         {"cvt.rn.f32.f64", f32_f64, "wl"},
    {"cvt.rzi.s32.f32", rzi_s32_f32, "ww"},
};

/* ---- any conversion ---- */

typedef struct conversion {
    ptx_type to, from;
    uint8_t to_width, from_width;
    emu_rounding rounding;
    bool to_integer; /* true if the conversion rounds to an integer, as with .rni */
    bool ftz, sat, satfinite, relu;
} conversion;

typedef enum carrier { INTEGER, FLOAT32, FLOAT64 } carrier;

typedef struct value {
    carrier carrier;
    bool is_negative;
    uint64_t bits;
    double number;
} value;

static bool is_float(ptx_type type)
{
    return type == PTX_F16 || type == PTX_BF16 || type == PTX_F32 || type == PTX_F64 ||
           type == PTX_TF32;
}

static value read_value(const void *lanes, unsigned i, const conversion *c)
{
    uint64_t bits = 0;
    unsigned bytes = ptx_type_bytes(c->from);
    memcpy(&bits, (const uint8_t *)lanes + (size_t)i * c->from_width, bytes);
    value v = {.carrier = INTEGER, .bits = bits};
    switch (c->from) {
    case PTX_F16:
        v.number = emu_half_to_float((uint16_t)bits);
        break;
    case PTX_BF16:
        v.number = emu_bfloat_to_float((uint16_t)bits);
        break;
    case PTX_F32:
        v.number = c->ftz ? emu_flush(emu_float32((uint32_t)bits)) : emu_float32((uint32_t)bits);
        break;
    case PTX_F64:
        v.number = emu_float64(bits);
        break;
    default:
        if (ptx_type_is_signed(c->from) && bytes < 8)
            v.bits = (uint64_t)((int64_t)(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes));
        v.is_negative = ptx_type_is_signed(c->from) && (int64_t)v.bits < 0;
        return v;
    }
    v.carrier = FLOAT64;
    return v;
}

/* ---- to integers ---- */

static double round_to_integer(double number, emu_rounding rounding)
{
    switch (rounding) {
    case EMU_RZ:
        return trunc(number);
    case EMU_RM:
        return floor(number);
    case EMU_RP:
        return ceil(number);
    default:
        return nearbyint(number);
    }
}

/* Clamps values out of range. NaN becomes 0, or just the top bit if either type has 64 bits. */
static uint64_t integer_from_float(double number, const conversion *c)
{
    unsigned bits = ptx_type_bytes(c->to) * 8;
    bool is_signed = ptx_type_is_signed(c->to);
    if (number != number)
        return bits == 64 || c->from == PTX_F64 ? UINT64_C(1) << (bits - 1) : 0;
    number = round_to_integer(number, c->rounding);
    double end = ldexp(1, is_signed ? (int)bits - 1 : (int)bits);
    uint64_t most = is_signed    ? (UINT64_C(1) << (bits - 1)) - 1
                    : bits == 64 ? UINT64_MAX
                                 : (UINT64_C(1) << bits) - 1;
    if (number >= end)
        return most;
    if (is_signed)
        return number < -end ? ~most : (uint64_t)(int64_t)number;
    return number <= 0 ? 0 : (uint64_t)number;
}

static uint64_t integer_from_integer(const value *v, const conversion *c)
{
    unsigned bits = ptx_type_bytes(c->to) * 8;
    if (!c->sat)
        return v->bits;
    if (!ptx_type_is_signed(c->to)) {
        uint64_t most = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
        return v->is_negative ? 0 : v->bits > most ? most : v->bits;
    }
    uint64_t most = (UINT64_C(1) << (bits - 1)) - 1;
    if (v->is_negative)
        return (int64_t)v->bits < -(int64_t)most - 1 ? ~most : v->bits;
    return v->bits > most ? most : v->bits;
}

/* ---- to floats ---- */

/* Returns a value as a double. Integers are rounded to odd, so rounding again is correct. */
static double odd_double(const value *v)
{
    if (v->carrier != INTEGER)
        return v->number;
    uint64_t magnitude = v->is_negative ? 0 - v->bits : v->bits;
    if (magnitude >> 53) {
        unsigned cut = 11 - (unsigned)__builtin_clzll(magnitude);
        uint64_t rest = magnitude & ((UINT64_C(1) << cut) - 1);
        magnitude = (magnitude >> cut | (rest != 0)) << cut;
    }
    double number = (double)magnitude;
    return v->is_negative ? -number : number;
}

static float narrow_to_float(double number, emu_rounding rounding)
{
    int before = emu_round_begin(rounding);
    volatile double wide = number;
    volatile float result = (float)wide;
    emu_round_restore(before);
    return result;
}

static uint64_t double_from(const value *v, const conversion *c)
{
    if (v->carrier != INTEGER) {
        double number = c->to_integer ? round_to_integer(v->number, c->rounding) : v->number;
        return emu_bits64(c->sat ? emu_saturate64(number) : number);
    }
    int before = emu_round_begin(c->rounding);
    volatile int64_t negative = (int64_t)v->bits;
    volatile uint64_t positive = v->bits;
    volatile double result = v->is_negative ? (double)negative : (double)positive;
    emu_round_restore(before);
    return emu_bits64(c->sat ? emu_saturate64(result) : result);
}

static uint64_t float_from(const value *v, const conversion *c)
{
    double number = odd_double(v);
    if (c->to_integer)
        number = round_to_integer(number, c->rounding);
    float result = emu_nan32(narrow_to_float(number, c->rounding));
    if (c->sat)
        result = emu_saturate32(result);
    if (c->relu && result < 0)
        result = 0;
    return emu_bits32(c->ftz ? emu_flush(result) : result);
}

static uint64_t tf32_from(const value *v, const conversion *c)
{
    uint32_t bits = emu_bits32((float)v->number);
    if (v->number != v->number)
        return 0x7fffffff;
    if ((bits & 0x7f800000) == 0x7f800000)
        return c->satfinite ? (bits & 0x80000000) | 0x7f7fe000 : bits;
    if (c->relu && bits >> 31)
        return 0;
    uint32_t half = c->rounding == EMU_RNA ? 0x1000 : 0xfff + (bits >> 13 & 1);
    return (bits + (c->rounding == EMU_RZ ? 0 : half)) & ~(uint32_t)0x1fff;
}

static uint64_t half_from(const value *v, const conversion *c)
{
    bool is_half = c->to == PTX_F16;
    double number = odd_double(v);
    if (c->to_integer)
        number = round_to_integer(number, c->rounding);
    if (c->sat)
        number = emu_saturate64(number);
    uint16_t bits = is_half ? emu_half_from_double(number, c->rounding)
                            : emu_bfloat_from_double(number, c->rounding);
    uint16_t infinity = is_half ? 0x7c00 : 0x7f80;
    if (c->relu && number == number && bits >> 15)
        return 0;
    if (c->satfinite && (bits & 0x7fff) == infinity)
        return bits - 1u;
    return bits;
}

static uint64_t convert_value(const value *v, const conversion *c)
{
    switch (c->to) {
    case PTX_F64:
        return double_from(v, c);
    case PTX_F32:
        return float_from(v, c);
    case PTX_TF32:
        return tf32_from(v, c);
    case PTX_F16:
    case PTX_BF16:
        return half_from(v, c);
    default:
        return v->carrier == INTEGER ? integer_from_integer(v, c)
                                     : integer_from_float(v->number, c);
    }
}

/* Extends the result to a wider register, with copies of its sign bit or with zeros. */
static uint64_t extend_bits(uint64_t bits, const conversion *c)
{
    unsigned width = ptx_type_bytes(c->to) * 8;
    if (width == 64)
        return bits;
    bits <<= 64 - width;
    return ptx_type_is_signed(c->to) ? (uint64_t)((int64_t)bits >> (64 - width))
                                     : bits >> (64 - width);
}

static void convert(emu_warp *warp, const emu_op *op)
{
    const conversion *c = op->extra;
    const void *from = emu_lanes(warp, op->a);
    uint8_t *to = emu_lanes(warp, op->dst);
    EMU_FOR_LANES(i, warp->mask)
    {
        value v = read_value(from, i, c);
        uint64_t bits = extend_bits(convert_value(&v, c), c);
        memcpy(to + (size_t)i * c->to_width, &bits, c->to_width);
    }
}

/* Runs cvt.rn.f16x2.f32 d, a, b; a becomes the upper half. */
static void convert_pair(emu_warp *warp, const emu_op *op)
{
    const conversion *c = op->extra;
    const void *upper = emu_lanes(warp, op->a), *lower = emu_lanes(warp, op->b);
    emu_u32 *to = emu_lanes(warp, op->dst);
    EMU_FOR_LANES(i, warp->mask)
    {
        value high = read_value(upper, i, c), low = read_value(lower, i, c);
        to[i] = (uint32_t)convert_value(&high, c) << 16 | (uint32_t)convert_value(&low, c);
    }
}

/* ---- pairs of 8-bit floats ---- */

static uint16_t fp8_pair(float high, float low, const conversion *c)
{
    bool is_e5m2 = c->to == PTX_E5M2X2;
    if (c->relu) {
        high = high <= 0 ? 0 : high; /* <= instead of <, so -0 becomes 0, too */
        low = low <= 0 ? 0 : low;
    }
    return (uint16_t)(emu_fp8_from_double(high, is_e5m2) << 8 | emu_fp8_from_double(low, is_e5m2));
}

static void fp8_from_floats(emu_warp *warp, const emu_op *op)
{
    const emu_f32 *high = emu_lanes(warp, op->a), *low = emu_lanes(warp, op->b);
    emu_u16 *dst = emu_lanes(warp, op->dst);
    EMU_FOR_LANES(i, warp->mask)
    dst[i] = fp8_pair(high[i], low[i], op->extra);
}

static void fp8_from_halves(emu_warp *warp, const emu_op *op)
{
    const emu_u32 *a = emu_lanes(warp, op->a);
    emu_u16 *dst = emu_lanes(warp, op->dst);
    EMU_FOR_LANES(i, warp->mask)
    dst[i] = fp8_pair(emu_half_to_float((uint16_t)(a[i] >> 16)), emu_half_to_float((uint16_t)a[i]),
                      op->extra);
}

static uint16_t half_from_fp8(uint8_t bits, const conversion *c)
{
    uint16_t half = emu_half_from_float(emu_fp8_to_float(bits, c->from == PTX_E5M2X2), EMU_RN);
    return c->relu && half >> 15 ? 0 : half;
}

static void halves_from_fp8(emu_warp *warp, const emu_op *op)
{
    const emu_u16 *a = emu_lanes(warp, op->a);
    emu_u32 *dst = emu_lanes(warp, op->dst);
    EMU_FOR_LANES(i, warp->mask)
    dst[i] = (uint32_t)half_from_fp8((uint8_t)(a[i] >> 8), op->extra) << 16 |
             half_from_fp8((uint8_t)a[i], op->extra);
}

static bool is_fp8(ptx_type type)
{
    return type == PTX_E4M3X2 || type == PTX_E5M2X2;
}

static void decode_fp8(emu_decoder *decoder, const conversion *c)
{
    if (is_fp8(c->from) && c->to == PTX_F16X2) {
        decoder->op->run = halves_from_fp8;
        emu_decode_signature(decoder, "wh");
    } else if (c->satfinite && c->from == PTX_F32) {
        decoder->op->run = fp8_from_floats;
        emu_decode_signature(decoder, "hww");
    } else if (c->satfinite && c->from == PTX_F16X2) {
        decoder->op->run = fp8_from_halves;
        emu_decode_signature(decoder, "hw");
    }
}

static void take_rounding(emu_decoder *decoder, conversion *c)
{
    static const char *const to_float[] = {"rn", "rz", "rm", "rp", "rna"};
    static const char *const to_integer[] = {"rni", "rzi", "rmi", "rpi"};
    int rounding = emu_take_one(decoder, to_float, 5);
    if (rounding < 0) {
        rounding = emu_take_one(decoder, to_integer, 4);
        c->to_integer = rounding >= 0;
    }
    c->rounding = rounding < 0 ? EMU_RN : (emu_rounding)rounding;
}

static bool is_number(ptx_type type)
{
    bool is_integer = type == PTX_U8 || type == PTX_S8 || type == PTX_U16 || type == PTX_S16 ||
                      type == PTX_U32 || type == PTX_S32 || type == PTX_U64 || type == PTX_S64;
    return is_integer || is_float(type);
}

static void decode_pair(emu_decoder *decoder, conversion *c)
{
    emu_op *op = decoder->op;
    c->to = c->to == PTX_F16X2 ? PTX_F16 : PTX_BF16;
    c->from_width = 4;
    if (c->from != PTX_F32 || !emu_operands(decoder, 3, 3))
        return;
    op->a = emu_source(decoder, emu_operand(decoder, 1), 4);
    op->b = emu_source(decoder, emu_operand(decoder, 2), 4);
    op->dst = emu_target(decoder, emu_operand(decoder, 0), 4);
    op->run = convert_pair;
}

static void decode_general(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    conversion *c = emu_decode_alloc(decoder, sizeof *c);
    if (!c)
        return;
    take_rounding(decoder, c);
    c->ftz = emu_take(decoder, "ftz");
    c->satfinite = emu_take(decoder, "satfinite");
    c->sat = emu_take(decoder, "sat");
    c->relu = emu_take(decoder, "relu");
    c->to = emu_take_type(decoder);
    c->from = emu_take_type(decoder);
    op->extra = c;
    op->unit = EMU_CLASS_SFU;
    if (is_fp8(c->to) || is_fp8(c->from)) {
        decode_fp8(decoder, c);
        return;
    }
    if (c->to == PTX_F16X2 || c->to == PTX_BF16X2) {
        decode_pair(decoder, c);
        return;
    }
    bool known = is_number(c->to) && is_number(c->from) && c->from != PTX_TF32;
    if (!known || !emu_operands(decoder, 2, 2))
        return;
    /* float to float without a rounding mode is exact, except for .sat and .ftz */
    op->a =
        emu_source_wide(decoder, emu_operand(decoder, 1), ptx_type_bytes(c->from), &c->from_width);
    op->dst =
        emu_target_wide(decoder, emu_operand(decoder, 0), ptx_type_bytes(c->to), &c->to_width);
    op->run = convert;
}

void emu_decode_cvt(emu_decoder *decoder)
{
    const ptx_operand *to = emu_operand(decoder, 0), *from = emu_operand(decoder, 1);
    for (size_t i = 0; i < EMU_COUNT(fast_forms); i++) {
        const fast *f = &fast_forms[i];
        const unsigned sizes[] = {['h'] = 2, ['w'] = 4, ['l'] = 8};
        bool fits = strcmp(f->opcode, decoder->in->opcode) == 0 &&
                    to->kind == PTX_OPERAND_REGISTER && from->kind == PTX_OPERAND_REGISTER &&
                    ptx_type_bytes(to->type) == sizes[(unsigned char)f->signature[0]] &&
                    ptx_type_bytes(from->type) == sizes[(unsigned char)f->signature[1]];
        if (!fits)
            continue;
        decoder->taken = UINT32_MAX;
        decoder->op->run = f->run;
        decoder->op->unit = EMU_CLASS_SFU;
        emu_decode_signature(decoder, f->signature);
        return;
    }
    decode_general(decoder);
}
