/* A strategy proposes the configurations to try: the engine asks for some, tries them, and tells
 * the strategy the result of each, in any order. A strategy never waits, reads no clock and does no
 * I/O: with the same seed, the same questions and the same results it gives the same answers. Pure;
 * one thread. */
#pragma once

#include "search/domain.h"

/* The name of a strategy, such as "model"; "?" for a value that is no strategy. */
const char *gt_strategy_name(gputune_strategy kind);

typedef enum gt_tried_outcome {
    GT_TRIED_OK,
    GT_TRIED_FAILED,
    GT_TRIED_GIVEN_UP, /* compiling it took too long, which says nothing of its neighbours' times */
    GT_TRIED_PENDING,  /* it was proposed, and no result has come */
    GT_TRIED_OUTCOMES
} gt_tried_outcome;

/* The result of one configuration. */
typedef struct gt_tried {
    gt_point point;
    gt_tried_outcome outcome;
    double time_ns;   /* the value that is minimised, positive; only of GT_TRIED_OK */
    double compile_s; /* seconds; 0: nothing was compiled, or not known; if given up, the seconds
                         until then */
    double measure_s; /* seconds that verifying and measuring took; 0: not known */
} gt_tried;

typedef struct gt_search_settings {
    uint64_t seed;
    uint32_t workers; /* configurations that are tried at a time; 0: 1 */
    double limit_s;   /* seconds for the search; 0: no limit */
    double epsilon;   /* the smallest gain worth looking for, a fraction; 0: 0.005 */
    bool by_seconds;  /* the search is limited by seconds, not by the number of tries */
} gt_search_settings;

typedef struct gt_strategy gt_strategy;

/* The domain, and what it points to, must outlive the strategy. EINVAL for a domain beyond the
 * limits of domain.h; ENOMEM. *out is the caller's, for gt_strategy_free(). */
gputune_status gt_strategy_open(gt_strategy **out, gputune_strategy kind, const gt_domain *domain,
                                const gt_search_settings *settings);
void gt_strategy_free(gt_strategy *strategy);

/* Gives the strategy results of another size or another GPU. They are hints, not facts here: they
 * say what to try first, and how the times may depend on the axes. The results are copied.
 * ENOMEM. */
gputune_status gt_strategy_hint(gt_strategy *strategy, const gt_tried *results, size_t count);
/* Gives the strategy, as hints, all times that another strategy of the same domain was told.
 * ENOMEM. */
gputune_status gt_strategy_pass_on(gt_strategy *strategy, const gt_strategy *from);

/* Proposes up to `count` valid configurations that were neither proposed nor told before. *given,
 * the number of proposals, is below `count` only if the domain is exhausted. ENOMEM. */
gputune_status gt_strategy_ask(gt_strategy *strategy, gt_point *out, size_t count, size_t *given);

/* Tells the strategy the result of a proposed configuration, or of any other valid one (a stored
 * trial). A second result of one configuration replaces the first. EINVAL for a time that is not
 * positive; ENOMEM. */
gputune_status gt_strategy_tell(gt_strategy *strategy, const gt_tried *result);

/* Returns true if the next `count` proposals are the same whatever their results will be. */
bool gt_strategy_is_fixed(gt_strategy *strategy, uint32_t count);

/* What a strategy may still find. */
typedef struct gt_outlook {
    uint32_t tried;          /* results so far */
    uint32_t since_improved; /* results since the best one came */
    double remaining;        /* valid configurations neither tried nor proposed */
    double expected_gain;    /* gain of the most promising configuration left, as a fraction; -1: no
                                model yet */
    bool exhausted;          /* nothing remains, and that is certain */
    bool learns;             /* results matter to what is proposed next */
    bool done;               /* exhausted, or nothing better than epsilon is expected */
} gt_outlook;
void gt_strategy_outlook(gt_outlook *out, gt_strategy *strategy);

/* Returns true if to give up a compile that has been running for `seconds`. It is given up if it
 * takes far longer than others did, and if its expected gain, for the time that it holds a worker,
 * is negligible or less than half of the gain of others. In any case the strategy notes that the
 * compile takes at least `seconds`, and expects longer compiles of similar configurations. */
bool gt_strategy_gives_up(gt_strategy *strategy, const gt_point *point, double seconds);
