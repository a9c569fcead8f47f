/* A strategy proposes configurations. The engine requests proposals, tries them, and reports their
 * results in any order. A strategy does not wait, read a clock or do I/O, so equal seeds, calls and
 * results give equal proposals. Not thread-safe. */
#pragma once

#include "search/domain.h"

/* Returns the name of a strategy, such as "model", or "?" for an unknown value. */
const char *gt_strategy_name(gputune_strategy kind);

typedef enum gt_tried_outcome {
    GT_TRIED_OK,
    GT_TRIED_FAILED,
    GT_TRIED_GIVEN_UP, /* compile given up because it took too long */
    GT_TRIED_PENDING,  /* a proposal without a result yet */
    GT_TRIED_OUTCOMES
} gt_tried_outcome;

/* The result of one configuration. */
typedef struct gt_tried {
    gt_point point;
    gt_tried_outcome outcome;
    double time_ns;   /* the time or other value to minimise, positive; only for GT_TRIED_OK */
    double compile_s; /* compile time in seconds, even if given up; 0: unknown or not compiled */
    double measure_s; /* seconds spent on verifying and measuring; 0: unknown */
} gt_tried;

typedef struct gt_search_settings {
    uint64_t seed;
    uint32_t workers; /* number of configurations that are tried at the same time; 0: 1 */
    double limit_s;   /* seconds that the search may take; 0: no limit */
    double epsilon;   /* the smallest gain that counts, as a fraction; 0: 0.005 */
    bool by_seconds;  /* true if the search is limited by seconds, not by tries */
} gt_search_settings;

typedef struct gt_strategy gt_strategy;

/* Opens a strategy on a domain. The domain must outlive the strategy. gt_strategy_free() frees
 * *out. EINVAL if the domain exceeds the limits of domain.h, ENOMEM. */
gputune_status gt_strategy_open(gt_strategy **out, gputune_strategy kind, const gt_domain *domain,
                                const gt_search_settings *settings);
void gt_strategy_free(gt_strategy *strategy);

/* Gives the strategy results of another size or GPU as hints. They show what to try first and how
 * times may depend on the axes. The results are copied. ENOMEM. */
gputune_status gt_strategy_hint(gt_strategy *strategy, const gt_tried *results, size_t count);
/* Gives the strategy all times of another strategy on the same domain, as hints. ENOMEM. */
gputune_status gt_strategy_pass_on(gt_strategy *strategy, const gt_strategy *from);

/* Records that the engine tries a valid configuration that the strategy did not propose. Sets
 * *is_new to false if the configuration was already proposed or reported. ENOMEM. */
gputune_status gt_strategy_note(bool *is_new, gt_strategy *strategy, const gt_point *point);

/* Proposes up to `count` new valid configurations. Sets *given to their number, which is less than
 * `count` only if no more are left. ENOMEM. */
gputune_status gt_strategy_propose(gt_strategy *strategy, gt_point *out, size_t count,
                                   size_t *given);

/* Reports the result of any valid configuration; a second result replaces the first. EINVAL for a
 * time that is not positive, ENOMEM. */
gputune_status gt_strategy_report(gt_strategy *strategy, const gt_tried *result);

/* The expectations of a strategy about the rest of its search. */
typedef struct gt_outlook {
    uint32_t tried;          /* number of results */
    uint32_t since_improved; /* number of results since the best one */
    double remaining;        /* number of configurations never tried or proposed */
    double expected_gain;    /* greatest expected gain, as a fraction; -1: there is no model yet */
    bool exhausted;          /* true if no configuration remains */
    bool learns;             /* true if the next proposals depend on results */
    bool done; /* true if the space is exhausted, or if no gain above epsilon is expected */
} gt_outlook;
void gt_strategy_outlook(gt_outlook *out, gt_strategy *strategy);

/* Returns true if a compile that has run for `seconds` should be given up: it takes far longer than
 * others, and its expected gain is negligible or another try promises more than twice the gain per
 * second. Stores the seconds, because similar configurations may compile as long. */
bool gt_strategy_gives_up(gt_strategy *strategy, const gt_point *point, double seconds);
