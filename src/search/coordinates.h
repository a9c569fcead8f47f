/* Converts points to coordinates, which are the inputs of a model that predicts times. An axis of
 * numbers has up to three coordinates: its value (the logarithm, if all values are positive), its
 * index, and how many times 2 divides the value, for effects of alignment. An axis of words has one
 * unordered coordinate. Two axes that constraints connect have an additional coordinate: the
 * logarithm of their product, such as the number of threads in a block. A feature that is known
 * before a point is tried, such as the blocks per multiprocessor, has a coordinate unless another
 * coordinate has the same order. */
#pragma once

#include "search/domain.h"

enum {
    GT_PRODUCTS = 8,
    GT_FEATURES = 12, /* maximum number of features used as coordinates */
    GT_COORDINATES = 3 * GT_SEARCH_AXES + GT_PRODUCTS + GT_FEATURES
};

/* A feature whose value x becomes the coordinate (x - low) / range. */
typedef struct gt_feature {
    uint32_t index;
    double low, range;
} gt_feature;

/* The coordinates of a domain. Axes with only one choice have none. */
typedef struct gt_coordinates {
    uint32_t count;
    uint32_t axis[GT_COORDINATES];  /* index of the coordinate's axis in the domain */
    bool is_word[GT_COORDINATES];   /* true if values have no order or distance */
    float *value[GT_COORDINATES];   /* coordinate of each choice in [0, 1], or a word's index */
    float *factor[GT_COORDINATES];  /* second factor by choice of `other`; NULL: no product */
    uint32_t other[GT_COORDINATES]; /* index of a product's second axis */
    const gt_domain *domain;
    uint32_t feature_count; /* number of coordinates from features, which come last */
    gt_feature features[GT_FEATURES];
    float *values; /* memory to which `value` and `factor` point */
} gt_coordinates;

/* Sets *out to the coordinates of a domain. The domain must outlive *out. Call
 * gt_coordinates_free() even after ENOMEM. */
gputune_status gt_coordinates_make(gt_coordinates *out, const gt_domain *domain);
void gt_coordinates_free(gt_coordinates *coordinates);
/* Writes the `count` coordinates of a point to out. */
void gt_coordinates_of(float *out, const gt_coordinates *coordinates, const gt_point *point);
