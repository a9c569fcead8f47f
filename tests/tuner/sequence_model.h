/* A model of the correct answers. It knows how each variant behaves, and which results and failures
 * earlier requests have found. From these, it determines which answers a request may get. */
#pragma once

#include "tuner/sequence.h"

#include <string.h>

enum { RESULTS_MAX = 64, PROCESSES = 2, PLANS_MAX = 16 };

/* A result of a tuning, and the conditions under which it was made. */
typedef struct result {
    int scenario, config;
    uint32_t blocks; /* bit set of the template's values of BLOCK that the request allows */
    int require;
    uint32_t limit;
    gputune_effort effort;
    int driver_version;
    bool decided;
    bool proved; /* true if the winner passed its last proof */
    double time_ns;
} result;

typedef struct model {
    result kept[RESULTS_MAX]; /* results in the database, one for each scenario and space */
    int kept_count;
    int refuted_with[SCENARIOS][CONFIGS]; /* driver of the last failure, or 0 */
    bool doubtful[SCENARIOS]; /* true if a forced tuning tried variants that had failed before */
    /* bit set of configurations whose proof was ended by a limit; calls with the same limit may
     * leave these proofs out */
    uint32_t ran_on[SCENARIOS];
    /* bit set of the failures in the process's plan table */
    uint32_t reported[PROCESSES][SCENARIOS];
    struct {
        sequence_request request;
        result result; /* `decided`: a search of the request's own space has ended */
        /* the result for later requests with the same limit, if `decided` is true */
        result limited;
    } plans[PLANS_MAX]; /* indexed by the number of the request that made the plan */
    /* last result in the process's plan table, or -1 */
    int measured_last[PROCESSES];
} model;

static inline void model_start(model *m)
{
    *m = (model){.measured_last = {-1, -1}};
}

static bool is_in(const sequence_request *r, int config, bool restricted)
{
    uint32_t blocks = r->template_blocks & (r->only_blocks && restricted ? r->only_blocks : ~0U);
    int product = block_values[config / ITEM_VALUES] * item_values[config % ITEM_VALUES];
    return (blocks >> (config / ITEM_VALUES) & 1) && product <= r->require;
}

/* Returns true if the restriction leaves no configuration, so a tuning fails. */
static bool is_empty(const sequence_request *r)
{
    bool any = false;
    for (int c = 0; c < CONFIGS; c++) {
        any |= is_in(r, c, true);
    }
    return !any;
}

/* Returns the bit set of contestants: the default and the first configurations of the space, at
 * most max_variants in all. */
static uint32_t contestants(const sequence_request *r)
{
    uint32_t set = 1U << DEFAULT_CONFIG, count = 1;
    for (int c = 0; c < CONFIGS && (!r->max_variants || count < r->max_variants); c++) {
        if (is_in(r, c, true) && !(set >> c & 1)) {
            set |= 1U << c;
            count++;
        }
    }
    return set;
}

static double value_of_config(const sequence_request *r, int config)
{
    const scripted_variant *v = &r->variants[config];
    return objective_of(r->scenario) == GPUTUNE_OBJECTIVE_ENERGY ? v->energy_nj : v->time_ns;
}

static bool is_right(const sequence_request *r, int config)
{
    return failure_of(&r->variants[config]) == GPUTUNE_OK;
}

/* Returns true if no correct contestant beats the configuration by more than noise and epsilon. */
static bool is_fastest(const model *m, const sequence_request *r, int config)
{
    uint32_t set = contestants(r) & ~m->ran_on[r->scenario];
    for (int c = 0; c < CONFIGS; c++) {
        if ((set >> c & 1) && is_right(r, c) &&
            value_of_config(r, c) * 1.02 < value_of_config(r, config)) {
            return false;
        }
    }
    return true;
}

static result result_of(const sequence_request *r, const sequence_answer *a)
{
    return (result){.scenario = r->scenario,
                    .config = a->config,
                    .blocks = r->template_blocks & (r->only_blocks ? r->only_blocks : ~0U),
                    .require = r->require,
                    .limit = r->max_variants,
                    .effort = r->effort,
                    .driver_version = r->driver_version,
                    .decided = !a->undecided,
                    .proved = !a->unproved,
                    .time_ns = a->time_ns};
}

static bool same_space(const result *a, const result *b)
{
    return a->scenario == b->scenario && a->blocks == b->blocks && a->require == b->require;
}

/* Returns true if a result was found in the scenario and space that are asked for, under conditions
 * that suffice. The result need not be final. */
static bool does_for(const result *made, const result *asked)
{
    return same_space(made, asked) && made->effort >= asked->effort &&
           (!made->limit || (asked->limit && asked->limit <= made->limit)) &&
           made->driver_version == asked->driver_version;
}

