/* The contents of the L2 cache by buffer, least recently used out first. This model of residency
 * distinguishes hot from cold replays; it is deterministic for work on one stream. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Memory from `address` on that a launch can access. */
typedef struct emu_buffer {
    uint64_t address;
    double bytes;
} emu_buffer;

/* Accounts for a kernel that moved `traffic` bytes between L1 and L2, somewhere in `buffers`.
 * Returns the bytes moved from DRAM: the touched part (at most the traffic, divided among the
 * buffers by size) that was not resident, and if that exceeds the cache, the same fraction of all
 * further accesses. The buffers become the most recently used. Any thread. */
double emu_level2_pass(const emu_buffer *buffers, size_t count, double traffic,
                       double capacity_bytes);

/* Accounts for a copy or fill of [address, address + bytes). */
void emu_level2_touch(uint64_t address, double bytes, double capacity_bytes);
