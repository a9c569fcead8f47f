/* Sizes and values in which src/gpu/abi.h and cuda.h must agree. No file can include both headers,
 * so each side fills a table from this list, which is included after either header. */
#pragma once

#include <stddef.h>

typedef struct cuda_layout_row {
    const char *what;
    long long value;
} cuda_layout_row;

#define SIZE(type)          {"sizeof(" #type ")", (long long)sizeof(type)},
#define OFFSET(type, field) {"offsetof(" #type ", " #field ")", (long long)offsetof(type, field)},
#define VALUE(name)         {#name, (long long)(name)},

#define CUDA_LAYOUT_ROWS                                                                           \
    SIZE(CUdevice)                                                                                 \
    SIZE(CUdeviceptr)                                                                              \
    SIZE(CUstream)                                                                                 \
    SIZE(CUresult)                                                                                 \
    SIZE(CUuuid)                                                                                   \
    SIZE(CUipcMemHandle)                                                                           \
    SIZE(CUmemAllocationProp)                                                                      \
    OFFSET(CUmemAllocationProp, location)                                                          \
    SIZE(CUmemAccessDesc)                                                                          \
    OFFSET(CUmemAccessDesc, flags)                                                                 \
    VALUE(CU_MEM_ALLOCATION_TYPE_PINNED)                                                           \
    VALUE(CU_MEM_ALLOC_GRANULARITY_MINIMUM)                                                        \
    VALUE(CU_MEM_LOCATION_TYPE_DEVICE)                                                             \
    VALUE(CU_MEM_ACCESS_FLAGS_PROT_READ)                                                           \
    VALUE(CU_MEM_ACCESS_FLAGS_PROT_READWRITE)                                                      \
    SIZE(cuuint64_t)                                                                               \
    SIZE(CUlaunchAttributeID)                                                                      \
    SIZE(CUlaunchAttributeValue)                                                                   \
    SIZE(CUlaunchAttribute)                                                                        \
    SIZE(CUlaunchConfig)                                                                           \
    SIZE(CUtexObject)                                                                              \
    SIZE(CUDA_ARRAY3D_DESCRIPTOR)                                                                  \
    OFFSET(CUDA_ARRAY3D_DESCRIPTOR, Depth)                                                         \
    OFFSET(CUDA_ARRAY3D_DESCRIPTOR, Format)                                                        \
    OFFSET(CUDA_ARRAY3D_DESCRIPTOR, NumChannels)                                                   \
    OFFSET(CUDA_ARRAY3D_DESCRIPTOR, Flags)                                                         \
    VALUE(CUDA_ARRAY3D_LAYERED)                                                                    \
    SIZE(CUDA_MEMCPY3D)                                                                            \
    OFFSET(CUDA_MEMCPY3D, srcDevice)                                                               \
    OFFSET(CUDA_MEMCPY3D, srcPitch)                                                                \
    OFFSET(CUDA_MEMCPY3D, srcHeight)                                                               \
    OFFSET(CUDA_MEMCPY3D, dstArray)                                                                \
    OFFSET(CUDA_MEMCPY3D, WidthInBytes)                                                            \
    OFFSET(CUDA_MEMCPY3D, Depth)                                                                   \
    VALUE(CU_MEMORYTYPE_ARRAY)                                                                     \
    VALUE(CU_RESOURCE_TYPE_ARRAY)                                                                  \
    OFFSET(CUDA_RESOURCE_DESC, res.array.hArray)                                                   \
    SIZE(CUDA_RESOURCE_DESC)                                                                       \
    OFFSET(CUDA_RESOURCE_DESC, res.linear.devPtr)                                                  \
    OFFSET(CUDA_RESOURCE_DESC, res.linear.format)                                                  \
    OFFSET(CUDA_RESOURCE_DESC, res.linear.numChannels)                                             \
    OFFSET(CUDA_RESOURCE_DESC, res.linear.sizeInBytes)                                             \
    OFFSET(CUDA_RESOURCE_DESC, res.pitch2D.width)                                                  \
    OFFSET(CUDA_RESOURCE_DESC, res.pitch2D.height)                                                 \
    OFFSET(CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes)                                           \
    OFFSET(CUDA_RESOURCE_DESC, flags)                                                              \
    SIZE(CUDA_TEXTURE_DESC)                                                                        \
    OFFSET(CUDA_TEXTURE_DESC, filterMode)                                                          \
    OFFSET(CUDA_TEXTURE_DESC, flags)                                                               \
    OFFSET(CUDA_TEXTURE_DESC, borderColor)                                                         \
    VALUE(CU_AD_FORMAT_UNSIGNED_INT8)                                                              \
    VALUE(CU_AD_FORMAT_UNSIGNED_INT16)                                                             \
    VALUE(CU_AD_FORMAT_UNSIGNED_INT32)                                                             \
    VALUE(CU_AD_FORMAT_SIGNED_INT8)                                                                \
    VALUE(CU_AD_FORMAT_SIGNED_INT16)                                                               \
    VALUE(CU_AD_FORMAT_SIGNED_INT32)                                                               \
    VALUE(CU_AD_FORMAT_HALF)                                                                       \
    VALUE(CU_AD_FORMAT_FLOAT)                                                                      \
    VALUE(CU_RESOURCE_TYPE_LINEAR)                                                                 \
    VALUE(CU_RESOURCE_TYPE_PITCH2D)                                                                \
    VALUE(CU_TR_ADDRESS_MODE_WRAP)                                                                 \
    VALUE(CU_TR_ADDRESS_MODE_CLAMP)                                                                \
    VALUE(CU_TR_ADDRESS_MODE_MIRROR)                                                               \
    VALUE(CU_TR_ADDRESS_MODE_BORDER)                                                               \
    VALUE(CU_TR_FILTER_MODE_POINT)                                                                 \
    VALUE(CU_TR_FILTER_MODE_LINEAR)                                                                \
    VALUE(CU_TRSF_READ_AS_INTEGER)                                                                 \
    VALUE(CU_TRSF_NORMALIZED_COORDINATES)                                                          \
    OFFSET(CUlaunchAttribute, id)                                                                  \
    OFFSET(CUlaunchAttribute, value)                                                               \
    OFFSET(CUlaunchAttributeValue, clusterDim.x)                                                   \
    OFFSET(CUlaunchAttributeValue, clusterDim.y)                                                   \
    OFFSET(CUlaunchAttributeValue, clusterDim.z)                                                   \
    OFFSET(CUlaunchAttributeValue, sharedMemCarveout)                                              \
    OFFSET(CUlaunchConfig, gridDimX)                                                               \
    OFFSET(CUlaunchConfig, blockDimX)                                                              \
    OFFSET(CUlaunchConfig, sharedMemBytes)                                                         \
    OFFSET(CUlaunchConfig, hStream)                                                                \
    OFFSET(CUlaunchConfig, attrs)                                                                  \
    OFFSET(CUlaunchConfig, numAttrs)                                                               \
    VALUE(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)                                                \
    VALUE(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)                                                   \
    VALUE(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)                                   \
    VALUE(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)                                    \
    VALUE(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)                                                 \
    VALUE(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)                                                     \
    VALUE(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)                                                      \
    VALUE(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)                                                      \
    VALUE(CU_FUNC_ATTRIBUTE_NUM_REGS)                                                              \
    VALUE(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)                                         \
    VALUE(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)                                      \
    VALUE(CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)                                  \
    VALUE(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)                                     \
    VALUE(CU_POINTER_ATTRIBUTE_MEMORY_TYPE)                                                        \
    VALUE(CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE)                                         \
    VALUE(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)                                                   \
    VALUE(CU_POINTER_ATTRIBUTE_RANGE_SIZE)                                                         \
    VALUE(CU_LIMIT_PERSISTING_L2_CACHE_SIZE)                                                       \
    VALUE(CU_JIT_ERROR_LOG_BUFFER)                                                                 \
    VALUE(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)                                                      \
    VALUE(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT)                                              \
    VALUE(CU_CTX_SCHED_SPIN)                                                                       \
    VALUE(CU_STREAM_NON_BLOCKING)                                                                  \
    VALUE(CU_EVENT_DISABLE_TIMING)                                                                 \
    VALUE(CU_EVENT_INTERPROCESS)                                                                   \
    VALUE(CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)                                                      \
    VALUE(CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)                                                       \
    VALUE(CU_GRAPH_USER_OBJECT_MOVE)                                                               \
    VALUE(CU_STREAM_CAPTURE_STATUS_INVALIDATED)                                                    \
    VALUE(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)                                                     \
    VALUE(CU_STREAM_CAPTURE_MODE_RELAXED)

/* The rows from cuda.h, if the compiler found cuda.h. */
extern const cuda_layout_row cuda_layout[];
/* Returns the value in cuda.h of a result code or device attribute; -1 if the name is unknown. */
long long cuda_code(const char *name);
