/* What a list of samples says: robust and classical estimates with their intervals. Pure. */
#pragma once

#include "base/status.h"

#include <stddef.h>

/* Estimates of one list of samples, in the samples' unit. All zero for no samples. */
typedef struct gt_summary {
    uint32_t count;
    double median, mean;
    double stddev;    /* of the sample, n - 1 in the denominator; 0 for one sample */
    double low, high; /* 95% interval of the median; for fewer than 6 samples min and max */
    double min;
} gt_summary;

/* Summarises `count` finite values. The interval is the distribution-free one from order
 * statistics: ranks l and n+1-l with l the largest such that P(B < l) <= 2.5% for B binomial
 * (n, 1/2) (Conover, Practical Nonparametric Statistics, 3rd ed., 3.2; David and Nagaraja, Order
 * Statistics, 7.1), so it covers at 95% or a little more whatever the noise. Below 6 samples no
 * rank reaches 95%, and the range is given. ENOMEM. */
gputune_status gt_summarise(gt_summary *out, const double *values, size_t count);

/* Mean of the values that remain when floor(trim * count) are cut from each end; trim in [0, 0.5).
 * `sorted` ascending. 0 for no values. */
double gt_trimmed_mean(const double *sorted, size_t count, double trim);

/* The rank l (from 1) of that interval's lower end for `count` samples; 0 when none reaches 95%. */
size_t gt_median_rank(size_t count);

/* Sorts ascending, in place. */
void gt_sort(double *values, size_t count);

/* A value and where it stands in a list. */
typedef struct gt_ranked {
    double value;
    size_t index;
} gt_ranked;
/* Sorts by value, ascending, in place. */
void gt_sort_ranked(gt_ranked *items, size_t count);

/* Of sorted values: the middle one, or the mean of the two middle ones; 0 for none. */
double gt_median_sorted(const double *sorted, size_t count);
