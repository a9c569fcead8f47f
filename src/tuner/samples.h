/* Raw samples as CSV: kernel, sizes, configuration, objective, round, value (nanoseconds; energy:
 * nanojoules; rate: nanoseconds for the work of the default's launch), kind ("quick", "full",
 * "final"). */
#pragma once

#include "tuner/field.h"
#include "tuner/race.h"

#include <stdio.h>

/* Opens a file to append to it, and creates the file if it is missing. Returns NULL and sets errno
 * on failure. A FIFO or a socket fails with EINVAL: without a reader, or with a slow one, it would
 * hold up the tuning. */
FILE *gt_samples_append(const char *path);
/* Describes errno after a failure of gt_samples_append(). */
const char *gt_samples_why(void);
/* Opens the request's samples_path to append; a new file gets a heading. NULL if there is no path,
 * or, after a warning, if the file cannot be written. */
FILE *gt_samples_open(const gt_request *request);
/* Closes the file. Warns if not everything could be written. */
void gt_samples_close(FILE *file, const gt_request *request);

/* Writes all samples of a race among a field's variants. `race` may be NULL, and then has none. */
void gt_samples_write(FILE *file, const gt_field *field, const gt_race *race,
                      gputune_objective objective);
