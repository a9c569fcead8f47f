/* Compares two variants by paired samples. A difference is the logarithm of the ratio of two times
 * that were sampled directly after each other, so anything that slows down both cancels out. */
#pragma once

#include "base/status.h"

#include <stddef.h>

/* Fraction of the sorted differences to cut off at each end. Fewer than 5 are not trimmed. */
#define GT_PAIRED_TRIM 0.2

typedef struct gt_paired {
    uint32_t count;   /* number of differences, including those that were cut off */
    double mean;      /* trimmed mean */
    double error;     /* standard error of the mean */
    uint32_t freedom; /* degrees of freedom of the standard error; 0 if the error is unknown */
} gt_paired;

/* Computes the trimmed mean of `count` > 0 values in ascending order, and its standard error. If h
 * values are left after trimming, the error is sqrt(SSW / (h (h - 1))) with h - 1 degrees of
 * freedom, where SSW is the winsorised sum of squares (Tukey and McLaughlin 1963; Yuen 1974). */
gt_paired gt_paired_sorted(const double *sorted, size_t count);
/* Moves the standard error towards a variance that is known from other comparisons, as in the
 * moderated t-statistic (Smyth 2004). `prior` is the known variance of a difference, and `weight`
 * is its degrees of freedom. Does nothing if `weight` is 0. */
void gt_paired_moderate(gt_paired *paired, double prior, uint32_t weight);
/* Returns the variance of a difference, computed from the standard error; 0 if it is unknown. */
double gt_paired_variance(const gt_paired *paired);
/* Returns a one-sided confidence bound: the true mean is above it (sign -1) or below it (sign +1)
 * with probability 1 - `error`. Infinite if the standard error is unknown. */
double gt_paired_bound(const gt_paired *paired, int sign, double error);

/* The result of a race. */
typedef struct gt_verdict {
    double speedup; /* geometric mean of the default's time divided by the winner's; 0 if unknown */
    double speedup_low, speedup_high; /* 95% confidence interval of the speedup; 0 if unknown */
    bool tie;   /* true if another configuration is slower by less than epsilon */
    bool noisy; /* true if the GPU was throttled or used by other programs during the race */
} gt_verdict;
