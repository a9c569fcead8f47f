/* Compares two things by the differences of their paired samples. Here a difference is the
 * log-ratio of two times that were sampled side by side, so that what slows both cancels. Pure
 * functions. */
#pragma once

#include "base/status.h"

#include <stddef.h>

/* The part of the sorted differences that is cut from each end. Of fewer than 5 differences none is
 * cut. */
#define GT_PAIRED_TRIM 0.2

/* The location of paired differences, and how well it is known. */
typedef struct gt_paired {
    uint32_t count;   /* of the differences, with those that are cut */
    double mean;      /* trimmed mean */
    double error;     /* standard error of the mean; infinite for one difference */
    double freedom;   /* degrees of freedom of the error */
    double low, high; /* ends of the interval of the mean; infinite if none was asked for, and for
                         one difference */
} gt_paired;

/* Computes the trimmed mean, and its standard error from the winsorised sum of squares SSW: with h
 * of n values left, error^2 = SSW / (h (h - 1)), with h - 1 degrees of freedom (Tukey and
 * McLaughlin 1963; Yuen 1974). `low` and `high` are the ends of the two-sided interval with that
 * `confidence`, 0.95 for example. EINVAL without differences, ENOMEM. */
gputune_status gt_paired_interval(gt_paired *out, const double *differences, size_t count,
                                  double confidence);
/* Computes the same, but no interval, from `count` > 0 values that are sorted ascending. Allocates
 * nothing. */
gt_paired gt_paired_sorted(const double *sorted, size_t count);
/* Moves the standard error towards a spread that is known from other comparisons, as in the
 * moderated t-statistic (Smyth 2004): `prior` is that variance of one difference, and `weight` the
 * degrees of freedom of `prior`. With weight 0 nothing changes. */
void gt_paired_moderate(gt_paired *paired, double prior, double weight);
/* The variance of one difference that follows from the standard error; 0 if there is only one
 * difference. */
double gt_paired_variance(const gt_paired *paired);
/* A one-sided bound: the true location is above the bound (sign -1) or below it (sign +1) with
 * probability 1 - `error`. */
double gt_paired_bound(const gt_paired *paired, int sign, double error);

/* What a race has found out about its winner. */
typedef struct gt_verdict {
    double speedup; /* the default's time over the winner's, geometric mean; 0: unknown */
    double speedup_low, speedup_high; /* the speedup's 95% interval; 0: unknown */
    bool tie;   /* another configuration is within epsilon of the winner, and may be as good */
    bool noisy; /* other programs used the GPU during the race, or its clocks were throttled */
} gt_verdict;
