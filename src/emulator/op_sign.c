/* abs, neg, copysign, testp, and minimum and maximum. */
#include "emulator/float.h"
#include "emulator/lanes.h"

static uint16_t flush16(uint16_t bits)
{
    return bits & 0x7c00 ? bits : bits & 0x8000;
}

static uint32_t flush_x2(uint32_t bits)
{
    return flush16((uint16_t)bits) | (uint32_t)flush16((uint16_t)(bits >> 16)) << 16;
}

EMU_UNARY(abs_s16, emu_u16, emu_s16, a < 0 ? -a : a)
EMU_UNARY(abs_s32, emu_u32, emu_s32, a < 0 ? 0 - (uint32_t)a : (uint32_t)a)
EMU_UNARY(abs_s64, emu_u64, emu_s64, a < 0 ? 0 - (uint64_t)a : (uint64_t)a)
EMU_UNARY(neg_s16, emu_u16, emu_u16, 0 - a)
EMU_UNARY(neg_s32, emu_u32, emu_u32, 0 - a)
EMU_UNARY(neg_s64, emu_u64, emu_u64, 0 - a)
EMU_UNARY(abs_f32, emu_u32, emu_u32, a & 0x7fffffff)
EMU_UNARY(neg_f32, emu_u32, emu_u32, a ^ 0x80000000)
EMU_UNARY(abs_ftz, emu_f32, emu_f32, emu_float32(emu_bits32(emu_flush(a)) & 0x7fffffff))
EMU_UNARY(neg_ftz, emu_f32, emu_f32, emu_float32(emu_bits32(emu_flush(a)) ^ 0x80000000))
EMU_UNARY(abs_f64, emu_u64, emu_u64, a & 0x7fffffffffffffff)
EMU_UNARY(neg_f64, emu_u64, emu_u64, a ^ 0x8000000000000000)
EMU_UNARY(abs_16, emu_u16, emu_u16, a & 0x7fff)
EMU_UNARY(neg_16, emu_u16, emu_u16, a ^ 0x8000)
EMU_UNARY(abs_ftz_16, emu_u16, emu_u16, flush16(a) & 0x7fff)
EMU_UNARY(neg_ftz_16, emu_u16, emu_u16, flush16(a) ^ 0x8000)
EMU_UNARY(abs_ftz_x2, emu_u32, emu_u32, flush_x2(a) & 0x7fff7fff)
EMU_UNARY(neg_ftz_x2, emu_u32, emu_u32, flush_x2(a) ^ 0x80008000)
EMU_UNARY(abs_x2, emu_u32, emu_u32, a & 0x7fff7fff)
EMU_UNARY(neg_x2, emu_u32, emu_u32, a ^ 0x80008000)
/* Take the sign of the first operand and the magnitude of the second. */
EMU_BINARY(copysign_f32, emu_u32, emu_u32, (a & 0x80000000) | (b & 0x7fffffff))
EMU_BINARY(copysign_f64, emu_u64, emu_u64, (a & 0x8000000000000000) | (b & 0x7fffffffffffffff))

enum { FINITE, INFINITE, NUMBER, NOT_A_NUMBER, NORMAL, SUBNORMAL };

static bool has_property(uint64_t bits, unsigned fraction_bits, unsigned width, int property)
{
    uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
    uint64_t most = (UINT64_C(1) << (width - 1 - fraction_bits)) - 1;
    uint64_t exponent = bits >> fraction_bits & most;
    switch (property) {
    case FINITE:
        return exponent != most;
    case INFINITE:
        return exponent == most && !fraction;
    case NUMBER:
        return exponent != most || !fraction;
    case NOT_A_NUMBER:
        return exponent == most && fraction;
    case NORMAL:
        return exponent != most && (exponent != 0 || !fraction);
    default:
        return exponent == 0 && fraction;
    }
}

static void testp(emu_warp *warp, const emu_op *op)
{
    const emu_u32 *narrow = emu_lanes(warp, op->a);
    const emu_u64 *wide = emu_lanes(warp, op->a);
    uint32_t result = 0;
    EMU_FOR_LANES(i, warp->mask)
    {
        bool yes = op->width == 8 ? has_property(wide[i], 52, 64, op->count)
                                  : has_property(narrow[i], 23, 32, op->count);
        result |= (uint32_t)yes << i;
    }
    emu_set_predicate(warp, op->dst, warp->mask, result);
}

