/* The code that all strategies share, and the strategies without a model: `exhaustive`, `random`
 * and `local`.
 *
 * `local` proposes neighbours of the fastest configurations, most often of the fastest one. A
 * neighbour differs in one axis, or sometimes in two, because constraints connect axes. The search
 * begins with random configurations. It tries more of them later to leave local optima. */
#include "search/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STARTS = 16, /* number of random configurations before neighbours are tried */
    CENTRES = 8, /* number of fastest configurations whose neighbours are tried */
    TRIES = 20   /* maximum number of attempts to find a new neighbour */
};
#define RANDOM   0.1  /* fraction of proposals that are random */
#define SLOWER   0.65 /* probability of going on to the next slower configuration */
#define ADJACENT 0.5  /* fraction of neighbours that are one choice away on an axis */
#define JUMP     0.2  /* fraction of neighbours that differ in two axes */

static bool move_point(gt_strategy *strategy, gt_point *point)
{
    double which = gt_random_unit(&strategy->random);
    if (which < ADJACENT) {
        return gt_domain_step(strategy->domain, &strategy->random, point);
    }
    return gt_domain_jump(strategy->domain, &strategy->random, which < 1 - JUMP ? 1 : 2, point);
}

static bool propose_near(gt_strategy *strategy, const gt_point *centre, gt_point *out)
{
    for (int i = 0; i < TRIES; i++) {
        *out = *centre;
        if (move_point(strategy, out) && !gt_evidence_has(&strategy->evidence, out)) {
            return true;
        }
    }
    return false;
}

static bool propose_any_near(gt_strategy *strategy, gt_point *out)
{
    uint32_t centres[CENTRES], which = 0;
    uint32_t count = gt_evidence_fastest(&strategy->evidence, centres, CENTRES);
    while (which + 1 < count && gt_random_unit(&strategy->random) < SLOWER) {
        which++;
    }
    for (; which < count; which++) {
        gt_point centre = strategy->evidence.known.items[centres[which]].point;
        if (propose_near(strategy, &centre, out)) {
            return true;
        }
    }
    return false;
}

static gputune_status propose_local(gt_strategy *strategy, gt_point *out, bool *found)
{
    const gt_point *fallback = strategy->domain->fallback;
    *found = true;
    if (fallback && !gt_evidence_has(&strategy->evidence, fallback)) {
        *out = *fallback;
        return GPUTUNE_OK;
    }
    bool near =
        strategy->evidence.known.count >= STARTS && gt_random_unit(&strategy->random) >= RANDOM;
    if (!near || !propose_any_near(strategy, out)) {
        *found = gt_strategy_draw(strategy, out);
    }
    return GPUTUNE_OK;
}

static gputune_status propose_random(gt_strategy *strategy, gt_point *out, bool *found)
{
    *found = gt_strategy_draw(strategy, out);
    return GPUTUNE_OK;
}

static const struct {
    const char *name;
    /* Proposes a point that is not in the evidence. If it sets *found to false, or is NULL, the
     * caller proposes the remaining points in their order. */
    gputune_status (*propose)(gt_strategy *strategy, gt_point *out, bool *found);
} strategies[GPUTUNE_STRATEGY_COUNT] = {
    [GPUTUNE_STRATEGY_AUTO] = {"auto", gt_model_propose},
    [GPUTUNE_STRATEGY_EXHAUSTIVE] = {"exhaustive", NULL},
    [GPUTUNE_STRATEGY_RANDOM] = {"random", propose_random},
    [GPUTUNE_STRATEGY_MODEL] = {"model", gt_model_propose},
    [GPUTUNE_STRATEGY_LOCAL] = {"local", propose_local},
};

enum {
    DRAWS = 100,
    /* A search may end after a number of results without a gain: the largest of PATIENCE, 1/2 of
     * the tried configurations, and min(MOST_PATIENCE, 1/SHARE of the untried ones). */
    PATIENCE = 160,
    SHARE = 4,
    MOST_PATIENCE = 600,
    ENOUGH = 8 /* a compile may be given up only after this many compile times are known */
};
#define EPSILON    0.005
#define NEGLIGIBLE 0.1 /* fraction of epsilon below which a gain is negligible */
#define FAR_LONGER 4.0 /* a compile may be given up after this many times the mean compile time */

const char *gt_strategy_name(gputune_strategy kind)
{
    return (size_t)kind < GPUTUNE_STRATEGY_COUNT ? strategies[kind].name : "?";
}

static void drop_strategy(gt_strategy **strategy)
{
    gt_strategy_free(*strategy);
}

gputune_status gt_strategy_open(gt_strategy **out, gputune_strategy kind, const gt_domain *domain,
                                const gt_search_settings *settings)
{
    GT_SCOPED(drop_strategy) gt_strategy *strategy = calloc(1, sizeof *strategy);
    GT_TRY(gt_allocated(strategy));
    strategy->kind = kind;
    strategy->domain = domain;
    strategy->settings = *settings;
    strategy->settings.workers = settings->workers ? settings->workers : 1;
    strategy->settings.epsilon = settings->epsilon > 0 ? settings->epsilon : EPSILON;
    strategy->random.state = settings->seed;
    if (kind == GPUTUNE_STRATEGY_AUTO || kind == GPUTUNE_STRATEGY_MODEL) {
        GT_TRY(gt_model_new(&strategy->model, domain));
    }
    *out = gt_take(&strategy);
    return GPUTUNE_OK;
}

void gt_strategy_free(gt_strategy *strategy)
{
    if (!strategy) {
        return;
    }
    gt_model_free(strategy->model);
    gt_evidence_free(&strategy->evidence);
    gt_array_free(&strategy->hints);
    free(strategy);
}

