/* Decides when sketches pay, and gives their times to the search. */
#include "search/sketching.h"

#include "stats/correlation.h"

#include <math.h>

enum {
    LEAST_SIZE = 500, /* valid configurations */
    LEAST_PAIRS = 3,
    LEAST_COMPARED = 6, /* pairs by whose times sketches are judged */
    LEAST_FAILED = 3,   /* sketches, where none is right */
    MANY = 100          /* variants that a search can try without sketches */
};
#define SHARE  0.5 /* of the limit is for sketches */
#define SLOW   0.5 /* of the seconds of a compile with which MANY can be tried */
#define FASTER 2.0 /* a sketch must compile so many times faster */
/* If so many of the pairs are tried, it is known whether sketches pay: while sketches are made, and
 * while the pairs do not even compile slowly. */
#define ENOUGH       0.75
#define ENOUGH_QUICK 0.5
/* Few pairs say little: of sketches that lead to the best variant, whose ranks correlate by 0.4
 * with those of random variants, a third of all draws of five pairs correlate by less than 0.3, and
 * a hundredth of eight pairs by less than this. */
#define CONTRARY (-0.5)

static uint32_t most_first(const gt_search_settings *settings)
{
    return settings->workers / 2 > LEAST_PAIRS ? settings->workers / 2 : LEAST_PAIRS;
}

gputune_status gt_sketching_begin(gt_sketching *out, const gt_domain *domain,
                                  const gt_search_settings *settings)
{
    uint32_t first = most_first(settings);
    *out = (gt_sketching){.settings = *settings};
    out->most_pairs = first < GT_SKETCH_PAIRS ? first : GT_SKETCH_PAIRS;
    if (domain->size < LEAST_SIZE || !(settings->limit_s > 0)) {
        return GPUTUNE_OK;
    }
    return gt_strategy_open(&out->strategy, GPUTUNE_STRATEGY_MODEL, domain, settings);
}

void gt_sketching_end(gt_sketching *sketching)
{
    gt_strategy_free(sketching->strategy);
    sketching->strategy = NULL;
}

/* If variants compile in this many seconds, there is time to try MANY of them. */
static double quick_s(const gt_sketching *sketching, double left_s)
{
    return left_s * sketching->settings.workers / MANY;
}

/* The compile time of a pair's variant; 0: not known. If its compile has not ended, it is the time
 * since the first proposal. */
static double compile_s_so_far(const gt_sketching *sketching, const gt_sketch_pair *pair,
                               double left_s)
{
    return pair->tried ? pair->full.compile_s : sketching->begun_left_s - left_s;
}

/* The mean of the pairs' compile times so far. */
static double mean_compile_s(const gt_sketching *sketching, double left_s)
{
    double sum_s = 0;
    uint32_t known = 0;
    for (uint32_t i = 0; i < sketching->proposed; i++) {
        double seconds = compile_s_so_far(sketching, &sketching->pairs[i], left_s);
        sum_s += seconds;
        known += seconds > 0;
    }
    return known ? sum_s / known : 0;
}

/* Whether the pairs compile for so long that sketches may pay. */
static bool compile_slowly(const gt_sketching *sketching, double left_s)
{
    return mean_compile_s(sketching, left_s) >= SLOW * quick_s(sketching, left_s);
}

/* Whether at least so many sketches compile far faster than their pairs do, whose times so far are
 * known before they have ended. */
static bool are_far_faster(const gt_sketching *sketching, uint32_t least, double left_s)
{
    double sketch_s = 0, full_s = 0;
    uint32_t compiled = 0;
    for (uint32_t i = 0; i < sketching->proposed; i++) {
        const gt_sketch_pair *pair = &sketching->pairs[i];
        double seconds = compile_s_so_far(sketching, pair, left_s);
        if (pair->sketched && pair->sketch.compile_s > 0 && seconds > 0) {
            sketch_s += pair->sketch.compile_s;
            full_s += seconds;
            compiled++;
        }
    }
    return compiled >= least && full_s >= FASTER * sketch_s;
}

/* What is known of that before the pairs are compared: by the first sketch, and before that by the
 * time that all of them take. */
static bool may_be_far_faster(const gt_sketching *sketching, double left_s)
{
    double full_s = sketching->begun_left_s - left_s;
    double sketch_s = sketching->sketched_left_s - left_s;
    return sketching->ok + sketching->failed ? are_far_faster(sketching, 1, left_s)
                                             : full_s >= FASTER * sketch_s;
}

static uint32_t count_tried(const gt_sketching *sketching)
{
    uint32_t tried = 0;
    for (uint32_t i = 0; i < sketching->proposed; i++) {
        tried += sketching->pairs[i].tried;
    }
    return tried;
}

/* The first variants are the pairs. They have half of the workers; the other half is free for
 * sketches. */
