/* Predicts values at points from the values at known points, with a Gaussian process. The
 * covariance is fixed: a linear trend plus an exponential part, because times rise in steps when
 * another block or wave of blocks is needed. Pure. */
#pragma once

#include "base/status.h"

/* Points at which a value is known. */
typedef struct gt_rule_known {
    uint32_t count, dimensions;
    /* points at [point * dimensions + dimension], values at [point] */
    const double *points, *values;
    const uint32_t *folds; /* fold of each point, below fold_count */
    uint32_t fold_count;
} gt_rule_known;

/* Predicts the values at `count` points of `known->dimensions` coordinates. Sets out[fold * count +
 * i] to the prediction at point i from the known points outside of the fold, or from all known
 * points if fold == fold_count. Sets apart[k] to the prediction at known point k from the other
 * known points. Without the trend, points at distance 1 have covariance e^-1. ENOMEM. */
gputune_status gt_rule_model_predict(double *out, double *apart, const gt_rule_known *known,
                                     const double *points, uint32_t count);
