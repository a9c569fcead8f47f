/* Transfers the bytes of each lane, and reports them to the mbarrier immediately or, in a checked
 * launch, as late as possible (check_async.c). */
#include "emulator/transfer.h"

#include "emulator/check.h"
#include "emulator/lanes.h"
#include "emulator/mbarrier.h"

void emu_each_lane(emu_warp *warp, const emu_op *op,
                   void (*run)(emu_warp *warp, const emu_op *op, unsigned lane))
{
    uint32_t all = warp->mask;
    EMU_FOR_LANES(lane, all)
    {
        warp->mask = 1u << lane;
        run(warp, op, lane);
    }
    warp->mask = all;
}

uint8_t *emu_find_lane(emu_warp *warp, const emu_op *op, uint32_t bytes, uint32_t rank,
                       uint64_t offset)
{
    emu_access access;
    emu_op moved = *op;
    unsigned lane = (unsigned)__builtin_ctz(warp->mask);
    moved.imm += offset;
    emu_addresses(warp, &moved, bytes, &access);
    for (unsigned i = 0; rank && i < EMU_WARP; i++)
        access.address[i] = (access.address[i] & EMU_OFFSET_MASK) | rank << EMU_RANK_SHIFT;
    return emu_resolve(warp, &moved, &access) ? access.host[lane] : NULL;
}

void emu_transfer(emu_warp *warp, const emu_op *op, const emu_op *barrier, uint32_t bytes,
                  uint32_t rank, emu_move *move, const void *with)
{
    emu_stamp stamp;
    unsigned lane = (unsigned)__builtin_ctz(warp->mask);
    uint8_t *at = barrier ? emu_find_lane(warp, barrier, 8, rank, 0) : NULL;
    if (barrier && !at)
        return;
    if (warp->worker->check)
        emu_check_copy_begin(warp, op, lane, at, &stamp);
    bool moved = move(warp, op, bytes, rank, with);
    if (warp->worker->check)
        emu_check_copy_end(warp);
    if (!moved || !at)
        return;
    if (warp->worker->check)
        emu_check_transfer(warp, op, lane, at, bytes);
    else
        *(emu_u64 *)at = emu_mbarrier_transfer(*(emu_u64 *)at, bytes);
}

void emu_put(const emu_reduction *reduction, uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    if (!reduction->reduces) {
        memcpy(to, from, bytes);
        return;
    }
    const uint32_t element = ptx_type_bytes(reduction->type);
    for (uint32_t at = 0; at < bytes; at += element) {
        uint64_t value = 0;
        memcpy(&value, from + at, element);
        emu_atomic_apply(reduction->what, reduction->type, to + at, value, 0, false);
    }
}

emu_op emu_decode_one(emu_decoder *decoder, const ptx_operand *operand, ptx_space space)
{
    emu_op saved = *decoder->op;
    *decoder->op = (emu_op){.line = saved.line,
                            .guard = saved.guard,
                            .guard_flip = saved.guard_flip,
                            .unit = EMU_CLASS_LDST};
    emu_decode_address(decoder, operand, space);
    emu_op result = *decoder->op;
    *decoder->op = saved;
    return result;
}

emu_op emu_decode_barrier(emu_decoder *decoder, const ptx_operand *operand)
{
    emu_op barrier = emu_decode_one(decoder, operand, PTX_SHARED_CLUSTER);
    barrier.flags |= EMU_ACCESS_STRONG;
    barrier.unit = EMU_CLASS_BARRIER;
    return barrier;
}
