/* Predicts values at points from the values at known points, with a Gaussian process. The
 * covariance is fixed: a linear trend, and an exponential part, because times have steps where
 * another block, or another wave of blocks, is needed. Pure. */
#pragma once

#include "base/status.h"

/* Points at which a value is known. */
typedef struct gt_rule_known {
    uint32_t count, dimensions;
    const double *points, *values; /* [point * dimensions + dimension], [point] */
    const uint32_t *folds;         /* of each point: its fold, below fold_count */
    uint32_t fold_count;
} gt_rule_known;

/* Sets out[fold * count + i] to the value at points[i * dimensions], predicted without the points
 * of the fold, and with fold == fold_count, predicted from all of them. The covariance is e^-1 at a
 * distance of 1. Sets apart[k] to the value that the others predict for each known point.
 * ENOMEM. */
gputune_status gt_rule_model_predict(double *out, double *apart, const gt_rule_known *known,
                                     const double *points, uint32_t count);
