/* The state that the replacement for libnvidia-ml.so.1 reports. */
#pragma once

#include <stdatomic.h>

enum { FAKE_PROCESSES_MAX = 100, FAKE_SM_MHZ = 1980, FAKE_MEMORY_MHZ = 3201 };

typedef struct fake_nvml {
    atomic_ullong throttle;
    atomic_uint process_count, pids[FAKE_PROCESSES_MAX];
    atomic_int persistence, compute_mode, mig;
    atomic_ullong memory_errors;
} fake_nvml;
