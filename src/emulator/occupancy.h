/* How many blocks and clusters fit, and how a multiprocessor's cache is divided for them. Pure
 * functions of a profile. */
#pragma once

#include "emulator/profile.h"

/* What one block of a kernel takes. */
typedef struct emu_block_needs {
    int threads;
    int registers;        /* a thread */
    size_t shared_bytes;  /* static and dynamic */
    int carveout_percent; /* preferred share of the largest shared memory, -1: the driver's choice
                           */
} emu_block_needs;

typedef struct emu_residency {
    int blocks;                /* resident on one multiprocessor; 0: not one fits */
    size_t shared_limit_bytes; /* the carveout in force */
    size_t l1_bytes;           /* what remains as level-1 cache */
} emu_residency;

/* Registers that one block takes at launch: the same from each of the four parts of a
 * multiprocessor. More than a block may have is 701. */
int emu_block_registers(const emu_profile *profile, int threads, int registers);

/* Blocks that fit on one multiprocessor by warps, registers, shared memory (1 KB more a block where
 * the profile says so) and the limit on blocks. The carveout preference is rounded up to a size
 * that the hardware has, and raised until one block fits; the driver's own choice is the smallest
 * that holds as many blocks as the other resources do. */
void emu_occupancy(emu_residency *out, const emu_profile *profile, const emu_block_needs *needs);

/* Clusters of `size` blocks that fit on the whole device: within each graphics processing cluster,
 * one block of a cluster a multiprocessor, so that remainders are lost; at most the profile's
 * number of such blocks on one multiprocessor. Against an H200 with 128 threads: size 8, 0/100/200
 * KB: 120/30/15 here, 124/30/15 measured; size 16: 56/14/7, measured 58/14/7. */
int emu_max_clusters(const emu_profile *profile, const emu_block_needs *needs, int size);

/* Multiprocessors that clusters of `size` can occupy; all without clusters. */
int emu_cluster_multiprocessors(const emu_profile *profile, int size);
