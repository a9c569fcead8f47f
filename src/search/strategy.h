/* A strategy proposes the configurations to try: the engine asks for some, tries them, and reports
 * each result, in any order. A strategy never waits, reads no clock and does no I/O: equal seeds,
 * questions and results give equal answers. Pure; one thread. */
#pragma once

#include "search/domain.h"

/* Returns the name of a strategy, such as "model"; "?" for an unknown value. */
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
    double compile_s; /* seconds, or until it was given up; 0: none, or unknown */
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

/* Opens a strategy on a domain, which must outlive it; gt_strategy_free() frees it. EINVAL for a
 * domain beyond the limits of domain.h; ENOMEM. */
gputune_status gt_strategy_open(gt_strategy **out, gputune_strategy kind, const gt_domain *domain,
                                const gt_search_settings *settings);
void gt_strategy_free(gt_strategy *strategy);

/* Gives the strategy results of another size or GPU as hints: which configurations to try first,
 * and how times may depend on the axes. They are copied. ENOMEM. */
gputune_status gt_strategy_hint(gt_strategy *strategy, const gt_tried *results, size_t count);
/* Gives the strategy, as hints, all times of another strategy on the same domain. ENOMEM. */
gputune_status gt_strategy_pass_on(gt_strategy *strategy, const gt_strategy *from);

/* Proposes up to `count` new valid configurations. *given is lower only if the domain is exhausted.
 * ENOMEM. */
gputune_status gt_strategy_ask(gt_strategy *strategy, gt_point *out, size_t count, size_t *given);

/* Reports the result of any valid configuration; a second result replaces the first. EINVAL for a
 * time that is not positive; ENOMEM. */
gputune_status gt_strategy_tell(gt_strategy *strategy, const gt_tried *result);

/* Returns true if the next `count` proposals do not depend on results. */
bool gt_strategy_is_fixed(gt_strategy *strategy, uint32_t count);

/* The prospects of a strategy. */
typedef struct gt_outlook {
    uint32_t tried;          /* results so far */
    uint32_t since_improved; /* results since the best one came */
    double remaining;        /* valid configurations neither tried nor proposed */
    double expected_gain; /* fraction, of the most promising configuration left; -1: no model yet */
    bool exhausted;       /* nothing remains, and that is certain */
    bool learns;          /* results matter to what is proposed next */
    bool done;            /* exhausted, or nothing better than epsilon is expected */
} gt_outlook;
void gt_strategy_outlook(gt_outlook *out, gt_strategy *strategy);

/* Returns true if a compile that has run for `seconds` should be given up: it takes far longer than
 * others did, and its expected gain per time is negligible or less than half of the others'. In any
 * case the strategy notes the seconds, and expects longer compiles of similar configurations. */
bool gt_strategy_gives_up(gt_strategy *strategy, const gt_point *point, double seconds);
