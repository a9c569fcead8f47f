/* The functions of the CUDA driver that gputune uses: X(member, symbol, version, need, parameters).
 * `symbol` and `version` are arguments of cuGetProcAddress_v2. `version` is the CUDA version that
 * introduced this ABI (cudaTypedefs.h), because older drivers reject newer versions. `need` is
 * REQUIRED or OPTIONAL; an optional member may be NULL. All functions return CUresult. */
#pragma once

#define GT_DRIVER_LIST(X)                                                                          \
    X(Init, cuInit, 2000, REQUIRED, (unsigned int flags))                                          \
    X(GetErrorName, cuGetErrorName, 6000, REQUIRED, (CUresult error, const char **name))           \
    X(GetErrorString, cuGetErrorString, 6000, REQUIRED, (CUresult error, const char **text))       \
    GT_DRIVER_LIST_DEVICE(X)                                                                       \
    GT_DRIVER_LIST_MODULE(X)                                                                       \
    GT_DRIVER_LIST_MEMORY(X)                                                                       \
    GT_DRIVER_LIST_STREAM(X)                                                                       \
    GT_DRIVER_LIST_GRAPH(X)

#define GT_DRIVER_LIST_DEVICE(X)                                                                   \
    X(DeviceGet, cuDeviceGet, 2000, REQUIRED, (CUdevice * device, int ordinal))                    \
    X(DeviceGetCount, cuDeviceGetCount, 2000, REQUIRED, (int *count))                              \
    X(DeviceGetName, cuDeviceGetName, 2000, REQUIRED, (char *name, int bytes, CUdevice device))    \
    X(DeviceTotalMem, cuDeviceTotalMem, 3020, REQUIRED, (size_t * bytes, CUdevice device))         \
    X(DeviceGetAttribute, cuDeviceGetAttribute, 2000, REQUIRED,                                    \
      (int *value, CUdevice_attribute attribute, CUdevice device))                                 \
    X(DeviceGetUuid, cuDeviceGetUuid, 11040, REQUIRED, (CUuuid * uuid, CUdevice device))           \
    X(DevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 7000, REQUIRED,                            \
      (CUcontext * context, CUdevice device))                                                      \
    X(DevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease, 11000, REQUIRED, (CUdevice device))      \
    X(DevicePrimaryCtxReset, cuDevicePrimaryCtxReset, 11000, OPTIONAL, (CUdevice device))          \
    X(DevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags, 11000, REQUIRED,                       \
      (CUdevice device, unsigned int flags))                                                       \
    X(CtxGetCurrent, cuCtxGetCurrent, 4000, REQUIRED, (CUcontext * context))                       \
    X(CtxSetCurrent, cuCtxSetCurrent, 4000, REQUIRED, (CUcontext context))                         \
    X(CtxPushCurrent, cuCtxPushCurrent, 4000, REQUIRED, (CUcontext context))                       \
    X(CtxPopCurrent, cuCtxPopCurrent, 4000, REQUIRED, (CUcontext * context))                       \
    X(CtxGetDevice, cuCtxGetDevice, 2000, REQUIRED, (CUdevice * device))                           \
    X(CtxSynchronize, cuCtxSynchronize, 2000, REQUIRED, (void))                                    \
    X(CtxGetId, cuCtxGetId, 12000, OPTIONAL, (CUcontext context, unsigned long long *id))          \
    X(CtxGetLimit, cuCtxGetLimit, 3010, REQUIRED, (size_t * value, CUlimit limit))                 \
    X(CtxSetLimit, cuCtxSetLimit, 3010, REQUIRED, (CUlimit limit, size_t value))                   \
    X(CtxResetPersistingL2Cache, cuCtxResetPersistingL2Cache, 11000, REQUIRED, (void))

