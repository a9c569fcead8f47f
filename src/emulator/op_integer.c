/* Integer addition, subtraction, multiplication and division. */
#include "emulator/lanes.h"

EMU_BINARY(add_16, emu_u16, emu_u16, a + b)
EMU_BINARY(add_32, emu_u32, emu_u32, a + b)
EMU_BINARY(add_64, emu_u64, emu_u64, a + b)
EMU_BINARY(sub_16, emu_u16, emu_u16, a - b)
EMU_BINARY(sub_32, emu_u32, emu_u32, a - b)
EMU_BINARY(sub_64, emu_u64, emu_u64, a - b)

static int32_t saturate_int(int64_t value)
{
    if (value > INT32_MAX)
        return INT32_MAX;
    return value < INT32_MIN ? INT32_MIN : (int32_t)value;
}
EMU_BINARY(add_sat, emu_s32, emu_s32, saturate_int((int64_t)a + b))
EMU_BINARY(sub_sat, emu_s32, emu_s32, saturate_int((int64_t)a - b))

static uint32_t pair(uint32_t a, uint32_t b, bool is_sum)
{
    uint32_t low = is_sum ? a + b : a - b;
    uint32_t high = is_sum ? (a >> 16) + (b >> 16) : (a >> 16) - (b >> 16);
    return (low & 0xffff) | high << 16;
}
EMU_BINARY(add_x2, emu_u32, emu_u32, pair(a, b, true))

