/* Watches throttling and other users of the GPU through NVML. This is done on a separate thread,
 * because a call of NVML may take longer than a sample. */
#pragma once

#include "farm/job.h"

typedef struct gt_monitor gt_monitor;

/* Starts to watch the GPU with this UUID. Returns NULL on failure, which the functions below
 * accept. */
gt_monitor *gt_monitor_start(const char *uuid);
void gt_monitor_stop(gt_monitor *monitor);
void gt_monitor_begin(gt_monitor *monitor);
/* Sets out->noisy and out->other according to other users of the GPU, and out->spoiled to true if
 * times since gt_monitor_begin() are invalid. */
void gt_monitor_end(gt_monitor *monitor, gt_sampled *out);
/* Waits until NVML is open, and reads the millijoules used so far. Returns false if NVML is not
 * available or there is no counter. */
bool gt_monitor_energy_mj(uint64_t *out, gt_monitor *monitor);
