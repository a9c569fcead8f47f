/* Rank correlation: how well one figure predicts the order of another. Pure functions. */
#pragma once

#include "base/status.h"

#include <stddef.h>

/* Computes Spearman's rank correlation of two lists of `count` values; equal values share their
 * mean rank (Kendall and Gibbons, Rank Correlation Methods). *out is 0 if all values of a list are
 * equal or there are fewer than 2. ENOMEM. */
gputune_status gt_spearman(double *out, const double *x, const double *y, size_t count);
