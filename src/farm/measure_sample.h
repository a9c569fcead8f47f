/* Takes samples of a variant's time or energy. The public functions are in measure.h. */
#pragma once

#include "farm/measure_state.h"

/* Takes a sample, whose length is measure->length. Sets *out to nanoseconds per launch, or for
 * energy to nanojoules. gt_sample_single() times a single launch on restored buffers. */
typedef gputune_status gt_sampler(double *out, gt_measure *measure, gt_loaded *variant);
gt_sampler gt_sample_single, gt_sample_kernel;
/* Returns EUNSUPPORTED if energy cannot be measured, as on an emulated device or without NVML. */
gputune_status gt_energy_check(gt_measure *measure);
/* Frees the graph, if any, and zeroes *replay. */
void gt_replay_free(gt_replay *replay, gt_measure *measure);
