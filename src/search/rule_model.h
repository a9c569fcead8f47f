/* Predicts values at sizes from the values at other sizes, with a Gaussian process over the
 * logarithms of the sizes. The covariance is fixed: a linear trend, and Matern's with nu = 3/2 and
 * a length of several octaves, because times change smoothly over a region. Pure. */
#pragma once

#include "base/status.h"

typedef struct gt_rule_model {
    uint32_t count, dimensions; /* numbers of sizes and of their coordinates */
    double *covariance;         /* by two sizes: [size * count + size] */
    double *factor, *weights;   /* Cholesky factor for the known sizes, and solved weights */
    uint32_t *known;            /* the sizes with a known value, for which the factor is valid */
    uint32_t known_count;
} gt_rule_model;

/* Opens a model for sizes with these coordinates [size * stride + dimension], which are numbers
 * above 0. gt_rule_model_close() releases *out. ENOMEM. */
gputune_status gt_rule_model_open(gt_rule_model *out, const double *coordinates, uint32_t stride,
                                  uint32_t dimensions, uint32_t count);
void gt_rule_model_close(gt_rule_model *model);
/* Replaces the NANs in `values` [size] by predictions, unless all are NAN. */
void gt_rule_model_complete(gt_rule_model *model, double *values);
