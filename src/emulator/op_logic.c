/* Bitwise logic and shifts. */
#include "emulator/lanes.h"

EMU_BINARY(and_16, emu_u16, emu_u16, a &b)
EMU_BINARY(and_32, emu_u32, emu_u32, a &b)
EMU_BINARY(and_64, emu_u64, emu_u64, a &b)
EMU_BINARY(or_16, emu_u16, emu_u16, a | b)
EMU_BINARY(or_32, emu_u32, emu_u32, a | b)
EMU_BINARY(or_64, emu_u64, emu_u64, a | b)
EMU_BINARY(xor_16, emu_u16, emu_u16, a ^ b)
EMU_BINARY(xor_32, emu_u32, emu_u32, a ^ b)
EMU_BINARY(xor_64, emu_u64, emu_u64, a ^ b)
EMU_UNARY(not_16, emu_u16, emu_u16, ~a)
EMU_UNARY(not_32, emu_u32, emu_u32, ~a)
EMU_UNARY(not_64, emu_u64, emu_u64, ~a)
EMU_UNARY(cnot_16, emu_u16, emu_u16, a == 0)
EMU_UNARY(cnot_32, emu_u32, emu_u32, a == 0)
EMU_UNARY(cnot_64, emu_u64, emu_u64, a == 0)

#define PREDICATE(name, expression)                                                                \
    static void name(emu_warp *warp, const emu_op *op)                                             \
    {                                                                                              \
        uint32_t a = emu_predicate(warp, op->a), b = emu_predicate(warp, op->b);                   \
        (void)b;                                                                                   \
        emu_set_predicate(warp, op->dst, warp->mask, expression);                                  \
    }
PREDICATE(and_pred, a &b)
PREDICATE(or_pred, a | b)
PREDICATE(xor_pred, a ^ b)
PREDICATE(not_pred, ~a)

/* If the amount exceeds the width, all bits are shifted out of the value. */
EMU_BINARY2(shl_16, emu_u16, emu_u16, emu_u32, b > 15 ? 0 : (uint32_t)a << b)
EMU_BINARY2(shl_32, emu_u32, emu_u32, emu_u32, b > 31 ? 0 : a << (b & 31))
EMU_BINARY2(shl_64, emu_u64, emu_u64, emu_u32, b > 63 ? 0 : a << (b & 63))
EMU_BINARY2(shr_u16, emu_u16, emu_u16, emu_u32, b > 15 ? 0 : a >> b)
EMU_BINARY2(shr_u32, emu_u32, emu_u32, emu_u32, b > 31 ? 0 : a >> (b & 31))
EMU_BINARY2(shr_u64, emu_u64, emu_u64, emu_u32, b > 63 ? 0 : a >> (b & 63))
EMU_BINARY2(shr_s16, emu_s16, emu_s16, emu_u32, a >> (b > 15 ? 15 : b))
EMU_BINARY2(shr_s32, emu_s32, emu_s32, emu_u32, a >> (b > 31 ? 31 : b))
EMU_BINARY2(shr_s64, emu_s64, emu_s64, emu_u32, a >> (b > 63 ? 63 : b))

/* Combines a, b and c bit by bit. `table` has the result for each combination of three bits. */
static uint32_t lookup(uint32_t a, uint32_t b, uint32_t c, unsigned table)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < 8; i++)
        if (table >> i & 1)
            result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
}
EMU_TERNARY(lop3, emu_u32, emu_u32, lookup(a, b, c, (unsigned)op->imm))

/* Decodes lop3.and|or.b32 d|p, a, b, c, table, q, which sets p = (d != 0) and|or q. */
static void lop3_pred(emu_warp *warp, const emu_op *op)
{
    const emu_u32 *dst = emu_lanes(warp, op->dst);
    uint32_t nonzero = 0, q = emu_predicate(warp, (uint32_t)(op->imm >> 32));
    lop3(warp, op);
    EMU_FOR_LANES(lane, warp->mask)
    nonzero |= (uint32_t)(dst[lane] != 0) << lane;
    emu_set_predicate(warp, op->d, warp->mask, op->flags ? nonzero | q : nonzero & q);
}

