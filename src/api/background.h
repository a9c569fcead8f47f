/* Tunings in the background, which no call waits for: a thread of the tuner does one after another.
 */
#pragma once

#include "api/plan.h"
#include "gpu/nvml.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct gt_background gt_background;

/* Makes the place for the tuner's tunings; no thread yet. ENOMEM. */
gputune_status gt_background_open(gt_background **out, gputune *tuner);
/* Waits for the thread, whose tuning the closing of the tuner's calls has ended. NULL is allowed.
 */
void gt_background_close(gt_background *background);

/* Asks for a tuning of this call, once: not again while templates stay as they are (`forgets` of
 * gt_plan_table_forgets()). EINVAL for options with inputs, files or a reference function. Within
 * a call of the tuner. */
gputune_status gt_background_want(gt_background *background, const gt_plan_key *key,
                                  uint32_t forgets, const char *kernel, gputune_sizes sizes,
                                  const gputune_options *options);

extern atomic_bool gt_launch_seen;

/* A plan was launched. Costs a load where that is known already. */
static inline void gt_note_launch(void)
{
    if (!atomic_load_explicit(&gt_launch_seen, memory_order_relaxed)) {
        atomic_store_explicit(&gt_launch_seen, true, memory_order_relaxed);
    }
}

/* What one thread knows of it. */
typedef struct gt_activity {
    gt_nvml *nvml;
    int64_t launched_ns; /* when a launch was last seen */
    int64_t asked_ns;    /* when gt_activity_is_busy() was last called */
    int64_t resting_ns;  /* since when it is called again and again */
    int64_t read_ns;     /* when NVML was last read */
    bool others;         /* what it said */
} gt_activity;
