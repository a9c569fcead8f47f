/* Points as numbers that a model of the times can compute with. An axis of numbers gives up to
 * three coordinates: its value, which for positive ones is the logarithm; which of its values it
 * is, for what one value does alone; and how often 2 divides it, for what alignment does. Words
 * have no order, and differ or not. Two axes that constraints tie together give one more: the
 * logarithm of their product, such as the threads of a block. */
#pragma once

#include "search/domain.h"

enum { GT_PRODUCTS = 8, GT_COORDINATES = 3 * GT_SEARCH_AXES + GT_PRODUCTS };

/* Axes with one choice give none. */
typedef struct gt_coordinates {
    uint32_t count;
    uint32_t axis[GT_COORDINATES]; /* which of the domain's it is of */
    bool is_word[GT_COORDINATES];  /* values differ or not, instead of by how much */
    float *value[GT_COORDINATES];  /* of each choice; in [0, 1] unless is_word */
    float *factor[GT_COORDINATES]; /* of a product: what each choice of `other` adds; else NULL */
    uint32_t other[GT_COORDINATES];
    float *values; /* all of them */
} gt_coordinates;

/* ENOMEM. *out is the caller's, for gt_coordinates_free(). */
gputune_status gt_coordinates_make(gt_coordinates *out, const gt_domain *domain);
void gt_coordinates_free(gt_coordinates *coordinates);
/* Fills `count` numbers. */
void gt_coordinates_of(float *out, const gt_coordinates *coordinates, const gt_point *point);
