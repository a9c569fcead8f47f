/* An emulated device: values for the driver's queries, and the parameters of the timing model.
 *
 * A profile consists of lines `key = value  # source`. Keys that begin with `attribute.` are device
 * attributes with the driver's names in lower case; the others are listed in profile.c. The
 * profiles in this folder are built into the library. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EMU_ATTRIBUTE_COUNT = 128,
    EMU_GPC_COUNT = 16,
    EMU_CARVEOUT_COUNT = 16,
    EMU_DEVICES_MAX = 8
};

/* A short list of `count` numbers. */
typedef struct emu_list {
    int count;
    double value[EMU_GPC_COUNT];
} emu_list;

typedef struct emu_profile {
    char name[32];         /* "h200" */
    char gpu_name[96];     /* the result of cuDeviceGetName, with "(emulated)" */
    double driver_version; /* 1000 * major + 10 * minor */
    double total_memory_bytes;
    int attribute[EMU_ATTRIBUTE_COUNT]; /* by CUdevice_attribute */
    uint64_t fields_given;              /* bits of the fields below that were given */

    emu_list carveout_kb;         /* shared memory sizes of an SM, ascending */
    emu_list gpc_multiprocessors; /* SMs of each GPC (graphics processing cluster) */
    double unified_cache_bytes;   /* L1 cache and shared memory of an SM together */
    double register_granularity;  /* a warp's registers are allocated in multiples of this */
    double cluster_size_portable, cluster_size_max;
    double cluster_blocks_per_multiprocessor; /* maximum resident blocks of clusters on an SM */

    /* Parameters of the model (model.h). Bandwidths in bytes, rates per second or cycle. */
    double clock_hz;
    double dram_bytes_per_second, l2_bytes_per_second, l1_bytes_per_cycle;
    double copy_device_bytes_per_second, copy_host_bytes_per_second, copy_pageable_bytes_per_second;
    double dram_latency_cycles, l2_latency_cycles, l1_latency_cycles;
    double shared_latency_cycles, cluster_latency_cycles, constant_latency_cycles;
    double cluster_bytes_per_cycle, cluster_atomics_per_cycle, l2_port_bytes_per_cycle;
    double alu_per_cycle, fma_per_cycle, fp64_per_cycle, sfu_per_cycle, ldst_per_cycle;
    double issue_per_cycle, instruction_latency_cycles, barrier_cycles, cluster_barrier_cycles;
    double atomic_sectors_per_second, atomic_same_address_ns;
    double shared_atomic_cycles;
    double block_launch_cycles, warp_launch_cycles, cluster_launch_cycles, block_latency_cycles;
    double kernel_fixed_ns; /* device time of an empty kernel */
    double graph_gap_ns;    /* between two kernels of a graph */
    double graph_fixed_ns;  /* device time of an empty graph launch */
    double stream_gap_ns;   /* between two kernels of a stream */
    double event_ns;        /* device time of an event record */
    double copy_fixed_ns, set_fixed_ns;
    double host_call_ns, host_launch_ns, host_copy_ns, host_sync_ns, host_graph_launch_ns;
    double host_start_ns;       /* from the call to the start on an idle device */
    double slowness;            /* time factor compared with others of its kind; default 1 */
    double parameter_ns_per_kb; /* for parameters beyond the first 4 KB of a launch */
} emu_profile;

/* Loads the built-in profile `name` (NULL or "": h200) and applies `overrides`, a comma-separated
 * list of key=value as in the file (may be NULL). Returns false with one line in `why` for an
 * unknown name or key, or an invalid value. */
bool emu_profile_load(emu_profile *out, const char *name, const char *overrides, char *why,
                      size_t why_bytes);

/* Loads the process's devices, and applies GPUTUNE_EMU_SET to each. There is one device if a
 * profile is chosen: by `selected` unless it is empty, by GPUTUNE_EMU_PROFILE, or after the colon
 * in GPUTUNE_DRIVER=emu:... . Otherwise the devices are those of GPUTUNE_EMU_DEVICES
 * ("h200,h200*1.3,a100": the second one is 1.3 times as slow). Returns their number; 0 with one
 * line in `why` on a mistake. */
int emu_profiles_from_environment(emu_profile out[EMU_DEVICES_MAX], const char *selected, char *why,
                                  size_t why_bytes);

/* Parses a profile's text; `name` is used in messages. */
bool emu_profile_parse(emu_profile *out, const char *name, const char *text, char *why,
                       size_t why_bytes);
