/* Searching by sketches first. A sketch is a variant that is compiled quickly, with less
 * optimisation, and launched once: it is never a result, but shows where the fast ones are. Where
 * sources compile for seconds, several sketches are had in the time of one variant. No search is
 * sketched before its first variants compile for long, which is known before they have ended. Those
 * are then tried as sketches too, which tells whether that pays here: whether sketches compile far
 * faster, whether few variants could be tried without them, and whether what is faster as a sketch
 * is faster. The times of the sketches are then hints for the search. Pure; one thread. */
#pragma once

#include "search/strategy.h"

enum { GT_SKETCH_PAIRS = 5 };

/* A configuration that is tried both ways. */
typedef struct gt_sketch_pair {
    gt_point point;
    gt_tried sketch, full; /* what came of it */
    bool sketched, tried;  /* that is known */
} gt_sketch_pair;

/* All zero is one that is over. */
typedef struct gt_sketching {
    gt_strategy *strategy; /* proposes what to sketch; NULL: it is over */
    gt_search_settings settings;
    gt_sketch_pair pairs[GT_SKETCH_PAIRS];
    uint32_t most_pairs;
    uint32_t proposed, sketched; /* of the pairs: one way, and the other */
    uint32_t ok, failed;         /* sketches */
    double begun_left_s;         /* what was left of the limit at the first proposal */
    uint32_t asked;              /* variants */
    bool judged;                 /* sketches compile far faster */
} gt_sketching;

/* Begins, unless the domain is small. The domain must outlive it. ENOMEM. *out is the caller's, for
 * gt_sketching_end(). */
gputune_status gt_sketching_begin(gt_sketching *out, const gt_domain *domain,
                                  const gt_search_settings *settings);
void gt_sketching_end(gt_sketching *sketching);
/* What to try next while it is not over, up to `count`, `left_s` seconds before the search's limit:
 * all of them as sketches (*as_sketches), or none. Variants are proposed by `full`, the search
 * itself: all, until the first of them, the pairs, compile for long. Those are sketched then, and
 * nothing else before they are judged. Half of the workers get variants until that is known.
 * ENOMEM. */
gputune_status gt_sketching_ask(gt_sketching *sketching, gt_strategy *full, double left_s,
                                gt_point *out, size_t count, size_t *given, bool *as_sketches);
/* Tells a result, of a sketch or of a variant; `full` is told of variants by the caller. ENOMEM. */
gputune_status gt_sketching_tell(gt_sketching *sketching, const gt_tried *result, bool is_sketch);
/* Ends it where it is time, `left_s` seconds before the search's limit, or where it does not pay.
 * In the first case `full` gets the times as hints. ENOMEM. */
gputune_status gt_sketching_go_on(gt_sketching *sketching, gt_strategy *full, double left_s);
