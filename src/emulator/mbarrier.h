/* The state of an mbarrier, which is 8 bytes in shared memory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns the state of a barrier in its first phase. Each phase needs `count` arrivals. */
uint64_t emu_mbarrier_init(uint32_t count);

/* Counts `count` arrivals, and makes the phase wait for `bytes` more bytes. If `drop` is true,
 * later phases need `count` fewer arrivals. */
uint64_t emu_mbarrier_arrive(uint64_t state, uint32_t count, int64_t bytes, bool drop);

/* Counts `bytes` bytes as transferred. A negative number increases the number of missing bytes. */
uint64_t emu_mbarrier_transfer(uint64_t state, int64_t bytes);

/* Return the parity of the current phase, and the number of missing arrivals. */
unsigned emu_mbarrier_parity(uint64_t state);
uint32_t emu_mbarrier_pending(uint64_t state);
/* Returns the number of missing bytes, which is negative if too many were transferred. */
int64_t emu_mbarrier_bytes(uint64_t state);
