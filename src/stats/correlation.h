/* Rank correlation: whether one figure orders things as another figure does. Pure functions. */
#pragma once

#include "base/status.h"

#include <stddef.h>

/* Computes Spearman's coefficient of two lists of `count` values: Pearson's coefficient of their
 * ranks, where equal values share their mean rank (Kendall and Gibbons, Rank Correlation Methods).
 * *out is 0 if a list has no spread or fewer than 2 values. ENOMEM. */
gputune_status gt_spearman(double *out, const double *x, const double *y, size_t count);
