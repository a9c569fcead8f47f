/* Robust and classical statistics of samples. */
#pragma once

#include "base/status.h"

#include <stddef.h>

/* Statistics of samples, in the unit of the samples. All are 0 if there are no samples. */
typedef struct gt_summary {
    uint32_t count;
    double median, mean;
    double stddev;    /* sample standard deviation (n - 1); 0 if there is one sample */
    double low, high; /* 95% interval of the median; the range if fewer than 6 samples */
    double min;
} gt_summary;

/* Computes statistics of `count` finite values. Fails only with ENOMEM.
 *
 * The interval of the median does not assume a distribution. It extends from rank l to rank n+1-l,
 * where l is the largest rank with P(B < l) <= 2.5% and B is binomial (n, 1/2) (Conover, Practical
 * Nonparametric Statistics, 3rd ed., 3.2; David and Nagaraja, Order Statistics, 7.1). Its coverage
 * is at least 95%. With fewer than 6 samples this is not possible, so the interval is their whole
 * range. */
gputune_status gt_summarise(gt_summary *out, const double *values, size_t count);

/* Returns the mean of values in ascending order, or 0 if there are none. Leaves out the lowest and
 * the highest floor(trim * count) values. `trim` must be less than 0.5. */
double gt_trimmed_mean(const double *sorted, size_t count, double trim);

/* Returns the rank at which the interval in gt_summarise() begins, or 0 if no rank gives 95%. */
size_t gt_median_rank(size_t count);

/* Sorts the values in ascending order. */
void gt_sort(double *values, size_t count);

typedef struct gt_ranked {
    double value;
    size_t index;
} gt_ranked;
/* Sorts the items by their values in ascending order. */
void gt_sort_ranked(gt_ranked *items, size_t count);

/* Returns the median of sorted values, or 0 if there are no values. */
double gt_median_sorted(const double *sorted, size_t count);
