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
#define SLOW      0.5 /* of the seconds of a compile with which MANY can be tried */
#define FASTER    2.0 /* a sketch must compile so many times faster, */
#define AGREEMENT 0.3 /* and the ranks of times correlate so well */

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

/* A variant that compiles for no longer leaves time to try MANY of them. */
static double quick_s(const gt_sketching *sketching, double left_s)
{
    return left_s * sketching->settings.workers / MANY;
}

/* Whether the pairs compile for so long that sketches may pay. One whose compile has not ended
 * counts with the time since the first was proposed. */
static bool compile_slowly(const gt_sketching *sketching, double left_s)
{
    double sum_s = 0;
    for (uint32_t i = 0; i < sketching->proposed; i++) {
        const gt_sketch_pair *pair = &sketching->pairs[i];
        sum_s += pair->tried ? pair->full.compile_s : sketching->begun_left_s - left_s;
    }
    return sketching->proposed == sketching->most_pairs &&
           sum_s >= SLOW * quick_s(sketching, left_s) * sketching->proposed;
}

/* The first variants are the pairs. Until one has been tried the other half of the workers is free
 * for sketches. */
static gputune_status ask_full(gt_sketching *sketching, gt_strategy *full, gt_point *out,
                               size_t count, size_t *given)
{
    uint32_t first = most_first(&sketching->settings);
    if (!sketching->has_tried) {
        count = count < first - sketching->first ? count : first - sketching->first;
    }
    GT_TRY(gt_strategy_ask(full, out, count, given));
    sketching->first += sketching->has_tried ? 0 : (uint32_t)*given;
    for (size_t i = 0; i < *given && sketching->proposed < sketching->most_pairs; i++) {
        sketching->pairs[sketching->proposed++].point = out[i];
    }
    return GPUTUNE_OK;
}

gputune_status gt_sketching_ask(gt_sketching *sketching, gt_strategy *full, double left_s,
                                gt_point *out, size_t count, size_t *given, bool *as_sketches)
{
    uint32_t most = UNJUDGED * sketching->settings.workers;
    *given = 0;
    sketching->begun_left_s = sketching->proposed ? sketching->begun_left_s : left_s;
    *as_sketches = sketching->judged || sketching->sketched || compile_slowly(sketching, left_s);
    while (*as_sketches && *given < count && sketching->sketched < sketching->proposed) {
        out[(*given)++] = sketching->pairs[sketching->sketched++].point;
    }
    if (*given) {
        return GPUTUNE_OK;
    }
    *as_sketches = sketching->judged || (*as_sketches && sketching->unjudged < most);
    if (!*as_sketches) {
        return ask_full(sketching, full, out, count, given);
    }
    if (!sketching->judged) {
        count = count < most - sketching->unjudged ? count : most - sketching->unjudged;
    }
    GT_TRY(gt_strategy_ask(sketching->strategy, out, count, given));
    sketching->unjudged += (uint32_t)*given;
    return GPUTUNE_OK;
}

gputune_status gt_sketching_tell(gt_sketching *sketching, const gt_tried *result, bool is_sketch)
{
    sketching->has_tried |= !is_sketch;
    for (uint32_t i = 0; i < sketching->proposed; i++) {
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
        *out = correlation >= AGREEMENT;
    }
    return GPUTUNE_OK;
}

/* Known once all pairs but one are compiled: of those compiled first it would not be true. */
static gputune_status judge(bool *pays, gt_sketching *sketching, double left_s)
{
    double sketch_s = 0, full_s = 0;
    uint32_t compiled = 0, ended = 0, tried = 0;
    *pays = sketching->ok || sketching->failed < LEAST_FAILED;
    if (!*pays || sketching->judged || !sketching->proposed) {
        return GPUTUNE_OK;
    }
    for (uint32_t i = 0; i < sketching->proposed; i++) {
        const gt_sketch_pair *pair = &sketching->pairs[i];
        tried += pair->tried;
        ended += pair->sketched && pair->tried;
        if (pair->sketch.compile_s > 0 && pair->full.compile_s > 0) {
            sketch_s += pair->sketch.compile_s;
            full_s += pair->full.compile_s;
            compiled++;
        }
    }
    if (!sketching->sketched) {
        *pays = tried < sketching->most_pairs || compile_slowly(sketching, left_s);
        return GPUTUNE_OK;
    }
    sketching->judged = ended + (ended > LEAST_PAIRS) >= sketching->proposed;
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
