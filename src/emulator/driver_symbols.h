/* Every call of the CUDA driver that the emulator answers: X(plain name, driver version that
 * brought this form of it, exported symbol). The versions are those of cudaTypedefs.h. A name with
 * several forms has a row for each, oldest first. A form may be left out only if a newer one is
 * here: who asks for a newer form would get an older one. */
#ifndef EMU_DRIVER_SYMBOLS_H
#define EMU_DRIVER_SYMBOLS_H

/* clang-format off */
#define EMU_SYMBOL_LIST(X) \
    X(cuCtxCreate, 3020, cuCtxCreate_v2) \
    X(cuCtxCreate, 11040, cuCtxCreate_v3) \
    X(cuCtxCreate, 12050, cuCtxCreate_v4) \
    X(cuCtxDestroy, 4000, cuCtxDestroy_v2) \
    X(cuCtxGetCurrent, 4000, cuCtxGetCurrent) \
    X(cuCtxGetDevice, 2000, cuCtxGetDevice) \
    X(cuCtxGetId, 12000, cuCtxGetId) \
    X(cuCtxGetLimit, 3010, cuCtxGetLimit) \
    X(cuCtxPopCurrent, 4000, cuCtxPopCurrent_v2) \
    X(cuCtxPushCurrent, 4000, cuCtxPushCurrent_v2) \
    X(cuCtxSetCurrent, 4000, cuCtxSetCurrent) \
    X(cuCtxSetLimit, 3010, cuCtxSetLimit) \
    X(cuCtxResetPersistingL2Cache, 11000, cuCtxResetPersistingL2Cache) \
    X(cuCtxSynchronize, 2000, cuCtxSynchronize) \
    X(cuDeviceGet, 2000, cuDeviceGet) \
    X(cuDeviceGetAttribute, 2000, cuDeviceGetAttribute) \
    X(cuDeviceGetCount, 2000, cuDeviceGetCount) \
    X(cuDeviceGetName, 2000, cuDeviceGetName) \
    X(cuDeviceGetPCIBusId, 4010, cuDeviceGetPCIBusId) \
    X(cuDeviceGetUuid, 11040, cuDeviceGetUuid_v2) \
    X(cuDevicePrimaryCtxGetState, 7000, cuDevicePrimaryCtxGetState) \
    X(cuDevicePrimaryCtxRelease, 11000, cuDevicePrimaryCtxRelease_v2) \
    X(cuDevicePrimaryCtxReset, 11000, cuDevicePrimaryCtxReset_v2) \
    X(cuDevicePrimaryCtxRetain, 7000, cuDevicePrimaryCtxRetain) \
    X(cuDevicePrimaryCtxSetFlags, 11000, cuDevicePrimaryCtxSetFlags_v2) \
    X(cuDeviceTotalMem, 3020, cuDeviceTotalMem_v2) \
    X(cuDriverGetVersion, 2020, cuDriverGetVersion) \
    X(cuEventCreate, 2000, cuEventCreate) \
    X(cuEventDestroy, 4000, cuEventDestroy_v2) \
    X(cuEventElapsedTime, 2000, cuEventElapsedTime_v2) \
    X(cuEventElapsedTime, 12080, cuEventElapsedTime_v2) \
    X(cuEventQuery, 2000, cuEventQuery) \
    X(cuEventRecord, 2000, cuEventRecord) \
    X(cuEventSynchronize, 2000, cuEventSynchronize) \
    X(cuFuncGetAttribute, 2020, cuFuncGetAttribute) \
    X(cuFuncGetParamInfo, 12040, cuFuncGetParamInfo) \
    X(cuFuncLoad, 12040, cuFuncLoad) \
    X(cuFuncSetAttribute, 9000, cuFuncSetAttribute) \
    X(cuGetErrorName, 6000, cuGetErrorName) \
    X(cuGetErrorString, 6000, cuGetErrorString) \
    X(cuGetProcAddress, 12000, cuGetProcAddress_v2) \
    X(cuGraphCreate, 10000, cuGraphCreate) \
    X(cuGraphDestroy, 10000, cuGraphDestroy) \
    X(cuGraphExecDestroy, 10000, cuGraphExecDestroy) \
    X(cuGraphGetNodes, 10000, cuGraphGetNodes) \
    X(cuGraphInstantiateWithFlags, 11040, cuGraphInstantiateWithFlags) \
    X(cuGraphLaunch, 10000, cuGraphLaunch) \
    X(cuGraphNodeGetType, 10000, cuGraphNodeGetType) \
    X(cuGraphRetainUserObject, 11030, cuGraphRetainUserObject) \
    X(cuGraphUpload, 11010, cuGraphUpload) \
    X(cuInit, 2000, cuInit) \
    X(cuIpcCloseMemHandle, 4010, cuIpcCloseMemHandle) \
    X(cuIpcGetMemHandle, 4010, cuIpcGetMemHandle) \
    X(cuIpcOpenMemHandle, 11000, cuIpcOpenMemHandle_v2) \
    X(cuLaunchHostFunc, 10000, cuLaunchHostFunc) \
    X(cuLaunchKernel, 4000, cuLaunchKernel) \
    X(cuLaunchKernelEx, 11060, cuLaunchKernelEx) \
    X(cuMemAlloc, 3020, cuMemAlloc_v2) \
    X(cuMemAllocAsync, 11020, cuMemAllocAsync) \
    X(cuMemAllocHost, 3020, cuMemAllocHost_v2) \
    X(cuMemFree, 3020, cuMemFree_v2) \
    X(cuMemFreeAsync, 11020, cuMemFreeAsync) \
    X(cuMemFreeHost, 2000, cuMemFreeHost) \
    X(cuMemGetAddressRange, 3020, cuMemGetAddressRange_v2) \
    X(cuMemGetInfo, 3020, cuMemGetInfo_v2) \
    X(cuMemHostAlloc, 2020, cuMemHostAlloc) \
    X(cuMemHostGetDevicePointer, 3020, cuMemHostGetDevicePointer_v2) \
    X(cuMemHostRegister, 6050, cuMemHostRegister_v2) \
    X(cuMemHostUnregister, 4000, cuMemHostUnregister) \
    X(cuMemcpyDtoD, 3020, cuMemcpyDtoD_v2) \
    X(cuMemcpyDtoDAsync, 3020, cuMemcpyDtoDAsync_v2) \
    X(cuMemcpyDtoH, 3020, cuMemcpyDtoH_v2) \
    X(cuMemcpyDtoHAsync, 3020, cuMemcpyDtoHAsync_v2) \
    X(cuMemcpyHtoD, 3020, cuMemcpyHtoD_v2) \
    X(cuMemcpyHtoDAsync, 3020, cuMemcpyHtoDAsync_v2) \
    X(cuMemsetD32, 3020, cuMemsetD32_v2) \
    X(cuMemsetD32Async, 3020, cuMemsetD32Async) \
    X(cuMemsetD8, 3020, cuMemsetD8_v2) \
    X(cuMemsetD8Async, 3020, cuMemsetD8Async) \
    X(cuModuleGetFunction, 2000, cuModuleGetFunction) \
    X(cuModuleGetGlobal, 3020, cuModuleGetGlobal_v2) \
    X(cuModuleGetLoadingMode, 11070, cuModuleGetLoadingMode) \
    X(cuModuleLoadData, 2000, cuModuleLoadData) \
    X(cuModuleLoadDataEx, 2010, cuModuleLoadDataEx) \
    X(cuModuleUnload, 2000, cuModuleUnload) \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050, cuOccupancyMaxActiveBlocksPerMultiprocessor) \
    X(cuOccupancyMaxActiveClusters, 11070, cuOccupancyMaxActiveClusters) \
    X(cuOccupancyMaxPotentialClusterSize, 11070, cuOccupancyMaxPotentialClusterSize) \
    X(cuPointerGetAttribute, 4000, cuPointerGetAttribute) \
    X(cuStreamBeginCapture, 10010, cuStreamBeginCapture_v2) \
    X(cuStreamCreate, 2000, cuStreamCreate) \
    X(cuStreamCreateWithPriority, 5050, cuStreamCreateWithPriority) \
    X(cuStreamDestroy, 4000, cuStreamDestroy_v2) \
    X(cuStreamEndCapture, 10000, cuStreamEndCapture) \
    X(cuStreamGetCaptureInfo, 11030, cuStreamGetCaptureInfo_v2) \
    X(cuStreamGetCaptureInfo, 12030, cuStreamGetCaptureInfo_v3) \
    X(cuStreamGetCtx, 9020, cuStreamGetCtx) \
    X(cuStreamGetId, 12000, cuStreamGetId) \
    X(cuStreamIsCapturing, 10000, cuStreamIsCapturing) \
    X(cuStreamQuery, 2000, cuStreamQuery) \
    X(cuStreamSynchronize, 2000, cuStreamSynchronize) \
    X(cuStreamWaitEvent, 3020, cuStreamWaitEvent) \
    X(cuTensorMapEncodeTiled, 12000, cuTensorMapEncodeTiled) \
    X(cuThreadExchangeStreamCaptureMode, 10010, cuThreadExchangeStreamCaptureMode) \
    X(cuUserObjectCreate, 11030, cuUserObjectCreate) \
    X(cuUserObjectRelease, 11030, cuUserObjectRelease)
/* clang-format on */

#endif
