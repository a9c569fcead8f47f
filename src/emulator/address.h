/* Addresses of the lanes of a memory instruction, and the cost of the access. */
#pragma once

#include "emulator/decode.h"

/* Bits of op->flags: how op->a, op->b and op->imm form an address, and what the access does. */
enum {
    EMU_BASE_64,     /* 64-bit operand a */
    EMU_BASE_32,     /* 32-bit operand a */
    EMU_BASE_GLOBAL, /* the module's global number b */
    EMU_BASE_SHARED, /* the module's shared variable number b */
    EMU_BASE_LOCAL,  /* the frame's local memory */
    EMU_BASE_NONE,   /* only imm */
    EMU_BASE_MASK = 7,
    EMU_ACCESS_WRITE = 8,
    EMU_ACCESS_BYPASS = 32, /* bypasses the level-1 cache */
    EMU_ACCESS_FRAME = 64,  /* .param space of the function's frame, not of the launch */
    EMU_ACCESS_ATOMIC = 128,
    EMU_ACCESS_REDUCE = 256, /* atomic without a result */
    /* only for check.h: */
    EMU_ACCESS_RELAXED = 16, /* marked .relaxed: does not acquire */
    EMU_ACCESS_STRONG = 512, /* .relaxed or with an order, or of an mbarrier */
    EMU_ACCESS_VOLATILE = 1024,
    EMU_ACCESS_RELEASE = 2048, /* publishes what its thread did before */
    EMU_ACCESS_WITHIN = EMU_ACCESS_RELEASE | EMU_ACCESS_VOLATILE, /* the same, only to its block */
    EMU_ACCESS_STORE = 4096,       /* its handler calls emu_check_stored() */
    EMU_ACCESS_ASYNC = 8192,       /* the write of cp.async */
    EMU_ACCESS_OVERWRITES = 16384, /* atomic whose new value does not depend on the old one */
    EMU_ACCESS_CAS = 32768
};

/* The low 24 bits of a shared address are the offset. The bits above are the block's rank in the
 * cluster plus one, or 0 for the thread's own block. */
enum { EMU_RANK_SHIFT = 24, EMU_OFFSET_MASK = (1 << EMU_RANK_SHIFT) - 1 };

typedef struct emu_access {
    uint64_t address[EMU_WARP]; /* lanes outside the mask repeat an active lane's */
    uint8_t *host[EMU_WARP];    /* only for lanes in the mask */
    uint32_t bytes;             /* per lane */
    bool is_contiguous;         /* all lanes are active, and lane i is at address[0] + i * bytes */
    bool is_uniform;            /* all lanes have one address */
} emu_access;

/* Decodes the operand, [base + offset] or a variable's name, into op's address in the space. */
void emu_decode_address(emu_decoder *decoder, const ptx_operand *operand, ptx_space space);

/* Takes a space from the opcode's words; returns `otherwise` if there is none. */
ptx_space emu_take_space(emu_decoder *decoder, ptx_space otherwise);

/* Computes the addresses of an access of `bytes` bytes per lane, by op->flags and op->space. */
void emu_addresses(emu_warp *warp, const emu_op *op, uint32_t bytes, emu_access *out);

/* Checks each lane's address (alignment, bounds, space, write access), finds its host memory and
 * counts the access. Returns false after raising a fault. */
bool emu_resolve(emu_warp *warp, const emu_op *op, emu_access *access);

/* ---- counting (coalesce.c) ---- */

void emu_count_global(emu_warp *warp, const emu_op *op, const emu_access *access, uint32_t mask);
void emu_count_shared(emu_warp *warp, const emu_op *op, const emu_access *access, uint32_t mask);
void emu_count_cluster(emu_warp *warp, const emu_op *op, const emu_access *access, uint32_t mask);
void emu_count_local(emu_warp *warp, const emu_access *access, uint32_t mask);
void emu_count_constant(emu_warp *warp, const emu_access *access, uint32_t mask);
