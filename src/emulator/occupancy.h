/* Computes how many blocks and clusters can be resident, and how an SM divides its memory into
 * shared memory and L1 cache. Pure functions of a profile. */
#pragma once

#include "emulator/profile.h"

typedef struct emu_block_needs {
    int threads;
    int registers;        /* registers per thread */
    size_t shared_bytes;  /* static and dynamic */
    int carveout_percent; /* preferred percentage of the largest carveout; -1: the driver chooses */
} emu_block_needs;

typedef struct emu_residency {
    int blocks;                /* number of resident blocks per SM; 0: no block fits */
    size_t shared_limit_bytes; /* the chosen carveout */
    size_t l1_bytes;           /* L1 cache, which is the rest of the memory */
} emu_residency;

/* Returns the registers of a block, which are divided equally among the four parts of an SM. If a
 * block needs too many registers, its launch fails with 701. */
int emu_block_registers(const emu_profile *profile, int threads, int registers);

/* Computes how many blocks fit on an SM with its threads, registers and shared memory. A preferred
 * carveout is rounded up until at least one block fits. Without a preference, the carveout is the
 * smallest one with which shared memory is not the limit. */
void emu_occupancy(emu_residency *out, const emu_profile *profile, const emu_block_needs *needs);

/* Returns how many clusters of `size` blocks fit on the device. All blocks of a cluster are in one
 * GPC, each on its own SM. On an H200 with 128 threads per block and 0, 100 or 200 KB of shared
 * memory, the function returns 120, 30 or 15 clusters of size 8 (measured: 124, 30, 15), and 56, 14
 * or 7 clusters of size 16 (measured: 58, 14, 7). */
int emu_max_clusters(const emu_profile *profile, const emu_block_needs *needs, int size);

/* Returns the number of SMs that clusters of `size` blocks can use; all SMs for size 1. */
int emu_cluster_multiprocessors(const emu_profile *profile, int size);
