/* Reads clocks, throttling, energy, and other processes from NVML, which dlopen() loads. Without
 * NVML, or for an emulated device, functions do not fail, and all values are zero. */
#pragma once

#include "base/status.h"

#include <sys/types.h>

typedef struct gt_nvml gt_nvml; /* NVML's handle, never freed */

/* Returns the handle of the GPU with this UUID, or NULL if NVML has no such GPU. Thread-safe. */
gt_nvml *gt_nvml_open(const char *uuid);

/* Returns the number of GPUs that CUDA lists if no environment variable hides any. Returns 0 if it
 * is unknown, because this process may not use all GPUs, or because a GPU is partitioned (MIG). */
uint32_t gt_nvml_count(void);

typedef struct gt_nvml_state {
    uint32_t sm_clock_mhz, memory_clock_mhz;
    uint64_t throttle;
    /* true if lowered clocks spoil measurements. Causes: hardware slowdown, software or hardware
     * thermal limit, power brake. */
    bool spoils;
} gt_nvml_state;
void gt_nvml_read(gt_nvml_state *out, gt_nvml *nvml);

/* Process name of a worker that is not using the GPU at present. */
#define GT_NVML_WAITING "gputune-waits"

typedef struct gt_nvml_users {
    uint32_t others; /* number of other processes */
    uint32_t one;    /* pid of one of them; 0: unknown */
} gt_nvml_users;
/* Counts the processes with a context on the GPU. Does not count this process, `friend` (a pid; 0:
 * none), or the workers of either, because a killed worker keeps its context for a moment, and the
 * worker of a background tuning is paused. A worker named GT_NVML_WAITING is never counted. If NVML
 * uses another pid namespace (in a container), this process and `friend` are assumed to be in its
 * list. Slower than gt_nvml_read(). */
void gt_nvml_read_users(gt_nvml_users *out, gt_nvml *nvml, pid_t friend);
/* Gets the percentage of time in which the GPU ran a kernel, within the last sampling period (a
 * sixth of a second to a second). Returns false if NVML does not report it. */
bool gt_nvml_busy_percent(uint32_t *out, gt_nvml *nvml);
/* Gets the energy in millijoules since the driver was loaded. Returns false without a counter. */
bool gt_nvml_energy_mj(uint64_t *out, gt_nvml *nvml);

typedef enum gt_compute_mode {
    GT_COMPUTE_SHARED = 0,
    GT_COMPUTE_PROHIBITED = 2,
    GT_COMPUTE_EXCLUSIVE = 3 /* only one process at a time may use the GPU */
} gt_compute_mode;
typedef enum gt_switch { GT_UNKNOWN, GT_OFF, GT_ON } gt_switch;
typedef struct gt_nvml_setup {
    gt_switch persistence, ecc, mig;
    gt_compute_mode mode;        /* GT_COMPUTE_SHARED if the mode is unknown */
    uint64_t uncorrected_errors; /* uncorrected memory errors since the driver was loaded */
    uint32_t most_sm_mhz, most_memory_mhz, celsius; /* 0: unknown */
} gt_nvml_setup;
void gt_nvml_read_setup(gt_nvml_setup *out, gt_nvml *nvml);
