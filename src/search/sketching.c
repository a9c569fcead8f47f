/* Sketches: when they pay, and what is done with their times. */
#include "search/sketching.h"

#include "stats/correlation.h"

#include <math.h>

enum {
    LEAST_SIZE = 500, /* valid configurations */
    LEAST_PAIRS = 3,
    LEAST_COMPARED = 4, /* pairs by whose times sketches are judged */
    LEAST_FAILED = 3,   /* sketches, where none is right */
    UNJUDGED = 4,       /* sketches per worker until it is known whether they pay */
    MANY = 100          /* variants that a search can try without sketches */
};
#define SHARE     0.7 /* of the limit is for sketches */
#define FASTER    2.0 /* a sketch must compile so many times faster, */
#define AGREEMENT 0.3 /* and the ranks of times correlate so well */

gputune_status gt_sketching_begin(gt_sketching *out, const gt_domain *domain,
                                  const gt_search_settings *settings)
{
    uint32_t most = settings->workers / 2;
    *out = (gt_sketching){.settings = *settings};
    out->pair_count = most < LEAST_PAIRS       ? LEAST_PAIRS
                      : most < GT_SKETCH_PAIRS ? most
                                               : GT_SKETCH_PAIRS;
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

/* The pairs that were not proposed that way yet. */
static void take_pairs(const gt_sketching *sketching, uint32_t *from, gt_point *out, size_t count,
                       size_t *given)
{
    for (; *given < count && *from < sketching->pair_count; ++*from) {
        out[(*given)++] = sketching->pairs[*from].point;
    }
}

static gputune_status choose_pairs(gt_sketching *sketching, gt_strategy *full)
{
    gt_point points[GT_SKETCH_PAIRS];
    size_t given;
    GT_TRY(gt_strategy_ask(full, points, sketching->pair_count, &given));
    for (size_t i = 0; i < given; i++) {
        sketching->pairs[i].point = points[i];
    }
    sketching->pair_count = (uint32_t)given;
    return GPUTUNE_OK;
}

gputune_status gt_sketching_ask(gt_sketching *sketching, gt_strategy *full, gt_point *out,
                                size_t count, size_t *given, bool *as_sketches)
{
    *given = 0;
    *as_sketches =
        sketching->sketched < sketching->pair_count || sketching->tried == sketching->pair_count;
    if (!sketching->sketched) {
        GT_TRY(choose_pairs(sketching, full));
    }
    take_pairs(sketching, *as_sketches ? &sketching->sketched : &sketching->tried, out, count,
               given);
    if (*given) {
        return GPUTUNE_OK;
    }
    if (!sketching->judged) {
        uint32_t most = UNJUDGED * sketching->settings.workers;
        uint32_t left = most > sketching->unjudged ? most - sketching->unjudged : 0;
        *as_sketches = left > 0;
        count = left > 0 && left < count ? left : count;
    }
    GT_TRY(gt_strategy_ask(*as_sketches ? sketching->strategy : full, out, count, given));
    sketching->unjudged += *as_sketches ? (uint32_t)*given : 0;
    return GPUTUNE_OK;
}

gputune_status gt_sketching_tell(gt_sketching *sketching, const gt_tried *result, bool is_sketch)
{
    for (uint32_t i = 0; i < sketching->pair_count; i++) {
        gt_sketch_pair *pair = &sketching->pairs[i];
        if (gt_point_equal(&pair->point, &result->point)) {
            *(is_sketch ? &pair->sketch : &pair->full) = *result;
            *(is_sketch ? &pair->sketched : &pair->tried) = true;
        }
    }
    if (!is_sketch) {
        return GPUTUNE_OK;
    }
    sketching->ok += result->outcome == GT_TRIED_OK;
    sketching->failed += result->outcome != GT_TRIED_OK;
    return gt_strategy_tell(sketching->strategy, result);
}

static bool has_both_times(const gt_sketch_pair *pair)
{
    return pair->sketched && pair->sketch.outcome == GT_TRIED_OK && pair->tried &&
           pair->full.outcome == GT_TRIED_OK;
}

/* Whether what is faster as a sketch is faster; too few pairs do not tell. */
static gputune_status agree(bool *out, const gt_sketching *sketching)
{
    double sketch[GT_SKETCH_PAIRS], full[GT_SKETCH_PAIRS], correlation;
    uint32_t count = 0;
    for (uint32_t i = 0; i < sketching->pair_count; i++) {
        const gt_sketch_pair *pair = &sketching->pairs[i];
        if (has_both_times(pair)) {
            sketch[count] = pair->sketch.time_ns;
            full[count++] = pair->full.time_ns;
        }
    }
    *out = true;
    if (count >= LEAST_COMPARED) {
        GT_TRY(gt_spearman(&correlation, sketch, full, count));
        *out = correlation >= AGREEMENT;
    }
    return GPUTUNE_OK;
}

/* Known once all pairs but one are compiled: of those compiled first it would not be true. */
static gputune_status judge(bool *pays, gt_sketching *sketching, double left_s)
{
    double sketch_s = 0, full_s = 0;
    uint32_t compiled = 0, ended = 0;
    *pays = sketching->ok || sketching->failed < LEAST_FAILED;
    if (!*pays || sketching->judged) {
        return GPUTUNE_OK;
    }
    for (uint32_t i = 0; i < sketching->pair_count; i++) {
        const gt_sketch_pair *pair = &sketching->pairs[i];
        ended += pair->sketched && pair->tried;
        if (pair->sketch.compile_s > 0 && pair->full.compile_s > 0) {
            sketch_s += pair->sketch.compile_s;
            full_s += pair->full.compile_s;
            compiled++;
        }
    }
    sketching->judged = ended + (ended > LEAST_PAIRS) >= sketching->pair_count;
    if (!sketching->judged) {
        return GPUTUNE_OK;
    }
    double many_s = MANY * full_s / fmax(compiled, 1) / sketching->settings.workers;
    *pays = compiled >= LEAST_PAIRS && full_s >= FASTER * sketch_s && left_s < many_s;
    return *pays ? agree(pays, sketching) : GPUTUNE_OK;
}

gputune_status gt_sketching_go_on(gt_sketching *sketching, gt_strategy *full, double left_s)
{
    bool pays;
    if (!sketching->strategy) {
        return GPUTUNE_OK;
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
