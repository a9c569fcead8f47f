/* Asynchronous transfers of a lane's bytes, counted by an mbarrier or a bulk group. */
#pragma once

#include "emulator/address.h"
#include "emulator/atomic.h"

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

/* How transferred elements are combined with those in memory (cp.reduce); all zero: they replace
 * them. */
typedef struct emu_reduction {
    bool reduces;
    emu_atomic what;
    ptx_type type; /* of the elements */
} emu_reduction;

/* Takes the operation from the opcode's words; returns false if there is none. */
bool emu_take_reduction(emu_decoder *decoder, emu_atomic *out);
/* Stores or combines `bytes` bytes of whole elements. */
void emu_put(const emu_reduction *reduction, uint8_t *to, const uint8_t *from, uint32_t bytes);

/* Decode one of an instruction's addresses, and the address of an mbarrier. */
emu_op emu_decode_one(emu_decoder *decoder, const ptx_operand *operand, ptx_space space);
emu_op emu_decode_barrier(emu_decoder *decoder, const ptx_operand *operand);