bool gt_strategy_walk(gt_strategy *strategy, gt_point *out)
{
    const gt_domain *domain = strategy->domain;
    while (!strategy->walked_all) {
        bool first = !strategy->walking;
        strategy->walking = true;
        strategy->walked_all = !domain->next(domain->user, &strategy->walked, first);
        if (!strategy->walked_all && !gt_evidence_has(&strategy->evidence, &strategy->walked)) {
            *out = strategy->walked;
            return true;
        }
    }
    return false;
}

bool gt_strategy_draw(gt_strategy *strategy, gt_point *out)
{
    const gt_domain *domain = strategy->domain;
    for (int i = 0; i < DRAWS; i++) {
        if (!domain->draw(domain->user, &strategy->random, out)) {
            return false;
        }
        if (!gt_evidence_has(&strategy->evidence, out)) {
            return true;
        }
    }
    return false;
}

gputune_status gt_strategy_hint(gt_strategy *strategy, const gt_tried *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        GT_TRY(gt_array_push(&strategy->hints, results[i]));
    }
    return GPUTUNE_OK;
}

gputune_status gt_strategy_pass_on(gt_strategy *strategy, const gt_strategy *from)
{
    const gt_evidence *evidence = &from->evidence;
    for (uint32_t i = 0; i < evidence->known.count; i++) {
        const gt_known *known = &evidence->known.items[i];
        const gt_tried hint = {
            .point = known->point, .outcome = GT_TRIED_OK, .time_ns = exp(known->log_time)};
        if (known->outcome == GT_TRIED_OK) {
            GT_TRY(gt_strategy_hint(strategy, &hint, 1));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_strategy_note(bool *is_new, gt_strategy *strategy, const gt_point *point)
{
    const bool is_known = gt_evidence_has(&strategy->evidence, point);
    if (!is_known) {
        GT_TRY(gt_evidence_propose(&strategy->evidence, point));
    }
    *is_new = !is_known;
    return GPUTUNE_OK;
}

gputune_status gt_strategy_propose(gt_strategy *strategy, gt_point *out, size_t count,
                                   size_t *given)
{
    *given = 0;
    while (*given < count) {
        gt_point point = {{0}};
        bool found = false;
        if (strategies[strategy->kind].propose) {
            GT_TRY(strategies[strategy->kind].propose(strategy, &point, &found));
        }
        if (!found && !gt_strategy_walk(strategy, &point)) {
            return GPUTUNE_OK;
        }
        GT_TRY(gt_evidence_propose(&strategy->evidence, &point));
        out[(*given)++] = point;
    }
    return GPUTUNE_OK;
}

gputune_status gt_strategy_report(gt_strategy *strategy, const gt_tried *result)
{
    GT_REFUSE(result->outcome == GT_TRIED_OK && !(result->time_ns > 0 && isfinite(result->time_ns)),
              GPUTUNE_EINVAL, "a time of %g ns; expected a positive one", result->time_ns);
    return gt_evidence_add(&strategy->evidence, result);
}

/* Returns true if the model expects no improvement, and enough results without a gain confirm this.
 * The limits were tested with eight searches in each of seven recorded spaces: all of these
 * searches ended within 0.1% of the optimum. Without SHARE, five searches ended 1.5 to 4.8% above
 * the optimum. With a SHARE of 8, two of four searches of a stencil with 3806 variants ended 1.8%
 * above the optimum on an H200. */
static bool is_done(const gt_outlook *outlook, const gt_search_settings *settings)
{
    double share = fmin(outlook->remaining / SHARE, MOST_PATIENCE);
    double patience = fmax(PATIENCE, fmax(outlook->tried / 2.0, share));
    return outlook->expected_gain >= 0 && outlook->expected_gain < settings->epsilon * NEGLIGIBLE &&
           outlook->since_improved >= patience;
}

void gt_strategy_outlook(gt_outlook *out, gt_strategy *strategy)
{
    const gt_evidence *evidence = &strategy->evidence;
    double remaining = strategy->domain->size - evidence->known.count;
    *out = (gt_outlook){.tried = evidence->count[GT_TRIED_OK] + evidence->count[GT_TRIED_FAILED],
                        .since_improved = evidence->result_count - evidence->count_at_best,
                        .remaining = remaining > 0 ? remaining : 0,
                        .expected_gain = -1,
                        .learns = strategy->kind == GPUTUNE_STRATEGY_LOCAL};
    if (strategy->model) {
        gt_model_look(out, strategy);
    }
    out->exhausted =
        !evidence->count[GT_TRIED_PENDING] &&
        (strategy->walked_all || (strategy->domain->size_is_exact && out->remaining == 0));
    out->done = out->exhausted || is_done(out, &strategy->settings);
}

bool gt_strategy_gives_up(gt_strategy *strategy, const gt_point *point, double seconds)
{
    const gt_evidence *evidence = &strategy->evidence;
    gt_known *known = gt_evidence_find(evidence, point);
    if (known) {
        known->so_far_s = seconds;
    }
    if (evidence->compiled < ENOUGH || !strategy->model) {
        return false;
    }
    double usual = evidence->compile_s / evidence->compiled;
    if (seconds <= FAR_LONGER * usual) {
        return false;
    }
    double worth = gt_model_worth(strategy, point);
    gt_outlook outlook;
    gt_strategy_outlook(&outlook, strategy);
    /* assume that the compile needs another `seconds` */
    bool others_give_more =
        outlook.expected_gain > 0 && worth / seconds < outlook.expected_gain / usual / 2;
    return worth >= 0 && (others_give_more || worth < strategy->settings.epsilon * NEGLIGIBLE);
}
