/* What results of elsewhere are worth here: a process of their own, whose expectation is a first
 * guess at the times, scaled by how well it did. */
#include "search/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 160, STEPS = 12 };

typedef struct ranked {
    double log_time;
    uint32_t hint;
} ranked;

static int by_time(const void *a, const void *b)
{
    double x = ((const ranked *)a)->log_time, y = ((const ranked *)b)->log_time;
    return (x > y) - (x < y);
}

/* The fastest half of the rows, and an even choice of the others. */
static void fill(gt_gaussian *gaussian, const gt_model *model, const gt_strategy *strategy,
                 const ranked *order, uint32_t count)
{
    double mean = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        mean += order[i].log_time / count;
    }
    for (uint32_t i = 0; i < count; i++) {
        squares += (order[i].log_time - mean) * (order[i].log_time - mean);
    }
    double spread = sqrt(squares / count) + 1e-6;
    uint32_t rows = count < ROWS ? count : ROWS, first = rows < count ? rows / 2 : rows;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t at = i < first ? i : first + (i - first) * (count - first) / (rows - first);
        float z[GT_COORDINATES];
        gt_coordinates_of(z, &model->coordinates, &strategy->hints[order[at].hint].point);
        uint32_t row = gt_gaussian_add(gaussian, z);
        gaussian->target[GT_TARGET_TIME].y[row] = (order[at].log_time - mean) / spread;
    }
}

/* Puts the hints in order of time, those without one last; gives how many have one. */
static uint32_t sort_hints(gt_strategy *strategy, ranked *order)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < strategy->hint_count; i++) {
        if (strategy->hints[i].outcome == GT_TRIED_OK) {
            order[count++] = (ranked){log(strategy->hints[i].time_ns), i};
        }
    }
    qsort(order, count, sizeof *order, by_time);
    return count;
}

gputune_status gt_model_prior_make(gt_model *model, gt_strategy *strategy)
{
    if (!strategy->hint_count) {
        return GPUTUNE_OK;
    }
    ranked *order = malloc(strategy->hint_count * sizeof *order);
    if (!order) {
        return gt_fail_memory();
    }
    uint32_t count = sort_hints(strategy, order);
    gputune_status status = GPUTUNE_OK;
    if (count) {
        status = gt_gaussian_open(&model->prior.gaussian, &model->coordinates);
    }
    if (count && status == GPUTUNE_OK) {
        model->prior.present = true;
        model->prior.first = strategy->hints[order[0].hint].point;
        fill(&model->prior.gaussian, model, strategy, order, count);
        gt_gaussian_settle(&model->prior.gaussian);
        gt_gaussian_learn(&model->prior.gaussian, STEPS);
    }
    free(order);
    return status;
}

double gt_model_prior_at(const gt_model *model, const float *z)
{
    if (!model->prior.present) {
        return 0;
    }
    gt_prospect prospect;
    prospect.rows = 0;
    gt_gaussian_look(&model->prior.gaussian, z, &prospect);
    return gt_gaussian_expect(&model->prior.gaussian, &prospect, GT_TARGET_TIME);
}
