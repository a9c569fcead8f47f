/* Reads clocks, throttling, energy and other processes from NVML, which is loaded with dlopen(). If
 * there is no NVML or the device is emulated, nothing fails and all values are 0. */
#pragma once

#include "base/status.h"

#include <sys/types.h>

typedef struct gt_nvml gt_nvml; /* handle of a GPU in NVML, never freed */

/* Returns the handle of the GPU with this UUID, or NULL if NVML does not know it. Thread-safe. */
gt_nvml *gt_nvml_open(const char *uuid);

/* Returns the number of GPUs that CUDA lists when no environment variable hides a GPU. Returns 0 if
 * the number is unknown: some GPU is partitioned (MIG), or may not be used by this process. */
uint32_t gt_nvml_count(void);

typedef struct gt_nvml_state {
    uint32_t sm_clock_mhz, memory_clock_mhz;
    uint64_t throttle;
    /* True if times are not comparable, because a hardware slowdown, a thermal limit of software or
     * hardware, or a power brake has lowered the clocks. */
    bool spoils;
} gt_nvml_state;
void gt_nvml_read(gt_nvml_state *out, gt_nvml *nvml);

/* The name of a worker process while it is not using the GPU. */
#define GT_NVML_WAITING "gputune-waits"

typedef struct gt_nvml_users {
    uint32_t others; /* number of other processes */
    uint32_t one;    /* pid of one of them, or 0 if it is unknown */
} gt_nvml_users;
/* Counts the processes with a context on the GPU, except for this process, `friend` (a pid or 0),
 * and their workers. Workers are not counted because a killed worker keeps its context for a
 * moment, and the worker of a background tuning is paused. A worker with the name GT_NVML_WAITING
 * is never counted. In a container, the pids of NVML may be from another namespace. This process
 * and `friend` are then assumed to be among them. Slower than gt_nvml_read(). */
void gt_nvml_read_users(gt_nvml_users *out, gt_nvml *nvml, pid_t friend);
/* Returns in *out the percentage of the last sampling period (1/6 s to 1 s) during which the GPU
 * ran a kernel. Returns false if NVML does not report it. */
bool gt_nvml_busy_percent(uint32_t *out, gt_nvml *nvml);
/* Returns in *out the energy in mJ used since the driver was loaded. Returns false if the GPU does
 * not count its energy. */
bool gt_nvml_energy_mj(uint64_t *out, gt_nvml *nvml);

typedef enum gt_compute_mode {
    GT_COMPUTE_SHARED = 0,
    GT_COMPUTE_PROHIBITED = 2,
    GT_COMPUTE_EXCLUSIVE = 3 /* only one process can use the GPU */
} gt_compute_mode;
typedef enum gt_switch { GT_UNKNOWN, GT_OFF, GT_ON } gt_switch;
typedef struct gt_nvml_setup {
    gt_switch persistence, ecc, mig;
    gt_compute_mode mode;        /* compute mode; GT_COMPUTE_SHARED if unknown */
    uint64_t uncorrected_errors; /* uncorrected memory errors since the driver was loaded */
    uint32_t most_sm_mhz, most_memory_mhz, celsius; /* 0: unknown */
} gt_nvml_setup;
void gt_nvml_read_setup(gt_nvml_setup *out, gt_nvml *nvml);