#define GT_DRIVER_LIST_MODULE(X)                                                                   \
    X(ModuleLoadData, cuModuleLoadData, 2000, REQUIRED, (CUmodule * module, const void *image))    \
    X(ModuleLoadDataEx, cuModuleLoadDataEx, 2010, REQUIRED,                                        \
      (CUmodule * module, const void *image, unsigned int count, CUjit_option *options,            \
       void **values))                                                                             \
    X(ModuleUnload, cuModuleUnload, 2000, REQUIRED, (CUmodule module))                             \
    X(ModuleGetFunction, cuModuleGetFunction, 2000, REQUIRED,                                      \
      (CUfunction * function, CUmodule module, const char *name))                                  \
    X(ModuleGetGlobal, cuModuleGetGlobal, 3020, REQUIRED,                                          \
      (CUdeviceptr * address, size_t * bytes, CUmodule module, const char *name))                  \
    X(FuncGetAttribute, cuFuncGetAttribute, 2020, REQUIRED,                                        \
      (int *value, CUfunction_attribute attribute, CUfunction function))                           \
    X(FuncSetAttribute, cuFuncSetAttribute, 9000, REQUIRED,                                        \
      (CUfunction function, CUfunction_attribute attribute, int value))                            \
    X(FuncLoad, cuFuncLoad, 12040, OPTIONAL, (CUfunction function))                                \
    X(FuncGetParamInfo, cuFuncGetParamInfo, 12040, OPTIONAL,                                       \
      (CUfunction function, size_t index, size_t * offset, size_t * bytes))                        \
    X(LaunchKernel, cuLaunchKernel, 4000, REQUIRED,                                                \
      (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,         \
       unsigned int block_x, unsigned int block_y, unsigned int block_z,                           \
       unsigned int shared_bytes, CUstream stream, void **parameters, void **extra))               \
    X(LaunchKernelEx, cuLaunchKernelEx, 11060, REQUIRED,                                           \
      (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra))        \
    X(OccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor,      \
      6050, REQUIRED, (int *blocks, CUfunction function, int threads, size_t shared_bytes))        \
    X(OccupancyMaxActiveClusters, cuOccupancyMaxActiveClusters, 11070, REQUIRED,                   \
      (int *clusters, CUfunction function, const CUlaunchConfig *config))

