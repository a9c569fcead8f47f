/* The candidates among which the model looks for its next proposal: random ones, the neighbours of
 * the fastest, and what lies around the most promising. */
#include "search/model.h"

#include "stats/distribution.h"
#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RANDOM = 500,
    NEAR_BEST = 4, /* of the fastest ones, whose neighbours are candidates */
    JUMPS = 48,    /* and as many points that differ from each of them in two axes, and in three */
    MANY = 800,    /* candidates that are thinned out to RANDOM */
    CLIMBS = 3     /* steps from the most promising candidate to its neighbours */
};
#define FAR 6.0 /* deviations below the best where the gain is nothing but an order */
/* A covariance learnt from few points is too sure of itself. Deviations are doubled, over many axes
 * less: there is too much to explore there. */
#define DOUBT_AXES 8.0
/* Where nothing improves, what the process is sure of may be wrong: after DOUBTS results doubt
 * grows, to MOST_DOUBT times. After WAVE it begins anew, to follow up what was found. */
#define DOUBTS       5
#define WAVE         20
#define MOST_DOUBT   2.0
#define TRUSTED      10   /* results without a gain until hints are doubted, too */
#define SURE_FAILURE 1.02 /* a failure that is expected for sure still has a chance of 2% */
#define ROOT_2PI     2.5066282746310002

static void begin(gt_candidate *out, const gt_model *model, const gt_point *point)
{
    out->point = *point;
    gt_coordinates_of(out->prospect.z, &model->coordinates, point);
    out->prior = gt_model_prior_at(model, out->prospect.z);
    out->prospect.rows = 0;
    out->score = -INFINITY;
}

typedef struct adding {
    gt_model *model;
    const gt_evidence *evidence;
    gputune_status status;
} adding;

static bool add(void *user, const gt_point *point)
{
    adding *to = user;
    gt_model *model = to->model;
    uint32_t place, next = (uint32_t)model->pool.count;
    if (gt_evidence_has(to->evidence, point)) {
        return true;
    }
    to->status = gt_array_reserve(&model->pool);
    GT_THEN(to->status, gt_hash_index_intern(&model->places, gt_point_hash(point), next, &place));
    if (to->status == GPUTUNE_OK && place == next) {
        begin(&model->pool.items[model->pool.count++], model, point);
    }
    return to->status == GPUTUNE_OK;
}

static void empty(gt_model *model)
{
    model->pool.count = 0;
    gt_hash_index_free(&model->places);
}

gputune_status gt_model_pool_fill(gt_model *model, gt_strategy *strategy)
{
    adding to = {model, &strategy->evidence, GPUTUNE_OK};
    empty(model);
    for (int i = 0; i < RANDOM; i++) {
        gt_point point = {{0}};
        if (!gt_strategy_draw(strategy, &point) || !add(&to, &point)) {
            break;
        }
    }
    return to.status;
}

gputune_status gt_model_pool_prune(gt_model *model)
{
    size_t count = model->pool.count;
    if (count <= MANY) {
        return GPUTUNE_OK;
    }
    GT_FREED double *scores = malloc(count * sizeof *scores);
    GT_TRY(gt_allocated(scores));
    for (size_t i = 0; i < count; i++) {
        scores[i] = model->pool.items[i].score;
    }
    gt_sort(scores, count);
    double least = scores[count - 1 - RANDOM];
    empty(model);
    for (size_t i = 0; i < count; i++) {
        const gt_candidate *kept = &model->pool.items[i];
        if (kept->score > least) {
            uint32_t to = (uint32_t)model->pool.count++; /* not above i */
            GT_TRY(gt_hash_index_intern(&model->places, gt_point_hash(&kept->point), to, &to));
            if (to != i) {
                model->pool.items[to] = *kept;
            }
        }
    }
    return GPUTUNE_OK;
}

static gputune_status add_near(gt_model *model, gt_strategy *strategy, const gt_point *point)
{
    adding to = {model, &strategy->evidence, GPUTUNE_OK};
    gt_domain_neighbours(strategy->domain, point, add, &to);
    return to.status;
}

/* Where constraints bind axes together, changing one leads nowhere; and the next basin is often
 * three axes away. */
static gputune_status add_jumps(gt_model *model, gt_strategy *strategy, const gt_point *from)
{
    adding to = {model, &strategy->evidence, GPUTUNE_OK};
    for (uint32_t axes = 2; axes <= 3; axes++) {
        for (int i = 0; i < JUMPS && to.status == GPUTUNE_OK; i++) {
            gt_point point = *from;
            if (!gt_domain_jump(strategy->domain, &strategy->random, axes, &point)) {
                break;
            }
            add(&to, &point);
        }
    }
    return to.status;
}

gputune_status gt_model_pool_near_best(gt_model *model, gt_strategy *strategy)
{
    const gt_evidence *evidence = &strategy->evidence;
    uint32_t best[NEAR_BEST];
    uint32_t count = gt_evidence_fastest(evidence, best, NEAR_BEST);
    for (uint32_t i = 0; i < count; i++) {
        gt_point point = evidence->known.items[best[i]].point;
        GT_TRY(add_near(model, strategy, &point));
        GT_TRY(add_jumps(model, strategy, &point));
    }
    return GPUTUNE_OK;
}

