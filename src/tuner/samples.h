/* Writes raw samples as CSV. The columns are kernel, sizes, configuration, objective, round, value
 * and kind ("quick", "full" or "final"). Values are in ns, or in nJ for the objective energy. For
 * the objective rate, they are times for the work of one launch of the default. */
#pragma once

#include "tuner/field.h"
#include "tuner/race.h"

typedef struct gt_samples {
    const gt_race *race; /* NULL: no samples */
    gputune_objective objective;
} gt_samples;

/* Checks before any work that `path` can be written. Returns EINVAL if not, for example for a FIFO,
 * or ENOMEM. */
gputune_status gt_samples_check(const char *path);

/* Appends the samples to options.samples_path, if it is set. Failures are only logged. */
void gt_samples_write(const gt_field *field, const gt_samples races[], size_t count);
