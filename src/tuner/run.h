/* Measuring given configurations side by side, without a race: for `run` and `compare`. */
#ifndef GT_TUNER_RUN_H
#define GT_TUNER_RUN_H

#include "tuner/request.h"

/* Verifies the configurations, samples those that are right in interleaved, shuffled rounds until
 * their intervals are narrow, the time limit passes or the caller cancels, and calls `each` for
 * every one in the given order, with a comparison with the first (speedup: first over this). Stores
 * only the GPU's facts. Fails with the first failure when none is right. */
gputune_status gt_run(gt_request *request, const gt_config *configs, size_t count,
                      int (*each)(void *user, const gputune_record *record), void *user);

#endif
