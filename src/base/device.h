/* Properties of a GPU, from the driver or for a named architecture (src/gpu). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { GT_CARVEOUT_MAX = 16 };

typedef struct gt_device {
    char name[128];
    char uuid[48];        /* UUID such as "GPU-xxxxxxxx-…"; "" without a GPU */
    char arch[16];        /* "sm_90a" */
    char mig_profile[32]; /* "" without MIG */
    char origin[64];      /* "cuda", "arch" (without a GPU), or "emu:PROFILE:modelN" */
    char environment[40]; /* hash in hex, the key of stored results (gpu/device.h) */
    char processor[128];  /* name of the host's CPU; "" without a GPU */
    int ordinal;
    int cc; /* 90 for 9.0 */
    int sm_count, warp_size;
    int max_threads_per_block, max_threads_per_sm, max_blocks_per_sm;
    int registers_per_sm, registers_per_block;
    int shared_per_block_bytes; /* shared memory that a block may use without opt-in: 48 KB */
    int shared_per_block_optin_bytes;
    int shared_per_sm_bytes;
    int shared_reserved_per_block_bytes; /* reserved by CUDA: 1 KB on CC >= 8.0 */
    int64_t constant_bytes;              /* 64 KB */
    int64_t l2_bytes, memory_bytes;
    int l2_persist_bytes, l2_window_bytes; /* limits of L2 persistence; 0: not supported */
    int bus_width_bits, memory_clock_khz, sm_clock_khz;
    int max_block[3];
    int64_t max_grid[3];
    bool cluster_launch;
    int max_cluster;         /* maximum number of blocks per cluster: 1, 8, or 16 with opt-in */
    int max_parameter_bytes; /* size limit of kernel parameters: 4096, or 32764 if supported */
    int carveout_kb[GT_CARVEOUT_MAX]; /* possible sizes of an SM's shared memory, ascending */
    int carveout_count;
    int driver_version, nvrtc_version; /* 13000 for 13.0; 0: no driver or compiler */
    bool emulated; /* true on the emulator, where images are PTX and times are modelled */
} gt_device;

/* Returns the peak memory bandwidth, assuming two transfers per clock; 0 if unknown. */
static inline double gt_device_peak_bytes_per_s(const gt_device *device)
{
    return 2.0 * device->memory_clock_khz * 1e3 * device->bus_width_bits / 8;
}
