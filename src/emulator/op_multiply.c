/* Integer multiply-add and dot products. */
#include "emulator/lanes.h"

__extension__ typedef unsigned __int128 emu_u128;
__extension__ typedef __int128 emu_s128;

EMU_TERNARY(mad_lo_16, emu_u16, emu_u16, (uint32_t)a *b + c)
EMU_TERNARY(mad_lo_32, emu_u32, emu_u32, a *b + c)
EMU_TERNARY(mad_lo_64, emu_u64, emu_u64, a *b + c)
EMU_TERNARY3(mad_wide_u16, emu_u32, emu_u16, emu_u16, emu_u32, (uint32_t)a *b + c)
EMU_TERNARY3(mad_wide_s16, emu_u32, emu_s16, emu_s16, emu_u32, (uint32_t)(a *b) + c)
EMU_TERNARY3(mad_wide_u32, emu_u64, emu_u32, emu_u32, emu_u64, (uint64_t)a *b + c)
EMU_TERNARY3(mad_wide_s32, emu_u64, emu_s32, emu_s32, emu_u64, (uint64_t)((int64_t)a *b) + c)
EMU_TERNARY(mad_hi_u16, emu_u16, emu_u16, ((uint32_t)a * b >> 16) + c)
EMU_TERNARY(mad_hi_s16, emu_s16, emu_s16, ((int32_t)a * b >> 16) + c)
EMU_TERNARY(mad_hi_u32, emu_u32, emu_u32, (uint32_t)((uint64_t)a *b >> 32) + c)
EMU_TERNARY3(mad_hi_s32, emu_u32, emu_s32, emu_s32, emu_u32, (uint32_t)(((int64_t)a * b) >> 32) + c)
EMU_TERNARY(mad_hi_u64, emu_u64, emu_u64, (uint64_t)((emu_u128)a *b >> 64) + c)
EMU_TERNARY3(mad_hi_s64, emu_u64, emu_s64, emu_s64, emu_u64,
             (uint64_t)(((emu_s128)a * b) >> 64) + c)

static int32_t saturate_int(int64_t value)
{
    if (value > INT32_MAX)
        return INT32_MAX;
    return value < INT32_MIN ? INT32_MIN : (int32_t)value;
}
EMU_TERNARY(mad_hi_sat, emu_s32, emu_s32, saturate_int(((int64_t)a * b >> 32) + c))

static uint32_t u24(uint32_t value)
{
    return value & 0xffffff;
}

static int32_t s24(uint32_t value)
{
    return (int32_t)(value << 8) >> 8;
}
EMU_BINARY(mul24_lo_u, emu_u32, emu_u32, (uint64_t)u24(a) * u24(b))
EMU_BINARY(mul24_lo_s, emu_u32, emu_u32, (int64_t)s24(a) * s24(b))
EMU_BINARY(mul24_hi_u, emu_u32, emu_u32, (uint64_t)u24(a) * u24(b) >> 16)
EMU_BINARY(mul24_hi_s, emu_u32, emu_u32, ((int64_t)s24(a) * s24(b)) >> 16)
EMU_TERNARY(mad24_lo_u, emu_u32, emu_u32, (uint32_t)((uint64_t)u24(a) * u24(b)) + c)
EMU_TERNARY(mad24_lo_s, emu_u32, emu_u32, (uint32_t)((int64_t)s24(a) * s24(b)) + c)
EMU_TERNARY(mad24_hi_u, emu_u32, emu_u32, (uint32_t)((uint64_t)u24(a) * u24(b) >> 16) + c)
EMU_TERNARY(mad24_hi_s, emu_u32, emu_u32, (uint32_t)(((int64_t)s24(a) * s24(b)) >> 16) + c)

#define CARRY(name, high, before, after)                                                           \
    static void name(emu_warp *warp, const emu_op *op)                                             \
    {                                                                                              \
        emu_u32 *dst = emu_lanes(warp, op->dst);                                                   \
        const emu_u32 *pa = emu_lanes(warp, op->a), *pb = emu_lanes(warp, op->b);                  \
        const emu_u32 *pc = emu_lanes(warp, op->c);                                                \
        uint32_t *flags = (uint32_t *)(warp->base[0] + EMU_CARRY), out = *flags;                   \
        EMU_FOR_LANES(i, warp->mask)                                                               \
        {                                                                                          \
            uint64_t product = (uint64_t)pa[i] * pb[i];                                            \
            uint64_t part = (high) ? product >> 32 : product & UINT32_MAX;                         \
            uint64_t sum = part + pc[i] + ((before) ? out >> i & 1 : 0);                           \
            dst[i] = (uint32_t)sum;                                                                \
            out = (out & ~(1u << i)) | (uint32_t)(sum >> 32 & 1) << i;                             \
        }                                                                                          \
        if (after)                                                                                 \
            *flags = out;                                                                          \
    }
