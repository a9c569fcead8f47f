/* The state of an mbarrier, which is 8 bytes in shared memory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Returns the state of a barrier in its first phase. Each phase needs `count` arrivals. */
uint64_t emu_mbarrier_init(uint32_t count);

/* Counts `count` arrivals, and makes the phase wait for `bytes` more bytes. If `drop` is true,
 * later phases need `count` fewer arrivals. */
uint64_t emu_mbarrier_arrive(uint64_t state, uint32_t count, int64_t bytes, bool drop);

/* Subtracts `bytes` from the number of bytes that the current phase still waits for. If `bytes` is
 * negative, the phase waits for more bytes. */
uint64_t emu_mbarrier_transfer(uint64_t state, int64_t bytes);

/* Return the parity of the current phase, and how many arrivals it still waits for. */
unsigned emu_mbarrier_parity(uint64_t state);
uint32_t emu_mbarrier_pending(uint64_t state);
/* Returns how many bytes the current phase still waits for; negative if too many were
 * transferred. */
int64_t emu_mbarrier_bytes(uint64_t state);
