/* A replacement for libnvidia-ml.so.1 that reports one GPU. The tests set the GPU's state. */
#include "fake_nvml.h"

#include <stdbool.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef struct process_info {
    unsigned pid;
    unsigned long long memory_bytes;
    unsigned gpu_instance, compute_instance;
} process_info;

EXPORT fake_nvml fake_nvml_state;

EXPORT int nvmlInit_v2(void)
{
    return 0;
}

EXPORT int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = 2;
    return 0;
}

EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **out)
{
    *out = (char *)&fake_nvml_state + index;
    return index < 2 ? 0 : 2; /* NVML_ERROR_INVALID_ARGUMENT */
}

EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, void **out)
{
    *out = &fake_nvml_state;
    return strcmp(uuid, "GPU-0") == 0 ? 0 : 6; /* NVML_ERROR_NOT_FOUND */
}

EXPORT int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz)
{
    (void)device;
    *mhz = type == 1 ? FAKE_SM_MHZ : FAKE_MEMORY_MHZ;
    return 0;
}

EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
    (void)device;
    *reasons = atomic_load(&fake_nvml_state.throttle);
    return 0;
}

EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count,
                                                   process_info *infos)
{
    (void)device;
    const unsigned room = *count;
    *count = atomic_load(&fake_nvml_state.process_count);
    if (*count > room) {
        return 7; /* NVML_ERROR_INSUFFICIENT_SIZE */
    }
    for (unsigned i = 0; i < *count; i++) {
        infos[i] = (process_info){.pid = atomic_load(&fake_nvml_state.pids[i])};
    }
    return 0;
}

EXPORT int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz)
{
    return nvmlDeviceGetClockInfo(device, type, mhz);
}

EXPORT int nvmlDeviceGetPersistenceMode(void *device, int *on)
{
    (void)device;
    *on = atomic_load(&fake_nvml_state.persistence);
    return 0;
}

EXPORT int nvmlDeviceGetMigMode(void *device, unsigned *on, unsigned *pending)
{
    (void)device;
    *on = *pending = (unsigned)atomic_load(&fake_nvml_state.mig);
    return *on ? 0 : 3; /* NVML_ERROR_NOT_SUPPORTED */
}

EXPORT int nvmlDeviceGetComputeMode(void *device, int *mode)
{
    (void)device;
    *mode = atomic_load(&fake_nvml_state.compute_mode);
    return 0;
}

EXPORT int nvmlDeviceGetTotalEccErrors(void *device, int type, int counter,
                                       unsigned long long *count)
{
    (void)device;
    *count = type == 1 && counter == 0 ? atomic_load(&fake_nvml_state.memory_errors) : 99;
    return 0;
}
