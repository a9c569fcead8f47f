/* Asynchronous transfers of a lane's bytes, counted by an mbarrier or a bulk group. */
#pragma once

#include "emulator/address.h"

/* Transfers `bytes` bytes of the only active lane, to the block of rank `rank` - 1 (0: determined
 * by the address). `with` comes from the caller of emu_transfer(). Returns false after a fault. */
typedef bool emu_move(emu_warp *warp, const emu_op *op, uint32_t bytes, uint32_t rank,
                      const void *with);

/* Starts a transfer that the mbarrier at `barrier` counts; NULL: a bulk group does. */
void emu_transfer(emu_warp *warp, const emu_op *op, const emu_op *barrier, uint32_t bytes,
                  uint32_t rank, emu_move *move, const void *with);

/* Calls `run` for each lane, with only that lane in the warp's mask. */
void emu_each_alone(emu_warp *warp, const emu_op *op,
                    void (*run)(emu_warp *warp, const emu_op *op, unsigned lane));

/* Finds the host address of the only active lane's address plus `offset`; NULL after a fault. */
uint8_t *emu_find_alone(emu_warp *warp, const emu_op *op, uint32_t bytes, uint32_t rank,
                        uint64_t offset);

/* Decode one of an instruction's addresses, and the address of an mbarrier. */
emu_op emu_decode_one(emu_decoder *decoder, const ptx_operand *operand, ptx_space space);
emu_op emu_decode_barrier(emu_decoder *decoder, const ptx_operand *operand);
