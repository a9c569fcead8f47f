/* The strategy `model`: a few configurations at random, then wherever the most is expected. */
#include "search/model.h"

#include <math.h>
#include <stdlib.h>

enum {
    LEAST_OK = 3,
    BETWEEN_CLIMBS = 8 /* proposals of one batch */
};

gputune_status gt_model_open(gt_strategy *strategy, void *state)
{
    gt_model *model = state;
    model->width = INFINITY;
    GT_TRY(gt_coordinates_make(&model->coordinates, strategy->domain));
    return gt_gaussian_open(&model->gaussian, &model->coordinates);
}

void gt_model_close(void *state)
{
    gt_model *model = state;
    gt_coordinates_free(&model->coordinates);
    gt_gaussian_close(&model->gaussian);
    gt_gaussian_close(&model->prior.gaussian);
    gt_array_free(&model->pool);
    gt_hash_index_free(&model->places);
}

static bool is_new(const gt_strategy *strategy, const gt_point *point)
{
    return !gt_evidence_has(&strategy->evidence, point) &&
           strategy->domain->is_valid(strategy->domain->user, point);
}

/* Before there is enough for a model: the default, what was best elsewhere, and random ones. Two
 * random ones among the first tell the model how far the times here follow those of elsewhere; more
 * are asked for only by many workers, before the first results are there. */
static bool propose_first(gt_model *model, gt_strategy *strategy, gt_point *out)
{
    gt_model_prior *prior = &model->prior;
    if (strategy->domain->fallback && is_new(strategy, strategy->domain->fallback)) {
        *out = *strategy->domain->fallback;
        return true;
    }
    uint32_t turn = prior->turns++;
    bool at_random = !prior->due && turn < GT_MODEL_FIRST_WITH_HINTS && turn % 2 == 1;
    prior->due -= prior->due > 0;
    while (!at_random && prior->next_lead < prior->lead_count) {
        const gt_point *lead = &prior->leads[prior->next_lead++];
        if (is_new(strategy, lead)) {
            *out = *lead;
            return true;
        }
    }
    return gt_strategy_draw(strategy, out);
}

static bool is_ready(const gt_model *model, const gt_strategy *strategy)
{
    uint32_t first = model->prior.present ? GT_MODEL_FIRST_WITH_HINTS : GT_MODEL_FIRST;
    return strategy->evidence.known.count >= first &&
           strategy->evidence.count[GT_TRIED_OK] >= LEAST_OK && !model->prior.due;
}

static gputune_status update(gt_model *model, gt_strategy *strategy)
{
    bool anew;
    GT_TRY(gt_model_learn(&anew, model, strategy));
    GT_TRY(anew ? gt_model_pool_fill(model, strategy) : gt_model_pool_prune(model));
    return gt_model_pool_near_best(model, strategy);
}

static gputune_status propose_model(gt_strategy *strategy, void *state, gt_point *out, bool *found)
{
    gt_model *model = state;
    if (!model->is_open || model->hint_count < strategy->hints.count) {
        model->is_open = true;
        model->results = UINT64_MAX;
        model->hint_count = strategy->hints.count;
        gt_model_forget_rows(model, &strategy->evidence);
        GT_TRY(gt_model_prior_make(model, strategy));
    }
    if (!is_ready(model, strategy)) {
        *found = propose_first(model, strategy, out);
        return GPUTUNE_OK;
    }
    if (model->results != strategy->evidence.results) {
        GT_TRY(update(model, strategy));
        model->results = strategy->evidence.results;
        model->batch = 0;
    } else {
        gt_model_add_pending(model, &strategy->evidence);
    }
    int64_t best;
    bool climb = model->batch++ % BETWEEN_CLIMBS == 0;
    GT_TRY(gt_model_pool_best(model, strategy, climb, &best));
    *found = best >= 0;
    if (*found) {
        *out = model->pool.items[best].point;
        model->gain = model->pool.items[best].gain;
        strategy->expected = model->pool.items[best].expected;
    }
    return GPUTUNE_OK;
}

static void look(gt_strategy *strategy, void *state, gt_outlook *out)
{
    const gt_model *model = state;
    (void)strategy;
    if (model->told_when_learnt) {
        out->expected_gain = model->gain;
    }
}

/* While slow compiles hold all workers nothing is proposed, and the model would never learn. */
double gt_model_worth(gt_strategy *strategy, void *state, const gt_point *point)
{
    gt_model *model = state;
    bool late = model->is_open && !model->told_when_learnt && is_ready(model, strategy);
    if (late && update(model, strategy) != GPUTUNE_OK) {
        return -1;
    }
    return model->told_when_learnt ? gt_model_gain_at(model, strategy, point) : -1;
}

const gt_method gt_method_model = {.bytes = sizeof(gt_model),
                                   .open = gt_model_open,
                                   .close = gt_model_close,
                                   .propose = propose_model,
                                   .learns = true,
                                   .first = GT_MODEL_FIRST,
                                   .first_with_hints = GT_MODEL_FIRST_WITH_HINTS,
                                   .look = look,
                                   .worth = gt_model_worth};
