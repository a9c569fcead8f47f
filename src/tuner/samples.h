/* Raw samples as CSV. Columns: kernel, sizes, configuration, objective, round, value and kind
 * ("quick", "full", "final"). Values are ns, for energy nJ, for rate ns for the work of the
 * default's launch. */
#pragma once

#include "tuner/field.h"
#include "tuner/race.h"

/* A race and its objective. */
typedef struct gt_samples {
    const gt_race *race; /* NULL: no samples */
    gputune_objective objective;
} gt_samples;

/* Fails early if samples cannot be written to `path`. EINVAL, also for a FIFO; ENOMEM. */
gputune_status gt_samples_check(const char *path);

/* Appends the samples to options.samples_path, if that is set. Warns on failure. */
void gt_samples_write(const gt_field *field, const gt_samples races[], size_t count);
