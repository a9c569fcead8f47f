/* The addresses that the lanes of a memory instruction access, and the cost of the access. */
#pragma once

#include "emulator/decode.h"

/* Bits of op->flags. The EMU_BASE_ values select how op->a, op->b and op->imm form an address. The
 * EMU_ACCESS_ bits describe the access. */
enum {
    EMU_BASE_64,     /* the base is the 64-bit operand a */
    EMU_BASE_32,     /* the base is the 32-bit operand a */
    EMU_BASE_GLOBAL, /* the base is global variable number b of the module */
    EMU_BASE_SHARED, /* the base is shared variable number b of the module */
    EMU_BASE_LOCAL,  /* the base is the local memory of the frame */
    EMU_BASE_NONE,   /* there is no base; the address is imm */
    EMU_BASE_MASK = 7,
    EMU_ACCESS_WRITE = 8,
    EMU_ACCESS_BYPASS = 32, /* bypasses the L1 cache */
    EMU_ACCESS_FRAME = 64,  /* .param memory of a called function, not of the kernel */
    EMU_ACCESS_ATOMIC = 128,
    EMU_ACCESS_REDUCE = 256, /* atomic without a result */
    /* the flags below are for the sanitizer only */
    EMU_ACCESS_RELAXED = 16, /* the access is .relaxed, so it does not acquire */
    EMU_ACCESS_STRONG = 512, /* the access has a memory order, or is to an mbarrier */
    EMU_ACCESS_VOLATILE = 1024,
    EMU_ACCESS_RELEASE = 2048, /* a release, which makes earlier accesses of the thread visible */
    EMU_ACCESS_WITHIN = EMU_ACCESS_RELEASE | EMU_ACCESS_VOLATILE, /* a release with block scope */
    EMU_ACCESS_STORE = 4096,       /* a store whose handler calls emu_check_stored() itself */
    EMU_ACCESS_ASYNC = 8192,       /* the write of an asynchronous copy (cp.async) */
    EMU_ACCESS_OVERWRITES = 16384, /* an atomic that does not use the old value */
    EMU_ACCESS_CAS = 32768
};

/* A shared address has the offset in its low 24 bits. The higher bits are the block's rank in its
 * cluster plus one, or 0 for the thread's own block. */
enum { EMU_RANK_SHIFT = 24, EMU_OFFSET_MASK = (1 << EMU_RANK_SHIFT) - 1 };

typedef struct emu_access {
    uint64_t address[EMU_WARP]; /* an inactive lane has the address of an active lane */
    uint8_t *host[EMU_WARP];    /* host memory; set for active lanes only */
    uint32_t bytes;             /* bytes per lane */
    bool is_contiguous;
    bool is_uniform;
} emu_access;

/* Decodes an operand, which is [base + offset] or a variable's name, into decoder->op. */
void emu_decode_address(emu_decoder *decoder, const ptx_operand *operand, ptx_space space);

/* Returns the opcode's state space, or `otherwise` if the opcode has none. */
ptx_space emu_take_space(emu_decoder *decoder, ptx_space otherwise);

/* Computes the address that each lane accesses. */
void emu_addresses(emu_warp *warp, const emu_op *op, uint32_t bytes, emu_access *out);

/* Checks alignment, bounds, space and write permission of each lane's access. Finds the host memory
 * and counts the cost. Returns false after raising a fault. */
bool emu_resolve(emu_warp *warp, const emu_op *op, emu_access *access);

/* ---- counting (coalesce.c) ---- */

void emu_count_global(emu_warp *warp, const emu_op *op, const emu_access *access, uint32_t mask);
void emu_count_shared(emu_warp *warp, const emu_op *op, const emu_access *access, uint32_t mask);
void emu_count_cluster(emu_warp *warp, const emu_op *op, const emu_access *access, uint32_t mask);
void emu_count_local(emu_warp *warp, const emu_access *access, uint32_t mask);
void emu_count_constant(emu_warp *warp, const emu_access *access, uint32_t mask);
