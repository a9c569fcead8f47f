/* A strategy proposes configurations. The engine tries them and reports their results in any order.
 * A strategy does not wait, read a clock or do I/O, so the same seed, calls and results lead to the
 * same proposals. Not thread-safe. */
#pragma once

#include "search/domain.h"

/* Returns the name of a strategy, such as "model", or "?" if the value is unknown. */
const char *gt_strategy_name(gputune_strategy kind);

typedef enum gt_tried_outcome {
    GT_TRIED_OK,
    GT_TRIED_FAILED,
    GT_TRIED_GIVEN_UP, /* the compile was cancelled because it took too long */
    GT_TRIED_PENDING,  /* the configuration was proposed and has no result yet */
    GT_TRIED_OUTCOMES
} gt_tried_outcome;

/* The result of trying a configuration. */
typedef struct gt_tried {
    gt_point point;
    gt_tried_outcome outcome;
    double time_ns;   /* time or other value to minimise, greater than 0; only for GT_TRIED_OK */
    double compile_s; /* compile time in seconds, even if given up; 0 if unknown or not compiled */
    double measure_s; /* seconds spent on verifying and measuring; 0 if unknown */
} gt_tried;

typedef struct gt_search_settings {
    uint64_t seed;
    uint32_t workers; /* number of configurations that are tried in parallel; 0 means 1 */
    double limit_s;   /* seconds that the search may take; 0 means no limit */
    double epsilon;   /* smallest gain of interest, as a fraction; 0 means 0.005 */
    bool by_seconds;  /* true if the search is limited by time, not by the number of tries */
} gt_search_settings;

typedef struct gt_strategy gt_strategy;

/* Creates a strategy for a domain, which must outlive it. The caller frees *out with
 * gt_strategy_free(). Fails only with ENOMEM. */
gputune_status gt_strategy_open(gt_strategy **out, gputune_strategy kind, const gt_domain *domain,
                                const gt_search_settings *settings);
void gt_strategy_free(gt_strategy *strategy);

/* Gives a strategy the results of another size or another GPU as hints. They show what to try first
 * and how the time may depend on the axes. The results are copied. Fails only with ENOMEM. */
gputune_status gt_strategy_hint(gt_strategy *strategy, const gt_tried *results, size_t count);
/* Gives all times of `from` to `strategy` as hints. Both must have the same domain. Fails only with
 * ENOMEM. */
gputune_status gt_strategy_pass_on(gt_strategy *strategy, const gt_strategy *from);

/* Records that the engine tries a valid configuration that the strategy has not proposed. Sets
 * *is_new to false if the configuration was already proposed or reported. Fails only with
 * ENOMEM. */
gputune_status gt_strategy_note(bool *is_new, gt_strategy *strategy, const gt_point *point);

/* Proposes up to `count` valid configurations that were not tried yet, and sets *given to their
 * number. It is less than `count` only if there are no more configurations. Fails only with
 * ENOMEM. */
gputune_status gt_strategy_propose(gt_strategy *strategy, gt_point *out, size_t count,
                                   size_t *given);

/* Reports the result of a valid configuration, which replaces any earlier result. Returns EINVAL if
 * the time is not positive, or ENOMEM. */
gputune_status gt_strategy_report(gt_strategy *strategy, const gt_tried *result);

/* Predictions of a strategy about the rest of its search. */
typedef struct gt_outlook {
    uint32_t tried;          /* number of results */
    uint32_t since_improved; /* number of results since the best one was found */
    double remaining;        /* number of configurations that were not proposed or tried yet */
    double expected_gain;    /* highest expected gain, as a fraction; -1 if there is no model yet */
    bool exhausted;          /* true if there are no more configurations */
    bool learns;             /* true if the next proposals depend on results */
    bool done;               /* true if the space is exhausted, or if no more gain is expected */
} gt_outlook;
void gt_strategy_outlook(gt_outlook *out, gt_strategy *strategy);

/* Returns true if a compile should be given up after `seconds`. The compile must have taken far
 * longer than usual. In addition, the expected gain of its configuration must be negligible, or its
 * gain per second must be less than half of that of the next proposal. Stores the seconds, because
 * similar configurations may also compile slowly. */
bool gt_strategy_gives_up(gt_strategy *strategy, const gt_point *point, double seconds);
