/* Decides whether quick compiles are worthwhile, and passes their times to the search. */
#include "search/quick.h"

#include "stats/correlation.h"

enum {
    LEAST_SIZE = 500, /* minimum number of valid configurations in the domain */
    LEAST_PAIRS = 3,
    LEAST_COMPARED = 6, /* minimum number of pairs for comparing times */
    LEAST_FAILED = 3,   /* after this many failures without a success, end the quick compiles */
    /* Quick compiles are not needed if this many variants can be compiled in the time limit. */
    MANY = 100
};
#define SHARE  0.5 /* fraction of the time limit that may be spent on quick compiles */
#define SLOW   0.5 /* compiles are slow if their mean time exceeds this fraction of quick_s() */
#define FASTER 2.0 /* quick compiles must be faster than full compiles by this factor */
/* Quick compiles are given up only after this fraction of the pairs was tried as variants.
 * ENOUGH_QUICK applies before the first quick compile, because the variants then compile fast. */
#define ENOUGH       0.75
#define ENOUGH_QUICK 0.5
/* The lowest rank correlation of the times of quick compiles and of variants at which quick
 * compiles are used. It is low because few pairs give a rough estimate: if the true correlation is
 * 0.4, as where quick compiles help, eight pairs show less than -0.5 in 1% of cases. */
#define CONTRARY (-0.5)

gputune_status gt_quick_begin(gt_quick *out, const gt_domain *domain,
                              const gt_search_settings *settings)
{
    uint32_t half = settings->workers / 2, first = half > LEAST_PAIRS ? half : LEAST_PAIRS;
    *out = (gt_quick){.settings = *settings};
    out->most_pairs = first < GT_QUICK_PAIRS ? first : GT_QUICK_PAIRS;
    if (domain->size < LEAST_SIZE || !(settings->limit_s > 0)) {
        return GPUTUNE_OK;
    }
    return gt_strategy_open(&out->strategy, GPUTUNE_STRATEGY_MODEL, domain, settings);
}

void gt_quick_end(gt_quick *quick)
{
    gt_strategy_free(quick->strategy);
    quick->strategy = NULL;
}

/* Returns the mean compile time with which MANY variants can be compiled before the limit. */
static double quick_s(const gt_quick *quick, double left_s)
{
    return left_s * quick->settings.workers / MANY;
}

/* Returns the compile time of the pair's variant. If it is not known yet, returns the time since
 * the first proposal. */
static double compile_s_so_far(const gt_quick *quick, const gt_quick_pair *pair, double left_s)
{
    return pair->tried ? pair->full.compile_s : quick->left_at_begin_s - left_s;
}

static double mean_compile_s(const gt_quick *quick, double left_s)
{
    double sum_s = 0;
    uint32_t known = 0;
    for (uint32_t i = 0; i < quick->proposed; i++) {
        double seconds = compile_s_so_far(quick, &quick->pairs[i], left_s);
        sum_s += seconds;
        known += seconds > 0;
    }
    return known ? sum_s / known : 0;
}

static bool compile_slowly(const gt_quick *quick, double left_s)
{
    return mean_compile_s(quick, left_s) >= SLOW * quick_s(quick, left_s);
}

/* Returns true if at least `least` pairs were compiled in both ways, and their quick compiles were
 * far faster. */
static bool are_far_faster(const gt_quick *quick, uint32_t least, double left_s)
{
    double quick_compile_s = 0, full_s = 0;
    uint32_t compiled = 0;
    for (uint32_t i = 0; i < quick->proposed; i++) {
        const gt_quick_pair *pair = &quick->pairs[i];
        double seconds = compile_s_so_far(quick, pair, left_s);
        if (pair->tried_quick && pair->quick.compile_s > 0 && seconds > 0) {
            quick_compile_s += pair->quick.compile_s;
            full_s += seconds;
            compiled++;
        }
    }
    return compiled >= least && full_s >= FASTER * quick_compile_s;
}

static bool may_be_far_faster(const gt_quick *quick, double left_s)
{
    double full_s = quick->left_at_begin_s - left_s;
    double quick_compile_s = quick->quick_left_s - left_s;
    return quick->ok + quick->failed ? are_far_faster(quick, 1, left_s)
                                     : full_s >= FASTER * quick_compile_s;
}

static uint32_t count_tried(const gt_quick *quick)
{
    uint32_t tried = 0;
    for (uint32_t i = 0; i < quick->proposed; i++) {
        tried += quick->pairs[i].tried;
    }
    return tried;
}

