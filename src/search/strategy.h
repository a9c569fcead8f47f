/* What proposes the configurations to try: the engine asks for some, tries them, and tells what
 * came of each, in any order. A strategy never waits, reads no clock and does no I/O: with the same
 * seed, the same questions and the same results it gives the same answers. Pure; one thread. */
#pragma once

#include "search/domain.h"

/* "model"; "?" for a value that is no strategy. */
const char *gt_strategy_name(gputune_strategy kind);

typedef enum gt_tried_outcome {
    GT_TRIED_OK,
    GT_TRIED_COMPILE, /* does not compile */
    GT_TRIED_LAUNCH,  /* cannot be launched, or crashed */
    GT_TRIED_WRONG,   /* wrong results */
    GT_TRIED_HUNG,
    GT_TRIED_GIVEN_UP /* compiling it took too long: that says nothing of its neighbours' times */
} gt_tried_outcome;

/* What came of one configuration. */
typedef struct gt_tried {
    gt_point point;
    gt_tried_outcome outcome;
    double time_ns;   /* what is minimised, positive; of GT_TRIED_OK only */
    double compile_s; /* 0: nothing was compiled, or not known; of one given up, until then */
    double measure_s; /* what verifying and measuring took; 0: not known */
} gt_tried;

typedef struct gt_search_settings {
    uint64_t seed;
    uint32_t workers; /* how many are tried at a time; 0: 1 */
    double limit_s;   /* for the search; 0: none */
    double epsilon;   /* the smallest gain worth looking for, a fraction; 0: 0.005 */
    bool by_seconds;  /* seconds are what is short, not how many are tried */
} gt_search_settings;

typedef struct gt_strategy gt_strategy;

/* The domain, and what it points to, must outlive the strategy. EINVAL for a domain beyond the
 * limits of domain.h; ENOMEM. *out is the caller's. */
gputune_status gt_strategy_open(gt_strategy **out, gputune_strategy kind, const gt_domain *domain,
                                const gt_search_settings *settings);
void gt_strategy_free(gt_strategy *strategy);

/* Results of elsewhere (another size, another GPU): not facts here, but what to try first and how
 * the times may be shaped. ENOMEM. */
gputune_status gt_strategy_hint(gt_strategy *strategy, const gt_tried *results, size_t count);
/* The same with all times that another strategy of the same domain was told. ENOMEM. */
gputune_status gt_strategy_pass_on(gt_strategy *strategy, const gt_strategy *from);

/* Proposes up to `count` valid configurations that were neither proposed nor told before. *given is
 * less only where the domain is exhausted. ENOMEM. */
gputune_status gt_strategy_ask(gt_strategy *strategy, gt_point *out, size_t count, size_t *given);

/* Tells a result: of a proposed configuration, or of any other valid one (a stored trial). A second
 * result of one configuration replaces the first. EINVAL for a time that is not positive; ENOMEM.
 */
gputune_status gt_strategy_tell(gt_strategy *strategy, const gt_tried *result);

/* What may still be found. */
typedef struct gt_outlook {
    uint32_t tried;          /* results so far */
    uint32_t since_improved; /* of them, since the best so far came */
    double remaining;        /* valid configurations neither tried nor proposed */
    double expected_gain;    /* of the most promising one left, as a fraction; -1: no model yet */
    bool exhausted;          /* nothing remains, and that is certain */
    bool learns;             /* results matter to what is proposed next */
    bool done;               /* exhausted, or nothing better than epsilon is expected */
} gt_outlook;
void gt_strategy_outlook(gt_outlook *out, gt_strategy *strategy);

/* Whether a compile that has been running for `seconds` is to be given up: it takes far longer than
 * others did, and what is expected of it for the time that it holds a worker is less than half of
 * what others give, or nothing to speak of. If not, the strategy takes it that others like it take
 * long, too. */
bool gt_strategy_gives_up(gt_strategy *strategy, const gt_point *point, double seconds);
