/* The timing model: computes the time of a kernel on the profile's device from its counts. It is
 * deterministic, and made to rank variants like hardware does, not to predict microseconds.
 *
 * Several terms bound a launch. The longest one dominates, and terms of similar length add a little
 * (an 8-norm), because resources that are nearly full interfere with each other:
 *
 *   issue    warp instructions over the four schedulers of each SM
 *   units    instructions of each class over the units that execute them
 *   l1       128-byte lines looked up, shared memory wavefronts (with bank conflicts), divergent
 *            constants: one per cycle
 *   cluster  sectors and atomics to other blocks' shared memory
 *   l2       sectors that missed L1, and stores, over the L2 bandwidth and over an SM's maximum
 *   dram     bytes that L2 does not hold; its contents persist between launches
 *   atomics  global atomics by sector, and serialised atomics on the hottest address
 *   latency  waves of resident blocks times the lifetime of one block: with few resident warps, or
 *            few loads in flight, bandwidth is not reached
 *   path     the longest single warp
 *   launch   starting blocks and warps, one after another on each SM
 *
 * Work is distributed in whole blocks. An SM with one block more than the others determines the
 * end, and clusters leave some SMs empty. */
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
