/* What the level-2 cache holds, by buffer: least recently used goes first. A model of residency,
 * enough to tell a hot replay from a cold one; deterministic for work on one stream. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Memory that a launch can reach from `address` on. */
typedef struct emu_buffer {
    uint64_t address;
    double bytes;
} emu_buffer;

/* A kernel moved `traffic` bytes between level 1 and level 2, somewhere in `buffers`. Returns the
 * bytes that DRAM had to move: what was not resident of the part touched (at most the traffic,
 * divided among the buffers by size), and where that exceeds the cache, the same part of every
 * further access. Afterwards the buffers are the most recent ones. Any thread. */
double emu_level2_pass(const emu_buffer *buffers, size_t count, double traffic,
                       double capacity_bytes);

/* A copy or fill went over [address, address + bytes). */
void emu_level2_touch(uint64_t address, double bytes, double capacity_bytes);
