/* Summarises a list of samples by robust and classical estimates. Pure functions. */
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

/* Summarises `count` finite values. The interval of the median is the distribution-free one from
 * order statistics: it reaches from rank l to rank n+1-l, where l is the largest rank such that
 * P(B < l) <= 2.5% for B binomial (n, 1/2) (Conover, Practical Nonparametric Statistics, 3rd ed.,
 * 3.2; David and Nagaraja, Order Statistics, 7.1). So the interval covers the median with 95% or a
 * little more, whatever the noise. Below 6 samples no rank reaches 95%, and the interval is the
 * whole range. ENOMEM. */
gputune_status gt_summarise(gt_summary *out, const double *values, size_t count);

/* The mean of the values that remain when floor(trim * count) values are cut from each end; trim is
 * in [0, 0.5). The values are sorted ascending. 0 for no values. */
double gt_trimmed_mean(const double *sorted, size_t count, double trim);

/* The rank l, from 1, at which gt_summarise()'s interval of the median begins for `count` samples;
 * 0 if no rank reaches 95%. */
size_t gt_median_rank(size_t count);

/* Sorts the values ascending, in place. */
void gt_sort(double *values, size_t count);

/* A value, and its index in the list that it comes from. */
typedef struct gt_ranked {
    double value;
    size_t index;
} gt_ranked;
/* Sorts the items by value, ascending, in place. */
void gt_sort_ranked(gt_ranked *items, size_t count);

/* The median of sorted values: the middle one, or the mean of the two middle ones; 0 for none. */
double gt_median_sorted(const double *sorted, size_t count);
