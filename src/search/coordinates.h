/* Converts points to coordinates, the numbers that a model of the times computes with. An axis of
 * numbers gives up to three: its value (the logarithm, if all values are positive), its index, and
 * how often 2 divides the value, for effects of alignment. An axis of words gives one without an
 * order. Two axes that constraints tie together give one more: the logarithm of their product, such
 * as the threads of a block. So does a feature of a point that is known before it is tried, such as
 * the blocks on a multiprocessor, unless another coordinate has the same order. */
#pragma once

#include "search/domain.h"

enum {
    GT_PRODUCTS = 8,
    GT_FEATURES = 12, /* coordinates at most that are features */
    GT_COORDINATES = 3 * GT_SEARCH_AXES + GT_PRODUCTS + GT_FEATURES
};

/* A feature of the domain that is a coordinate: (x - low) / range. */
typedef struct gt_feature {
    uint32_t index;
    double low, range;
} gt_feature;

/* The coordinates of a domain. An axis with one choice gives none. */
typedef struct gt_coordinates {
    uint32_t count;
    uint32_t axis[GT_COORDINATES]; /* index of the domain's axis that the coordinate is of */
    bool is_word[GT_COORDINATES];  /* two values are only equal or different, without a distance */
    float *value[GT_COORDINATES];  /* by choice: the coordinate, in [0, 1]; a word's index */
    float
        *factor[GT_COORDINATES]; /* of a product: by choice of axis `other`, its part; else NULL */
    uint32_t other[GT_COORDINATES];
    const gt_domain *domain;
    uint32_t feature_count; /* the last ones of `count`, which have no axis and no value */
    gt_feature features[GT_FEATURES];
    float *values; /* the memory that `value` and `factor` point into */
} gt_coordinates;

/* Makes the coordinates of a domain, which must outlive them; gt_coordinates_free() frees them.
 * ENOMEM. */
gputune_status gt_coordinates_make(gt_coordinates *out, const gt_domain *domain);
void gt_coordinates_free(gt_coordinates *coordinates);
/* Fills *out with the point's `coordinates->count` numbers. */
void gt_coordinates_of(float *out, const gt_coordinates *coordinates, const gt_point *point);
