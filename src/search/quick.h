/* Searching by quick compiles first. A quick compile is a variant that is compiled quickly, with
 * less optimisation, and launched once: it is never a result, but shows where the fast variants
 * are. Where sources compile for seconds, several quick compiles are ready in the time of one
 * variant. A search begins without quick compiles. Once its first variants have been compiling for
 * long, these are tried as quick compiles too, which makes pairs. The pairs tell whether quick
 * compiles pay: whether they compile far faster, whether only few variants could be tried without
 * them, and whether the faster quick compile is not clearly the slower variant. At the end the
 * times of the quick compiles are hints for the search. Pure; one thread. */
#pragma once

#include "search/strategy.h"

enum { GT_QUICK_PAIRS = 8 };

/* A configuration that is tried both as a quick compile and as a variant. */
typedef struct gt_quick_pair {
    gt_point point;
    gt_tried quick, full;    /* its results */
    bool tried_quick, tried; /* whether each result is known */
} gt_quick_pair;

/* The state of compiling quickly in one search. All zero: compiling quickly is over. */
typedef struct gt_quick {
    gt_strategy *strategy; /* proposes what to quick compile; NULL: compiling quickly is over */
    gt_search_settings settings;
    gt_quick_pair pairs[GT_QUICK_PAIRS];
    uint32_t most_pairs;
    uint32_t proposed, tried_quick; /* pairs so far: proposed as variants, and as quick compiles */
    uint32_t ok, failed;            /* results of quick compiles */
    double begun_left_s;            /* seconds of the limit that were left at the first proposal */
    double quick_left_s;            /* and at the first quick compile */
    bool judged; /* quick compiles were found to compile far faster, where few could be tried
                    without */
} gt_quick;

/* Begins compiling quickly; if the domain is small or there is no time limit, compiling quickly is
 * over at once. The domain must outlive *out. ENOMEM. *out is the caller's, for gt_quick_end(). */
gputune_status gt_quick_begin(gt_quick *out, const gt_domain *domain,
                              const gt_search_settings *settings);
void gt_quick_end(gt_quick *quick);
/* Proposes up to `count` points to try next, `left_s` seconds before the search's limit. Called
 * while compiling quickly is not over. Either all of the points are to be compiled quickly
 * (*as_quick), or none. Variants are proposed by `full`, the search itself: the first ones, which
 * make the pairs, for half of the workers. Once they compile for long the pairs are to be compiled
 * quickly. What follows are quick compiles while they may compile far faster, and variants where
 * they do not. ENOMEM. */
gputune_status gt_quick_ask(gt_quick *quick, gt_strategy *full, double left_s, gt_point *out,
                            size_t count, size_t *given, bool *as_quick);
/* Tells the result of a quick compile, or of a variant, which `full`, the search itself, is told
 * too, even if compiling quickly is over. Ends compiling quickly if its share of the time is over,
 * or if it does not pay; `left_s` are the seconds before the search's limit. In the first case
 * `full` gets the times of the quick compiles as hints. ENOMEM. */
gputune_status gt_quick_tell(gt_quick *quick, gt_strategy *full, double left_s,
                             const gt_tried *result, bool is_quick);
