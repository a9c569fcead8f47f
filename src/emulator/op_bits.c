/* Bit fields, counts, permutations and funnel shifts. */
#include "emulator/lanes.h"

EMU_UNARY(popc_32, emu_u32, emu_u32, emu_popcount(a))
EMU_UNARY(popc_64, emu_u32, emu_u64, __builtin_popcountll(a))
EMU_UNARY(clz_32, emu_u32, emu_u32, a ? __builtin_clz(a) : 32)
EMU_UNARY(clz_64, emu_u32, emu_u64, a ? __builtin_clzll(a) : 64)

static uint32_t reverse_bits(uint32_t value)
{
    value = (value >> 1 & 0x55555555) | (value & 0x55555555) << 1;
    value = (value >> 2 & 0x33333333) | (value & 0x33333333) << 2;
    value = (value >> 4 & 0x0f0f0f0f) | (value & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(value);
}
EMU_UNARY(brev_32, emu_u32, emu_u32, reverse_bits(a))
EMU_UNARY(brev_64, emu_u64, emu_u64,
          (uint64_t)reverse_bits((uint32_t)a) << 32 | reverse_bits((uint32_t)(a >> 32)))

/* Returns the index of the highest set bit, or ~0 if no bit is set. */
static uint32_t highest(uint64_t value)
{
    return value ? 63 - (uint32_t)__builtin_clzll(value) : UINT32_MAX;
}

static uint32_t highest_shift(uint64_t value, uint32_t width)
{
    return value ? width - 1 - highest(value) : UINT32_MAX;
}
EMU_UNARY(bfind_u32, emu_u32, emu_u32, highest(a))
EMU_UNARY(bfind_s32, emu_u32, emu_s32, highest((uint32_t)(a < 0 ? ~a : a)))
EMU_UNARY(bfind_u64, emu_u32, emu_u64, highest(a))
EMU_UNARY(bfind_s64, emu_u32, emu_s64, highest((uint64_t)(a < 0 ? ~a : a)))
EMU_UNARY(bfind_shift_u32, emu_u32, emu_u32, highest_shift(a, 32))
EMU_UNARY(bfind_shift_s32, emu_u32, emu_s32, highest_shift((uint32_t)(a < 0 ? ~a : a), 32))
EMU_UNARY(bfind_shift_u64, emu_u32, emu_u64, highest_shift(a, 64))
EMU_UNARY(bfind_shift_s64, emu_u32, emu_s64, highest_shift((uint64_t)(a < 0 ? ~a : a), 64))

/* Returns the index of the n-th set bit, counting upwards from bit `base` or, if n < 0, downwards.
 * Bit `base` counts too, and is the only one if n is 0. Returns ~0 if there is no such bit. */
static uint32_t nth_bit(uint32_t mask, uint32_t base, int32_t n)
{
    int step = n < 0 ? -1 : 1;
    uint32_t left = (uint32_t)(n < 0 ? 0 - (uint32_t)n : (uint32_t)n);
    if (n == 0)
        return base < 32 && mask >> base & 1 ? base : UINT32_MAX;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if ((mask >> at & 1) && --left == 0)
            return (uint32_t)at;
    return UINT32_MAX;
}
EMU_TERNARY3(fns, emu_u32, emu_u32, emu_u32, emu_s32, nth_bit(a, b, c))

/* Extracts a bit field, whose position and length are taken modulo 256. */
static uint64_t extract_field(uint64_t value, uint32_t from, uint32_t length, unsigned width,
                              bool sign)
{
    from &= 255;
    length &= 255;
    uint64_t result = from >= width ? 0 : value >> from;
    uint64_t mask = length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1;
    uint32_t last = from + length - 1 < width ? from + length - 1 : width - 1;
    bool negative = sign && length && (value >> last & 1);
    /* bits above the field are copies of the sign, even beyond the value's width */
    uint64_t have = from >= width        ? 0
                    : width - from >= 64 ? UINT64_MAX
                                         : (UINT64_C(1) << (width - from)) - 1;
    result &= mask & have;
    return negative ? result | ~(mask & have) : result;
}
EMU_TERNARY(bfe_u32, emu_u32, emu_u32, extract_field(a, b, c, 32, false))
EMU_TERNARY(bfe_s32, emu_u32, emu_u32, extract_field(a, b, c, 32, true))
EMU_TERNARY3(bfe_u64, emu_u64, emu_u64, emu_u32, emu_u32, extract_field(a, b, c, 64, false))
EMU_TERNARY3(bfe_s64, emu_u64, emu_u64, emu_u32, emu_u32, extract_field(a, b, c, 64, true))

static uint64_t insert_field(uint64_t field, uint64_t into, uint32_t from, uint32_t length,
                             unsigned width)
{
    from &= 255;
    length &= 255;
    if (from >= width)
        return into;
    uint64_t mask = (length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1) << from;
    return (into & ~mask) | (field << from & mask);
}

static void bfi_32(emu_warp *warp, const emu_op *op)
{
    const emu_u32 *a = emu_lanes(warp, op->a), *b = emu_lanes(warp, op->b);
    const emu_u32 *c = emu_lanes(warp, op->c), *d = emu_lanes(warp, op->d);
    emu_u32 *dst = emu_lanes(warp, op->dst);
    EMU_EACH_LANE(warp, dst[i] = (uint32_t)insert_field(a[i], b[i], c[i], d[i], 32));
}

static void bfi_64(emu_warp *warp, const emu_op *op)
{
    const emu_u64 *a = emu_lanes(warp, op->a), *b = emu_lanes(warp, op->b);
    const emu_u32 *c = emu_lanes(warp, op->c), *d = emu_lanes(warp, op->d);
    emu_u64 *dst = emu_lanes(warp, op->dst);
    EMU_EACH_LANE(warp, dst[i] = insert_field(a[i], b[i], c[i], d[i], 64));
}

static uint32_t bit_mask(uint32_t from, uint32_t length, bool wrap)
{
    from = wrap ? from & 31 : from;
    length = wrap ? length & 31 : length;
    if (from > 31 || length == 0)
        return 0;
    return (length > 31 ? UINT32_MAX : (1u << length) - 1) << from;
}
EMU_BINARY(bmsk_clamp, emu_u32, emu_u32, bit_mask(a, b, false))
EMU_BINARY(bmsk_wrap, emu_u32, emu_u32, bit_mask(a, b, true))

static uint32_t extend_field(uint32_t value, uint32_t bits, bool wrap, bool sign)
{
    bits = wrap ? bits & 31 : bits;
    if (bits > 31)
        return value;
    if (bits == 0)
        return 0;
    return sign ? (uint32_t)((int32_t)(value << (32 - bits)) >> (32 - bits))
                : value & ((1u << bits) - 1);
}
EMU_BINARY(szext_clamp_u, emu_u32, emu_u32, extend_field(a, b, false, false))
EMU_BINARY(szext_clamp_s, emu_u32, emu_u32, extend_field(a, b, false, true))
EMU_BINARY(szext_wrap_u, emu_u32, emu_u32, extend_field(a, b, true, false))
EMU_BINARY(szext_wrap_s, emu_u32, emu_u32, extend_field(a, b, true, true))

EMU_TERNARY(shf_l_wrap, emu_u32, emu_u32, ((uint64_t)b << 32 | a) << (c & 31) >> 32)
EMU_TERNARY(shf_r_wrap, emu_u32, emu_u32, ((uint64_t)b << 32 | a) >> (c & 31))
EMU_TERNARY(shf_l_clamp, emu_u32, emu_u32, ((uint64_t)b << 32 | a) << (c > 32 ? 32 : c) >> 32)
EMU_TERNARY(shf_r_clamp, emu_u32, emu_u32, ((uint64_t)b << 32 | a) >> (c > 32 ? 32 : c))

static uint32_t pick_byte(uint64_t bytes, unsigned selector)
{
    uint32_t byte = bytes >> (selector & 7) * 8 & 0xff;
    return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

static uint32_t permute_bytes(uint32_t a, uint32_t b, uint32_t selectors)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; i++)
        result |= pick_byte(bytes, selectors >> i * 4 & 15) << i * 8;
    return result;
}

