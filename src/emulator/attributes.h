/* The device attributes that a profile may name, as a list of name and value: those that gputune
 * asks for, and what other programs ask for. They are those of CUDA 13.0's cuda.h, without the
 * texture and surface limits. */
#pragma once

#include "gpu/abi_codes.h"

/* X(name without CU_DEVICE_ATTRIBUTE_, value) */
#define EMU_ATTRIBUTE_LIST(X)                                                                      \
    GT_DEVICE_ATTRIBUTE_LIST(X)                                                                    \
    X(MAX_GRID_DIM_Y, 6)                                                                           \
    X(MAX_GRID_DIM_Z, 7)                                                                           \
    X(MAX_PITCH, 11)                                                                               \
    X(GPU_OVERLAP, 15)                                                                             \
    X(KERNEL_EXEC_TIMEOUT, 17)                                                                     \
    X(INTEGRATED, 18)                                                                              \
    X(CAN_MAP_HOST_MEMORY, 19)                                                                     \
    X(COMPUTE_MODE, 20)                                                                            \
    X(CONCURRENT_KERNELS, 31)                                                                      \
    X(ECC_ENABLED, 32)                                                                             \
    X(PCI_BUS_ID, 33)                                                                              \
    X(PCI_DEVICE_ID, 34)                                                                           \
    X(TCC_DRIVER, 35)                                                                              \
    X(ASYNC_ENGINE_COUNT, 40)                                                                      \
    X(UNIFIED_ADDRESSING, 41)                                                                      \
    X(CAN_TEX2D_GATHER, 44)                                                                        \
    X(PCI_DOMAIN_ID, 50)                                                                           \
    X(STREAM_PRIORITIES_SUPPORTED, 78)                                                             \
    X(GLOBAL_L1_CACHE_SUPPORTED, 79)                                                               \
    X(LOCAL_L1_CACHE_SUPPORTED, 80)                                                                \
    X(MANAGED_MEMORY, 83)                                                                          \
    X(MULTI_GPU_BOARD, 84)                                                                         \
    X(MULTI_GPU_BOARD_GROUP_ID, 85)                                                                \
    X(HOST_NATIVE_ATOMIC_SUPPORTED, 86)                                                            \
    X(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 87)                                                   \
    X(CONCURRENT_MANAGED_ACCESS, 89)                                                               \
    X(COMPUTE_PREEMPTION_SUPPORTED, 90)                                                            \
    X(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 91)                                                 \
    X(CAN_USE_STREAM_MEM_OPS_V1, 92)                                                               \
    X(CAN_USE_64_BIT_STREAM_MEM_OPS_V1, 93)                                                        \
    X(CAN_USE_STREAM_WAIT_VALUE_NOR_V1, 94)                                                        \
    X(COOPERATIVE_LAUNCH, 95)                                                                      \
    X(COOPERATIVE_MULTI_DEVICE_LAUNCH, 96)                                                         \
    X(CAN_FLUSH_REMOTE_WRITES, 98)                                                                 \
    X(HOST_REGISTER_SUPPORTED, 99)                                                                 \
    X(PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES, 100)                                           \
    X(DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 101)                                                    \
    X(VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED, 102)                                                   \
    X(HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 103)                                            \
    X(HANDLE_TYPE_WIN32_HANDLE_SUPPORTED, 104)                                                     \
    X(HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED, 105)                                                 \
    X(GENERIC_COMPRESSION_SUPPORTED, 107)                                                          \
    X(GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED, 110)                                                \
    X(SPARSE_CUDA_ARRAY_SUPPORTED, 112)                                                            \
    X(READ_ONLY_HOST_REGISTER_SUPPORTED, 113)                                                      \
    X(TIMELINE_SEMAPHORE_INTEROP_SUPPORTED, 114)                                                   \
    X(MEMORY_POOLS_SUPPORTED, 115)                                                                 \
    X(GPU_DIRECT_RDMA_SUPPORTED, 116)                                                              \
    X(GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS, 117)                                                   \
    X(GPU_DIRECT_RDMA_WRITES_ORDERING, 118)                                                        \
    X(MEMPOOL_SUPPORTED_HANDLE_TYPES, 119)                                                         \
    X(DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED, 121)                                                  \
    X(CAN_USE_64_BIT_STREAM_MEM_OPS, 122)                                                          \
    X(CAN_USE_STREAM_WAIT_VALUE_NOR, 123)                                                          \
    X(DMA_BUF_SUPPORTED, 124)                                                                      \
    X(IPC_EVENT_SUPPORTED, 125)                                                                    \
    X(MEM_SYNC_DOMAIN_COUNT, 126)                                                                  \
    X(TENSOR_MAP_ACCESS_SUPPORTED, 127)                                                            \
    X(HANDLE_TYPE_FABRIC_SUPPORTED, 128)                                                           \
    X(UNIFIED_FUNCTION_POINTERS, 129)                                                              \
    X(NUMA_CONFIG, 130)                                                                            \
    X(NUMA_ID, 131)                                                                                \
    X(MULTICAST_SUPPORTED, 132)                                                                    \
    X(MPS_ENABLED, 133)                                                                            \
    X(HOST_NUMA_ID, 134)                                                                           \
    X(D3D12_CIG_SUPPORTED, 135)                                                                    \
    X(MEM_DECOMPRESS_ALGORITHM_MASK, 136)                                                          \
    X(MEM_DECOMPRESS_MAXIMUM_LENGTH, 137)                                                          \
    X(VULKAN_CIG_SUPPORTED, 138)                                                                   \
    X(GPU_PCI_DEVICE_ID, 139)                                                                      \
    X(GPU_PCI_SUBSYSTEM_ID, 140)                                                                   \
    X(HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 141)                                          \
    X(HOST_NUMA_MEMORY_POOLS_SUPPORTED, 142)                                                       \
    X(HOST_NUMA_MULTINODE_IPC_SUPPORTED, 143)                                                      \
    X(HOST_MEMORY_POOLS_SUPPORTED, 144)                                                            \
    X(HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 145)                                               \
    X(HOST_ALLOC_DMA_BUF_SUPPORTED, 146)                                                           \
    X(ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED, 147)