static bool is_valid(const model *m, const result *k)
{
    return !m->refuted_with[k->scenario][k->config];
}

static const result *find_decided(const model *m, const sequence_request *r)
{
    const result asked = result_of(r, &(sequence_answer){0});
    for (int i = 0; i < m->kept_count; i++) {
        const result *k = &m->kept[i];
        if (k->decided && does_for(k, &asked) && is_valid(m, k) && !r->force) {
            return k;
        }
    }
    return NULL;
}

/* Returns the bit set of configurations that are known to fail with the request's driver. */
static uint32_t refuted(const model *m, const sequence_request *r)
{
    uint32_t set = 0;
    for (int c = 0; c < CONFIGS; c++) {
        set |= (uint32_t)(m->refuted_with[r->scenario][c] == r->driver_version) << c;
    }
    return set;
}

/* Checks an answer of the plan table. The plan must have been made for this request or a more
 * demanding one, and later results of this process must not have replaced it. */
static const char *judge_plan(const model *m, const sequence_request *r, const sequence_answer *a)
{
    const sequence_request *made = &m->plans[a->made_by].request;
    const result *had = &m->plans[a->made_by].result;
    const result *limited = &m->plans[a->made_by].limited;
    const result asked = result_of(r, a);
    if (made->process != r->process || made->scenario != r->scenario ||
        made->only_blocks != r->only_blocks) {
        return "the table gave another request's plan";
    }
    if (m->reported[r->process][r->scenario] >> a->config & 1) {
        return "the table gave what this process found not to work";
    }
    if (r->effort < GPUTUNE_MEASURE) {
        return had->effort < r->effort ? "the table gave a plan of less effort"
               : !had->decided && !limited->decided && m->measured_last[r->process] > a->made_by
                   ? "the table gave an outdated plan"
                   : NULL;
    }
    /* a search with max_variants tries the first variants in order, which an unfinished search
     * without max_variants may not have tried */
    bool had_the_time =
        limited->decided && does_for(limited, &asked) && !limited->limit == !asked.limit;
    return r->force                 ? "the table answered though force was asked for"
           : had_the_time           ? NULL
           : !had->decided          ? "the table gave what was not decided"
           : !does_for(had, &asked) ? "the table gave a plan that was made for less"
                                    : NULL;
}

static bool is_failure_of_default(const model *m, const sequence_request *r, gputune_status status)
{
    const scripted_variant *v = &r->variants[DEFAULT_CONFIG];
    return status == failure_of(v) ||
           (status == GPUTUNE_ETIMEOUT &&
            (v->hangs_once || (m->ran_on[r->scenario] >> DEFAULT_CONFIG & 1)));
}

/* Returns true if a stored result is for the request's own space. */
static bool is_own(const sequence_request *r, const result *k)
{
    const result asked = result_of(r, &(sequence_answer){0});
    return k->decided && same_space(k, &asked);
}

/* Returns true if this stored result may be returned by a call that did not measure. With effort
 * MEASURE, such a call needs a proved result, because it cannot prove one. */
static bool may_serve(const model *m, const sequence_request *r, const result *k)
{
    return k->scenario == r->scenario && is_valid(m, k) &&
           (is_own(r, k) || is_in(r, k->config, true)) &&
           (k->proved || r->effort < GPUTUNE_MEASURE);
}

static bool has_proved(const model *m, const sequence_request *r)
{
    bool any = false;
    for (int i = 0; i < m->kept_count; i++) {
        any |= m->kept[i].proved && may_serve(m, r, &m->kept[i]);
    }
    return any;
}

/* Checks the answer of a call that did not measure. It must be the result of the same space, or
 * else the fastest result of the scenario. Unproved results count only if none is proved, and the
 * call then proves the one that it returns. Without results, the answer is any configuration that
 * is not known to fail. */
