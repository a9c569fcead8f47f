/* Converts points to coordinates, the numbers that a model of the times uses. An axis of numbers
 * has up to three coordinates: its value (the logarithm, if all values are positive), its index,
 * and how often 2 divides the value, for effects of alignment. An axis of words has one coordinate,
 * without an order. Two axes that constraints tie together have one more: the logarithm of their
 * product, such as the number of threads of a block. A feature that is known before a point is
 * tried, such as the number of blocks on a multiprocessor, has one coordinate, unless another
 * coordinate has the same order. */
#pragma once

#include "search/domain.h"

enum {
    GT_PRODUCTS = 8,
    GT_FEATURES = 12, /* maximum number of features used as coordinates */
    GT_COORDINATES = 3 * GT_SEARCH_AXES + GT_PRODUCTS + GT_FEATURES
};

/* A feature x that is used as the coordinate (x - low) / range. */
typedef struct gt_feature {
    uint32_t index;
    double low, range;
} gt_feature;

/* The coordinates of a domain. An axis with only one choice has no coordinate. */
typedef struct gt_coordinates {
    uint32_t count;
    uint32_t axis[GT_COORDINATES]; /* index of the coordinate's axis in the domain */
    /* true if the coordinate's values are only equal or different, without a distance */
    bool is_word[GT_COORDINATES];
    float *value[GT_COORDINATES];  /* by choice: the coordinate in [0, 1], or a word's index */
    float *factor[GT_COORDINATES]; /* by choice of the axis `other`; NULL unless a product */
    uint32_t other[GT_COORDINATES];
    const gt_domain *domain;
    uint32_t feature_count; /* features come last; they have no axis */
    gt_feature features[GT_FEATURES];
    float *values; /* the memory that `value` and `factor` point into */
} gt_coordinates;

/* Sets *out to the coordinates of a domain, which must outlive them. gt_coordinates_free() releases
 * them and is needed after ENOMEM, too. */
gputune_status gt_coordinates_make(gt_coordinates *out, const gt_domain *domain);
void gt_coordinates_free(gt_coordinates *coordinates);
/* Writes the coordinates of the point, which are `count` numbers, to out. */
void gt_coordinates_of(float *out, const gt_coordinates *coordinates, const gt_point *point);
