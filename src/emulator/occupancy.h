/* Occupancy: how many blocks and clusters fit, and the split between shared memory and L1. Pure
 * functions of a profile. */
#pragma once

#include "emulator/profile.h"

/* Resources of one block of a kernel. */
typedef struct emu_block_needs {
    int threads;
    int registers;        /* per thread */
    size_t shared_bytes;  /* static and dynamic */
    int carveout_percent; /* preferred percentage of the largest shared memory; -1: chosen by the
                             driver */
} emu_block_needs;

typedef struct emu_residency {
    int blocks;                /* resident on one SM; 0: none fits */
    size_t shared_limit_bytes; /* the carveout in force */
    size_t l1_bytes;           /* the rest, as L1 cache */
} emu_residency;

/* Returns the registers of a block at launch, equally divided among the four parts of an SM. More
 * than a block may have is error 701. */
int emu_block_registers(const emu_profile *profile, int threads, int registers);

/* Computes how many blocks fit on one SM by warps, registers, shared memory (plus 1 KB per block if
 * the profile has that) and the block limit. The carveout preference is rounded up to an existing
 * size, and raised until one block fits; without a preference it is the smallest size that holds as
 * many blocks as the other resources. */
void emu_occupancy(emu_residency *out, const emu_profile *profile, const emu_block_needs *needs);

/* Returns how many clusters of `size` blocks fit on the device: within each GPC, one block of a
 * cluster per SM, without remainders; limited by the profile's number of such blocks on one SM.
 * Compared with an H200 with 128 threads: size 8, 0/100/200 KB: 120/30/15 here, 124/30/15 measured;
 * size 16: 56/14/7 here, 58/14/7 measured. */
int emu_max_clusters(const emu_profile *profile, const emu_block_needs *needs, int size);

/* Returns how many SMs clusters of `size` can occupy; all without clusters. */
int emu_cluster_multiprocessors(const emu_profile *profile, int size);
