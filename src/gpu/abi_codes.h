/* Lists of the CUDA result codes that gputune or its emulator uses, and of the device attributes
 * that gputune reads, from CUDA 13.0's cuda.h. */
#pragma once

/* X(name, value) */
#define GT_CUDA_RESULT_LIST(X)                                                                     \
    X(CUDA_SUCCESS, 0)                                                                             \
    X(CUDA_ERROR_INVALID_VALUE, 1)                                                                 \
    X(CUDA_ERROR_OUT_OF_MEMORY, 2)                                                                 \
    X(CUDA_ERROR_NOT_INITIALIZED, 3)                                                               \
    X(CUDA_ERROR_DEINITIALIZED, 4)                                                                 \
    X(CUDA_ERROR_STUB_LIBRARY, 34)                                                                 \
    X(CUDA_ERROR_DEVICE_UNAVAILABLE, 46)                                                           \
    X(CUDA_ERROR_NO_DEVICE, 100)                                                                   \
    X(CUDA_ERROR_INVALID_DEVICE, 101)                                                              \
    X(CUDA_ERROR_INVALID_IMAGE, 200)                                                               \
    X(CUDA_ERROR_INVALID_CONTEXT, 201)                                                             \
    X(CUDA_ERROR_MAP_FAILED, 205)                                                                  \
    X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209)                                                           \
    X(CUDA_ERROR_ECC_UNCORRECTABLE, 214)                                                           \
    X(CUDA_ERROR_UNSUPPORTED_LIMIT, 215)                                                           \
    X(CUDA_ERROR_INVALID_PTX, 218)                                                                 \
    X(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220)                                                        \
    X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222)                                                     \
    X(CUDA_ERROR_CONTAINED, 226)                                                                   \
    X(CUDA_ERROR_INVALID_SOURCE, 300)                                                              \
    X(CUDA_ERROR_FILE_NOT_FOUND, 301)                                                              \
    X(CUDA_ERROR_OPERATING_SYSTEM, 304)                                                            \
    X(CUDA_ERROR_INVALID_HANDLE, 400)                                                              \
    X(CUDA_ERROR_ILLEGAL_STATE, 401)                                                               \
    X(CUDA_ERROR_NOT_FOUND, 500)                                                                   \
    X(CUDA_ERROR_NOT_READY, 600)                                                                   \
    X(CUDA_ERROR_ILLEGAL_ADDRESS, 700)                                                             \
    X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701)                                                     \
    X(CUDA_ERROR_LAUNCH_TIMEOUT, 702)                                                              \
    X(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708)                                                      \
    X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709)                                                        \
    X(CUDA_ERROR_ASSERT, 710)                                                                      \
    X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712)                                              \
    X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713)                                                  \
    X(CUDA_ERROR_HARDWARE_STACK_ERROR, 714)                                                        \
    X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715)                                                         \
    X(CUDA_ERROR_MISALIGNED_ADDRESS, 716)                                                          \
    X(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717)                                                       \
    X(CUDA_ERROR_INVALID_PC, 718)                                                                  \
    X(CUDA_ERROR_LAUNCH_FAILED, 719)                                                               \
    X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720)                                                \
    X(CUDA_ERROR_TENSOR_MEMORY_LEAK, 721)                                                          \
    X(CUDA_ERROR_NOT_PERMITTED, 800)                                                               \
    X(CUDA_ERROR_NOT_SUPPORTED, 801)                                                               \
    X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900)                                                  \
    X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901)                                                  \
    X(CUDA_ERROR_STREAM_CAPTURE_MERGE, 902)                                                        \
    X(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903)                                                    \
    X(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904)                                                     \
    X(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905)                                                    \
    X(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906)                                                     \
    X(CUDA_ERROR_CAPTURED_EVENT, 907)                                                              \
    X(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908)                                                 \
    X(CUDA_ERROR_TIMEOUT, 909)                                                                     \
    X(CUDA_ERROR_EXTERNAL_DEVICE, 911)                                                             \
    X(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912)                                                        \
    X(CUDA_ERROR_UNKNOWN, 999)

/* X(name without CU_DEVICE_ATTRIBUTE_, value) */
#define GT_DEVICE_ATTRIBUTE_LIST(X)                                                                \
    X(MAX_THREADS_PER_BLOCK, 1)                                                                    \
    X(MAX_BLOCK_DIM_X, 2)                                                                          \
    X(MAX_BLOCK_DIM_Y, 3)                                                                          \
    X(MAX_BLOCK_DIM_Z, 4)                                                                          \
    X(MAX_GRID_DIM_X, 5)                                                                           \
    X(MAX_SHARED_MEMORY_PER_BLOCK, 8)                                                              \
    X(TOTAL_CONSTANT_MEMORY, 9)                                                                    \
    X(WARP_SIZE, 10)                                                                               \
    X(MAX_REGISTERS_PER_BLOCK, 12)                                                                 \
    X(CLOCK_RATE, 13)                                                                              \
    X(MULTIPROCESSOR_COUNT, 16)                                                                    \
    X(MEMORY_CLOCK_RATE, 36)                                                                       \
    X(GLOBAL_MEMORY_BUS_WIDTH, 37)                                                                 \
    X(L2_CACHE_SIZE, 38)                                                                           \
    X(MAX_THREADS_PER_MULTIPROCESSOR, 39)                                                          \
    X(COMPUTE_CAPABILITY_MAJOR, 75)                                                                \
    X(COMPUTE_CAPABILITY_MINOR, 76)                                                                \
    X(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81)                                                    \
    X(MAX_REGISTERS_PER_MULTIPROCESSOR, 82)                                                        \
    X(PAGEABLE_MEMORY_ACCESS, 88)                                                                  \
    X(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97)                                                       \
    X(MAX_BLOCKS_PER_MULTIPROCESSOR, 106)                                                          \
    X(MAX_PERSISTING_L2_CACHE_SIZE, 108)                                                           \
    X(MAX_ACCESS_POLICY_WINDOW_SIZE, 109)                                                          \
    X(RESERVED_SHARED_MEMORY_PER_BLOCK, 111)                                                       \
    X(CLUSTER_LAUNCH, 120)
