/* Raw samples as CSV. The columns are kernel, sizes, configuration, objective, round, value and
 * kind ("quick", "full" or "final"). A value is in ns; for the objective energy, in nJ; for the
 * objective rate, in ns for as much work as a launch of the default does. */
#pragma once

#include "tuner/field.h"
#include "tuner/race.h"

/* A race and its objective. */
typedef struct gt_samples {
    const gt_race *race; /* NULL: no samples */
    gputune_objective objective;
} gt_samples;

/* Fails early if samples cannot be written to `path`. Returns EINVAL, for example for a FIFO, or
 * ENOMEM. */
gputune_status gt_samples_check(const char *path);

/* Appends the samples to options.samples_path, if that is set. Warns on failure. */
void gt_samples_write(const gt_field *field, const gt_samples races[], size_t count);
