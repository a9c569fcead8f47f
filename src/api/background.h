/* Tunings in the background, which no call waits for: a thread of the tuner does one after another.
 */
#pragma once

#include "api/plan.h"

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
