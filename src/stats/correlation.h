/* Rank correlation: how well the order of one quantity predicts the order of another. */
#pragma once

#include "base/status.h"

#include <stddef.h>

/* Computes Spearman's rank correlation of two lists of `count` values. Equal values get the mean of
 * their ranks (Kendall and Gibbons, Rank Correlation Methods). *out is 0 if there are fewer than 2
 * values or if all values of a list are equal. Fails only with ENOMEM. */
gputune_status gt_spearman(double *out, const double *x, const double *y, size_t count);
