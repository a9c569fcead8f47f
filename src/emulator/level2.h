/* A model of the L2 cache: how much of each buffer it contains. The least recently used buffer is
 * evicted first. The model distinguishes launches with a cold cache from repeated launches. It is
 * deterministic for work on one stream. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Memory that a launch can access, beginning at `address`. */
typedef struct emu_buffer {
    uint64_t address;
    double bytes;
} emu_buffer;

/* Accounts for a kernel that moved `traffic` bytes between L1 and L2 within `buffers`, and returns
 * the bytes moved from DRAM. The kernel touches at most as much memory as its traffic, divided
 * among the buffers by size. The part that was not in the cache comes from DRAM. If the touched
 * memory exceeds the cache, so does the same fraction of all further accesses. Any thread. */
double emu_level2_pass(const emu_buffer *buffers, size_t count, double traffic,
                       double capacity_bytes);

/* Accounts for a copy or fill of [address, address + bytes). */
void emu_level2_touch(uint64_t address, double bytes, double capacity_bytes);
