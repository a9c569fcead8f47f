/* Watches the GPU's clocks, throttle reasons and other users through NVML on a thread of its own,
 * because those calls can take longer than a sample. */
#pragma once

#include "farm/job.h"

typedef struct gt_monitor gt_monitor;

/* Starts watching the GPU of that UUID; NULL where threads or memory are short: then nothing is
 * known and nothing fails. */
gt_monitor *gt_monitor_start(const char *uuid);
void gt_monitor_stop(gt_monitor *monitor);
/* Forgets what was seen: a round begins. */
void gt_monitor_begin(gt_monitor *monitor);
/* What was seen since then: the latest clocks, throttle reasons, spoiled. From the latest look at
 * the GPU's processes: whether others than the host application use it (noisy), and which. */
void gt_monitor_end(gt_monitor *monitor, gt_sampled *out);
/* The same from one look now, without a thread; zeros without NVML. */
void gt_monitor_look(gt_sampled *out, const char *uuid);
/* Total energy in millijoules; false without NVML. Waits for NVML to be open. */
bool gt_monitor_energy_mj(uint64_t *out, gt_monitor *monitor);
