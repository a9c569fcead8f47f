/* The prior from results of other sizes or GPUs: a Gaussian process of its own. What it expects is
 * the first guess at the times here, scaled by how well such guesses did. */
#include "search/model.h"

#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 160, STEPS = 12 };

/* Fills half of the rows with the fastest hints, and the others evenly. */
static void fill(gt_gaussian *gaussian, const gt_model *model, const gt_strategy *strategy,
                 const gt_ranked *order, uint32_t count)
{
    double mean = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        mean += order[i].value / count;
    }
    for (uint32_t i = 0; i < count; i++) {
        squares += (order[i].value - mean) * (order[i].value - mean);
    }
    double spread = sqrt(squares / count) + 1e-6;
    uint32_t rows = count < ROWS ? count : ROWS, first = rows < count ? rows / 2 : rows;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t at = i < first ? i : first + (i - first) * (count - first) / (rows - first);
        float z[GT_COORDINATES];
        gt_coordinates_of(z, &model->coordinates, &strategy->hints.items[order[at].index].point);
        uint32_t row = gt_gaussian_add(gaussian, z);
        gaussian->target[GT_TARGET_TIME].y[row] = (order[at].value - mean) / spread;
    }
}

/* Sorts the hints that have a time; returns how many there are. */
static uint32_t sort_hints(gt_strategy *strategy, gt_ranked *order)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < strategy->hints.count; i++) {
        if (strategy->hints.items[i].outcome == GT_TRIED_OK) {
            order[count++] = (gt_ranked){log(strategy->hints.items[i].time_ns), i};
        }
    }
    gt_sort_ranked(order, count);
    return count;
}

gputune_status gt_model_prior_make(gt_model *model, gt_strategy *strategy)
{
    if (!strategy->hints.count) {
        return GPUTUNE_OK;
    }
    gt_gaussian_close(&model->prior.gaussian);
    model->prior = (gt_model_prior){0};
    GT_FREED gt_ranked *order = malloc(strategy->hints.count * sizeof *order);
    GT_TRY(gt_allocated(order));
    uint32_t count = sort_hints(strategy, order);
    if (!count) {
        return GPUTUNE_OK;
    }
    gt_model_prior *prior = &model->prior;
    GT_TRY(gt_gaussian_open(&prior->gaussian, &model->coordinates));
    prior->present = true;
    prior->lead_count = count < GT_MODEL_LEADS ? count : GT_MODEL_LEADS;
    if (strategy->evidence.count[GT_TRIED_OK]) {
        uint32_t workers = strategy->settings.workers;
        prior->due = workers < prior->lead_count ? workers : prior->lead_count;
    }
    for (uint32_t i = 0; i < prior->lead_count; i++) {
        prior->leads[i] = strategy->hints.items[order[i].index].point;
    }
    fill(&prior->gaussian, model, strategy, order, count);
    gt_gaussian_update(&prior->gaussian);
    gt_gaussian_learn(&prior->gaussian, STEPS);
    return GPUTUNE_OK;
}

double gt_model_prior_at(const gt_model *model, const float *z)
{
    if (!model->prior.present) {
        return 0;
    }
    gt_prospect prospect, *only = &prospect;
    memcpy(prospect.z, z, sizeof prospect.z);
    prospect.rows = 0;
    gt_gaussian_look(&model->prior.gaussian, &only, 1);
    return gt_gaussian_expect(&model->prior.gaussian, &prospect, GT_TARGET_TIME);
}