/* Proposes variants, but only for half of the workers: the others will do quick compiles. */
static gputune_status propose_full(gt_quick *quick, gt_strategy *full, gt_point *out, size_t count,
                                   size_t *given)
{
    size_t left = quick->most_pairs - quick->proposed;
    GT_TRY(gt_strategy_propose(full, out, count < left ? count : left, given));
    for (size_t i = 0; i < *given; i++) {
        quick->pairs[quick->proposed++].point = out[i];
    }
    return GPUTUNE_OK;
}

gputune_status gt_quick_propose(gt_quick *quick, gt_strategy *full, double left_s, gt_point *out,
                                size_t count, size_t *given, bool *as_quick)
{
    *given = 0;
    quick->left_at_begin_s = quick->proposed ? quick->left_at_begin_s : left_s;
    *as_quick = quick->proposed == quick->most_pairs &&
                (quick->tried_quick || compile_slowly(quick, left_s));
    if (!*as_quick) {
        return propose_full(quick, full, out, count, given);
    }
    quick->quick_left_s = quick->tried_quick ? quick->quick_left_s : left_s;
    while (*given < count && quick->tried_quick < quick->proposed) {
        out[(*given)++] = quick->pairs[quick->tried_quick++].point;
    }
    if (*given) {
        return GPUTUNE_OK;
    }
    *as_quick = quick->judged || may_be_far_faster(quick, left_s);
    return gt_strategy_propose(*as_quick ? quick->strategy : full, out, count, given);
}

static void note_pair(gt_quick *quick, const gt_tried *result, bool is_quick)
{
    for (uint32_t i = 0; i < quick->proposed; i++) {
        gt_quick_pair *pair = &quick->pairs[i];
        if (gt_point_equal(&pair->point, &result->point)) {
            *(is_quick ? &pair->quick : &pair->full) = *result;
            *(is_quick ? &pair->tried_quick : &pair->tried) = true;
        }
    }
}

static bool has_both_times(const gt_quick_pair *pair)
{
    return pair->tried_quick && pair->quick.outcome == GT_TRIED_OK && pair->tried &&
           pair->full.outcome == GT_TRIED_OK;
}

/* Sets *out to false if the times of quick compiles contradict the order of the variants. */
static gputune_status compare_pairs(bool *out, const gt_quick *quick)
{
    double quick_ns[GT_QUICK_PAIRS], full[GT_QUICK_PAIRS], correlation;
    uint32_t count = 0;
    for (uint32_t i = 0; i < quick->proposed; i++) {
        const gt_quick_pair *pair = &quick->pairs[i];
        if (has_both_times(pair)) {
            quick_ns[count] = pair->quick.time_ns;
            full[count++] = pair->full.time_ns;
        }
    }
    *out = true;
    if (count >= LEAST_COMPARED) {
        GT_TRY(gt_spearman(&correlation, quick_ns, full, count));
        *out = correlation >= CONTRARY;
    }
    return GPUTUNE_OK;
}

static gputune_status judge_pairs(bool *pays, gt_quick *quick, double left_s)
{
    bool few = mean_compile_s(quick, left_s) >= quick_s(quick, left_s);
    quick->judged |= few && are_far_faster(quick, LEAST_PAIRS, left_s);
    bool has_started = quick->tried_quick || compile_slowly(quick, left_s);
    bool all_tried_quick = quick->ok + quick->failed >= quick->most_pairs;
    double enough = (has_started ? ENOUGH : ENOUGH_QUICK) * quick->most_pairs;
    bool waits = count_tried(quick) < enough || (has_started && !all_tried_quick);
    *pays = (quick->ok || quick->failed < LEAST_FAILED) && (quick->judged || waits);
    return *pays ? compare_pairs(pays, quick) : GPUTUNE_OK;
}

gputune_status gt_quick_report(gt_quick *quick, gt_strategy *full, double left_s,
                               const gt_tried *result, bool is_quick)
{
    bool pays;
    if (!is_quick) {
        GT_TRY(gt_strategy_report(full, result));
    }
    if (!quick->strategy) {
        return GPUTUNE_OK;
    }
    note_pair(quick, result, is_quick);
    if (is_quick) {
        quick->ok += result->outcome == GT_TRIED_OK;
        quick->failed += result->outcome != GT_TRIED_OK;
        GT_TRY(gt_strategy_report(quick->strategy, result));
    }
    GT_TRY(judge_pairs(&pays, quick, left_s));
    bool is_time = left_s < (1 - SHARE) * quick->settings.limit_s;
    if (pays && is_time) {
        GT_TRY(gt_strategy_pass_on(full, quick->strategy));
    }
    if (!pays || is_time) {
        gt_quick_end(quick);
    }
    return GPUTUNE_OK;
}
