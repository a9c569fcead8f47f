/* Asynchronous transfers of a lane. They are counted by an mbarrier or a bulk group. */
#pragma once

#include "emulator/address.h"
#include "emulator/atomic.h"

/* Transfers `bytes` bytes for the only active lane. If `rank` is 0, the address selects the block
 * of the target. Otherwise the target is in the block of rank `rank` - 1. `with` is the argument
 * `with` of emu_transfer(). Returns false after a fault. */
typedef bool emu_move(emu_warp *warp, const emu_op *op, uint32_t bytes, uint32_t rank,
                      const void *with);

/* Calls `move`. Then reports the bytes to the mbarrier at `barrier`, unless `barrier` is NULL. */
void emu_transfer(emu_warp *warp, const emu_op *op, const emu_op *barrier, uint32_t bytes,
                  uint32_t rank, emu_move *move, const void *with);

/* Calls `run` once for each lane in the mask. Only that lane is active during the call. */
void emu_each_lane(emu_warp *warp, const emu_op *op,
                   void (*run)(emu_warp *warp, const emu_op *op, unsigned lane));

/* Returns the host memory at the only active lane's address plus `offset`, or NULL after a
 * fault. */
uint8_t *emu_find_lane(emu_warp *warp, const emu_op *op, uint32_t bytes, uint32_t rank,
                       uint64_t offset);

/* An operation that combines transferred elements with the elements in memory. If all members are
 * zero, transferred elements replace those in memory. */
typedef struct emu_reduction {
    bool reduces;
    emu_atomic what;
    ptx_type type;
} emu_reduction;

/* Decodes the reduction in an opcode. Returns false if the opcode has none. */
bool emu_take_reduction(emu_decoder *decoder, emu_atomic *out);
/* Stores elements, or combines them with the elements in memory. */
void emu_put(const emu_reduction *reduction, uint8_t *to, const uint8_t *from, uint32_t bytes);

/* Decode one of the addresses of an instruction, or the address of an mbarrier. */
emu_op emu_decode_one(emu_decoder *decoder, const ptx_operand *operand, ptx_space space);
emu_op emu_decode_barrier(emu_decoder *decoder, const ptx_operand *operand);
