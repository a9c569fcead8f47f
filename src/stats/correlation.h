/* Rank correlation: how well one quantity predicts the order of another. Pure functions. */
#pragma once

#include "base/status.h"

#include <stddef.h>

/* Computes Spearman's rank correlation of two lists of `count` values; equal values share their
 * mean rank (Kendall and Gibbons, Rank Correlation Methods). *out is 0 if a list has fewer than 2
 * values or all its values are equal. ENOMEM. */
gputune_status gt_spearman(double *out, const double *x, const double *y, size_t count);
