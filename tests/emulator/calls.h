/* Declares the emulated driver's entry points under their exported names, for tests that link the
 * emulator. */
#pragma once

#include "emulator/driver_abi.h"
#include "gpu/abi_functions.h"

/* A driver exports a function under its plain name or with the suffix of a version. */
#define DECLARE(member, symbol, version, need, parameters)                                         \
    CUresult symbol parameters;                                                                    \
    CUresult symbol##_v2 parameters;
GT_DRIVER_LIST(DECLARE)
#undef DECLARE

/* Functions that gputune does not call. */
CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v3(CUcontext *out, CUexecAffinityParam *params, int count, unsigned flags,
                        CUdevice device);
CUresult cuCtxCreate_v4(CUcontext *out, CUctxCreateParams *params, unsigned flags, CUdevice device);
CUresult cuCtxDestroy_v2(CUcontext context);
CUresult cuDriverGetVersion(int *version);
CUresult cuGetProcAddress_v2(const char *name, void **out, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status);
CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags);
CUresult cuMemHostUnregister(void *pointer);
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes);
