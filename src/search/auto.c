/* The strategy `auto`. A small space, or one that there is time for, is tried as a whole, the
 * fastest hints first, as its limit may end it early. Otherwise the model proposes; if it foresees
 * the results of its proposals badly, it alternates with `local`. */
#include "search/model.h"

#include "stats/correlation.h"

#include <math.h>

enum {
    SMALL = 128, /* valid configurations that are not worth a choice */
    PROBE = 16,  /* results from which the rate is known */
    JUDGED = 48, /* the last proposals by which the model is judged */
    VERDICTS = 2 /* against the model in a row, until it alternates with local */
};
#define USELESS 0.05 /* rank correlation of what was expected with what came */

typedef struct automatic {
    gt_model model; /* must be first: its functions take this state */
    bool by_turns, local_next;
    uint32_t useless;                      /* verdicts against the model in a row */
    uint32_t foreseen;                     /* proposals of the model with a result */
    double expected[JUDGED], seen[JUDGED]; /* of the last of them, as a ring */
} automatic;

/* Whether all that is left can be tried in what is left of the limit, at the rate so far. */
static bool is_time_for_all(const gt_strategy *strategy)
{
    const gt_evidence *evidence = &strategy->evidence;
    const gt_domain *domain = strategy->domain;
    if (domain->size_is_exact && domain->size <= SMALL) {
        return true;
    }
    uint32_t told = evidence->count[GT_TRIED_OK] + evidence->count[GT_TRIED_FAILED];
    if (told < PROBE || strategy->settings.limit_s <= 0 || !domain->size_is_exact) {
        return false;
    }
    double spent = fmax(evidence->compile_s / strategy->settings.workers, evidence->measure_s);
    double left = domain->size - evidence->known.count;
    return spent / told * left <= strategy->settings.limit_s - spent;
}

/* The fastest hint that is not proposed yet, or NULL. */
static const gt_tried *best_hint(const gt_strategy *strategy)
{
    const gt_tried *best = NULL;
    for (size_t i = 0; i < strategy->hints.count; i++) {
        const gt_tried *hint = &strategy->hints.items[i];
        if (hint->outcome == GT_TRIED_OK && (!best || hint->time_ns < best->time_ns) &&
            !gt_evidence_has(&strategy->evidence, &hint->point)) {
            best = hint;
        }
    }
    return best;
}

static bool propose_any(gt_strategy *strategy, gt_point *out)
{
    const gt_tried *hint = best_hint(strategy);
    if (!hint) {
        return gt_strategy_walk(strategy, out);
    }
    *out = hint->point;
    return true;
}

static gputune_status propose_auto(gt_strategy *strategy, void *state, gt_point *out, bool *found)
{
    automatic *at = state;
    if (is_time_for_all(strategy)) {
        *found = propose_any(strategy, out);
        return GPUTUNE_OK;
    }
    at->local_next = at->by_turns && !at->local_next;
    if (at->local_next) {
        return gt_method_local.propose(strategy, NULL, out, found);
    }
    return gt_method_model.propose(strategy, &at->model, out, found);
}

/* Compares what the model expected of its proposals with what came of them. */
static gputune_status judge_model(automatic *at, const gt_evidence *evidence,
                                  const gt_tried *result)
{
    const gt_known *known = gt_evidence_find(evidence, &result->point);
    if (known->outcome != GT_TRIED_OK || isnan(known->expected)) {
        return GPUTUNE_OK;
    }
    at->expected[at->foreseen % JUDGED] = known->expected;
    at->seen[at->foreseen % JUDGED] = known->log_time;
    if (++at->foreseen % JUDGED == 0) {
        double skill;
        GT_TRY(gt_spearman(&skill, at->expected, at->seen, JUDGED));
        at->useless = skill < USELESS ? at->useless + 1 : 0;
        at->by_turns = at->useless >= VERDICTS;
    }
    return GPUTUNE_OK;
}

static gputune_status told_auto(gt_strategy *strategy, void *state, const gt_tried *result)
{
    automatic *at = state;
    if (is_time_for_all(strategy)) {
        return GPUTUNE_OK; /* all are tried, and a model costs a millisecond a result */
    }
    return judge_model(at, &strategy->evidence, result);
}

static void look(gt_strategy *strategy, void *state, gt_outlook *out)
{
    automatic *at = state;
    gt_method_model.look(strategy, &at->model, out);
    out->learns = !is_time_for_all(strategy);
}

const gt_method gt_method_auto = {.bytes = sizeof(automatic),
                                  .open = gt_model_open,
                                  .close = gt_model_close,
                                  .propose = propose_auto,
                                  .told = told_auto,
                                  .learns = true,
                                  .first = GT_MODEL_FIRST,
                                  .first_with_hints = GT_MODEL_FIRST_WITH_HINTS,
                                  .look = look,
                                  .worth = gt_model_worth};