CARRY(mad_lo_cc, 0, 0, 1)
CARRY(mad_hi_cc, 1, 0, 1)
CARRY(madc_lo, 0, 1, 0)
CARRY(madc_hi, 1, 1, 0)
CARRY(madc_lo_cc, 0, 1, 1)
CARRY(madc_hi_cc, 1, 1, 1)

#define CARRY64(name, high, before, after)                                                         \
    static void name(emu_warp *warp, const emu_op *op)                                             \
    {                                                                                              \
        emu_u64 *dst = emu_lanes(warp, op->dst);                                                   \
        const emu_u64 *pa = emu_lanes(warp, op->a), *pb = emu_lanes(warp, op->b);                  \
        const emu_u64 *pc = emu_lanes(warp, op->c);                                                \
        uint32_t *flags = (uint32_t *)(warp->base[0] + EMU_CARRY), out = *flags;                   \
        EMU_FOR_LANES(i, warp->mask)                                                               \
        {                                                                                          \
            emu_u128 product = (emu_u128)pa[i] * pb[i];                                            \
            emu_u128 part = (high) ? product >> 64 : product & UINT64_MAX;                         \
            emu_u128 sum = part + pc[i] + ((before) ? out >> i & 1 : 0);                           \
            dst[i] = (uint64_t)sum;                                                                \
            out = (out & ~(1u << i)) | (uint32_t)(sum >> 64 & 1) << i;                             \
        }                                                                                          \
        if (after)                                                                                 \
            *flags = out;                                                                          \
    }
CARRY64(mad_lo_cc_64, 0, 0, 1)
CARRY64(mad_hi_cc_64, 1, 0, 1)
CARRY64(madc_lo_64, 0, 1, 0)
CARRY64(madc_hi_64, 1, 1, 0)
CARRY64(madc_lo_cc_64, 0, 1, 1)
CARRY64(madc_hi_cc_64, 1, 1, 1)

static int32_t part(uint32_t value, unsigned index, unsigned bits, bool is_signed)
{
    uint32_t field = value >> index * bits & ((1u << bits) - 1);
    return is_signed ? (int32_t)(field << (32 - bits)) >> (32 - bits) : (int32_t)field;
}

static uint32_t dot4(uint32_t a, uint32_t b, uint32_t c, bool signed_a, bool signed_b)
{
    for (unsigned i = 0; i < 4; i++)
        c += (uint32_t)(part(a, i, 8, signed_a) * part(b, i, 8, signed_b));
    return c;
}

static uint32_t dot2(uint32_t a, uint32_t b, uint32_t c, bool signed_a, bool signed_b, unsigned at)
{
    for (unsigned i = 0; i < 2; i++)
        c += (uint32_t)(part(a, i, 16, signed_a) * part(b, at + i, 8, signed_b));
    return c;
}
EMU_TERNARY(dp4a_uu, emu_u32, emu_u32, dot4(a, b, c, false, false))
EMU_TERNARY(dp4a_us, emu_u32, emu_u32, dot4(a, b, c, false, true))
EMU_TERNARY(dp4a_su, emu_u32, emu_u32, dot4(a, b, c, true, false))
EMU_TERNARY(dp4a_ss, emu_u32, emu_u32, dot4(a, b, c, true, true))
EMU_TERNARY(dp2a_lo_uu, emu_u32, emu_u32, dot2(a, b, c, false, false, 0))
EMU_TERNARY(dp2a_lo_us, emu_u32, emu_u32, dot2(a, b, c, false, true, 0))
EMU_TERNARY(dp2a_lo_su, emu_u32, emu_u32, dot2(a, b, c, true, false, 0))
EMU_TERNARY(dp2a_lo_ss, emu_u32, emu_u32, dot2(a, b, c, true, true, 0))
EMU_TERNARY(dp2a_hi_uu, emu_u32, emu_u32, dot2(a, b, c, false, false, 2))
EMU_TERNARY(dp2a_hi_us, emu_u32, emu_u32, dot2(a, b, c, false, true, 2))
EMU_TERNARY(dp2a_hi_su, emu_u32, emu_u32, dot2(a, b, c, true, false, 2))
EMU_TERNARY(dp2a_hi_ss, emu_u32, emu_u32, dot2(a, b, c, true, true, 2))