static const char *judge_unmeasured(const model *m, const sequence_request *r,
                                    const sequence_answer *a)
{
    const bool proved = has_proved(m, r);
    const result *own = NULL;
    double least = 0;
    bool any = false, is_one = false;
    for (int i = 0; i < m->kept_count; i++) {
        const result *k = &m->kept[i];
        if (!may_serve(m, r, k) || k->proved != proved) {
            continue;
        }
        own = is_own(r, k) ? k : own;
        least = k->time_ns > 0 && (least == 0 || k->time_ns < least) ? k->time_ns : least;
        any |= proved || !a->disturbed; /* a disturbance may prevent the proof */
    }
    for (int i = 0; i < m->kept_count; i++) {
        const result *k = &m->kept[i];
        is_one |= may_serve(m, r, k) && k->proved == proved && k->config == a->config &&
                  (least == 0 || (k->time_ns > 0 && k->time_ns <= least * 1.02));
    }
    if (a->status != GPUTUNE_OK && a->disturbed && r->effort < GPUTUNE_MEASURE) {
        return NULL;
    }
    if (a->status != GPUTUNE_OK) {
        return any ? "no answer though a stored one serves"
               : !is_failure_of_default(m, r, a->status)
                   ? "failed for another reason than the default"
                   : NULL;
    }
    if (own) {
        return a->source == GPUTUNE_SOURCE_CACHED && a->config == own->config
                   ? NULL
                   : "the space's own result was not taken";
    }
    if (any || (is_one && a->source == GPUTUNE_SOURCE_CACHED)) {
        return a->source == GPUTUNE_SOURCE_CACHED && is_one ? NULL
                                                            : "not the fastest of what is stored";
    }
    if (a->source == GPUTUNE_SOURCE_CACHED || a->source == GPUTUNE_SOURCE_MEASURED) {
        return "an answer from the store, which has none";
    }
    if (a->source == GPUTUNE_SOURCE_ESTIMATED && r->effort != GPUTUNE_ESTIMATE) {
        return "an estimate that was not asked for";
    }
    return is_in(r, a->config, a->source == GPUTUNE_SOURCE_NEAREST) || a->config == DEFAULT_CONFIG
               ? NULL
               : "a configuration that the space does not have";
}

static const char *judge_failure(const model *m, const sequence_request *r,
                                 const sequence_answer *a)
{
    if (is_empty(r)) {
        return a->status == GPUTUNE_ENOVARIANT ? NULL : "failed for another reason than its space";
    }
    if ((a->ran_on >> DEFAULT_CONFIG & 1) && a->status == GPUTUNE_ETIMEOUT) {
        return NULL; /* the proof of the default was still running, and may never end */
    }
    bool had_the_default = a->tried >> DEFAULT_CONFIG & 1;
    if (a->status == GPUTUNE_ETIMEOUT && r->disturbance == LATE_LIMIT && !had_the_default) {
        return NULL; /* no time was left to compile the default */
    }
    if (a->disturbed) {
        return is_failure_of_default(m, r, a->status) ? NULL : "failed where a default serves";
    }
    uint32_t set = contestants(r);
    bool is_ones = false;
    for (int c = 0; c < CONFIGS; c++) {
        if ((set >> c & 1) && is_right(r, c)) {
            return "failed though a variant is right";
        }
        is_ones |= (set >> c & 1) && failure_of(&r->variants[c]) == a->status;
    }
    return is_ones ? NULL : "failed as no variant does";
}

static const char *judge_measuring(const model *m, const sequence_request *r,
                                   const sequence_answer *a)
{
    const result *decided = find_decided(m, r);
    if (a->status != GPUTUNE_OK) {
        return decided ? "failed though a stored result answers" : judge_failure(m, r, a);
    }
    if (a->source == GPUTUNE_SOURCE_MEASURED) {
        return decided                              ? "measured what is decided"
               : !(contestants(r) >> a->config & 1) ? "a winner that was not in the race"
               : a->undecided                       ? NULL
               : !is_right(r, a->config)            ? "a winner that is not right"
               : !is_fastest(m, r, a->config)       ? "a winner that is not the fastest"
                                                    : NULL;
    }
    if (decided) {
        return a->source == GPUTUNE_SOURCE_CACHED && a->config == decided->config
                   ? NULL
                   : "the decided result was not taken";
    }
    bool all_bad = !judge_failure(m, r, &(sequence_answer){.status = GPUTUNE_ETIMEOUT});
    return !a->disturbed && !all_bad                ? "not measured, though nothing stored answers"
           : !a->explained                          ? "not measured, and it does not say why"
           : a->refuted || m->doubtful[r->scenario] ? NULL
                                                    : judge_unmeasured(m, r, a);
}

/* Returns what is wrong with the answer, or NULL. */
static inline const char *judge(const model *m, const sequence_request *r, const sequence_answer *a)
{
    uint32_t known = refuted(m, r);
    if (r->force && r->effort >= GPUTUNE_MEASURE) {
        known &= ~a->tried;
    }
    if (a->tried & known) {
        return "launched what is known not to work";
    }
    if (a->status == GPUTUNE_OK && a->config == NO_CONFIG) {
        return "an answer without a configuration";
    }
    if (a->made_by != r->number) {
        return judge_plan(m, r, a);
    }
    if (a->status == GPUTUNE_OK && ((known | a->refuted) >> a->config & 1)) {
        return "a configuration that was found not to work";
    }
    if (r->effort >= GPUTUNE_MEASURE) {
        return judge_measuring(m, r, a);
    }
    return m->doubtful[r->scenario] ? NULL : judge_unmeasured(m, r, a);
}

