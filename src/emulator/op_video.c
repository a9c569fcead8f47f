/* vadd2 and its like: two or four small integers in a word, results of the same size. */
#include "emulator/lanes.h"

enum { ADD, SUB, AVERAGE, ABSOLUTE, MIN, MAX };
enum { SIGNED_A = 1, SIGNED_B = 2, SIGNED_D = 4, SATURATE = 8, ACCUMULATE = 16 };

static int32_t field(uint32_t word, unsigned index, unsigned bits, bool is_signed)
{
    uint32_t value = word >> index * bits & ((1u << bits) - 1);
    return is_signed ? (int32_t)(value << (32 - bits)) >> (32 - bits) : (int32_t)value;
}

static int32_t compute(int kind, int32_t a, int32_t b)
{
    switch (kind) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case AVERAGE:
        return (a + b + (a + b >= 0)) >> 1;
    case ABSOLUTE:
        return a < b ? b - a : a - b;
    case MIN:
        return a < b ? a : b;
    default:
        return a > b ? a : b;
    }
}

static int32_t clamp(int32_t value, unsigned bits, bool is_signed)
{
    int32_t least = is_signed ? -(1 << (bits - 1)) : 0;
    int32_t most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    return value < least ? least : value > most ? most : value;
}

static uint32_t combine(const emu_op *op, uint32_t a, uint32_t b, uint32_t c)
{
    unsigned bits = op->width, flags = op->flags;
    uint32_t result = 0, sum = c;
    for (unsigned i = 0; i < 32 / bits; i++) {
        int32_t value = compute(op->count, field(a, i, bits, flags & SIGNED_A),
                                field(b, i, bits, flags & SIGNED_B));
        if (flags & SATURATE)
            value = clamp(value, bits, flags & SIGNED_D);
        result |= ((uint32_t)value & ((1u << bits) - 1)) << i * bits;
        sum += (uint32_t)value;
    }
    return flags & ACCUMULATE ? sum : result;
}
EMU_TERNARY(video, emu_u32, emu_u32, combine(op, a, b, c))

static int find_kind(const emu_decoder *decoder)
{
    static const char *const roots[] = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"};
    for (int i = 0; i < (int)EMU_COUNT(roots); i++)
        if (decoder->lengths[0] == strlen(roots[i]) + 1 &&
            memcmp(decoder->words[0], roots[i], strlen(roots[i])) == 0)
            return i;
    return -1;
}

/* vop.dtype.atype.btype{.sat}{.add} d, a, b, c, all fields of each word in order */
void emu_decode_video(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    int kind = find_kind(decoder);
    ptx_type d = emu_take_type(decoder), a = emu_take_type(decoder), b = emu_take_type(decoder);
    if (kind < 0 || decoder->failed || ptx_type_bytes(d) != 4 || ptx_type_bytes(a) != 4 ||
        ptx_type_bytes(b) != 4)
        return;
    op->count = (uint8_t)kind;
    op->width = decoder->words[0][decoder->lengths[0] - 1] == '2' ? 16 : 8;
    op->flags = (uint16_t)((a == PTX_S32 ? SIGNED_A : 0) | (b == PTX_S32 ? SIGNED_B : 0) |
                           (d == PTX_S32 ? SIGNED_D : 0));
    op->flags |= emu_take(decoder, "sat") ? SATURATE : 0;
    op->flags |= emu_take(decoder, "add") ? ACCUMULATE : 0;
    op->run = video;
    emu_decode_signature(decoder, "wwww");
}
