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
    CU_FUNC_ATTRIBUTE_MAX = CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE + 1,
    CU_LIMIT_MAX = 9
};

typedef struct CUgraphEdgeData_st CUgraphEdgeData;
typedef struct CUexecAffinityParam_st CUexecAffinityParam;
typedef struct CUctxCigParam_st CUctxCigParam;
typedef struct CUctxCreateParams_st {
    CUexecAffinityParam *execAffinityParams;
    int numExecAffinityParams;
    CUctxCigParam *cigParams;
} CUctxCreateParams;

#endif