#define FMA EMU_CLASS_FMA
static const emu_form forms[] = {
    {"mad.lo.s16", mad_lo_16, "hhhh", FMA},         {"mad.lo.u16", mad_lo_16, "hhhh", FMA},
    {"mad.lo.s32", mad_lo_32, "wwww", FMA},         {"mad.lo.u32", mad_lo_32, "wwww", FMA},
    {"mad.lo.s64", mad_lo_64, "llll", FMA},         {"mad.lo.u64", mad_lo_64, "llll", FMA},
    {"mad.wide.u16", mad_wide_u16, "whhw", FMA},    {"mad.wide.s16", mad_wide_s16, "whhw", FMA},
    {"mad.wide.u32", mad_wide_u32, "lwwl", FMA},    {"mad.wide.s32", mad_wide_s32, "lwwl", FMA},
    {"mad.hi.u16", mad_hi_u16, "hhhh", FMA},        {"mad.hi.s16", mad_hi_s16, "hhhh", FMA},
    {"mad.hi.u32", mad_hi_u32, "wwww", FMA},        {"mad.hi.s32", mad_hi_s32, "wwww", FMA},
    {"mad.hi.u64", mad_hi_u64, "llll", FMA},        {"mad.hi.s64", mad_hi_s64, "llll", FMA},
    {"mad.hi.sat.s32", mad_hi_sat, "wwww", FMA},    {"mul24.lo.u32", mul24_lo_u, "www", FMA},
    {"mul24.lo.s32", mul24_lo_s, "www", FMA},       {"mul24.hi.u32", mul24_hi_u, "www", FMA},
    {"mul24.hi.s32", mul24_hi_s, "www", FMA},       {"mad24.lo.u32", mad24_lo_u, "wwww", FMA},
    {"mad24.lo.s32", mad24_lo_s, "wwww", FMA},      {"mad24.hi.u32", mad24_hi_u, "wwww", FMA},
    {"mad24.hi.s32", mad24_hi_s, "wwww", FMA},      {"mad.lo.cc.u32", mad_lo_cc, "wwww", FMA},
    {"mad.lo.cc.s32", mad_lo_cc, "wwww", FMA},      {"mad.hi.cc.u32", mad_hi_cc, "wwww", FMA},
    {"madc.lo.u32", madc_lo, "wwww", FMA},          {"madc.lo.s32", madc_lo, "wwww", FMA},
    {"madc.hi.u32", madc_hi, "wwww", FMA},          {"madc.lo.cc.u32", madc_lo_cc, "wwww", FMA},
    {"madc.lo.cc.s32", madc_lo_cc, "wwww", FMA},    {"madc.hi.cc.u32", madc_hi_cc, "wwww", FMA},
    {"mad.lo.cc.u64", mad_lo_cc_64, "llll", FMA},   {"mad.lo.cc.s64", mad_lo_cc_64, "llll", FMA},
    {"mad.hi.cc.u64", mad_hi_cc_64, "llll", FMA},   {"madc.lo.u64", madc_lo_64, "llll", FMA},
    {"madc.lo.s64", madc_lo_64, "llll", FMA},       {"madc.hi.u64", madc_hi_64, "llll", FMA},
    {"madc.lo.cc.u64", madc_lo_cc_64, "llll", FMA}, {"madc.lo.cc.s64", madc_lo_cc_64, "llll", FMA},
    {"madc.hi.cc.u64", madc_hi_cc_64, "llll", FMA}, {"dp4a.u32.u32", dp4a_uu, "wwww", FMA},
    {"dp4a.u32.s32", dp4a_us, "wwww", FMA},         {"dp4a.s32.u32", dp4a_su, "wwww", FMA},
    {"dp4a.s32.s32", dp4a_ss, "wwww", FMA},         {"dp2a.lo.u32.u32", dp2a_lo_uu, "wwww", FMA},
    {"dp2a.lo.u32.s32", dp2a_lo_us, "wwww", FMA},   {"dp2a.lo.s32.u32", dp2a_lo_su, "wwww", FMA},
    {"dp2a.lo.s32.s32", dp2a_lo_ss, "wwww", FMA},   {"dp2a.hi.u32.u32", dp2a_hi_uu, "wwww", FMA},
    {"dp2a.hi.u32.s32", dp2a_hi_us, "wwww", FMA},   {"dp2a.hi.s32.u32", dp2a_hi_su, "wwww", FMA},
    {"dp2a.hi.s32.s32", dp2a_hi_ss, "wwww", FMA},
};

void emu_decode_multiply(emu_decoder *decoder)
{
    emu_decode_forms(decoder, forms, EMU_COUNT(forms));
}
