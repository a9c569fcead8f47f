/* Synthetic spaces whose times follow a formula, and the regret of a strategy in such a space. */
#pragma once

#include "search/strategy.h"
#include "support/test.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct landscape landscape;
struct landscape {
    uint32_t axes, choices;                    /* all axes have the same number of choices */
    double (*log_time)(const gt_point *point); /* log of a point's time; 0 for the best point */
    bool (*fails)(const gt_point *point);      /* or NULL */
    bool (*allows)(const gt_point *point);     /* or NULL */
    double compile_s; /* compile time of each configuration; 0 if not reported */
    gt_domain_axis axis[GT_SEARCH_AXES];
    double values[64];
    gt_domain domain;
};

static bool landscape_valid(void *user, const gt_point *point)
{
    const landscape *at = user;
    return !at->allows || at->allows(point);
}

static bool landscape_draw(void *user, gt_random *random, gt_point *out)
{
    const landscape *at = user;
    do {
        memset(out, 0, sizeof *out);
        for (uint32_t i = 0; i < at->axes; i++) {
            out->choice[i] = (uint16_t)gt_random_below(random, at->choices);
        }
    } while (!landscape_valid(user, out));
    return true;
}

static bool landscape_step(const landscape *at, gt_point *point)
{
    for (uint32_t i = at->axes; i-- > 0;) {
        if (++point->choice[i] < at->choices) {
            return true;
        }
        point->choice[i] = 0;
    }
    return false;
}

static bool landscape_next(void *user, gt_point *point, bool first)
{
    const landscape *at = user;
    if (first) {
        memset(point, 0, sizeof *point);
    }
    bool more = first || landscape_step(at, point);
    while (more && !landscape_valid(user, point)) {
        more = landscape_step(at, point);
    }
    return more;
}

/* Opens a domain with the values 1, 2, 3 and so on. Its size includes the points that `allows`
 * excludes. */
static inline void landscape_open(landscape *at)
{
    for (uint32_t i = 0; i < at->choices; i++) {
        at->values[i] = i + 1;
    }
    for (uint32_t i = 0; i < at->axes; i++) {
        at->axis[i] = (gt_domain_axis){at->choices, at->values};
    }
    at->domain = (gt_domain){.axis_count = at->axes,
                             .axes = at->axis,
                             .size = pow(at->choices, at->axes),
                             .size_is_exact = !at->allows,
                             .user = at,
                             .draw = landscape_draw,
                             .is_valid = landscape_valid,
                             .next = landscape_next};
}

static inline gt_tried landscape_try(const landscape *at, const gt_point *point)
{
    gt_tried tried = {.point = *point, .compile_s = at->compile_s};
    if (at->fails && at->fails(point)) {
        tried.outcome = GT_TRIED_FAILED;
    } else {
        tried.time_ns = 1e6 * exp(at->log_time(point));
    }
    return tried;
}

/* For GT_SCOPED(). */
static inline void strategy_end(gt_strategy **strategy)
{
    gt_strategy_free(*strategy);
}

/* Tries `results` more configurations in batches, and reports the results of each batch in reverse
 * order. Returns by what fraction the best result is slower than the landscape's best point. */
static inline double landscape_search(gt_strategy *strategy, const landscape *at, uint32_t results,
                                      uint32_t batch)
{
    double best = INFINITY;
    gt_point points[64];
    for (uint32_t done = 0; done < results;) {
        size_t given, wanted = results - done < batch ? results - done : batch;
        ASSERT_OK(gt_strategy_propose(strategy, points, wanted, &given));
        if (!given) {
            break;
        }
        for (size_t i = given; i-- > 0;) {
            gt_tried tried = landscape_try(at, &points[i]);
            assert_true(landscape_valid((void *)at, &points[i]));
            ASSERT_OK(gt_strategy_report(strategy, &tried));
            best = tried.outcome == GT_TRIED_OK ? fmin(best, tried.time_ns) : best;
        }
        done += (uint32_t)given;
    }
    return best / 1e6 - 1;
}

static inline double landscape_regret(gputune_strategy kind, const landscape *at, uint32_t results,
                                      uint32_t batch, uint32_t seeds)
{
    double sum = 0;
    for (uint32_t seed = 0; seed < seeds; seed++) {
        gt_strategy *strategy;
        gt_search_settings settings = {.seed = seed, .workers = batch};
        ASSERT_OK(gt_strategy_open(&strategy, kind, &at->domain, &settings));
        sum += landscape_search(strategy, at, results, batch);
        gt_strategy_free(strategy);
    }
    return sum / seeds;
}

static inline double landscape_noise(const gt_point *point)
{
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15), word;
    for (size_t i = 0; i < sizeof point->choice; i += sizeof word) {
        memcpy(&word, (const char *)point->choice + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    return (double)(hash >> 11) * 0x1p-53;
}
