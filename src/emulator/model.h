/* The clock: how long a kernel takes on the profile's device, from what it did. Deterministic; made
 * to rank variants as hardware does, not to predict microseconds.
 *
 * A launch is bounded by each of several terms; the longest decides, and terms of near length add a
 * little (an 8-norm), as resources that are all nearly full get into each other's way:
 *   issue    warp instructions over the four schedulers of each multiprocessor
 *   units    instructions of each class over the units that serve them
 *   l1       128-byte lines looked up, shared memory wavefronts (bank conflicts count), divergent
 *            constants: one a cycle
 *   cluster  sectors and atomics to other blocks' shared memory
 *   l2       sectors that missed level 1, stores, over the level-2 bandwidth, and what one
 *            multiprocessor can take
 *   dram     what level 2 does not hold; its content is remembered from launch to launch
 *   atomics  global atomics by sector, and the hottest address one after another
 *   latency  waves of resident blocks times the time that one block lives: with few resident warps,
 *            or few loads in flight, bandwidth is not reached
 *   path     the longest single warp
 *   launch   blocks and warps started, one after another on each multiprocessor
 * Work is dealt in whole blocks: a multiprocessor with one more than the others is waited for, and
 * clusters leave some multiprocessors empty. */
#pragma once

#include "emulator/level2.h"
#include "emulator/machine.h"
#include "emulator/occupancy.h"

enum {
    EMU_MODEL_VERSION = 1, /* raise it whenever a modelled time changes */
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

/* Length of a kernel in ns, and what it leaves in level 2. Any thread. */
double emu_model_kernel(const emu_profile *profile, const emu_kernel_shape *shape,
                        const emu_counters *counters);
