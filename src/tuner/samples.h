/* Raw samples as CSV: kernel, sizes, configuration, objective, round, value (ns; energy: nJ; rate:
 * ns for the work of the default's launch), kind ("quick", "full", "final"). */
#pragma once

#include "tuner/field.h"
#include "tuner/race.h"

/* A race among a field's variants, and what it compares them by. */
typedef struct gt_samples {
    const gt_race *race; /* NULL: no samples */
    gputune_objective objective;
} gt_samples;

/* Checks early that samples can be written to `path`. EINVAL (for a FIFO too), ENOMEM. */
gputune_status gt_samples_check(const char *path);

/* Appends the races' samples to the file samples_path, if given; warns if that fails. */
void gt_samples_write(const gt_field *field, const gt_samples races[], size_t count);
