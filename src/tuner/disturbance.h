/* Keeps track of what disturbed the measurements: other users of the GPU, clocks that were held
 * back. */
#pragma once

#include "base/log.h"
#include "farm/job.h"

/* All zero: no disturbance was seen so far. */
typedef struct gt_disturbance {
    bool noisy;       /* the results must be marked as noisy */
    bool named;       /* a warning has named another user of the GPU */
    uint32_t spoiled; /* rounds repeated in a row */
} gt_disturbance;

/* Notes what disturbed a round of samples. True: the round is spoiled, and the caller must repeat
 * it. After three repetitions the round counts as it is, and the result is noisy. A warning names
 * the first other user of the GPU. */
bool gt_disturbance_note(gt_disturbance *disturbance, const gt_sampled *sampled, const gt_log *log);
