/* A model of the L2 cache, which computes how much of each buffer is cached. The least recently
 * used buffer is evicted first. A launch with a cold cache takes longer than repeated launches. The
 * model is deterministic if all work is on one stream. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Memory that a launch may access; it begins at `address`. */
typedef struct emu_buffer {
    uint64_t address;
    double bytes;
} emu_buffer;

/* Updates the cache for a kernel that moves `traffic` bytes between L1 and L2, and returns how many
 * bytes come from DRAM. The kernel is assumed to touch the same fraction of each buffer, and at
 * most `traffic` bytes in all. If the touched memory fits in the cache, only its uncached bytes
 * come from DRAM. Otherwise, DRAM serves all first accesses, and a fraction of the later ones: the
 * fraction of the memory that does not fit. Thread-safe. */
double emu_level2_pass(const emu_buffer *buffers, size_t count, double traffic,
                       double capacity_bytes);

/* Updates the cache for a copy or fill of [address, address + bytes). */
void emu_level2_touch(uint64_t address, double bytes, double capacity_bytes);