/* The byte selectors of the modes f4e, b4e, rc8, ecl, ecr and rc16, for each value of c. */
static const uint16_t modes[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
    {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
    {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232},
};
EMU_TERNARY(prmt, emu_u32, emu_u32, permute_bytes(a, b, c))
EMU_TERNARY(prmt_mode, emu_u32, emu_u32, permute_bytes(a, b, modes[op->imm][c & 3]))

#define ALU EMU_CLASS_ALU
static const emu_form forms[] = {
    {"popc.b32", popc_32, "ww", EMU_CLASS_SFU},
    {"popc.b64", popc_64, "wl", EMU_CLASS_SFU},
    {"clz.b32", clz_32, "ww", EMU_CLASS_SFU},
    {"clz.b64", clz_64, "wl", EMU_CLASS_SFU},
    {"brev.b32", brev_32, "ww", EMU_CLASS_SFU},
    {"brev.b64", brev_64, "ll", EMU_CLASS_SFU},
    {"bfind.u32", bfind_u32, "ww", EMU_CLASS_SFU},
    {"bfind.s32", bfind_s32, "ww", EMU_CLASS_SFU},
    {"bfind.u64", bfind_u64, "wl", EMU_CLASS_SFU},
    {"bfind.s64", bfind_s64, "wl", EMU_CLASS_SFU},
    {"bfind.shiftamt.u32", bfind_shift_u32, "ww", EMU_CLASS_SFU},
    {"bfind.shiftamt.s32", bfind_shift_s32, "ww", EMU_CLASS_SFU},
    {"bfind.shiftamt.u64", bfind_shift_u64, "wl", EMU_CLASS_SFU},
    {"bfind.shiftamt.s64", bfind_shift_s64, "wl", EMU_CLASS_SFU},
    {"fns.b32", fns, "wwww", EMU_CLASS_SFU},
    {"bfe.u32", bfe_u32, "wwww", ALU},
    {"bfe.s32", bfe_s32, "wwww", ALU},
    {"bfe.u64", bfe_u64, "llww", ALU},
    {"bfe.s64", bfe_s64, "llww", ALU},
    {"bfi.b32", bfi_32, "wwwww", ALU},
    {"bfi.b64", bfi_64, "lllww", ALU},
    {"bmsk.clamp.b32", bmsk_clamp, "www", ALU},
    {"bmsk.wrap.b32", bmsk_wrap, "www", ALU},
    {"szext.clamp.u32", szext_clamp_u, "www", ALU},
    {"szext.clamp.s32", szext_clamp_s, "www", ALU},
    {"szext.wrap.u32", szext_wrap_u, "www", ALU},
    {"szext.wrap.s32", szext_wrap_s, "www", ALU},
    {"shf.l.wrap.b32", shf_l_wrap, "wwww", ALU},
    {"shf.r.wrap.b32", shf_r_wrap, "wwww", ALU},
    {"shf.l.clamp.b32", shf_l_clamp, "wwww", ALU},
    {"shf.r.clamp.b32", shf_r_clamp, "wwww", ALU},
    {"prmt.b32", prmt, "wwww", ALU},
};

static void decode_prmt_mode(emu_decoder *decoder)
{
    static const char *const names[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    int mode = emu_take_one(decoder, names, 6);
    if (mode < 0 || !emu_take(decoder, "b32"))
        return;
    decoder->op->imm = (uint64_t)mode;
    decoder->op->run = prmt_mode;
    emu_decode_signature(decoder, "wwww");
}

void emu_decode_bits(emu_decoder *decoder)
{
    bool is_prmt = decoder->lengths[0] == 4 && memcmp(decoder->words[0], "prmt", 4) == 0;
    if (is_prmt && decoder->word_count == 3)
        decode_prmt_mode(decoder);
    else
        emu_decode_forms(decoder, forms, EMU_COUNT(forms));
}