static gputune_status ask_full(gt_sketching *sketching, gt_strategy *full, gt_point *out,
                               size_t count, size_t *given)
{
    size_t left = sketching->most_pairs - sketching->proposed;
    GT_TRY(gt_strategy_ask(full, out, count < left ? count : left, given));
    for (size_t i = 0; i < *given; i++) {
        sketching->pairs[sketching->proposed++].point = out[i];
    }
    return GPUTUNE_OK;
}

gputune_status gt_sketching_ask(gt_sketching *sketching, gt_strategy *full, double left_s,
                                gt_point *out, size_t count, size_t *given, bool *as_sketches)
{
    *given = 0;
    sketching->begun_left_s = sketching->proposed ? sketching->begun_left_s : left_s;
    *as_sketches = sketching->proposed == sketching->most_pairs &&
                   (sketching->sketched || compile_slowly(sketching, left_s));
    if (!*as_sketches) {
        return ask_full(sketching, full, out, count, given);
    }
    sketching->sketched_left_s = sketching->sketched ? sketching->sketched_left_s : left_s;
    while (*given < count && sketching->sketched < sketching->proposed) {
        out[(*given)++] = sketching->pairs[sketching->sketched++].point;
    }
    if (*given) {
        return GPUTUNE_OK;
    }
    *as_sketches = sketching->judged || may_be_far_faster(sketching, left_s);
    return gt_strategy_ask(*as_sketches ? sketching->strategy : full, out, count, given);
}

static void note_pair(gt_sketching *sketching, const gt_tried *result, bool is_sketch)
{
    for (uint32_t i = 0; i < sketching->proposed; i++) {
        gt_sketch_pair *pair = &sketching->pairs[i];
        if (gt_point_equal(&pair->point, &result->point)) {
            *(is_sketch ? &pair->sketch : &pair->full) = *result;
            *(is_sketch ? &pair->sketched : &pair->tried) = true;
        }
    }
}

static bool has_both_times(const gt_sketch_pair *pair)
{
    return pair->sketched && pair->sketch.outcome == GT_TRIED_OK && pair->tried &&
           pair->full.outcome == GT_TRIED_OK;
}

/* *out: false if the faster sketch is clearly the slower variant. */
static gputune_status agree(bool *out, const gt_sketching *sketching)
{
    double sketch[GT_SKETCH_PAIRS], full[GT_SKETCH_PAIRS], correlation;
    uint32_t count = 0;
    for (uint32_t i = 0; i < sketching->proposed; i++) {
        const gt_sketch_pair *pair = &sketching->pairs[i];
        if (has_both_times(pair)) {
            sketch[count] = pair->sketch.time_ns;
            full[count++] = pair->full.time_ns;
        }
    }
    *out = true;
    if (count >= LEAST_COMPARED) {
        GT_TRY(gt_spearman(&correlation, sketch, full, count));
        *out = correlation >= CONTRARY;
    }
    return GPUTUNE_OK;
}

static gputune_status judge(bool *pays, gt_sketching *sketching, double left_s)
{
    bool few = mean_compile_s(sketching, left_s) >= quick_s(sketching, left_s);
    sketching->judged |= few && are_far_faster(sketching, LEAST_PAIRS, left_s);
    bool begun = sketching->sketched || compile_slowly(sketching, left_s);
    bool all_sketched = sketching->ok + sketching->failed >= sketching->most_pairs;
    double enough = (begun ? ENOUGH : ENOUGH_QUICK) * sketching->most_pairs;
    bool waits = count_tried(sketching) < enough || (begun && !all_sketched);
    *pays = (sketching->ok || sketching->failed < LEAST_FAILED) && (sketching->judged || waits);
    return *pays ? agree(pays, sketching) : GPUTUNE_OK;
}

gputune_status gt_sketching_tell(gt_sketching *sketching, gt_strategy *full, double left_s,
                                 const gt_tried *result, bool is_sketch)
{
    bool pays;
    GT_TRY(is_sketch ? GPUTUNE_OK : gt_strategy_tell(full, result));
    if (!sketching->strategy) {
        return GPUTUNE_OK;
    }
    note_pair(sketching, result, is_sketch);
    if (is_sketch) {
        sketching->ok += result->outcome == GT_TRIED_OK;
        sketching->failed += result->outcome != GT_TRIED_OK;
        GT_TRY(gt_strategy_tell(sketching->strategy, result));
    }
    GT_TRY(judge(&pays, sketching, left_s));
    bool is_time = left_s < (1 - SHARE) * sketching->settings.limit_s;
    if (pays && is_time) {
        GT_TRY(gt_strategy_pass_on(full, sketching->strategy));
    }
    if (!pays || is_time) {
        gt_sketching_end(sketching);
    }
    return GPUTUNE_OK;
}