static void decode_testp(emu_decoder *decoder)
{
    static const char *const names[] = {"finite",     "infinite", "number",
                                        "notanumber", "normal",   "subnormal"};
    int property = emu_take_one(decoder, names, 6);
    ptx_type type = emu_take_type(decoder);
    if (property < 0 || (type != PTX_F32 && type != PTX_F64) || !emu_operands(decoder, 2, 2))
        return;
    decoder->op->count = (uint8_t)property;
    decoder->op->width = (uint8_t)ptx_type_bytes(type);
    decoder->op->a = emu_source(decoder, emu_operand(decoder, 1), decoder->op->width);
    decoder->op->dst = emu_target(decoder, emu_operand(decoder, 0), 0);
    decoder->op->run = testp;
}

#define ALU  EMU_CLASS_ALU
#define FP64 EMU_CLASS_FP64
static const emu_form forms[] = {
    {"abs.s16", abs_s16, "hh", ALU},
    {"abs.s32", abs_s32, "ww", ALU},
    {"abs.s64", abs_s64, "ll", ALU},
    {"neg.s16", neg_s16, "hh", ALU},
    {"neg.s32", neg_s32, "ww", ALU},
    {"neg.s64", neg_s64, "ll", ALU},
    {"abs.f32", abs_f32, "ww", ALU},
    {"neg.f32", neg_f32, "ww", ALU},
    {"abs.ftz.f32", abs_ftz, "ww", ALU},
    {"neg.ftz.f32", neg_ftz, "ww", ALU},
    {"abs.f64", abs_f64, "ll", FP64},
    {"neg.f64", neg_f64, "ll", FP64},
    {"abs.f16", abs_16, "hh", ALU},
    {"neg.f16", neg_16, "hh", ALU},
    {"abs.ftz.f16", abs_ftz_16, "hh", ALU},
    {"neg.ftz.f16", neg_ftz_16, "hh", ALU},
    {"abs.bf16", abs_16, "hh", ALU},
    {"neg.bf16", neg_16, "hh", ALU},
    {"abs.f16x2", abs_x2, "ww", ALU},
    {"neg.f16x2", neg_x2, "ww", ALU},
    {"abs.ftz.f16x2", abs_ftz_x2, "ww", ALU},
    {"neg.ftz.f16x2", neg_ftz_x2, "ww", ALU},
    {"abs.bf16x2", abs_x2, "ww", ALU},
    {"neg.bf16x2", neg_x2, "ww", ALU},
    {"copysign.f32", copysign_f32, "www", ALU},
    {"copysign.f64", copysign_f64, "lll", FP64},
};

static bool root_is(const emu_decoder *decoder, const char *root)
{
    return strlen(root) == decoder->lengths[0] &&
           memcmp(root, decoder->words[0], strlen(root)) == 0;
}

void emu_decode_float_unary(emu_decoder *decoder)
{
    if (root_is(decoder, "testp"))
        decode_testp(decoder);
    else if (root_is(decoder, "sqrt") || root_is(decoder, "rcp"))
        emu_decode_float_arithmetic(decoder);
    else
        emu_decode_forms(decoder, forms, EMU_COUNT(forms));
}

EMU_BINARY(min_u16, emu_u16, emu_u16, a < b ? a : b)
EMU_BINARY(min_s16, emu_s16, emu_s16, a < b ? a : b)
EMU_BINARY(min_u32, emu_u32, emu_u32, a < b ? a : b)
EMU_BINARY(min_s32, emu_s32, emu_s32, a < b ? a : b)
EMU_BINARY(min_u64, emu_u64, emu_u64, a < b ? a : b)
EMU_BINARY(min_s64, emu_s64, emu_s64, a < b ? a : b)
EMU_BINARY(max_u16, emu_u16, emu_u16, a > b ? a : b)
EMU_BINARY(max_s16, emu_s16, emu_s16, a > b ? a : b)
EMU_BINARY(max_u32, emu_u32, emu_u32, a > b ? a : b)
EMU_BINARY(max_s32, emu_s32, emu_s32, a > b ? a : b)
EMU_BINARY(max_u64, emu_u64, emu_u64, a > b ? a : b)
EMU_BINARY(max_s64, emu_s64, emu_s64, a > b ? a : b)
EMU_BINARY(relu_s32, emu_s32, emu_s32, (a > b ? a : b) < 0 ? 0 : a > b ? a : b)
EMU_BINARY(relu_min_s32, emu_s32, emu_s32, (a < b ? a : b) < 0 ? 0 : a < b ? a : b)

static uint32_t both(uint32_t a, uint32_t b, bool is_signed, bool is_max)
{
    uint32_t result = 0;
    for (unsigned shift = 0; shift < 32; shift += 16) {
        uint16_t x = (uint16_t)(a >> shift), y = (uint16_t)(b >> shift);
        bool less = is_signed ? (int16_t)x < (int16_t)y : x < y;
        result |= (uint32_t)(less == is_max ? y : x) << shift;
    }
    return result;
}
EMU_BINARY(min_u16x2, emu_u32, emu_u32, both(a, b, false, false))
EMU_BINARY(max_u16x2, emu_u32, emu_u32, both(a, b, false, true))
EMU_BINARY(min_s16x2, emu_u32, emu_u32, both(a, b, true, false))
EMU_BINARY(max_s16x2, emu_u32, emu_u32, both(a, b, true, true))

