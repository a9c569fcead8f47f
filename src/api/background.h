/* Background tuning: a thread of the tuner runs the tunings that no call waits for. */
#pragma once

#include "api/plan.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct gt_background gt_background;

/* Makes the tuner's queue of requests. Does not start the thread yet. Fails with ENOMEM. */
gputune_status gt_background_open(gt_background **out, gputune *tuner);
/* Waits for the thread to end, and frees the queue. NULL is allowed. */
void gt_background_close(gt_background *background);

/* Adds a request to the queue of the tuner. Does nothing if a similar request is in the queue, or
 * has ended since the table of plans was refreshed. A similar request has the same key, the same
 * `forgets` (from gt_plan_table_forgets()), and at least this effort, number of variants and time
 * limit. Call it only between gt_call_begin() and gt_call_end(). Fails like gt_request_make() and
 * gt_request_outlive_call(); EWORKER if the thread cannot be started. */
gputune_status gt_background_want(const gt_plan_call *call, uint32_t forgets);

extern atomic_bool gt_launch_seen;

/* Records that a plan was launched. If that is already recorded, takes only one memory access. */
static inline void gt_note_launch(void)
{
    if (!atomic_load_explicit(&gt_launch_seen, memory_order_relaxed)) {
        atomic_store_explicit(&gt_launch_seen, true, memory_order_relaxed);
    }
}
