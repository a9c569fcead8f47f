/* Asynchronous moves of a lane's bytes, which an mbarrier or a bulk group is told of. */
#pragma once

#include "emulator/address.h"

/* Moves `bytes` bytes of the lane that runs alone, into the block of rank `rank` - 1 (0: where the
 * address says), `with` what the caller of emu_transfer() gave; false after a fault. */
typedef bool emu_move(emu_warp *warp, const emu_op *op, uint32_t bytes, uint32_t rank,
                      const void *with);

/* Makes a move that the mbarrier at `barrier` counts; NULL: it is one of a bulk group. */
void emu_transfer(emu_warp *warp, const emu_op *op, const emu_op *barrier, uint32_t bytes,
                  uint32_t rank, emu_move *move, const void *with);

/* Calls `run` for each lane, alone in the warp's mask. */
void emu_each_alone(emu_warp *warp, const emu_op *op,
                    void (*run)(emu_warp *warp, const emu_op *op, unsigned lane));

/* Finds the host's place of the address of the lane that runs alone, `offset` bytes on; NULL after
 * a fault. */
uint8_t *emu_find_alone(emu_warp *warp, const emu_op *op, uint32_t bytes, uint32_t rank,
                        uint64_t offset);

/* Decodes one address of several that an instruction has. The address of an mbarrier. */
emu_op emu_decode_one(emu_decoder *decoder, const ptx_operand *operand, ptx_space space);
emu_op emu_decode_barrier(emu_decoder *decoder, const ptx_operand *operand);
