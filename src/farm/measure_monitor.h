/* Watches the GPU's clocks, throttle reasons and other users through NVML. A thread of its own
 * makes the calls of NVML, which can take longer than a sample. */
#pragma once

#include "farm/job.h"

typedef struct gt_monitor gt_monitor;

/* Starts to watch the GPU of that UUID. NULL if no thread or memory can be had; all functions below
 * take such a NULL monitor, and then report nothing: *out stays as it is. */
gt_monitor *gt_monitor_start(const char *uuid);
/* Ends the thread, and frees the monitor. */
void gt_monitor_stop(gt_monitor *monitor);
/* Begins a round: forgets what was seen before. */
void gt_monitor_begin(gt_monitor *monitor);
/* Ends a round. Writes to *out the latest clocks, and the throttle reasons and `spoiled` as seen
 * since gt_monitor_begin(). `noisy` and `other` are of the latest look at the GPU's processes. The
 * process of the host application is no other user. */
void gt_monitor_end(gt_monitor *monitor, gt_sampled *out);
/* Waits until NVML is open, and reads it now. The round's end then tells what it showed. */
void gt_monitor_look(gt_monitor *monitor);
/* Reads the energy that the GPU has used so far, in millijoules. Waits until NVML is open. False
 * without NVML. */
bool gt_monitor_energy_mj(uint64_t *out, gt_monitor *monitor);
