/* An emulated device: its answers to the driver's queries, and the parameters of the timing model.
 *
 * A profile is a text with lines `key = value  # source`. Keys that begin with `attribute.` are
 * device attributes with the driver's names in lower case; profile.c lists the others. The profiles
 * in this folder are part of the library. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EMU_ATTRIBUTE_COUNT = 128, EMU_GPC_COUNT = 16, EMU_DEVICES_MAX = 8 };

typedef struct emu_list {
    int count;
    double value[EMU_GPC_COUNT];
} emu_list;

typedef struct emu_profile {
    char name[32];         /* "h200" */
    char gpu_name[96];     /* result of cuDeviceGetName, which contains "(emulated)" */
    double driver_version; /* the version as 1000 * major + 10 * minor */
    double total_memory_bytes;
    int attribute[EMU_ATTRIBUTE_COUNT]; /* attribute values, indexed by CUdevice_attribute */
    uint64_t fields_given; /* bit i is set if the profile sets fields[i] of profile.c */

    emu_list carveout_kb;         /* sizes of shared memory that an SM can have, ascending */
    emu_list gpc_multiprocessors; /* number of SMs in each graphics processing cluster */
    double unified_cache_bytes;   /* memory of an SM, divided into L1 cache and shared memory */
    double register_granularity; /* registers of a warp are allocated in multiples of this number */
    double cluster_size_portable, cluster_size_max;
    double cluster_blocks_per_multiprocessor; /* maximum blocks per SM for kernels with clusters */

    /* Parameters of the model (model.h). Latencies are in cycles, rates per second or per cycle. */
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
    double graph_gap_ns;    /* device time between two kernels of a graph */
    double graph_fixed_ns;  /* device time of an empty graph */
    double stream_gap_ns;   /* device time between two kernels of a stream */
    double event_ns;        /* device time of an event record */
    double copy_fixed_ns, set_fixed_ns;
    double host_call_ns, host_launch_ns, host_copy_ns, host_sync_ns, host_graph_launch_ns;
    double host_start_ns;       /* time from a call to the start of its work on an idle device */
    double slowness;            /* factor for all times of the device; default 1 */
    double parameter_ns_per_kb; /* cost of parameters beyond the first 4 KB */
} emu_profile;

/* Loads the built-in profile `name`; NULL and "" mean h200. `overrides` is NULL, or a list
 * key=value,... of changes. Returns false, with one line in `why`, if anything is invalid. */
bool emu_profile_load(emu_profile *out, const char *name, const char *overrides, char *why,
                      size_t why_bytes);

/* Loads the devices of the process into `out`, and applies GPUTUNE_EMU_SET to each. If `selected`,
 * GPUTUNE_EMU_PROFILE or GPUTUNE_DRIVER=emu:NAME names a profile, the first of them is the only
 * device. Otherwise, the devices are those in the list GPUTUNE_EMU_DEVICES (extensions.h) or,
 * without the list, one h200. Returns the number of devices, or 0 with one line in `why`. */
int emu_profiles_from_environment(emu_profile out[EMU_DEVICES_MAX], const char *selected, char *why,
                                  size_t why_bytes);

/* Parses the text of a profile. Messages contain `name`. */
bool emu_profile_parse(emu_profile *out, const char *name, const char *text, char *why,
                       size_t why_bytes);
