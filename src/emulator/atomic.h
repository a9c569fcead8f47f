/* Read-modify-write of one memory location, atomic among host threads. */
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

/* Whether PTX has the operation for the type, and so has emu_atomic_apply. */
bool emu_atomic_exists(emu_atomic what, ptx_type type);

/* Replaces the value at `place` (aligned to its type) by what the operation makes of it, `b` and
 * `c` (for cas: compared with b, replaced by c), and returns the old one. `flush`: single-precision
 * sums treat subnormals as zero. */
uint64_t emu_atomic_apply(emu_atomic what, ptx_type type, void *place, uint64_t b, uint64_t c,
                          bool flush);