/* Replaces negative halves by 0. */
static uint32_t relu_halves(uint32_t x)
{
    return x & ~((x >> 15 & 0x10001) * 0xffff);
}
EMU_BINARY(relu_min16, emu_u32, emu_u32, relu_halves(both(a, b, true, false)))
EMU_BINARY(relu_max16, emu_u32, emu_u32, relu_halves(both(a, b, true, true)))

/* If one operand is a NaN, returns the other one, except with .NaN. -0 is less than +0. */
static float choose_f32(float a, float b, bool is_max, unsigned flags)
{
    uint32_t sign = flags & EMU_XORSIGN ? (emu_bits32(a) ^ emu_bits32(b)) & 0x80000000 : 0;
    if (flags & EMU_FTZ)
        a = emu_flush(a), b = emu_flush(b);
    if (flags & EMU_XORSIGN) {
        a = emu_float32(emu_bits32(a) & 0x7fffffff);
        b = emu_float32(emu_bits32(b) & 0x7fffffff);
    }
    if ((flags & EMU_NAN) && (a != a || b != b))
        return emu_float32(0x7fffffff);
    if (a != a || b != b)
        return emu_float32(emu_bits32(emu_nan32(a != a ? b : a)) | sign);
    bool a_first = a < b || (a == b && emu_bits32(a) >> 31);
    return emu_float32(emu_bits32(a_first == is_max ? b : a) | sign);
}

static double choose_f64(double a, double b, bool is_max)
{
    if (a != a || b != b)
        return a != a ? b : a;
    bool a_first = a < b || (a == b && emu_bits64(a) >> 63);
    return a_first == is_max ? b : a;
}
EMU_BINARY(min_f32, emu_f32, emu_f32, choose_f32(a, b, false, op->flags))
EMU_BINARY(max_f32, emu_f32, emu_f32, choose_f32(a, b, true, op->flags))
EMU_BINARY(min_f64, emu_f64, emu_f64, choose_f64(a, b, false))
EMU_BINARY(max_f64, emu_f64, emu_f64, choose_f64(a, b, true))

static const emu_form extremes[] = {
    {"min.u16", min_u16, "hhh", ALU},           {"min.s16", min_s16, "hhh", ALU},
    {"min.u32", min_u32, "www", ALU},           {"min.s32", min_s32, "www", ALU},
    {"min.u64", min_u64, "lll", ALU},           {"min.s64", min_s64, "lll", ALU},
    {"max.u16", max_u16, "hhh", ALU},           {"max.s16", max_s16, "hhh", ALU},
    {"max.u32", max_u32, "www", ALU},           {"max.s32", max_s32, "www", ALU},
    {"max.u64", max_u64, "lll", ALU},           {"max.s64", max_s64, "lll", ALU},
    {"min.u16x2", min_u16x2, "www", ALU},       {"max.u16x2", max_u16x2, "www", ALU},
    {"min.s16x2", min_s16x2, "www", ALU},       {"max.s16x2", max_s16x2, "www", ALU},
    {"min.s16x2.relu", relu_min16, "www", ALU}, {"max.s16x2.relu", relu_max16, "www", ALU},
    {"max.relu.s32", relu_s32, "www", ALU},     {"min.relu.s32", relu_min_s32, "www", ALU},
    {"max.s32.relu", relu_s32, "www", ALU},     {"min.s32.relu", relu_min_s32, "www", ALU},
    {"min.f64", min_f64, "lll", FP64},          {"max.f64", max_f64, "lll", FP64},
};

void emu_decode_min_max(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    if (emu_try_forms(decoder, extremes, EMU_COUNT(extremes)))
        return;
    uint32_t taken = decoder->taken;
    ptx_type type = emu_take_type(decoder);
    if (type != PTX_F32) {
        decoder->taken = taken;
        emu_decode_half(decoder);
        return;
    }
    op->flags |= emu_take(decoder, "ftz") ? EMU_FTZ : 0;
    op->flags |= emu_take(decoder, "NaN") ? EMU_NAN : 0;
    if (emu_take(decoder, "xorsign") && emu_take(decoder, "abs"))
        op->flags |= EMU_XORSIGN;
    op->run = root_is(decoder, "max") ? max_f32 : min_f32;
    emu_decode_signature(decoder, "www");
}
