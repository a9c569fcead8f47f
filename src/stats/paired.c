/* Trimmed means of paired differences, with confidence bounds. */
#include "stats/paired.h"

#include "stats/distribution.h"
#include "stats/summary.h"

#include <math.h>

/* Returns how many of `count` values are left after trimming. */
static double count_remaining(uint32_t count)
{
    return (double)(count - 2 * (uint32_t)(GT_PAIRED_TRIM * (double)count));
}

gt_paired gt_paired_sorted(const double *sorted, size_t count)
{
    size_t cut = (size_t)(GT_PAIRED_TRIM * (double)count);
    double left = (double)(count - 2 * cut), winsorised = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        size_t j = i < cut ? cut : i >= count - cut ? count - cut - 1 : i;
        winsorised += sorted[j] / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        size_t j = i < cut ? cut : i >= count - cut ? count - cut - 1 : i;
        squares += (sorted[j] - winsorised) * (sorted[j] - winsorised);
    }
    return (gt_paired){.count = (uint32_t)count,
                       .mean = gt_trimmed_mean(sorted, count, GT_PAIRED_TRIM),
                       .error = left > 1 ? sqrt(squares / (left * (left - 1))) : 0,
                       .freedom = (uint32_t)left - 1};
}

double gt_paired_variance(const gt_paired *paired)
{
    return paired->error * paired->error * count_remaining(paired->count);
}

void gt_paired_moderate(gt_paired *paired, double prior, uint32_t weight)
{
    if (!weight) {
        return;
    }
    double own = gt_paired_variance(paired) * paired->freedom;
    paired->freedom += weight;
    paired->error = sqrt((own + prior * weight) / paired->freedom / count_remaining(paired->count));
}

double gt_paired_bound(const gt_paired *paired, int sign, double error)
{
    return paired->freedom ? paired->mean + sign * paired->error *
                                                gt_student_quantile(1 - error, paired->freedom)
                           : sign * (double)INFINITY;
}
