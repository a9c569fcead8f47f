/* Watches the GPU's clocks, throttling and other users through NVML, on a thread of its own,
 * because a call of NVML can take longer than a sample. */
#pragma once

#include "farm/job.h"

typedef struct gt_monitor gt_monitor;

/* Starts to watch the GPU with this UUID. Returns NULL without a thread or memory. The functions
 * below accept NULL, and then do nothing. */
gt_monitor *gt_monitor_start(const char *uuid);
void gt_monitor_stop(gt_monitor *monitor);
void gt_monitor_begin(gt_monitor *monitor);
/* Writes to *out the latest clock and users, and whether anything since gt_monitor_begin() spoiled
 * the times. The host application does not count as another user. */
void gt_monitor_end(gt_monitor *monitor, gt_sampled *out);
/* Waits until NVML is open, and reads the energy used so far, in millijoules. Returns false without
 * an energy counter. */
bool gt_monitor_energy_mj(uint64_t *out, gt_monitor *monitor);
