/* Spearman's rank correlation. */
#include "stats/correlation.h"

#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>

/* Computes the rank of each value, beginning with 1. Equal values get the mean of their ranks. */
static void compute_ranks(double *ranks, gt_ranked *scratch, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        scratch[i] = (gt_ranked){values[i], i};
    }
    gt_sort_ranked(scratch, count);
    for (size_t first = 0, last; first < count; first = last) {
        for (last = first + 1; last < count && scratch[last].value == scratch[first].value;) {
            last++;
        }
        for (size_t i = first; i < last; i++) {
            ranks[scratch[i].index] = (double)(first + last + 1) / 2;
        }
    }
}

static double pearson(const double *x, const double *y, size_t count)
{
    double middle = (double)(count + 1) / 2, xy = 0, xx = 0, yy = 0;
    for (size_t i = 0; i < count; i++) {
        xy += (x[i] - middle) * (y[i] - middle);
        xx += (x[i] - middle) * (x[i] - middle);
        yy += (y[i] - middle) * (y[i] - middle);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

gputune_status gt_spearman(double *out, const double *x, const double *y, size_t count)
{
    if (count < 2) {
        *out = 0;
        return GPUTUNE_OK;
    }
    GT_FREED double *ranks = malloc(2 * count * sizeof *ranks);
    GT_FREED gt_ranked *scratch = malloc(count * sizeof *scratch);
    GT_TRY(gt_allocated(ranks));
    GT_TRY(gt_allocated(scratch));
    compute_ranks(ranks, scratch, x, count);
    compute_ranks(ranks + count, scratch, y, count);
    *out = pearson(ranks, ranks + count, count);
    return GPUTUNE_OK;
}
