/* Quick compiles: variants that are compiled with less optimisation and launched only once. A quick
 * compile never becomes the result, but it shows which variants may be fast.
 *
 * A search begins without quick compiles. If the first variants compile slowly, each is also tried
 * as a quick compile. These pairs decide whether quick compiles are worthwhile: they must be far
 * faster, and their times must not contradict the order of the variants. They are not worthwhile if
 * enough variants can be tried without them. When the quick compiles end, their times become hints
 * for the search. Not thread-safe. */
#pragma once

#include "search/strategy.h"

enum { GT_QUICK_PAIRS = 8 };

/* A configuration that is tried both as a variant and as a quick compile. */
typedef struct gt_quick_pair {
    gt_point point;
    gt_tried quick, full;
    bool tried_quick, tried; /* whether the quick compile and the variant have a result */
} gt_quick_pair;

/* The state of the quick compiles in a search. A zeroed struct means that they have ended. */
typedef struct gt_quick {
    gt_strategy *strategy; /* strategy for the quick compiles; NULL if they have ended */
    gt_search_settings settings;
    gt_quick_pair pairs[GT_QUICK_PAIRS];
    uint32_t most_pairs;
    /* number of variants, and of quick compiles, that were proposed for the pairs */
    uint32_t proposed, tried_quick;
    uint32_t ok, failed;    /* number of quick compiles that succeeded or failed */
    double left_at_begin_s; /* seconds left before the limit at the first proposal */
    double quick_left_s;    /* seconds left before the limit at the first quick compile */
    /* true if quick compiles are far faster and the variants compile too slowly */
    bool judged;
} gt_quick;

/* Begins the quick compiles. They end at once if the domain is small or there is no time limit. The
 * domain must outlive *out. The caller must call gt_quick_end(). Fails only with ENOMEM. */
gputune_status gt_quick_begin(gt_quick *out, const gt_domain *domain,
                              const gt_search_settings *settings);
void gt_quick_end(gt_quick *quick);
/* Proposes up to `count` points, and sets *given to their number. Sets *as_quick to true if all of
 * them are quick compiles, and to false if all are variants. `left_s` is the number of seconds
 * before the limit. First proposes variants of the search `full` for half of the workers. If these
 * compile slowly, proposes quick compiles of the same points, and then more quick compiles as long
 * as they may be worthwhile. Must not be called after the quick compiles have ended. Fails only
 * with ENOMEM. */
gputune_status gt_quick_propose(gt_quick *quick, gt_strategy *full, double left_s, gt_point *out,
                                size_t count, size_t *given, bool *as_quick);
/* Reports the result of a quick compile or of a variant. The result of a variant is always passed
 * on to `full`. The quick compiles end if they are not worthwhile or if they have used their part
 * of the time. In the second case, their times are passed to `full` as hints. EINVAL if the
 * result's time is not positive. */
gputune_status gt_quick_report(gt_quick *quick, gt_strategy *full, double left_s,
                               const gt_tried *result, bool is_quick);