/* Addition and subtraction with carry. A frame has a carry flag for each lane. */
/* NOLINTBEGIN(bugprone-macro-parentheses): the arguments are type names */
#define CARRY(name, T, W, before, expression, after)                                               \
    static void name(emu_warp *warp, const emu_op *op)                                             \
    {                                                                                              \
        T *dst = emu_lanes(warp, op->dst);                                                         \
        const T *pa = emu_lanes(warp, op->a), *pb = emu_lanes(warp, op->b);                        \
        uint32_t *flags = (uint32_t *)(warp->base[0] + EMU_CARRY), out = *flags;                   \
        EMU_FOR_LANES(i, warp->mask)                                                               \
        {                                                                                          \
            W a = pa[i], b = pb[i], carry = (before) ? out >> i & 1 : 0, sum = expression;         \
            dst[i] = (T)sum;                                                                       \
            out = (out & ~(1u << i)) | (uint32_t)(sum >> (sizeof(T) * 8) & 1) << i;                \
        }                                                                                          \
        if (after)                                                                                 \
            *flags = out;                                                                          \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
__extension__ typedef unsigned __int128 emu_u128;
CARRY(add_cc_32, emu_u32, uint64_t, 0, a + b + carry, 1)
CARRY(addc_32, emu_u32, uint64_t, 1, a + b + carry, 0)
CARRY(addc_cc_32, emu_u32, uint64_t, 1, a + b + carry, 1)
CARRY(sub_cc_32, emu_u32, uint64_t, 0, a - b - carry, 1)
CARRY(subc_32, emu_u32, uint64_t, 1, a - b - carry, 0)
CARRY(subc_cc_32, emu_u32, uint64_t, 1, a - b - carry, 1)
CARRY(add_cc_64, emu_u64, emu_u128, 0, a + b + carry, 1)
CARRY(addc_64, emu_u64, emu_u128, 1, a + b + carry, 0)
CARRY(addc_cc_64, emu_u64, emu_u128, 1, a + b + carry, 1)
CARRY(sub_cc_64, emu_u64, emu_u128, 0, a - b - carry, 1)
CARRY(subc_64, emu_u64, emu_u128, 1, a - b - carry, 0)
CARRY(subc_cc_64, emu_u64, emu_u128, 1, a - b - carry, 1)

EMU_BINARY(mul_lo_16, emu_u16, emu_u16, (uint32_t)a *b)
EMU_BINARY(mul_lo_32, emu_u32, emu_u32, a *b)
EMU_BINARY(mul_lo_64, emu_u64, emu_u64, a *b)
EMU_BINARY(mul_wide_u16, emu_u32, emu_u16, (uint32_t)a *b)
EMU_BINARY(mul_wide_s16, emu_s32, emu_s16, a *b)
EMU_BINARY(mul_wide_u32, emu_u64, emu_u32, (uint64_t)a *b)
EMU_BINARY(mul_wide_s32, emu_s64, emu_s32, (int64_t)a *b)
EMU_BINARY(mul_hi_u16, emu_u16, emu_u16, (uint32_t)a *b >> 16)
EMU_BINARY(mul_hi_s16, emu_s16, emu_s16, (int32_t)a *b >> 16)
EMU_BINARY(mul_hi_u32, emu_u32, emu_u32, (uint64_t)a *b >> 32)
EMU_BINARY(mul_hi_s32, emu_s32, emu_s32, (int64_t)a *b >> 32)
__extension__ typedef __int128 emu_s128;
EMU_BINARY(mul_hi_u64, emu_u64, emu_u64, (emu_u128)a *b >> 64)
EMU_BINARY(mul_hi_s64, emu_s64, emu_s64, (emu_s128)a *b >> 64)

/* A division by zero gives the same result as on hardware. */
EMU_BINARY(div_u16, emu_u16, emu_u16, b ? a / b : UINT16_MAX)
EMU_BINARY(div_u32, emu_u32, emu_u32, b ? a / b : UINT32_MAX)
EMU_BINARY(div_u64, emu_u64, emu_u64, b ? a / b : UINT64_MAX)
EMU_BINARY(rem_u16, emu_u16, emu_u16, b ? a % b : a)
EMU_BINARY(rem_u32, emu_u32, emu_u32, b ? a % b : a)
EMU_BINARY(rem_u64, emu_u64, emu_u64, b ? a % b : a)
EMU_BINARY(div_s16, emu_s16, emu_s16, b ? a / b : -1)
EMU_BINARY(div_s32, emu_s32, emu_s32, b == 0 ? -1 : (int64_t)a / b)
EMU_BINARY(rem_s16, emu_s16, emu_s16, b ? a % b : a)
EMU_BINARY(rem_s32, emu_s32, emu_s32, b == 0 ? a : (int64_t)a % b)
EMU_BINARY(div_s64, emu_s64, emu_s64, b == 0 ? -1 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b)
EMU_BINARY(rem_s64, emu_s64, emu_s64, b == 0 ? a : b == -1 ? 0 : a % b)

EMU_TERNARY(sad_u16, emu_u16, emu_u16, c + (a < b ? b - a : a - b))
EMU_TERNARY(sad_s16, emu_u16, emu_s16, c + (a < b ? b - a : a - b))
EMU_TERNARY(sad_u32, emu_u32, emu_u32, c + (a < b ? b - a : a - b))
EMU_TERNARY3(sad_s32, emu_u32, emu_s32, emu_s32, emu_u32,
             c + (a < b ? (uint32_t)b - (uint32_t)a : (uint32_t)a - (uint32_t)b))
EMU_TERNARY(sad_u64, emu_u64, emu_u64, c + (a < b ? b - a : a - b))
EMU_TERNARY3(sad_s64, emu_u64, emu_s64, emu_s64, emu_u64,
             c + (a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b))

/* vabsdiff: the absolute differences of the fields of two words. If `is_sum`, their sum plus c. */
static uint32_t differences(uint32_t a, uint32_t b, uint32_t c, unsigned bits, bool is_sum)
{
    uint32_t result = 0, most = (1u << bits) - 1;
    for (unsigned at = 0; at < 32; at += bits) {
        uint32_t x = a >> at & most, y = b >> at & most, distance = x < y ? y - x : x - y;
        result |= distance << at;
        c += distance;
    }
    return is_sum ? c : result;
}
EMU_TERNARY(vabsdiff2, emu_u32, emu_u32, differences(a, b, c, 16, false))
EMU_TERNARY(vabsdiff2_add, emu_u32, emu_u32, differences(a, b, c, 16, true))
EMU_TERNARY(vabsdiff4, emu_u32, emu_u32, differences(a, b, c, 8, false))
EMU_TERNARY(vabsdiff4_add, emu_u32, emu_u32, differences(a, b, c, 8, true))

static const emu_form forms[] = {
    {"add.s16", add_16, "hhh", EMU_CLASS_ALU},
    {"add.u16", add_16, "hhh", EMU_CLASS_ALU},
    {"add.s32", add_32, "www", EMU_CLASS_ALU},
    {"add.u32", add_32, "www", EMU_CLASS_ALU},
    {"add.s64", add_64, "lll", EMU_CLASS_ALU},
    {"add.u64", add_64, "lll", EMU_CLASS_ALU},
    {"add.sat.s32", add_sat, "www", EMU_CLASS_ALU},
    {"add.s16x2", add_x2, "www", EMU_CLASS_ALU},
    {"add.u16x2", add_x2, "www", EMU_CLASS_ALU},
    {"sub.s16", sub_16, "hhh", EMU_CLASS_ALU},
    {"sub.u16", sub_16, "hhh", EMU_CLASS_ALU},
    {"sub.s32", sub_32, "www", EMU_CLASS_ALU},
    {"sub.u32", sub_32, "www", EMU_CLASS_ALU},
    {"sub.s64", sub_64, "lll", EMU_CLASS_ALU},
    {"sub.u64", sub_64, "lll", EMU_CLASS_ALU},
    {"sub.sat.s32", sub_sat, "www", EMU_CLASS_ALU},
    {"add.cc.u32", add_cc_32, "www", EMU_CLASS_ALU},
    {"add.cc.s32", add_cc_32, "www", EMU_CLASS_ALU},
    {"add.cc.u64", add_cc_64, "lll", EMU_CLASS_ALU},
    {"add.cc.s64", add_cc_64, "lll", EMU_CLASS_ALU},
    {"addc.u32", addc_32, "www", EMU_CLASS_ALU},
    {"addc.s32", addc_32, "www", EMU_CLASS_ALU},
    {"addc.u64", addc_64, "lll", EMU_CLASS_ALU},
    {"addc.s64", addc_64, "lll", EMU_CLASS_ALU},
    {"addc.cc.u32", addc_cc_32, "www", EMU_CLASS_ALU},
    {"addc.cc.s32", addc_cc_32, "www", EMU_CLASS_ALU},
    {"addc.cc.u64", addc_cc_64, "lll", EMU_CLASS_ALU},
    {"addc.cc.s64", addc_cc_64, "lll", EMU_CLASS_ALU},
    {"sub.cc.u32", sub_cc_32, "www", EMU_CLASS_ALU},
    {"sub.cc.s32", sub_cc_32, "www", EMU_CLASS_ALU},
    {"sub.cc.u64", sub_cc_64, "lll", EMU_CLASS_ALU},
    {"sub.cc.s64", sub_cc_64, "lll", EMU_CLASS_ALU},
    {"subc.u32", subc_32, "www", EMU_CLASS_ALU},
    {"subc.s32", subc_32, "www", EMU_CLASS_ALU},
    {"subc.u64", subc_64, "lll", EMU_CLASS_ALU},
    {"subc.s64", subc_64, "lll", EMU_CLASS_ALU},
    {"subc.cc.u32", subc_cc_32, "www", EMU_CLASS_ALU},
    {"subc.cc.s32", subc_cc_32, "www", EMU_CLASS_ALU},
    {"subc.cc.u64", subc_cc_64, "lll", EMU_CLASS_ALU},
    {"subc.cc.s64", subc_cc_64, "lll", EMU_CLASS_ALU},
    {"mul.lo.s16", mul_lo_16, "hhh", EMU_CLASS_FMA},
    {"mul.lo.u16", mul_lo_16, "hhh", EMU_CLASS_FMA},
    {"mul.lo.s32", mul_lo_32, "www", EMU_CLASS_FMA},
    {"mul.lo.u32", mul_lo_32, "www", EMU_CLASS_FMA},
    {"mul.lo.s64", mul_lo_64, "lll", EMU_CLASS_FMA},
    {"mul.lo.u64", mul_lo_64, "lll", EMU_CLASS_FMA},
    {"mul.wide.u16", mul_wide_u16, "whh", EMU_CLASS_FMA},
    {"mul.wide.s16", mul_wide_s16, "whh", EMU_CLASS_FMA},
    {"mul.wide.u32", mul_wide_u32, "lww", EMU_CLASS_FMA},
    {"mul.wide.s32", mul_wide_s32, "lww", EMU_CLASS_FMA},
    {"mul.hi.u16", mul_hi_u16, "hhh", EMU_CLASS_FMA},
    {"mul.hi.s16", mul_hi_s16, "hhh", EMU_CLASS_FMA},
    {"mul.hi.u32", mul_hi_u32, "www", EMU_CLASS_FMA},
    {"mul.hi.s32", mul_hi_s32, "www", EMU_CLASS_FMA},
    {"mul.hi.u64", mul_hi_u64, "lll", EMU_CLASS_FMA},
    {"mul.hi.s64", mul_hi_s64, "lll", EMU_CLASS_FMA},
    {"div.u16", div_u16, "hhh", EMU_CLASS_SFU},
    {"div.s16", div_s16, "hhh", EMU_CLASS_SFU},
    {"div.u32", div_u32, "www", EMU_CLASS_SFU},
    {"div.s32", div_s32, "www", EMU_CLASS_SFU},
    {"div.u64", div_u64, "lll", EMU_CLASS_SFU},
    {"div.s64", div_s64, "lll", EMU_CLASS_SFU},
    {"rem.u16", rem_u16, "hhh", EMU_CLASS_SFU},
    {"rem.s16", rem_s16, "hhh", EMU_CLASS_SFU},
    {"rem.u32", rem_u32, "www", EMU_CLASS_SFU},
    {"rem.s32", rem_s32, "www", EMU_CLASS_SFU},
    {"rem.u64", rem_u64, "lll", EMU_CLASS_SFU},
    {"rem.s64", rem_s64, "lll", EMU_CLASS_SFU},
    {"sad.u16", sad_u16, "hhhh", EMU_CLASS_ALU},
    {"sad.s16", sad_s16, "hhhh", EMU_CLASS_ALU},
    {"sad.u32", sad_u32, "wwww", EMU_CLASS_ALU},
    {"sad.s32", sad_s32, "wwww", EMU_CLASS_ALU},
    {"sad.u64", sad_u64, "llll", EMU_CLASS_ALU},
    {"sad.s64", sad_s64, "llll", EMU_CLASS_ALU},
    {"vabsdiff2.u32.u32.u32", vabsdiff2, "wwww", EMU_CLASS_ALU},
    {"vabsdiff2.u32.u32.u32.add", vabsdiff2_add, "wwww", EMU_CLASS_ALU},
    {"vabsdiff4.u32.u32.u32", vabsdiff4, "wwww", EMU_CLASS_ALU},
    {"vabsdiff4.u32.u32.u32.add", vabsdiff4_add, "wwww", EMU_CLASS_ALU},
};

void emu_decode_integer(emu_decoder *decoder)
{
    emu_decode_forms(decoder, forms, EMU_COUNT(forms));
}
