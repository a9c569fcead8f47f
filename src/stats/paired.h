/* Compares two variants by paired samples. A difference is the log-ratio of two times that were
 * sampled in direct succession, so a slowdown of both cancels out. Pure functions. */
#pragma once

#include "base/status.h"

#include <stddef.h>

/* Fraction of the sorted differences to cut from each end. With fewer than 5, none is cut. */
#define GT_PAIRED_TRIM 0.2

typedef struct gt_paired {
    uint32_t count;   /* number of differences, including trimmed ones */
    double mean;      /* trimmed mean */
    double error;     /* standard error of the mean */
    uint32_t freedom; /* degrees of freedom of the standard error; 0: the error is unknown */
} gt_paired;

/* Computes the trimmed mean of `count` > 0 ascending values, and its standard error. If h of n
 * values are left, the error is sqrt(SSW / (h (h - 1))) with h - 1 degrees of freedom, where SSW is
 * the winsorised sum of squares (Tukey and McLaughlin 1963; Yuen 1974). */
gt_paired gt_paired_sorted(const double *sorted, size_t count);
/* Moves the standard error towards a variance that is known from other comparisons, as in the
 * moderated t-statistic (Smyth 2004). `prior` is the known variance of one difference, and `weight`
 * its degrees of freedom; weight 0 changes nothing. */
void gt_paired_moderate(gt_paired *paired, double prior, uint32_t weight);
/* Returns the variance of one difference, computed from the standard error; 0 if unknown. */
double gt_paired_variance(const gt_paired *paired);
/* Returns a one-sided bound of the mean: the true location is above the bound (sign -1) or below it
 * (sign +1) with probability 1 - `error`. Infinite if the standard error is unknown. */
double gt_paired_bound(const gt_paired *paired, int sign, double error);

/* The result of a race. */
typedef struct gt_verdict {
    double speedup; /* geometric mean of default's time / winner's time; 0: unknown */
    double speedup_low, speedup_high; /* 95% interval of the speedup; 0: unknown */
    bool tie;   /* true if another configuration is within epsilon of the winner */
    bool noisy; /* true if the GPU was throttled or used by other programs during the race */
} gt_verdict;
