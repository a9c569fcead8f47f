/* What disturbed the measurements: other users of the GPU, clocks that were held back. */
#pragma once

#include "base/log.h"
#include "farm/job.h"

/* {0}: nothing so far. */
typedef struct gt_disturbance {
    bool noisy;       /* the results are to be marked */
    bool named;       /* another user of the GPU was */
    uint32_t spoiled; /* rounds repeated in a row */
} gt_disturbance;

/* Notes a round. True: it is spoiled, and must be repeated. After three repetitions it counts as it
 * is, and the result is noisy. The first other user of the GPU is named in a warning. */
bool gt_disturbance_note(gt_disturbance *disturbance, const gt_sampled *sampled, const gt_log *log);
