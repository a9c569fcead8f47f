/* The CUDA driver's binary interface as its implementer sees it: gputune's own declaration of it,
 * and the few names that only a driver needs. Compiling with -DEMU_CHECK_ABI takes cuda.h 13.0
 * instead, so that the compiler compares every entry point with the original. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define EMU_EXPORT __attribute__((visibility("default")))

#ifdef EMU_CHECK_ABI
#include <cuda.h>
#else

#include "gpu/abi.h"

#define CU_LAUNCH_PARAM_END            ((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE    ((void *)0x02)

enum {
    CU_CTX_FLAGS_MASK = 0xff,
    CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
    CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
    CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
    CU_FUNC_ATTRIBUTE_MAX = CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE + 1,
    CU_LIMIT_MAX = 9
};

typedef enum CUmoduleLoadingMode {
    CU_MODULE_EAGER_LOADING = 1,
    CU_MODULE_LAZY_LOADING = 2
} CUmoduleLoadingMode;

typedef enum CUgraphNodeType {
    CU_GRAPH_NODE_TYPE_KERNEL = 0,
    CU_GRAPH_NODE_TYPE_MEMCPY = 1,
    CU_GRAPH_NODE_TYPE_MEMSET = 2,
    CU_GRAPH_NODE_TYPE_HOST = 3,
    CU_GRAPH_NODE_TYPE_GRAPH = 4,
    CU_GRAPH_NODE_TYPE_EMPTY = 5
} CUgraphNodeType;

typedef struct CUgraphEdgeData_st CUgraphEdgeData;
typedef struct CUexecAffinityParam_st CUexecAffinityParam;
typedef struct CUctxCigParam_st CUctxCigParam;
typedef struct CUctxCreateParams_st {
    CUexecAffinityParam *execAffinityParams;
    int numExecAffinityParams;
    CUctxCigParam *cigParams;
} CUctxCreateParams;

#endif
