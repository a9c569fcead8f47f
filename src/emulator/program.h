/* A loaded program: the parsed module and its operations. */
#pragma once

#include "emulator/machine.h"
#include "emulator/ptx.h"
#include "emulator/warp.h"

/* The instructions that can run after an instruction. */
typedef struct emu_flow {
    const uint32_t *targets; /* indices of the targets, which are in the same function */
    uint32_t count;
    bool falls_through;
    bool is_load; /* true if the operation loads from global memory */
} emu_flow;

typedef struct emu_function {
    const ptx_function *source;
    uint32_t first, end; /* index of the first operation, and index after the last one */
    uint32_t register_bytes;
    uint32_t param_bytes;
    uint32_t local_bytes;
    uint32_t live_words; /* maximum number of live 32-bit values */
    const uint32_t *callees;
    size_t callee_count;
    bool calls_indirectly;
    const bool *uses_shared; /* true for each shared variable that is used */
    /* uses of registers: twice the register's index, plus one if the use is a write */
    const uint32_t *touches;
    const uint32_t *first_touch; /* by operation: index of its first use; last: number of uses */
    const emu_flow *flows;
} emu_function;

/* Returns the part of a frame's parameter area that belongs to a lane. */
static inline uint8_t *emu_frame_params(const emu_frame *frame, uint32_t lane)
{
    return frame->params + (size_t)lane * frame->function->param_bytes;
}

typedef struct emu_entry {
    emu_kernel kernel; /* first member, because its address is cast to emu_entry */
    const emu_function *function;
    const uint32_t *shared_offsets; /* offset of each shared variable of the module */
} emu_entry;

struct emu_program {
    ptx_module module;
    emu_op *ops;
    size_t op_count;
    emu_function *functions; /* functions, in the order of module.functions */
    uint8_t *constants;
    size_t constant_bytes;
    emu_entry *entries;
    size_t entry_count;
    emu_global *globals;
    uint32_t const_bytes;
};

/* A call of a function. Arguments and results are offsets in the parameter area of the caller. */
typedef struct emu_call {
    uint32_t callee; /* index of the function; EMU_INDIRECT: its address is in op->a */
    uint32_t argument_count, result_count;
    const uint32_t *arguments, *results;
} emu_call;

#define EMU_INDIRECT UINT32_MAX

/* The address of function 0; function i has this address plus i. These are not memory addresses. */
#define EMU_FUNCTION_ADDRESS UINT64_C(0x0004000000000000)
