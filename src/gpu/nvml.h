/* NVML by dlopen: clocks, throttle reasons, energy, other processes. NVML is optional: without it,
 * or with an emulated device, every reading is zero and no function fails. */
#pragma once

#include "base/status.h"

#include <sys/types.h>

typedef struct gt_nvml gt_nvml; /* NVML's own, which lives for ever */

/* The handle for the GPU with this UUID, or NULL when NVML has none. Thread-safe. */
gt_nvml *gt_nvml_open(const char *uuid);

/* How many GPUs CUDA shows if no environment variable hides one. 0: NVML does not tell, because
 * this process may not use one of the GPUs, or because CUDA shows parts of a GPU instead (MIG). */
uint32_t gt_nvml_count(void);

typedef struct gt_nvml_state {
    uint32_t sm_clock_mhz, memory_clock_mhz;
    uint64_t throttle;
    bool spoils; /* the clocks are lowered in a way that spoils measurements: hardware slowdown,
                    software or hardware thermal limit, power brake */
} gt_nvml_state;
void gt_nvml_read(gt_nvml_state *out, gt_nvml *nvml);

/* What a worker calls its process while it is asked for nothing that the GPU computes. */
#define GT_NVML_WAITING "gputune-waits"

typedef struct gt_nvml_users {
    uint32_t others, one; /* how many other processes, and the number of one of them */
} gt_nvml_users;
/* Counts the processes with a context on the GPU, other than this one, `friend` (a process number;
 * 0: none), and the workers of both. Workers do not count because a killed one keeps its context
 * for a moment, and one of a tuning in the background does not measure meanwhile. A worker of any
 * process does not count while it calls itself GT_NVML_WAITING. Where NVML numbers processes in
 * another way (in a container), this process and `friend` are taken to be among those listed.
 * Slower than gt_nvml_read(). */
void gt_nvml_read_users(gt_nvml_users *out, gt_nvml *nvml, pid_t friend);
/* Sets *out to the percentage of the last second, or sixth of a second, in which the GPU ran a
 * kernel of any process. False when not available. */
bool gt_nvml_busy_percent(uint32_t *out, gt_nvml *nvml);
/* Sets *out to the energy in millijoules that the GPU has used since the driver was loaded. False
 * when not available. */
bool gt_nvml_energy_mj(uint64_t *out, gt_nvml *nvml);

typedef enum gt_compute_mode {
    GT_COMPUTE_SHARED = 0,
    GT_COMPUTE_PROHIBITED = 2,
    GT_COMPUTE_EXCLUSIVE = 3 /* one process at a time */
} gt_compute_mode;
typedef enum gt_switch { GT_UNKNOWN, GT_OFF, GT_ON } gt_switch;
/* How the GPU is set up. */
typedef struct gt_nvml_setup {
    gt_switch persistence, ecc, mig;
    gt_compute_mode mode;        /* GT_COMPUTE_SHARED where it is not known */
    uint64_t uncorrected_errors; /* uncorrected memory errors since the driver was loaded */
    uint32_t most_sm_mhz, most_memory_mhz, celsius; /* 0: not known */
} gt_nvml_setup;
void gt_nvml_read_setup(gt_nvml_setup *out, gt_nvml *nvml);
