/* Tunings in the background, which no call waits for, one after another on a thread of the tuner.
 */
#pragma once

#include "api/plan.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct gt_background gt_background;

/* Opens the tuner's queue of background tunings, without starting a thread. ENOMEM. */
gputune_status gt_background_open(gt_background **out, gputune *tuner);
/* Waits for the thread, whose tuning has ended with the tuner's calls. NULL is allowed. */
void gt_background_close(gt_background *background);

/* Asks for a background tuning of this call. A call with the same key is not tuned again while
 * templates are unchanged (`forgets` is the value of gt_plan_table_forgets()). Fails as
 * gt_request_make() and gt_request_outlive_call() do. Must be called within a call of the tuner. */
gputune_status gt_background_want(gt_background *background, const gt_plan_key *key,
                                  uint32_t forgets, const char *kernel, gputune_sizes sizes,
                                  const gputune_options *options);

extern atomic_bool gt_launch_seen;

/* Notes that a plan was launched. This costs one load if a launch was noted already. */
static inline void gt_note_launch(void)
{
    if (!atomic_load_explicit(&gt_launch_seen, memory_order_relaxed)) {
        atomic_store_explicit(&gt_launch_seen, true, memory_order_relaxed);
    }
}