static void decode_lop3(emu_decoder *decoder)
{
    static const char *const names[] = {"and", "or"};
    emu_op *op = decoder->op;
    int combine = emu_take_one(decoder, names, 2);
    const ptx_operand *result = emu_operand(decoder, 0), *table = emu_operand(decoder, 4);
    if (!emu_take(decoder, "b32") || !emu_operands(decoder, combine < 0 ? 5 : 6, 6))
        return;
    if (table->kind != PTX_OPERAND_INTEGER)
        emu_decode_fail(decoder, "the table must be a constant");
    op->imm = table->value & 0xff;
    op->a = emu_source(decoder, emu_operand(decoder, 1), 4);
    op->b = emu_source(decoder, emu_operand(decoder, 2), 4);
    op->c = emu_source(decoder, emu_operand(decoder, 3), 4);
    op->dst = emu_target(decoder, result, 4);
    op->run = lop3;
    if (combine < 0)
        return;
    op->imm |= (uint64_t)emu_source(decoder, emu_operand(decoder, 5), 0) << 32;
    op->d = result->second ? emu_target(decoder, result->second, 0) : EMU_SINK_PREDICATE;
    op->flags = (uint16_t)combine;
    op->run = lop3_pred;
}

static const emu_form forms[] = {
    {"and.b16", and_16, "hhh", EMU_CLASS_ALU},  {"and.b32", and_32, "www", EMU_CLASS_ALU},
    {"and.b64", and_64, "lll", EMU_CLASS_ALU},  {"and.pred", and_pred, "ppp", EMU_CLASS_ALU},
    {"or.b16", or_16, "hhh", EMU_CLASS_ALU},    {"or.b32", or_32, "www", EMU_CLASS_ALU},
    {"or.b64", or_64, "lll", EMU_CLASS_ALU},    {"or.pred", or_pred, "ppp", EMU_CLASS_ALU},
    {"xor.b16", xor_16, "hhh", EMU_CLASS_ALU},  {"xor.b32", xor_32, "www", EMU_CLASS_ALU},
    {"xor.b64", xor_64, "lll", EMU_CLASS_ALU},  {"xor.pred", xor_pred, "ppp", EMU_CLASS_ALU},
    {"not.b16", not_16, "hh", EMU_CLASS_ALU},   {"not.b32", not_32, "ww", EMU_CLASS_ALU},
    {"not.b64", not_64, "ll", EMU_CLASS_ALU},   {"not.pred", not_pred, "pp", EMU_CLASS_ALU},
    {"cnot.b16", cnot_16, "hh", EMU_CLASS_ALU}, {"cnot.b32", cnot_32, "ww", EMU_CLASS_ALU},
    {"cnot.b64", cnot_64, "ll", EMU_CLASS_ALU}, {"shl.b16", shl_16, "hhw", EMU_CLASS_ALU},
    {"shl.b32", shl_32, "www", EMU_CLASS_ALU},  {"shl.b64", shl_64, "llw", EMU_CLASS_ALU},
    {"shr.b16", shr_u16, "hhw", EMU_CLASS_ALU}, {"shr.b32", shr_u32, "www", EMU_CLASS_ALU},
    {"shr.b64", shr_u64, "llw", EMU_CLASS_ALU}, {"shr.u16", shr_u16, "hhw", EMU_CLASS_ALU},
    {"shr.u32", shr_u32, "www", EMU_CLASS_ALU}, {"shr.u64", shr_u64, "llw", EMU_CLASS_ALU},
    {"shr.s16", shr_s16, "hhw", EMU_CLASS_ALU}, {"shr.s32", shr_s32, "www", EMU_CLASS_ALU},
    {"shr.s64", shr_s64, "llw", EMU_CLASS_ALU},
};

void emu_decode_logic(emu_decoder *decoder)
{
    if (decoder->lengths[0] == 4 && memcmp(decoder->words[0], "lop3", 4) == 0)
        decode_lop3(decoder);
    else
        emu_decode_forms(decoder, forms, EMU_COUNT(forms));
}
