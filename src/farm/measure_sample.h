/* Takes samples of a variant's time or energy. The public part is in measure.h. */
#pragma once

#include "farm/measure_state.h"

/* Takes a sample of measure->length, in nanoseconds per launch (for energy, nanojoules).
 * gt_sample_single() times one launch on restored buffers. */
typedef gputune_status gt_sampler(double *out, gt_measure *measure, gt_loaded *variant);
gt_sampler gt_sample_single, gt_sample_kernel;
/* Fails with EUNSUPPORTED if energy cannot be measured: on an emulated device, and without NVML. */
gputune_status gt_energy_check(gt_measure *measure);
/* Frees a graph, if there is one, and sets *replay to zeros. */
void gt_replay_free(gt_replay *replay, gt_measure *measure);
