/* Read-modify-write of a memory location, atomic among host threads. */
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

/* Returns true if PTX has the operation for the type; emu_atomic_apply() then supports it. */
bool emu_atomic_exists(emu_atomic what, ptx_type type);

/* Applies the operation to the value at `place`, which is aligned to its type, and returns the old
 * value. `b` and `c` are its operands: cas compares with b and stores c. `flush`: single-precision
 * sums treat subnormals as zero. */
uint64_t emu_atomic_apply(emu_atomic what, ptx_type type, void *place, uint64_t b, uint64_t c,
                          bool flush);
