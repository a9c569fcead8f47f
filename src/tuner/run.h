/* Measuring given configurations side by side, without a race: for `run` and `compare`. */
#pragma once

#include "tuner/request.h"

/* Verifies the configurations. Samples the right ones in interleaved, shuffled rounds, until their
 * intervals are narrow, the time limit has passed or the caller cancels. Then calls `each` for
 * every configuration in the given order, with a comparison with the first one (speedup: time of
 * the first over time of this). Stores only measured properties of the GPU. Fails with the first
 * failure if none is right. */
gputune_status gt_run(gt_request *request, const gt_config *configs, size_t count,
                      int (*each)(void *user, const gputune_record *record), void *user);
