/* Comparing two things from paired samples: the differences (here: log-ratios of times sampled side
 * by side) carry the comparison, and what both share cancels. Pure. */
#pragma once

#include "base/status.h"

#include <stddef.h>

/* Cut from each end of the sorted differences. Below 5 differences nothing is cut. */
#define GT_PAIRED_TRIM 0.2

/* Location of paired differences, and how well it is known. */
typedef struct gt_paired {
    uint32_t count;
    double mean;      /* trimmed */
    double error;     /* standard error of it; infinite for one difference */
    double freedom;   /* degrees of freedom of the error */
    double low, high; /* interval or bounds, as asked; infinite for one difference */
} gt_paired;

/* The trimmed mean and its standard error from the winsorised sum of squares: with h of n values
 * left, error^2 = SSW / (h (h - 1)), h - 1 degrees of freedom (Tukey and McLaughlin 1963; Yuen
 * 1974). `low` and `high` are the ends of the two-sided interval of that `confidence` (0.95).
 * EINVAL without differences, ENOMEM. */
gputune_status gt_paired_interval(gt_paired *out, const double *differences, size_t count,
                                  double confidence);
/* The same from values that are sorted ascending, without an interval; count > 0. No allocation. */
gt_paired gt_paired_sorted(const double *sorted, size_t count);
/* Shrinks an error towards what is known of the spread elsewhere: `prior` is the variance of one
 * difference and `weight` its degrees of freedom, as in the moderated t-statistic (Smyth 2004).
 * Weight 0 changes nothing. */
void gt_paired_moderate(gt_paired *paired, double prior, double weight);
/* The variance of one difference that the error stands for. 0 for one difference. */
double gt_paired_variance(const gt_paired *paired);
/* A bound that the true location is above (sign -1) or below (sign +1) with probability 1 - `error`
 * (one-sided). */
double gt_paired_bound(const gt_paired *paired, int sign, double error);

/* What a race says of its winner. */
typedef struct gt_verdict {
    double speedup; /* the default's time over the winner's, geometric mean; 0: unknown */
    double speedup_low, speedup_high; /* its 95% interval; 0: unknown */
    bool tie;   /* another configuration is within epsilon of the winner, and may be as good */
    bool noisy; /* other programs used the GPU meanwhile, or its clocks were throttled */
} gt_verdict;
