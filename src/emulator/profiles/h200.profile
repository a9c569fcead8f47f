# NVIDIA H200 (SXM, 141 GB): compute capability 9.0.
#
# Sources:
#   [header]    CUDA 13.0's documentation and cuda.h for compute capability 9.0 (programming guide,
#               "Technical Specifications per Compute Capability")
#   [datasheet] NVIDIA H200 and H100 datasheets, Hopper architecture white paper
#   [measured]  on an H200, driver 13.0: the figure itself, or chosen to reproduce a measured time
#   [micro]     order of magnitude from published Hopper microbenchmarks; only ranks depend on it
#   [model]     a choice of the model, no property of the device

gpu_name = NVIDIA H200 (emulated)
driver_version = 13000                                  # [measured] CUDA 13.0
total_memory_bytes = 150754820096                       # [datasheet] 141 GB: 143,771 MiB of frame buffer

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
attribute.clock_rate = 1980000                          # [datasheet] 1.98 GHz boost
attribute.multiprocessor_count = 132                    # [datasheet]
attribute.memory_clock_rate = 3201000                   # [datasheet] 3201 MHz: 4.9 TB/s over 6144 bits
attribute.global_memory_bus_width = 6144                # [datasheet] six HBM3e stacks
attribute.l2_cache_size = 62914560                      # [datasheet] 60 MB
attribute.max_threads_per_multiprocessor = 2048         # [header]
attribute.compute_capability_major = 9                  # [header]
attribute.compute_capability_minor = 0                  # [header]
attribute.max_shared_memory_per_multiprocessor = 233472 # [header] 228 KB
attribute.max_registers_per_multiprocessor = 65536      # [header]
attribute.max_shared_memory_per_block_optin = 232448    # [header] 227 KB
attribute.max_blocks_per_multiprocessor = 32            # [header]
attribute.max_persisting_l2_cache_size = 39321600       # [datasheet] 62.5% of level 2
attribute.max_access_policy_window_size = 134213632     # [header]
attribute.reserved_shared_memory_per_block = 1024       # [header]
attribute.cluster_launch = 1                            # [header]

carveout_kb = 0 8 16 32 64 100 132 164 196 228          # [header] tuning guide, compute capability 9.0
unified_cache_bytes = 262144                            # [datasheet] 256 KB of level 1 and shared memory
register_granularity = 256                              # [header] registers a warp
cluster_size_portable = 8                               # [header]
cluster_size_max = 16                                   # [measured] 32 gives 0 clusters
# [measured] 128 threads and 200 KB: 15 clusters of 8, 7 of 16. Seven clusters of at least 16
# multiprocessors and one smaller: this division of the 132 gives those counts.
gpc_multiprocessors = 18 18 18 18 16 16 16 12
cluster_blocks_per_multiprocessor = 8                   # [measured] 124 clusters of 8 without shared memory

clock_hz = 1.98e9                                       # [datasheet] boost clock
dram_bytes_per_second = 4.28e12                         # [measured] 4264 GB/s: best copy kernel, 1 GiB
l2_bytes_per_second = 6.5e12                            # [measured] axpy of 2^22 from level 2 in 11.2 us
l2_port_bytes_per_cycle = 64                            # [micro] a multiprocessor
l1_bytes_per_cycle = 128                                # [datasheet] a multiprocessor
copy_device_bytes_per_second = 4.238e12                 # [measured] 1 GiB stream copy, read and write
copy_host_bytes_per_second = 5.5e10                     # [datasheet] PCIe 5.0 x16, less protocol
copy_pageable_bytes_per_second = 1.2e10                 # [micro] through the driver's staging buffer
dram_latency_cycles = 850                               # [micro] under load
l2_latency_cycles = 300                                 # [micro]
l1_latency_cycles = 35                                  # [micro]
shared_latency_cycles = 29                              # [micro]
constant_latency_cycles = 6                             # [measured] 8000 ints summed by one thread: 47 us
cluster_latency_cycles = 200                            # [micro] distributed shared memory
cluster_bytes_per_cycle = 32                            # [micro] a multiprocessor
# [measured] histogram of 65,536 bins, cluster of 2, 4, 8, 16: 492, 739, 869, 961 us: in proportion to
# the part of the atomics that leaves the block
cluster_atomics_per_cycle = 0.26
alu_per_cycle = 2                                       # [header] 64 lanes a cycle: 2 warps
fma_per_cycle = 4                                       # [header] 128 lanes
fp64_per_cycle = 2                                      # [header] 64 lanes
sfu_per_cycle = 0.5                                     # [header] 16 lanes
ldst_per_cycle = 1                                      # [header] 32 lanes
issue_per_cycle = 4                                     # [header] four schedulers
instruction_latency_cycles = 3                          # [measured] same sum; some of 4 to 5 cycles overlaps
barrier_cycles = 30                                     # [micro]
cluster_barrier_cycles = 200                            # [micro]
atomic_sectors_per_second = 9e10                        # [measured] same histogram with global atomics: 744 us
atomic_same_address_ns = 1.2                            # [micro] one address, one after another
shared_atomic_cycles = 2                                # [micro] a conflicting lane
# [measured] copies of 1 GiB by 128 threads a block, 1 and 2 floats a thread: 1692 and 3345 GB/s; axpy of
# 2^26 by 256 threads: 238 us; of 2^22 from level 2: 11.2 us
block_launch_cycles = 80
warp_launch_cycles = 13
block_latency_cycles = 1000                             # [measured] same figures: start, drain, retire
cluster_launch_cycles = 800                             # [micro] its blocks start together
kernel_fixed_ns = 300                                   # [measured] axpy of 2^10 in a graph: 1.02 us a launch
graph_gap_ns = 0                                        # [measured] included in kernel_fixed_ns
graph_fixed_ns = 1300                                   # [measured] a graph of one launch: 2.6 us more
stream_gap_ns = 1300                                    # [measured] event pair behind a flush: 2.6 us more
event_ns = 1300                                         # [measured] same
copy_fixed_ns = 1500                                    # [micro]
set_fixed_ns = 1200                                     # [micro]
host_call_ns = 150                                      # [micro] a call that sends nothing
host_launch_ns = 3750                                   # [measured] 3.9 us a launch, with host_call_ns
host_copy_ns = 3000                                     # [measured] parameters by constant copy: 12 us more
host_sync_ns = 1500                                     # [measured] launch and synchronise: 2.5 us more
host_graph_launch_ns = 5000                             # [micro]
host_start_ns = 1000                                    # [measured] launch and synchronise, same
parameter_ns_per_kb = 50                                # [micro] writing them to the command buffer
