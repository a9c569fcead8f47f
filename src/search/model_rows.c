/* What the model's Gaussian process learns from: which results are its rows, and their values. */
#include "search/model.h"

#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEPT = 300, /* rows that stay when there are too many, half of them the fastest: what is
                   forgotten is explored again */
    STEPS = 10, /* of learning */
    ENOUGH = 20 /* results to choose a width by */
};
#define GROWTH 1.25 /* of the results until the next learning */

void gt_model_forget_rows(gt_model *model, gt_evidence *evidence)
{
    gt_gaussian_clear(&model->gaussian);
    for (uint32_t i = 0; i < evidence->known.count; i++) {
        evidence->known.items[i].row = 0;
    }
    model->told_when_learnt = 0;
}

static void add_row(gt_model *model, gt_evidence *evidence, uint32_t known)
{
    float z[GT_COORDINATES];
    gt_coordinates_of(z, &model->coordinates, &evidence->known.items[known].point);
    uint32_t row = gt_gaussian_add(&model->gaussian, z);
    evidence->known.items[known].row = row + 1;
    model->known_of[row] = known;
    model->row_prior[row] = gt_model_prior_at(model, z);
}

/* Adds rows for the points that have none; false if there is no room for all. */
static bool add_rows(gt_model *model, gt_evidence *evidence)
{
    for (uint32_t i = 0; i < evidence->known.count; i++) {
        if (evidence->known.items[i].row) {
            continue;
        }
        if (model->gaussian.count == GT_GAUSSIAN_ROWS) {
            return false;
        }
        add_row(model, evidence, i);
    }
    return true;
}

void gt_model_add_pending(gt_model *model, gt_evidence *evidence)
{
    add_rows(model, evidence);
    gt_gaussian_update(&model->gaussian);
}

/* Chooses the rows to keep: what is pending, the fastest, and some of the others at random. */
static void choose_rows(gt_model *model, gt_strategy *strategy, gt_ranked *order)
{
    gt_evidence *evidence = &strategy->evidence;
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; i < evidence->known.count; i++) {
        gt_known *known = &evidence->known.items[i];
        known->row = 0;
        if (known->outcome != GT_TRIED_PENDING) {
            bool ok = known->outcome == GT_TRIED_OK;
            order[count++] = (gt_ranked){ok ? known->log_time : (double)INFINITY, i};
        }
    }
    gt_sort_ranked(order, count);
    for (uint32_t i = KEPT / 2; i < count; i++) {
        order[i].value = gt_random_unit(&strategy->random);
    }
    if (count > KEPT / 2) {
        gt_sort_ranked(order + KEPT / 2, count - KEPT / 2);
    }
    gt_gaussian_clear(&model->gaussian);
    for (; kept < count && kept < KEPT; kept++) {
        add_row(model, evidence, order[kept].index);
    }
    for (uint32_t i = kept; i < count; i++) {
        evidence->known.items[order[i].index].row = GT_GAUSSIAN_ROWS + 1; /* left out */
    }
}

static gputune_status thin_rows(gt_model *model, gt_strategy *strategy)
{
    GT_FREED gt_ranked *order = malloc((strategy->evidence.known.count + 1) * sizeof *order);
    GT_TRY(gt_allocated(order));
    choose_rows(model, strategy, order);
    add_rows(model, &strategy->evidence); /* what is pending */
    return GPUTUNE_OK;
}

/* How far the times here follow those of elsewhere: the slope of a least-squares line, drawn
 * towards none by two values' weight. */
static void fit_prior(gt_model *model)
{
    double products = 0, squares = 2;
    const double *y = model->gaussian.target[GT_TARGET_TIME].y;
    for (uint32_t i = 0; i < model->gaussian.count; i++) {
        if (!isnan(y[i])) {
            products += model->row_prior[i] * y[i];
            squares += model->row_prior[i] * model->row_prior[i];
        }
    }
    model->prior.slope = fmin(fmax(products / squares, 0), 1.5);
}

/* The logarithm of a point's compile time over the usual one, or NAN. A compile that has run for
 * longer than half of the usual time is taken to run on for as long again. */
static double compile_value(const gt_model *model, const gt_known *known)
{
    double least = log(2 * known->so_far_s) - model->compile_centre;
    if (known->compile_s > 0) {
        return log(known->compile_s) - model->compile_centre;
    }
    return least > 0 ? least : (double)NAN;
}

static void set_values(gt_model *model, const gt_evidence *evidence)
{
    gt_target_values *target = model->gaussian.target;
    model->compile_centre =
        evidence->compiled ? log(evidence->compile_s / evidence->compiled) : (double)NAN;
    for (uint32_t i = 0; i < model->gaussian.count; i++) {
        const gt_known *known = &evidence->known.items[model->known_of[i]];
        bool ok = known->outcome == GT_TRIED_OK, failed = known->outcome == GT_TRIED_FAILED;
        target[GT_TARGET_TIME].y[i] = ok ? gt_model_value(model, known->log_time) : (double)NAN;
        target[GT_TARGET_FAILURE].y[i] = failed ? 1 : ok ? 0 : (double)NAN;
        target[GT_TARGET_COMPILE].y[i] = compile_value(model, known);
    }
    if (model->prior.present) {
        fit_prior(model);
        for (uint32_t i = 0; i < model->gaussian.count; i++) {
            target[GT_TARGET_TIME].y[i] -= model->prior.slope * model->row_prior[i];
        }
    }
    gt_gaussian_update(&model->gaussian);
}

/* How badly the process suits the times, seen by the model's width. */
static double misfit(gt_model *model, const gt_evidence *evidence)
{
    uint32_t count = 0;
    double log_slope = 0;
    gt_model_standardise(model, evidence);
    set_values(model, evidence);
    for (uint32_t i = 0; i < model->gaussian.count; i++) {
        const gt_known *known = &evidence->known.items[model->known_of[i]];
        if (known->outcome == GT_TRIED_OK) {
            log_slope += gt_model_log_slope(model, known->log_time);
            count++;
        }
    }
    return gt_gaussian_misfit(&model->gaussian) - log_slope / (count ? count : 1);
}

/* The likelihood of a process of warped values says by which width it suits the times best
 * (Snelson, Rasmussen, Ghahramani 2003). */
static void choose_width(gt_model *model, const gt_evidence *evidence)
{
    static const double widths[] = {INFINITY, 0.4, 0.15, 0.06};
    double least = INFINITY, best = model->width;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        model->width = widths[i];
        double value = misfit(model, evidence);
        if (value < least) {
            least = value;
            best = widths[i];
        }
    }
    model->width = best;
}

gputune_status gt_model_learn(bool *anew, gt_model *model, gt_strategy *strategy)
{
    gt_evidence *evidence = &strategy->evidence;
    uint32_t told = evidence->count[GT_TRIED_OK] + evidence->count[GT_TRIED_FAILED];
    bool due = !model->told_when_learnt || told >= model->told_when_learnt * GROWTH;
    bool thinned = !add_rows(model, evidence);
    if (thinned) {
        GT_TRY(thin_rows(model, strategy));
    }
    if (due && told >= ENOUGH) {
        choose_width(model, evidence);
    }
    gt_model_standardise(model, evidence);
    set_values(model, evidence);
    if (due) {
        gt_gaussian_learn(&model->gaussian, STEPS);
        model->told_when_learnt = told;
    }
    *anew = due || thinned;
    return GPUTUNE_OK;
}
