/* The state of an mbarrier object in its 8 bytes of shared memory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Makes a barrier in its first phase, which `count` arrivals complete. */
uint64_t emu_mbarrier_init(uint32_t count);

/* Adds `count` arrivals, and `bytes` that the phase waits for. With `drop` the arriving threads do
 * not take part in later phases. */
uint64_t emu_mbarrier_arrive(uint64_t state, uint32_t count, int64_t bytes, bool drop);

/* Accounts for `bytes` transferred bytes (negative: announced ones), without an arrival. */
uint64_t emu_mbarrier_transfer(uint64_t state, int64_t bytes);

/* Return the parity of the current phase, and the arrivals that it waits for. */
unsigned emu_mbarrier_parity(uint64_t state);
uint32_t emu_mbarrier_pending(uint64_t state);
/* Returns the bytes still to be transferred; negative if more were transferred than announced. */
int64_t emu_mbarrier_bytes(uint64_t state);
