/* Finds and checks the memory that an instruction accesses, and counts the cost of the accesses. */
#pragma once

#include "emulator/decode.h"

/* Flags in op->flags of a memory operation. The EMU_BASE_ values define how the address is computed
 * from op->a, op->b and op->imm. The EMU_ACCESS_ bits describe the access. */
enum {
    EMU_BASE_64,     /* the base is the 64-bit operand a */
    EMU_BASE_32,     /* the base is the 32-bit operand a */
    EMU_BASE_GLOBAL, /* the base is global variable number b of the module */
    EMU_BASE_SHARED, /* the base is shared variable number b of the module */
    EMU_BASE_LOCAL,  /* the base is the local memory of the frame */
    EMU_BASE_NONE,   /* there is no base; the address is imm */
    EMU_BASE_MASK = 7,
    EMU_ACCESS_WRITE = 8,
    EMU_ACCESS_BYPASS = 32, /* the access bypasses the L1 cache */
    EMU_ACCESS_FRAME = 64,  /* .param memory of a called function, not of the kernel */
    EMU_ACCESS_ATOMIC = 128,
    EMU_ACCESS_REDUCE = 256, /* atomic operation that returns no result (red) */
    /* the flags below are for the sanitizer only */
    EMU_ACCESS_RELAXED = 16, /* the access is .relaxed, so it does not acquire anything */
    EMU_ACCESS_STRONG = 512, /* the access has a memory order, or it accesses an mbarrier */
    EMU_ACCESS_VOLATILE = 1024,
    EMU_ACCESS_RELEASE = 2048, /* a release: makes earlier accesses of the thread visible */
    EMU_ACCESS_WITHIN = EMU_ACCESS_RELEASE | EMU_ACCESS_VOLATILE, /* a release with block scope */
    EMU_ACCESS_STORE = 4096,       /* a store whose handler calls emu_check_stored() itself */
    EMU_ACCESS_ASYNC = 8192,       /* the write of an asynchronous copy (cp.async) */
    EMU_ACCESS_OVERWRITES = 16384, /* atomic operation that ignores the old value */
    EMU_ACCESS_CAS = 32768
};

/* The low 24 bits of an address in shared memory are the offset. The higher bits are 0 for the
 * thread's own block; otherwise they are the rank of a block in the cluster, plus one. */
enum { EMU_RANK_SHIFT = 24, EMU_OFFSET_MASK = (1 << EMU_RANK_SHIFT) - 1 };

typedef struct emu_access {
    uint64_t address[EMU_WARP]; /* a lane that is not active gets the address of an active lane */
    uint8_t *host[EMU_WARP];    /* host memory; set for active lanes only */
    uint32_t bytes;             /* bytes per lane */
    bool is_contiguous;
    bool is_uniform;
} emu_access;

/* Decodes an address operand, [base + offset] or the name of a variable, into decoder->op. */
void emu_decode_address(emu_decoder *decoder, const ptx_operand *operand, ptx_space space);

/* Returns the opcode's state space, or `otherwise` if the opcode has none. */
ptx_space emu_take_space(emu_decoder *decoder, ptx_space otherwise);

void emu_addresses(emu_warp *warp, const emu_op *op, uint32_t bytes, emu_access *out);

/* Checks alignment, bounds, address space and write permission of each lane's access, sets the host
 * pointers and counts the cost. If a check fails, raises a fault and returns false. */
bool emu_resolve(emu_warp *warp, const emu_op *op, emu_access *access);

/* ---- counting (coalesce.c) ---- */

void emu_count_global(emu_warp *warp, const emu_op *op, const emu_access *access, uint32_t mask);
void emu_count_shared(emu_warp *warp, const emu_op *op, const emu_access *access, uint32_t mask);
void emu_count_cluster(emu_warp *warp, const emu_op *op, const emu_access *access, uint32_t mask);
void emu_count_local(emu_warp *warp, const emu_access *access, uint32_t mask);
void emu_count_constant(emu_warp *warp, const emu_access *access, uint32_t mask);
