/* Medians, means, and confidence intervals of the median. */
#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Compares two doubles, or two structs that begin with a double. */
static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void gt_sort(double *values, size_t count)
{
    if (count > 1) {
        qsort(values, count, sizeof *values, compare_doubles);
    }
}

_Static_assert(offsetof(gt_ranked, value) == 0, "compare() reads the value first");
void gt_sort_ranked(gt_ranked *items, size_t count)
{
    if (count > 1) {
        qsort(items, count, sizeof *items, compare_doubles);
    }
}

double gt_median_sorted(const double *sorted, size_t count)
{
    if (!count) {
        return 0;
    }
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

double gt_trimmed_mean(const double *sorted, size_t count, double trim)
{
    size_t cut = (size_t)(trim * (double)count);
    if (!count) {
        return 0;
    }
    double sum = 0;
    for (size_t i = cut; i < count - cut; i++) {
        sum += sorted[i];
    }
    return sum / (double)(count - 2 * cut);
}

/* Returns log(gamma(x)). Unlike lgamma(), it does not write to a global variable. */
static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

size_t gt_median_rank(size_t count)
{
    double n = (double)count, below = 0; /* P(B < rank) for B binomial (n, 1/2) */
    size_t rank = 0;
    while (rank < count / 2) {
        double k = (double)rank;
        below += exp(log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1) - n * M_LN2);
        if (below > 0.025) {
            break;
        }
        rank++;
    }
    return rank;
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
    }
    return sum / (double)count;
}

static double stddev_of(const double *values, size_t count, double mean)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (values[i] - mean) * (values[i] - mean);
    }
    return count > 1 ? sqrt(sum / (double)(count - 1)) : 0;
}

gputune_status gt_summarise(gt_summary *out, const double *values, size_t count)
{
    if (!count) {
        *out = (gt_summary){0};
        return GPUTUNE_OK;
    }
    GT_FREED double *sorted = malloc(count * sizeof *sorted);
    GT_TRY(gt_allocated(sorted));
    memcpy(sorted, values, count * sizeof *sorted);
    gt_sort(sorted, count);
    size_t rank = gt_median_rank(count);
    size_t low = rank ? rank - 1 : 0;
    double mean = mean_of(sorted, count);
    *out = (gt_summary){.count = (uint32_t)count,
                        .median = gt_median_sorted(sorted, count),
                        .mean = mean,
                        .stddev = stddev_of(sorted, count, mean),
                        .low = sorted[low],
                        .high = sorted[count - 1 - low],
                        .min = sorted[0]};
    return GPUTUNE_OK;
}
