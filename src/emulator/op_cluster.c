/* mapa and getctarank, which handle addresses of other blocks' shared memory. */
#include "emulator/address.h"
#include "emulator/lanes.h"

/* Return the address with the same offset in block b. It is invalid if there is no block b. */
EMU_BINARY2(mapa_32, emu_u32, emu_u32, emu_u32,
            (a & EMU_OFFSET_MASK) | (b < 254 ? b + 1 : 255) << EMU_RANK_SHIFT)
EMU_BINARY2(mapa_64, emu_u64, emu_u64, emu_u32,
            (a & ~(uint64_t)UINT32_MAX) | (a & EMU_OFFSET_MASK) |
                (uint64_t)(b < 254 ? b + 1 : 255) << EMU_RANK_SHIFT)

static void rank(emu_warp *warp, const emu_op *op)
{
    const emu_u32 *narrow = emu_lanes(warp, op->a);
    const emu_u64 *wide = emu_lanes(warp, op->a);
    emu_u32 *dst = emu_lanes(warp, op->dst);
    EMU_FOR_LANES(i, warp->mask)
    {
        uint32_t address = op->width == 8 ? (uint32_t)wide[i] : narrow[i];
        dst[i] = address >> EMU_RANK_SHIFT ? (address >> EMU_RANK_SHIFT) - 1 : warp->block->rank;
    }
}

static void move_address(emu_warp *warp, const emu_op *op)
{
    emu_access access;
    emu_addresses(warp, op, 1, &access);
    emu_u32 *narrow = emu_lanes(warp, op->dst);
    emu_u64 *wide = emu_lanes(warp, op->dst);
    const emu_u32 *b = emu_lanes(warp, op->c);
    EMU_FOR_LANES(i, warp->mask)
    {
        uint32_t address = (uint32_t)access.address[i] | (b[i] < 254 ? b[i] + 1 : 255)
                                                             << EMU_RANK_SHIFT;
        if (op->width == 8)
            wide[i] = address;
        else
            narrow[i] = address;
    }
}

/* Decodes mapa.shared::cluster.u32 d, variable, rank. */
static void decode_variable(emu_decoder *decoder, const ptx_operand *source, unsigned bytes)
{
    ptx_operand base = *source;
    ptx_operand address = {
        .kind = PTX_OPERAND_ADDRESS, .count = 1, .value = source->value, .items = &base};
    emu_op *op = decoder->op;
    emu_decode_address(decoder, &address, PTX_SHARED);
    op->c = emu_source(decoder, emu_operand(decoder, 2), 4);
    op->width = (uint8_t)bytes;
    op->run = move_address;
}

void emu_decode_mapa(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    bool in_cluster = emu_take(decoder, "shared::cluster");
    ptx_type type = emu_take_type(decoder);
    unsigned bytes = ptx_type_bytes(type);
    if ((type != PTX_U32 && type != PTX_U64) || !emu_operands(decoder, 3, 3))
        return;
    const ptx_operand *source = emu_operand(decoder, 1);
    if (source->kind == PTX_OPERAND_VARIABLE && in_cluster) {
        decode_variable(decoder, source, bytes);
    } else {
        op->a = emu_source(decoder, source, bytes);
        op->b = emu_source(decoder, emu_operand(decoder, 2), 4);
        op->run = bytes == 8 ? mapa_64 : mapa_32;
    }
    op->dst = emu_target(decoder, emu_operand(decoder, 0), bytes);
}

void emu_decode_rank(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    emu_take(decoder, "shared::cluster");
    ptx_type type = emu_take_type(decoder);
    op->width = (uint8_t)ptx_type_bytes(type);
    if ((type != PTX_U32 && type != PTX_U64) || !emu_operands(decoder, 2, 2))
        return;
    op->a = emu_source(decoder, emu_operand(decoder, 1), op->width);
    op->dst = emu_target(decoder, emu_operand(decoder, 0), 4);
    op->run = rank;
}