/* Expected improvement on the best (Mockus 1975; Jones, Schonlau, Welch 1998), in standard
 * deviations of the times, as a logarithm. */
static double log_gain(double best, double expected, double deviation)
{
    double d = (best - expected) / deviation;
    if (d < -FAR) {
        return log(deviation) - d * d / 2 - 2 * log(-d) - log(ROOT_2PI);
    }
    return log(deviation) + log(d * gt_normal_cdf(d) + exp(-d * d / 2) / ROOT_2PI);
}

/* What one more try costs, as the logarithm of seconds: its share of the compile workers, and the
 * GPU. */
static double log_cost(const gt_model *model, const gt_strategy *strategy,
                       const gt_prospect *prospect)
{
    if (!strategy->settings.by_seconds || isnan(model->compile_centre)) {
        return 0;
    }
    double compile = exp(model->compile_centre +
                         gt_gaussian_expect(&model->gaussian, prospect, GT_TARGET_COMPILE));
    const gt_evidence *evidence = &strategy->evidence;
    double measure = evidence->measured ? evidence->measure_s / evidence->measured : 0;
    return log(compile / strategy->settings.workers + measure);
}

/* The factor for the process's deviations. Hints are trusted as long as they lead to something
 * better. Whether they do is not seen by how well their ranks agree with the times here: where
 * hints held a search up, agreement was higher than where they helped. */
static double doubt(const gt_model *model, const gt_strategy *strategy)
{
    const gt_evidence *evidence = &strategy->evidence;
    uint32_t since = evidence->told - evidence->told_at_best;
    if (model->prior.present && since < TRUSTED) {
        return 1;
    }
    double axes = 1 + fmin(1, DOUBT_AXES / strategy->domain->axis_count);
    return axes * fmin(fmax(1, (double)(since % WAVE) / DOUBTS), MOST_DOUBT);
}

/* The score counts only what is gained beyond epsilon. Else a search goes on among the neighbours
 * of a good configuration, for gains that do not matter, while another basin has better ones. */
static void judge(gt_candidate *candidate, const gt_model *model, const gt_strategy *strategy)
{
    const gt_gaussian *gaussian = &model->gaussian;
    const gt_prospect *prospect = &candidate->prospect;
    double expected = gt_gaussian_expect(gaussian, prospect, GT_TARGET_TIME) +
                      model->prior.slope * candidate->prior;
    double deviation =
        doubt(model, strategy) * gt_gaussian_deviation(gaussian, prospect, GT_TARGET_TIME);
    double success = 0; /* the logarithm of its chance */
    if (strategy->evidence.count[GT_TRIED_FAILED]) {
        double failure = gt_gaussian_expect(gaussian, prospect, GT_TARGET_FAILURE);
        success = log(SURE_FAILURE - fmin(fmax(failure, 0), 1));
    }
    double aim = gt_model_value(model, model->best_log + log1p(-strategy->settings.epsilon));
    candidate->expected = gt_model_log_time(model, expected);
    candidate->gain = exp(log_gain(model->best_y, expected, deviation) + success) * model->spread;
    candidate->score =
        log_gain(aim, expected, deviation) + success - log_cost(model, strategy, prospect);
}

double gt_model_gain_at(const gt_model *model, const gt_strategy *strategy, const gt_point *point)
{
    gt_candidate candidate;
    gt_prospect *only = &candidate.prospect;
    begin(&candidate, model, point);
    gt_gaussian_look(&model->gaussian, &only, 1);
    judge(&candidate, model, strategy);
    return candidate.gain;
}

static void look_at(gt_model *model, uint32_t from)
{
    gt_prospect *group[GT_TOGETHER];
    uint32_t count = 0, all = model->pool.count;
    for (uint32_t i = from; i < all; i++) {
        group[count++] = &model->pool.items[i].prospect;
        bool ends = i + 1 == all || model->pool.items[i + 1].prospect.rows != group[0]->rows;
        if (ends || count == GT_TOGETHER) {
            gt_gaussian_look(&model->gaussian, group, count);
            count = 0;
        }
    }
}

/* Judges the candidates from index `from` on that were neither proposed nor told; returns the best
 * one, or -1. */
static int64_t judge_all(gt_model *model, const gt_strategy *strategy, uint32_t from, int64_t best)
{
    look_at(model, from);
    for (uint32_t i = from; i < model->pool.count; i++) {
        gt_candidate *candidate = &model->pool.items[i];
        if (gt_evidence_has(&strategy->evidence, &candidate->point)) {
            continue;
        }
        judge(candidate, model, strategy);
        if (best < 0 || candidate->score > model->pool.items[best].score) {
            best = i;
        }
    }
    return best;
}

gputune_status gt_model_pool_best(gt_model *model, gt_strategy *strategy, bool climb, int64_t *best)
{
    *best = judge_all(model, strategy, 0, -1);
    for (int i = 0; climb && i < CLIMBS && *best >= 0; i++) {
        int64_t before = *best;
        uint32_t from = model->pool.count;
        gt_point point = model->pool.items[before].point;
        GT_TRY(add_near(model, strategy, &point));
        *best = judge_all(model, strategy, from, before);
        if (*best == before) {
            break;
        }
    }
    return GPUTUNE_OK;
}
