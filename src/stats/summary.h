/* Robust and classical statistics of a list of samples. Pure functions. */
#pragma once

#include "base/status.h"

#include <stddef.h>

/* Estimates of a list of samples, in the samples' unit; all zero without samples. */
typedef struct gt_summary {
    uint32_t count;
    double median, mean;
    double stddev;    /* sample standard deviation (n - 1); 0 for one sample */
    double low, high; /* 95% interval of the median; of fewer than 6 samples, their range */
    double min;
} gt_summary;

/* Summarises `count` finite values. ENOMEM.
 *
 * The interval of the median does not assume a distribution: it extends from rank l to rank n+1-l,
 * where l is the largest rank with P(B < l) <= 2.5%, B binomial (n, 1/2) (Conover, Practical
 * Nonparametric Statistics, 3rd ed., 3.2; David and Nagaraja, Order Statistics, 7.1). Its coverage
 * is at least 95%. Fewer than 6 samples cannot reach 95%, so the interval is their whole range. */
gputune_status gt_summarise(gt_summary *out, const double *values, size_t count);

/* Returns the mean of ascending values without the floor(trim * count) values at each end; 0
 * without values. `trim` is in [0, 0.5). */
double gt_trimmed_mean(const double *sorted, size_t count, double trim);

/* Returns the rank at which gt_summarise()'s interval begins; 0 if no rank reaches 95%. */
size_t gt_median_rank(size_t count);

/* Sorts the values, ascending. */
void gt_sort(double *values, size_t count);

typedef struct gt_ranked {
    double value;
    size_t index;
} gt_ranked;
/* Sorts the items by value, ascending. */
void gt_sort_ranked(gt_ranked *items, size_t count);

/* Returns the median of sorted values; 0 without values. */
double gt_median_sorted(const double *sorted, size_t count);
