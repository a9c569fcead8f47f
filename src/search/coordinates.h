/* Converts points to coordinates, the inputs of a model that predicts times. An axis of numbers has
 * up to three coordinates: the value (its logarithm if all values are positive), the index, and the
 * exponent of the largest power of two that divides the value, because alignment affects the time.
 * An axis of words has one unordered coordinate. If constraints connect two axes, the logarithm of
 * their product is another coordinate, such as the number of threads in a block. A feature, such as
 * the number of blocks per multiprocessor, becomes a coordinate if no other coordinate sorts the
 * points in the same order. */
#pragma once

#include "search/domain.h"

enum {
    GT_PRODUCTS = 8,
    GT_FEATURES = 12, /* maximum number of features that become coordinates */
    GT_COORDINATES = 3 * GT_SEARCH_AXES + GT_PRODUCTS + GT_FEATURES
};

/* A feature that becomes a coordinate. Its value x is scaled to (x - low) / range. */
typedef struct gt_feature {
    uint32_t index;
    double low, range;
} gt_feature;

/* The coordinates of a domain. An axis with only one choice has no coordinates. */
typedef struct gt_coordinates {
    uint32_t count;
    uint32_t axis[GT_COORDINATES];  /* index of the axis that the coordinate belongs to */
    bool is_word[GT_COORDINATES];   /* true if the values have no order, as with words */
    float *value[GT_COORDINATES];   /* value of each choice, from 0 to 1; an index for words */
    float *factor[GT_COORDINATES];  /* for a product, value of each choice of `other` */
    uint32_t other[GT_COORDINATES]; /* index of the second axis of a product */
    const gt_domain *domain;
    uint32_t feature_count; /* number of features; their coordinates come last */
    gt_feature features[GT_FEATURES];
    float *values; /* owned memory that `value` and `factor` point into */
} gt_coordinates;

/* Computes the coordinates of a domain. The domain must outlive *out. The caller must call
 * gt_coordinates_free() even if this fails. May return ENOMEM. */
gputune_status gt_coordinates_make(gt_coordinates *out, const gt_domain *domain);
void gt_coordinates_free(gt_coordinates *coordinates);
/* Writes the coordinates of a point to `out`. */
void gt_coordinates_of(float *out, const gt_coordinates *coordinates, const gt_point *point);
