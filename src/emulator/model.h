/* The timing model, which computes the time of a kernel on the profile's device from its counts. It
 * is deterministic. Its purpose is to rank variants as hardware does, not to predict their times.
 *
 * Several terms limit the speed of a launch. The longest term dominates, and terms of similar
 * length add a little (an 8-norm), because resources that are nearly full disturb each other:
 *
 *   issue    the time in which the four schedulers of each SM issue the warp instructions
 *   units    the time in which the units of each class execute their instructions
 *   l1       lookups of 128-byte lines, shared memory wavefronts (with bank conflicts), and
 *            different addresses of constants
 *   cluster  accesses to the shared memory of other blocks, by sector, and atomics on it
 *   l2       stores, and sectors that missed L1, at the L2 bandwidth or at an SM's maximum
 *   dram     bytes that are not in L2, which keeps its contents between launches
 *   atomics  global atomics by sector, and serialised atomics on the hottest address
 *   latency  waves of resident blocks times the lifetime of one block; the longest term if there
 *            are too few resident warps or loads in flight to reach the bandwidth
 *   path     the instructions and waits of the longest warp
 *   launch   starting blocks and warps, one after another on each SM
 *
 * Work is distributed in whole blocks. The launch ends when the SM with the most blocks
 * ends, and clusters leave some SMs empty. */
#pragma once

#include "emulator/level2.h"
#include "emulator/machine.h"
#include "emulator/occupancy.h"

enum {
    EMU_MODEL_VERSION = 1, /* increase this version when a modelled time changes */
    EMU_SHAPE_BUFFERS = 16
};

typedef struct emu_kernel_shape {
    emu_block_needs needs;
    emu_residency residency;
    double blocks;
    int cluster_blocks; /* 1: no cluster */
    double param_bytes;
    size_t buffer_count;
    emu_buffer buffers[EMU_SHAPE_BUFFERS];
} emu_kernel_shape;

/* Returns the time of a kernel in ns, and updates the contents of the L2 model. Thread-safe. */
double emu_model_kernel(const emu_profile *profile, const emu_kernel_shape *shape,
                        const emu_counters *counters);
