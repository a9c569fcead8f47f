/* Searching by quick compiles first. A quick compile is a variant that is compiled with less
 * optimisation and launched once: it is never a result, but shows where fast variants are. A search
 * begins without them. Once its first variants have been compiling for long, these are quick
 * compiled too. Such pairs show whether quick compiles pay: they must compile far faster, few
 * variants must be possible without them, and the faster one must not clearly be the slower
 * variant. At the end their times are hints for the search. Pure; one thread. */
#pragma once

#include "search/strategy.h"

enum { GT_QUICK_PAIRS = 8 };

/* A configuration that is tried both as a quick compile and as a variant. */
typedef struct gt_quick_pair {
    gt_point point;
    gt_tried quick, full;    /* its results */
    bool tried_quick, tried; /* whether each result is known */
} gt_quick_pair;

/* The state of compiling quickly in one search. All zero: it is over. */
typedef struct gt_quick {
    gt_strategy *strategy; /* proposes what to quick compile; NULL: compiling quickly is over */
    gt_search_settings settings;
    gt_quick_pair pairs[GT_QUICK_PAIRS];
    uint32_t most_pairs;
    uint32_t proposed, tried_quick; /* pairs so far: proposed as variants, and as quick compiles */
    uint32_t ok, failed;            /* results of quick compiles */
    double begun_left_s;            /* seconds of the limit that were left at the first proposal */
    double quick_left_s;            /* and at the first quick compile */
    bool judged; /* they compile far faster, and few variants could be tried without */
} gt_quick;

/* Begins compiling quickly, which is over at once if the domain is small or there is no time limit.
 * The domain must outlive *out, which gt_quick_end() ends. ENOMEM. */
gputune_status gt_quick_begin(gt_quick *out, const gt_domain *domain,
                              const gt_search_settings *settings);
void gt_quick_end(gt_quick *quick);
/* Proposes up to `count` points, `left_s` seconds before the limit, all to be compiled quickly
 * (*as_quick) or none. `full`, the search itself, proposes the first variants, which make the
 * pairs, for half of the workers. Once they compile for long, the pairs are quick compiled, and
 * then other points while that may pay. Not to be called when compiling quickly is over. ENOMEM. */
gputune_status gt_quick_ask(gt_quick *quick, gt_strategy *full, double left_s, gt_point *out,
                            size_t count, size_t *given, bool *as_quick);
/* Reports the result of a quick compile, or of a variant, which also goes to `full`, even when
 * compiling quickly is over. Ends compiling quickly if it does not pay, or if its share of the time
 * is over; then `full` gets its times as hints. ENOMEM. */
gputune_status gt_quick_tell(gt_quick *quick, gt_strategy *full, double left_s,
                             const gt_tried *result, bool is_quick);
