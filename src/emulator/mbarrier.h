/* The state of an mbarrier object, as this emulator keeps it in the 8 bytes of shared memory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A barrier in its first phase that `count` arrivals complete. */
uint64_t emu_mbarrier_init(uint32_t count);

/* `count` arrivals and `bytes` more that the phase waits for; with `drop` the arriving threads take
 * no part in later phases. */
uint64_t emu_mbarrier_arrive(uint64_t state, uint32_t count, int64_t bytes, bool drop);

/* `bytes` have come (negative: are to come); without an arrival. */
uint64_t emu_mbarrier_transfer(uint64_t state, int64_t bytes);

/* Parity of the phase that has not completed, and arrivals that it waits for. */
unsigned emu_mbarrier_parity(uint64_t state);
uint32_t emu_mbarrier_pending(uint64_t state);
/* Bytes that are to come; negative: more have come than were announced. */
int64_t emu_mbarrier_bytes(uint64_t state);
