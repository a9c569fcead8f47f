/* Searching by sketches first. A sketch is a variant that is compiled quickly, with less
 * optimisation, and launched once: it is never a result, but shows where the fast variants are.
 * Where sources compile for seconds, several sketches are ready in the time of one variant. A
 * search begins without sketches. Once its first variants have been compiling for long, these are
 * tried as sketches too, which makes pairs. The pairs tell whether sketches pay: whether they
 * compile far faster, whether only few variants could be tried without them, and whether the faster
 * sketch is not clearly the slower variant. At the end the times of the sketches are hints for the
 * search. Pure; one thread. */
#pragma once

#include "search/strategy.h"

enum { GT_SKETCH_PAIRS = 8 };

/* A configuration that is tried both as a sketch and as a variant. */
typedef struct gt_sketch_pair {
    gt_point point;
    gt_tried sketch, full; /* its results */
    bool sketched, tried;  /* whether each result is known */
} gt_sketch_pair;

/* The state of sketching in one search. All zero: sketching is over. */
typedef struct gt_sketching {
    gt_strategy *strategy; /* proposes what to sketch; NULL: sketching is over */
    gt_search_settings settings;
    gt_sketch_pair pairs[GT_SKETCH_PAIRS];
    uint32_t most_pairs;
    uint32_t proposed, sketched; /* pairs so far: proposed as variants, and as sketches */
    uint32_t ok, failed;         /* results of sketches */
    double begun_left_s;         /* seconds of the limit that were left at the first proposal */
    double sketched_left_s;      /* and at the first sketch */
    bool judged; /* sketches were found to compile far faster, where few could be tried without */
} gt_sketching;

/* Begins sketching; if the domain is small or there is no time limit, sketching is over at once.
 * The domain must outlive *out. ENOMEM. *out is the caller's, for gt_sketching_end(). */
gputune_status gt_sketching_begin(gt_sketching *out, const gt_domain *domain,
                                  const gt_search_settings *settings);
void gt_sketching_end(gt_sketching *sketching);
/* Proposes up to `count` points to try next, `left_s` seconds before the search's limit. Called
 * while sketching is not over. Either all of the points are to be sketched (*as_sketches), or none.
 * Variants are proposed by `full`, the search itself: the first ones, which make the pairs, for
 * half of the workers. Once they compile for long the pairs are to be sketched. What follows are
 * sketches while they may compile far faster, and variants where they do not. ENOMEM. */
gputune_status gt_sketching_ask(gt_sketching *sketching, gt_strategy *full, double left_s,
                                gt_point *out, size_t count, size_t *given, bool *as_sketches);
/* Tells the result of a sketch, or of a variant, which `full`, the search itself, is told too, even
 * if sketching is over. Ends sketching if its share of the time is over, or if it does not pay;
 * `left_s` are the seconds before the search's limit. In the first case `full` gets the times of
 * the sketches as hints. ENOMEM. */
gputune_status gt_sketching_tell(gt_sketching *sketching, gt_strategy *full, double left_s,
                                 const gt_tried *result, bool is_sketch);
