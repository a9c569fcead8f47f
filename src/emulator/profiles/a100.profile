# NVIDIA A100 (SXM4, 80 GB): compute capability 8.0, no clusters.
#
# Sources:
#   [header]    CUDA 13.0's documentation and cuda.h for compute capability 8.0 (programming guide,
#               "Technical Specifications per Compute Capability")
#   [datasheet] NVIDIA A100 datasheet, Ampere architecture white paper
#   [micro]     order of magnitude from published Ampere microbenchmarks; only ranks depend on it
#   [h200]      the H200 profile's figure, for want of a measurement
#   [model]     a choice of the model, no property of the device

gpu_name = NVIDIA A100-SXM4-80GB (emulated)
driver_version = 13000                                  # [model] CUDA 13.0
total_memory_bytes = 85899345920                        # [datasheet] 80 GB

attribute.max_threads_per_block = 1024                  # [header]
attribute.max_block_dim_x = 1024                        # [header]
attribute.max_block_dim_y = 1024                        # [header]
attribute.max_block_dim_z = 64                          # [header]
attribute.max_grid_dim_x = 2147483647                   # [header]
attribute.max_grid_dim_y = 65535                        # [header]
attribute.max_grid_dim_z = 65535                        # [header]
attribute.max_shared_memory_per_block = 49152           # [header]
attribute.total_constant_memory = 65536                 # [header]
attribute.warp_size = 32                                # [header]
attribute.max_registers_per_block = 65536               # [header]
attribute.clock_rate = 1410000                          # [datasheet] 1.41 GHz boost
attribute.multiprocessor_count = 108                    # [datasheet]
attribute.memory_clock_rate = 1593000                   # [datasheet] 1593 MHz: 2.0 TB/s over 5120 bits
attribute.global_memory_bus_width = 5120                # [datasheet] five HBM2e stacks
attribute.l2_cache_size = 41943040                      # [datasheet] 40 MB
attribute.max_threads_per_multiprocessor = 2048         # [header]
attribute.compute_capability_major = 8                  # [header]
attribute.compute_capability_minor = 0                  # [header]
attribute.max_shared_memory_per_multiprocessor = 167936 # [header] 164 KB
attribute.max_registers_per_multiprocessor = 65536      # [header]
attribute.max_shared_memory_per_block_optin = 166912    # [header] 163 KB
attribute.max_blocks_per_multiprocessor = 32            # [header]
attribute.max_persisting_l2_cache_size = 31457280       # [datasheet] 75% of level 2
attribute.max_access_policy_window_size = 134213632     # [header]
attribute.reserved_shared_memory_per_block = 1024       # [header]
attribute.cluster_launch = 0                            # [header]

carveout_kb = 0 8 16 32 64 100 132 164                  # [header] tuning guide, compute capability 8.0
unified_cache_bytes = 196608                            # [datasheet] 192 KB of level 1 and shared memory
register_granularity = 256                              # [header] registers a warp
cluster_size_portable = 1                               # [header]
cluster_size_max = 1                                    # [header]
gpc_multiprocessors = 16 16 16 16 16 14 14              # [datasheet] 108 in seven clusters
cluster_blocks_per_multiprocessor = 0                   # [header]

clock_hz = 1.41e9                                       # [datasheet] boost clock
dram_bytes_per_second = 1.75e12                         # [datasheet] 2.04 TB/s, less what copies lose
l2_bytes_per_second = 3.5e12                            # [micro]
l2_port_bytes_per_cycle = 64                            # [micro] a multiprocessor
l1_bytes_per_cycle = 128                                # [datasheet] a multiprocessor
copy_device_bytes_per_second = 1.7e12                   # [micro]
copy_host_bytes_per_second = 2.5e10                     # [datasheet] PCIe 4.0 x16, less protocol
copy_pageable_bytes_per_second = 8e9                    # [micro]
dram_latency_cycles = 600                               # [micro] under load
l2_latency_cycles = 260                                 # [micro]
l1_latency_cycles = 35                                  # [micro]
shared_latency_cycles = 29                              # [micro]
constant_latency_cycles = 6                             # [h200]
cluster_latency_cycles = 0                              # [model] never used
cluster_bytes_per_cycle = 32                            # [model] never used
cluster_atomics_per_cycle = 1                           # [model] never used
alu_per_cycle = 2                                       # [header] 64 lanes
fma_per_cycle = 2                                       # [header] 64 lanes a cycle: 2 warps
fp64_per_cycle = 1                                      # [header] 32 lanes
sfu_per_cycle = 0.5                                     # [header] 16 lanes
ldst_per_cycle = 1                                      # [header] 32 lanes
issue_per_cycle = 4                                     # [header] four schedulers
instruction_latency_cycles = 3                          # [h200]
barrier_cycles = 30                                     # [micro]
cluster_barrier_cycles = 0                              # [model] never used
atomic_sectors_per_second = 6e10                        # [micro]
atomic_same_address_ns = 1.2                            # [micro] one address, one after another
shared_atomic_cycles = 2                                # [micro] a conflicting lane
block_launch_cycles = 80                                # [h200]
warp_launch_cycles = 13                                 # [h200]
block_latency_cycles = 1000                             # [h200]
cluster_launch_cycles = 0                               # [model] never used
kernel_fixed_ns = 300                                   # [h200]
graph_gap_ns = 0                                        # [h200]
graph_fixed_ns = 1300                                   # [h200]
stream_gap_ns = 1300                                    # [h200]
event_ns = 1300                                         # [h200]
copy_fixed_ns = 1500                                    # [micro]
set_fixed_ns = 1200                                     # [micro]
host_call_ns = 150                                      # [micro] a call that sends nothing
host_launch_ns = 3750                                   # [h200]
host_copy_ns = 3000                                     # [h200]
host_sync_ns = 1500                                     # [h200]
host_graph_launch_ns = 5000                             # [micro]
host_start_ns = 1000                                    # [h200]
parameter_ns_per_kb = 50                                # [micro] writing them to the command buffer