/* Stores a new result for its scenario and space. It replaces the old result, unless that is final
 * and would have answered the request. */
static void keep(model *m, const sequence_request *r, const result *made)
{
    int place = 0;
    while (place < m->kept_count && !same_space(&m->kept[place], made)) {
        place++;
    }
    const result *old = &m->kept[place];
    if (place < m->kept_count && old->decided && does_for(old, made) && is_valid(m, old) &&
        !r->force) {
        return;
    }
    m->kept_count += place == m->kept_count;
    m->kept[place] = *made;
}

/* Returns the conditions of an answer that was given without measuring. For a stored result of the
 * same space, these are the conditions of the stored result. */
static result result_of_unmeasured(const model *m, const result *asked, const sequence_answer *a)
{
    result made = *asked;
    made.decided = false;
    made.effort = a->source == GPUTUNE_SOURCE_ESTIMATED ? GPUTUNE_ESTIMATE
                  : a->source == GPUTUNE_SOURCE_CACHED  ? GPUTUNE_MEASURE
                                                        : GPUTUNE_CACHED_ONLY;
    for (int i = 0; i < m->kept_count && a->source == GPUTUNE_SOURCE_CACHED; i++) {
        const result *k = &m->kept[i];
        if (k->decided && same_space(k, asked) && k->config == a->config) {
            made = *k;
        }
    }
    return made;
}

/* Returns true if the time limit ended the tuning and its result may answer later calls with this
 * limit. A result whose winner lacks the last proof may not. */
static bool was_limited(const sequence_request *r, const sequence_answer *a)
{
    bool by_limit = r->disturbance == LIMIT || r->disturbance == LATE_LIMIT;
    return r->effort >= GPUTUNE_MEASURE && by_limit && a->disturbed &&
           (a->source != GPUTUNE_SOURCE_MEASURED || (a->undecided && !a->unproved));
}

/* Records that a stored result was returned, so its winner has passed the last proof. */
static void note_proof(model *m, const sequence_request *r, int config)
{
    for (int i = 0; i < m->kept_count; i++) {
        result *k = &m->kept[i];
        k->proved |= k->scenario == r->scenario && k->config == config;
    }
}

/* Returns the bit set of failures that a tuning stores. If a worker was lost, crashes are left out,
 * because the GPU may be broken. */
static uint32_t kept_failures(const sequence_request *r, const sequence_answer *a)
{
    uint32_t set = a->refuted;
    for (int c = 0; c < CONFIGS && r->disturbance == LOST_WORKER && a->disturbed; c++) {
        if (failure_of(&r->variants[c]) == GPUTUNE_ECRASHED) {
            set &= ~(1U << c);
        }
    }
    return set;
}

/* Updates the model with the results of a request. */
static inline void learn(model *m, const sequence_request *r, const sequence_answer *a)
{
    if (a->made_by != r->number) {
        return;
    }
    result made = result_of(r, a), limited = made;
    bool tuned = r->effort >= GPUTUNE_MEASURE;
    uint32_t again = a->tried & refuted(m, r);
    const uint32_t failures = kept_failures(r, a);
    m->doubtful[r->scenario] |= again != 0;
    m->ran_on[r->scenario] |= a->ran_on;
    for (int c = 0; c < CONFIGS && tuned; c++) {
        if (again >> c & 1) {
            m->refuted_with[r->scenario][c] = 0;
        }
        if ((failures >> c) & 1) {
            m->refuted_with[r->scenario][c] = r->driver_version;
            m->reported[r->process][r->scenario] |= (uint32_t)r->through_table << c;
        }
    }
    if (a->status == GPUTUNE_OK && a->source == GPUTUNE_SOURCE_MEASURED) {
        keep(m, r, &made);
        m->measured_last[r->process] = r->through_table ? r->number : m->measured_last[r->process];
    } else {
        made = result_of_unmeasured(m, &made, a);
    }
    if (a->status == GPUTUNE_OK && a->source == GPUTUNE_SOURCE_CACHED) {
        note_proof(m, r, a->config);
    }
    limited.decided = was_limited(r, a);
    if (a->source != GPUTUNE_SOURCE_MEASURED) {
        limited.effort = GPUTUNE_EXHAUSTIVE; /* no effort can measure within this limit */
    }
    m->plans[r->number].request = *r;
    m->plans[r->number].result = made;
    m->plans[r->number].limited = limited;
}
