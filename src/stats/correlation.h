/* Rank correlation: whether one figure orders things as another does. Pure. */
#pragma once

#include "base/status.h"

#include <stddef.h>

/* Spearman's coefficient: Pearson's of the ranks, equal values sharing their mean rank (Kendall and
 * Gibbons, Rank Correlation Methods). 0 when either list has no spread or fewer than 2 values.
 * ENOMEM. */
gputune_status gt_spearman(double *out, const double *x, const double *y, size_t count);
