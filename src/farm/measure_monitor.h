/* Watches the GPU's clocks, throttling and other users through NVML. Has a thread, because a call
 * of NVML can take longer than a sample. */
#pragma once

#include "farm/job.h"

typedef struct gt_monitor gt_monitor;

/* Starts to watch the GPU with this UUID. Returns NULL without a thread or memory; the functions
 * below ignore NULL. */
gt_monitor *gt_monitor_start(const char *uuid);
void gt_monitor_stop(gt_monitor *monitor);
void gt_monitor_begin(gt_monitor *monitor);
/* Reports in *out the latest clock rate and other users, except the host application, and whether
 * times since gt_monitor_begin() are invalid. */
void gt_monitor_end(gt_monitor *monitor, gt_sampled *out);
/* Waits until NVML is open. Gets the energy used so far, in millijoules. Returns false without an
 * energy counter. */
bool gt_monitor_energy_mj(uint64_t *out, gt_monitor *monitor);
