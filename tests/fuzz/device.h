/* The properties of an H200, for functions that need a device. */
#pragma once

#include "base/device.h"

static inline gt_device fuzz_device(void)
{
    return (gt_device){.name = "fuzz",
                       .arch = "sm_90",
                       .origin = "arch",
                       .cc = 90,
                       .sm_count = 132,
                       .warp_size = 32,
                       .max_threads_per_block = 1024,
                       .max_threads_per_sm = 2048,
                       .max_blocks_per_sm = 32,
                       .registers_per_sm = 65536,
                       .registers_per_block = 65536,
                       .shared_per_block_bytes = 49152,
                       .shared_per_block_optin_bytes = 232448,
                       .shared_per_sm_bytes = 233472,
                       .shared_reserved_per_block_bytes = 1024,
                       .constant_bytes = 65536,
                       .l2_bytes = 62914560,
                       .memory_bytes = INT64_C(150754820096),
                       .bus_width_bits = 6144,
                       .memory_clock_khz = 3201000,
                       .sm_clock_khz = 1980000,
                       .max_block = {1024, 1024, 64},
                       .max_grid = {2147483647, 65535, 65535},
                       .cluster_launch = true,
                       .max_cluster = 16,
                       .max_parameter_bytes = 32764,
                       .carveout_kb = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228},
                       .carveout_count = 10,
                       .driver_version = 13000,
                       .nvrtc_version = 13000};
}
