/* Quick compiles: variants that are compiled with less optimisation and launched once. A quick
 * compile is never a result, but shows where fast variants are.
 *
 * A search begins without quick compiles. If its first variants compile slowly, each is also tried
 * as a quick compile. These pairs show whether quick compiles pay. They pay if they compile far
 * faster, if too few variants could be tried without them, and if their order does not contradict
 * that of the variants. In the end, their times become hints for the search. Not thread-safe. */
#pragma once

#include "search/strategy.h"

enum { GT_QUICK_PAIRS = 8 };

/* A configuration that is tried both as a quick compile and as a variant. */
typedef struct gt_quick_pair {
    gt_point point;
    gt_tried quick, full;
    bool tried_quick, tried; /* true if the quick compile, or the variant, has a result */
} gt_quick_pair;

/* The state of quick compiles in one search. All zero: quick compiles have ended. */
typedef struct gt_quick {
    gt_strategy *strategy; /* strategy for quick compiles; NULL: quick compiles have ended */
    gt_search_settings settings;
    gt_quick_pair pairs[GT_QUICK_PAIRS];
    uint32_t most_pairs;
    /* number of pairs proposed as variants, and as quick compiles */
    uint32_t proposed, tried_quick;
    uint32_t ok, failed;    /* number of quick compiles that succeeded, and that failed */
    double left_at_begin_s; /* seconds before the limit at the first proposal */
    double quick_left_s;    /* seconds before the limit at the first quick compile */
    /* true if quick compiles are far faster, and variants compile too slowly */
    bool judged;
} gt_quick;

/* Begins quick compiles. They end immediately for a small domain or without a time limit. The
 * domain must outlive *out, which gt_quick_end() ends. ENOMEM. */
gputune_status gt_quick_begin(gt_quick *out, const gt_domain *domain,
                              const gt_search_settings *settings);
void gt_quick_end(gt_quick *quick);
/* Proposes up to `count` points, `left_s` seconds before the limit. Sets *given to their number,
 * and *as_quick to true if all are quick compiles, or to false if all are variants. The first
 * points are variants from `full`, the search itself, for half of the workers. If these compile
 * slowly, they are also proposed as quick compiles. Other quick compiles follow as long as they may
 * pay. Do not call after quick compiles have ended. ENOMEM. */
gputune_status gt_quick_propose(gt_quick *quick, gt_strategy *full, double left_s, gt_point *out,
                                size_t count, size_t *given, bool *as_quick);
/* Records the result of a quick compile or of a variant. Passes results of variants on to `full`,
 * even after quick compiles have ended. Ends quick compiles if they do not pay, or if their share
 * of the time is used up; in the second case, gives their times to `full` as hints. ENOMEM. */
gputune_status gt_quick_report(gt_quick *quick, gt_strategy *full, double left_s,
                               const gt_tried *result, bool is_quick);
