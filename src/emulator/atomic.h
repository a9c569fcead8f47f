/* Read-modify-write operations that are atomic among host threads. */
#pragma once

#include "emulator/ptx.h"

typedef enum emu_atomic {
    EMU_ATOMIC_ADD,
    EMU_ATOMIC_MIN,
    EMU_ATOMIC_MAX,
    EMU_ATOMIC_AND,
    EMU_ATOMIC_OR,
    EMU_ATOMIC_XOR,
    EMU_ATOMIC_INC,
    EMU_ATOMIC_DEC,
    EMU_ATOMIC_EXCH,
    EMU_ATOMIC_CAS
} emu_atomic;

/* Returns true if PTX has the operation for this type. */
bool emu_atomic_exists(emu_atomic what, ptx_type type);

/* Applies the operation to the aligned value at `place`, and returns the old value.
 * Compare-and-swap compares with `b` and stores `c`; other operations use `b`. With `flush`,
 * single-precision additions treat subnormals as zero. */
uint64_t emu_atomic_apply(emu_atomic what, ptx_type type, void *place, uint64_t b, uint64_t c,
                          bool flush);
