/* Writes raw samples as CSV, with the columns kernel, sizes, configuration, objective, round, value
 * and kind ("quick", "full" or "final"). Values are in ns, or in nJ for the objective energy. For
 * the objective rate, they are scaled to the work of the default's launch. */
#pragma once

#include "tuner/field.h"
#include "tuner/race.h"

typedef struct gt_samples {
    const gt_race *race; /* NULL: no samples */
    gputune_objective objective;
} gt_samples;

/* Fails if `path` cannot be written, before any work. EINVAL, for example for a FIFO; ENOMEM. */
gputune_status gt_samples_check(const char *path);

/* Appends the samples to options.samples_path, if set. A failure only causes a warning. */
void gt_samples_write(const gt_field *field, const gt_samples races[], size_t count);
