/* Raw samples as CSV: kernel, sizes, configuration, objective, round, value (nanoseconds; energy:
 * nanojoules; rate: nanoseconds for the work of the default's launch), kind ("quick", "full",
 * "final"). */
#ifndef GT_TUNER_SAMPLES_H
#define GT_TUNER_SAMPLES_H

#include "tuner/request.h"

#include <stdio.h>

/* Opens the request's samples_path to append, with a heading where it is new; NULL where none is
 * asked for, or, after a warning, where it cannot be written. */
FILE *gt_samples_open(const gt_request *request);
/* Closes it; a warning where not everything could be written. */
void gt_samples_close(FILE *file, const gt_request *request);

typedef struct gt_sample_row {
    const char *config; /* as gt_config_text() writes it */
    gputune_objective objective;
    uint32_t round;
    double value;
    const char *kind;
} gt_sample_row;
void gt_samples_write(FILE *file, const gt_request *request, const gt_sample_row *row);

#endif
