/* Read-modify-write operations that are atomic with respect to all host threads. */
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

/* Returns true if PTX defines the operation for this type. */
bool emu_atomic_exists(emu_atomic what, ptx_type type);

/* Applies the operation to the aligned value at `place`, and returns the old value. A
 * compare-and-swap compares the old value with `b` and stores `c`; the other operations only use
 * `b`. If `flush` is true, single-precision additions treat subnormals as zero. */
uint64_t emu_atomic_apply(emu_atomic what, ptx_type type, void *place, uint64_t b, uint64_t c,
                          bool flush);
