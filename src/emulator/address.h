/* Where the lanes of a memory instruction point, and what the access costs. */
#pragma once

#include "emulator/decode.h"

/* How op->a, op->b and op->imm make an address: bits of op->flags. */
enum {
    EMU_BASE_64,     /* 64-bit operand a */
    EMU_BASE_32,     /* 32-bit operand a */
    EMU_BASE_GLOBAL, /* the module's global number b */
    EMU_BASE_SHARED, /* the module's shared variable number b */
    EMU_BASE_LOCAL,  /* the frame's local memory */
    EMU_BASE_NONE,   /* imm alone */
    EMU_BASE_MASK = 7,
    EMU_ACCESS_WRITE = 8,
    EMU_ACCESS_BYPASS = 32, /* not through the level-1 cache */
    EMU_ACCESS_FRAME = 64,  /* .param of a function's frame, not of the launch */
    EMU_ACCESS_ATOMIC = 128,
    EMU_ACCESS_REDUCE = 256, /* atomic without a result */
    /* for check.h alone */
    EMU_ACCESS_RELAXED = 16, /* told so: it does not acquire */
    EMU_ACCESS_STRONG = 512, /* with an order, or relaxed; a barrier's */
    EMU_ACCESS_VOLATILE = 1024,
    EMU_ACCESS_RELEASE = 2048, /* publishes what its thread did before it, */
    EMU_ACCESS_WITHIN = EMU_ACCESS_RELEASE | EMU_ACCESS_VOLATILE, /* to its block alone */
    EMU_ACCESS_STORE = 4096,       /* its handler calls emu_check_stored() */
    EMU_ACCESS_ASYNC = 8192,       /* cp.async's write */
    EMU_ACCESS_OVERWRITES = 16384, /* atomic that does not depend on what was there */
    EMU_ACCESS_CAS = 32768
};

/* A shared address is an offset in the low 24 bits; above them the rank in the cluster plus one, or
 * 0 for the thread's own block. */
enum { EMU_RANK_SHIFT = 24, EMU_OFFSET_MASK = (1 << EMU_RANK_SHIFT) - 1 };

typedef struct emu_access {
    uint64_t address[EMU_WARP]; /* of lanes not in the mask: some active lane's */
    uint8_t *host[EMU_WARP];    /* only of lanes in the mask */
    uint32_t bytes;             /* of one lane */
    bool is_contiguous;         /* lane i at address[0] + i * bytes, all lanes active */
    bool is_uniform;            /* all lanes at one address */
} emu_access;

/* Fills op's address from operand [base + offset] or a variable's name, for that space. */
void emu_decode_address(emu_decoder *decoder, const ptx_operand *operand, ptx_space space);

/* The spaces' names among the opcode's words; `otherwise` without any. */
ptx_space emu_take_space(emu_decoder *decoder, ptx_space otherwise);

/* Computes the addresses of a memory operation of `bytes` bytes a lane (op->flags, op->space tell
 * how). */
void emu_addresses(emu_warp *warp, const emu_op *op, uint32_t bytes, emu_access *out);

/* Checks each lane's address (alignment, bounds, space, right to write) and finds the host memory
 * behind it; then counts the access. False after raising a fault. */
bool emu_resolve(emu_warp *warp, const emu_op *op, emu_access *access);

/* ---- counting (coalesce.c) ---- */

void emu_count_global(emu_warp *warp, const emu_op *op, const emu_access *access, uint32_t mask);
void emu_count_shared(emu_warp *warp, const emu_op *op, const emu_access *access, uint32_t mask);
void emu_count_cluster(emu_warp *warp, const emu_op *op, const emu_access *access, uint32_t mask);
void emu_count_local(emu_warp *warp, const emu_access *access, uint32_t mask);
void emu_count_constant(emu_warp *warp, const emu_access *access, uint32_t mask);
