/* Watches the GPU's clocks, throttling and other users through NVML, on a separate thread, because
 * a call of NVML can take longer than a sample. */
#pragma once

#include "farm/job.h"

typedef struct gt_monitor gt_monitor;

/* Watches the GPU with this UUID. Returns NULL on failure; the functions below accept NULL. */
gt_monitor *gt_monitor_start(const char *uuid);
void gt_monitor_stop(gt_monitor *monitor);
void gt_monitor_begin(gt_monitor *monitor);
/* Writes to *out the latest clock rate, other users (except the host application), and whether
 * times since gt_monitor_begin() are invalid. */
void gt_monitor_end(gt_monitor *monitor, gt_sampled *out);
/* Waits until NVML is open. Gets the millijoules used so far; returns false without a counter. */
bool gt_monitor_energy_mj(uint64_t *out, gt_monitor *monitor);
