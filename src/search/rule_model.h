/* Predicts values with a Gaussian process. Its covariance is fixed: a linear trend plus an
 * exponential term, because the time grows in steps, whenever another block or another wave of
 * blocks is needed. */
#pragma once

#include "base/status.h"

typedef struct gt_rule_known {
    uint32_t count, dimensions;
    /* coordinates at [point * dimensions + dimension], values at [point] */
    const double *points, *values;
    const uint32_t *folds; /* fold of each point, less than fold_count */
    uint32_t fold_count;
} gt_rule_known;

/* Predicts the values at `count` points. out[fold * count + i] is the prediction for point i from
 * the known points outside of the fold, or from all known points if fold == fold_count. apart[k] is
 * the prediction for known point k from the other known points. Without the trend, points at
 * distance 1 have a covariance of e^-1. Fails only with ENOMEM. */
gputune_status gt_rule_model_predict(double *out, double *apart, const gt_rule_known *known,
                                     const double *points, uint32_t count);