#define GT_DRIVER_LIST_MEMORY(X)                                                                   \
    X(MemGetInfo, cuMemGetInfo, 3020, REQUIRED, (size_t * free_bytes, size_t * total_bytes))       \
    X(MemAlloc, cuMemAlloc, 3020, REQUIRED, (CUdeviceptr * address, size_t bytes))                 \
    X(MemFree, cuMemFree, 3020, REQUIRED, (CUdeviceptr address))                                   \
    X(MemAllocHost, cuMemAllocHost, 3020, REQUIRED, (void **host, size_t bytes))                   \
    X(MemFreeHost, cuMemFreeHost, 2000, REQUIRED, (void *host))                                    \
    X(MemGetAddressRange, cuMemGetAddressRange, 3020, REQUIRED,                                    \
      (CUdeviceptr * base, size_t * bytes, CUdeviceptr address))                                   \
    X(PointerGetAttribute, cuPointerGetAttribute, 4000, REQUIRED,                                  \
      (void *value, CUpointer_attribute attribute, CUdeviceptr address))                           \
    X(MemcpyHtoD, cuMemcpyHtoD, 3020, REQUIRED, (CUdeviceptr to, const void *from, size_t bytes))  \
    X(MemcpyDtoH, cuMemcpyDtoH, 3020, REQUIRED, (void *to, CUdeviceptr from, size_t bytes))        \
    X(MemcpyHtoDAsync, cuMemcpyHtoDAsync, 3020, REQUIRED,                                          \
      (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))                           \
    X(MemcpyDtoHAsync, cuMemcpyDtoHAsync, 3020, REQUIRED,                                          \
      (void *to, CUdeviceptr from, size_t bytes, CUstream stream))                                 \
    X(MemcpyDtoDAsync, cuMemcpyDtoDAsync, 3020, REQUIRED,                                          \
      (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                           \
    X(Memcpy3DAsync, cuMemcpy3DAsync, 3020, REQUIRED,                                              \
      (const CUDA_MEMCPY3D *copy, CUstream stream))                                                \
    X(Array3DCreate, cuArray3DCreate, 3020, REQUIRED,                                              \
      (CUarray * array, const CUDA_ARRAY3D_DESCRIPTOR *description))                               \
    X(ArrayDestroy, cuArrayDestroy, 2000, REQUIRED, (CUarray array))                               \
    X(MemsetD8, cuMemsetD8, 3020, REQUIRED, (CUdeviceptr to, unsigned char value, size_t count))   \
    X(MemsetD32, cuMemsetD32, 3020, REQUIRED, (CUdeviceptr to, unsigned int value, size_t count))  \
    X(MemsetD8Async, cuMemsetD8Async, 3020, REQUIRED,                                              \
      (CUdeviceptr to, unsigned char value, size_t count, CUstream stream))                        \
    X(MemsetD32Async, cuMemsetD32Async, 3020, REQUIRED,                                            \
      (CUdeviceptr to, unsigned int value, size_t count, CUstream stream))                         \
    X(IpcGetMemHandle, cuIpcGetMemHandle, 4010, REQUIRED,                                          \
      (CUipcMemHandle * handle, CUdeviceptr address))                                              \
    X(IpcOpenMemHandle, cuIpcOpenMemHandle, 11000, REQUIRED,                                       \
      (CUdeviceptr * address, CUipcMemHandle handle, unsigned int flags))                          \
    X(IpcCloseMemHandle, cuIpcCloseMemHandle, 4010, REQUIRED, (CUdeviceptr address))               \
    X(MemGetAllocationGranularity, cuMemGetAllocationGranularity, 10020, OPTIONAL,                 \
      (size_t * bytes, const CUmemAllocationProp *properties, int flags))                          \
    X(MemCreate, cuMemCreate, 10020, OPTIONAL,                                                     \
      (CUmemGenericAllocationHandle * handle, size_t bytes, const CUmemAllocationProp *properties, \
       unsigned long long flags))                                                                  \
    X(MemRelease, cuMemRelease, 10020, OPTIONAL, (CUmemGenericAllocationHandle handle))            \
    X(MemAddressReserve, cuMemAddressReserve, 10020, OPTIONAL,                                     \
      (CUdeviceptr * address, size_t bytes, size_t alignment, CUdeviceptr wanted,                  \
       unsigned long long flags))                                                                  \
    X(MemAddressFree, cuMemAddressFree, 10020, OPTIONAL, (CUdeviceptr address, size_t bytes))      \
    X(MemMap, cuMemMap, 10020, OPTIONAL,                                                           \
      (CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,      \
       unsigned long long flags))                                                                  \
    X(MemUnmap, cuMemUnmap, 10020, OPTIONAL, (CUdeviceptr address, size_t bytes))                  \
    X(MemSetAccess, cuMemSetAccess, 10020, OPTIONAL,                                               \
      (CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access, size_t count))

#define GT_DRIVER_LIST_STREAM(X)                                                                   \
    X(StreamCreate, cuStreamCreate, 2000, REQUIRED, (CUstream * stream, unsigned int flags))       \
    X(StreamCreateWithPriority, cuStreamCreateWithPriority, 5050, OPTIONAL,                        \
      (CUstream * stream, unsigned int flags, int priority))                                       \
    X(StreamDestroy, cuStreamDestroy, 4000, REQUIRED, (CUstream stream))                           \
    X(StreamSynchronize, cuStreamSynchronize, 2000, REQUIRED, (CUstream stream))                   \
    X(StreamQuery, cuStreamQuery, 2000, REQUIRED, (CUstream stream))                               \
    X(StreamWaitEvent, cuStreamWaitEvent, 3020, REQUIRED,                                          \
      (CUstream stream, CUevent event, unsigned int flags))                                        \
    X(StreamGetId, cuStreamGetId, 12000, REQUIRED, (CUstream stream, unsigned long long *id))      \
    X(StreamIsCapturing, cuStreamIsCapturing, 10000, REQUIRED,                                     \
      (CUstream stream, CUstreamCaptureStatus * status))                                           \
    X(StreamBeginCapture, cuStreamBeginCapture, 10010, REQUIRED,                                   \
      (CUstream stream, CUstreamCaptureMode mode))                                                 \
    X(StreamEndCapture, cuStreamEndCapture, 10000, REQUIRED, (CUstream stream, CUgraph * graph))   \
    X(StreamGetCaptureInfo, cuStreamGetCaptureInfo, 11030, REQUIRED,                               \
      (CUstream stream, CUstreamCaptureStatus * status, cuuint64_t * id, CUgraph * graph,          \
       const CUgraphNode **dependencies, size_t *dependency_count))                                \
    X(ThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, 10010, REQUIRED,         \
      (CUstreamCaptureMode * mode))                                                                \
    X(EventCreate, cuEventCreate, 2000, REQUIRED, (CUevent * event, unsigned int flags))           \
    X(EventRecord, cuEventRecord, 2000, REQUIRED, (CUevent event, CUstream stream))                \
    X(EventQuery, cuEventQuery, 2000, REQUIRED, (CUevent event))                                   \
    X(EventSynchronize, cuEventSynchronize, 2000, REQUIRED, (CUevent event))                       \
    X(EventElapsedTime, cuEventElapsedTime, 2000, REQUIRED,                                        \
      (float *milliseconds, CUevent start, CUevent end))                                           \
    X(EventDestroy, cuEventDestroy, 4000, REQUIRED, (CUevent event))

#define GT_DRIVER_LIST_GRAPH(X)                                                                    \
    X(GraphInstantiateWithFlags, cuGraphInstantiateWithFlags, 11040, REQUIRED,                     \
      (CUgraphExec * exec, CUgraph graph, unsigned long long flags))                               \
    X(GraphUpload, cuGraphUpload, 11010, OPTIONAL, (CUgraphExec exec, CUstream stream))            \
    X(TensorMapEncodeTiled, cuTensorMapEncodeTiled, 12000, REQUIRED,                               \
      (CUtensorMap * map, int type, cuuint32_t rank, void *address, const cuuint64_t *sizes,       \
       const cuuint64_t *strides, const cuuint32_t *box, const cuuint32_t *element_strides,        \
       int interleave, int swizzle, int l2_promotion, int fill))                                   \
    X(TexObjectCreate, cuTexObjectCreate, 5000, REQUIRED,                                          \
      (CUtexObject * object, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture, \
       const CUDA_RESOURCE_VIEW_DESC *view))                                                       \
    X(TexObjectDestroy, cuTexObjectDestroy, 5000, REQUIRED, (CUtexObject object))                  \
    X(GraphLaunch, cuGraphLaunch, 10000, REQUIRED, (CUgraphExec exec, CUstream stream))            \
    X(GraphExecDestroy, cuGraphExecDestroy, 10000, REQUIRED, (CUgraphExec exec))                   \
    X(GraphDestroy, cuGraphDestroy, 10000, REQUIRED, (CUgraph graph))                              \
    X(UserObjectCreate, cuUserObjectCreate, 11030, REQUIRED,                                       \
      (CUuserObject * object, void *pointer, CUhostFn destroy, unsigned int references,            \
       unsigned int flags))                                                                        \
    X(UserObjectRelease, cuUserObjectRelease, 11030, REQUIRED,                                     \
      (CUuserObject object, unsigned int count))                                                   \
    X(GraphRetainUserObject, cuGraphRetainUserObject, 11030, REQUIRED,                             \
      (CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags))

/* Functions that only the emulator has (src/emulator/extensions.h), as Y(member, symbol, return
 * type, parameters). With a real driver, these members are NULL. */
#define GT_EMULATOR_LIST(Y)                                                                        \
    Y(EmuProfileName, emuProfileName, const char *, (CUdevice device))                             \
    Y(EmuModelVersion, emuModelVersion, int, (void))                                               \
    Y(EmuSelectProfile, emuSelectProfile, CUresult, (const char *name))                            \
    Y(EmuModelledTimeNs, emuModelledTimeNs, CUresult, (double *host_ns))                           \
    Y(EmuNameMemory, emuNameMemory, CUresult, (CUdeviceptr address, const char *name))             \
    Y(EmuViewMemory, emuViewMemory, CUresult, (CUdeviceptr * view, CUdeviceptr address))           \
    Y(EmuCheckBegin, emuCheckBegin, CUresult, (void))                                              \
    Y(EmuCheckEnd, emuCheckEnd, const char *, (void))                                              \
    Y(EmuCheckMemory, emuCheckMemory, CUresult,                                                    \
      (CUdeviceptr address, size_t bytes, const char *name, unsigned element_bytes,                \
       unsigned flags))                                                                            \
    Y(EmuSetFaults, emuSetFaults, CUresult, (const char *script))                                  \
    Y(EmuLastMessage, emuLastMessage, const char *, (void))
