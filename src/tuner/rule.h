/* Makes rules. rule_make.c calls the other files: rule_sizes.c chooses sizes, rule_pool.c measures,
 * rule_search.c finds configurations, and rule_loss.c estimates the loss. */
#pragma once

#include "base/clock.h"
#include "base/random.h"
#include "kernel/rule/features.h"
#include "search/rule_learner.h"
#include "tuner/rule_pool.h"

/* Makes a rule for a region of sizes and stores it. *out is its text (kernel/rule/rule.h), which
 * the caller frees. Sizes are tuned one after another and their results are stored as usual, so
 * another call can continue after a cancel. options->time_limit_s limits all of this (0: two
 * minutes). If it is short, the rule is made from fewer sizes, with a warning.
 *
 * EINVAL if no rule can be made for the region, or if it has too few sizes. ENOVARIANT or EDEVMEM
 * if nothing can run at a corner, which the message states. ETIMEOUT if the time was too short to
 * verify a variant at all corners, to compare variants, or to estimate the loss. ECANCELED after a
 * cancel. */
gputune_status gt_make_rule(char **out, const gt_services *services, const gt_device *device,
                            const char *kernel, const gputune_range *ranges, size_t range_count,
                            uint32_t most_codes, const gputune_options *options);

/* ---- shared by the rule_*.c files; not used elsewhere ---------------------------------------- */

/* number of sizes at which each variant of a rule is verified if there is time */
enum { GT_RULE_PROVED_SIZES = 64 };

/* indices into gt_pool.members and gt_pool.sizes; free the lists with GT_FREED */
typedef GT_ARRAY(uint32_t) gt_member_list;
typedef GT_ARRAY(size_t) gt_size_list;

/* The state of making a rule. A rule is made in rounds. A round finds configurations, measures the
 * best of them at many sizes, and tunes further sizes to estimate the loss of the rule there. */
typedef struct gt_rule_maker {
    gt_pool pool;
    gt_services services; /* the caller's services, with another log */
    gt_rule_region region;
    uint32_t most_codes;
    gt_random random;
    uint64_t next_point;   /* index of the next point (gt_region_point()) */
    gt_size_list tuned;    /* sizes that were tuned; all pool members are measured there */
    gt_size_list compared; /* `tuned`, and sizes at which only the best pool members are measured */
    gt_member_list kept;   /* pool members among which the rule chooses */
    gt_size_list tests;    /* sizes that were tuned later, to test the kept members */
    bool is_covered;       /* true if the region has too few untuned sizes for all tests */
    double novelty;        /* mean log-ratio by which recent winners are faster than the pool */
    double shares;         /* factor for the time limit of the next tuning */
    size_t most_sizes;     /* number of sizes at which this round measures kept members */
    int64_t start_ns;
    double limit_s;
    double points_s[4]; /* planned ends of the phases, in seconds since start_ns */
    /* seconds of the last round for corners, for each other size, for testing, and for learning */
    double corners_s, size_s, testing_s, learning_s;
} gt_rule_maker;

/* Returns the planned time of a point of the round, in seconds since the start. Point 0 is the
 * start of the round; points 1, 2 and 3 are the ends of finding configurations, of measuring and of
 * testing. Fractions interpolate: 0.5 is halfway between points 0 and 1. */
double gt_rule_time_at_s(const gt_rule_maker *maker, double point);
/* Returns the seconds until a point of the round; 0 if it has passed or after a cancel. */
double gt_rule_left_s(const gt_rule_maker *maker, double point);
static inline bool gt_rule_is_late(const gt_rule_maker *maker, double point)
{
    return gt_rule_left_s(maker, point) <= 0;
}
/* Logs the end of a phase. */
void gt_rule_note(const gt_rule_maker *maker, const char *format, ...) GT_PRINTF(2, 3);
gt_problem gt_rule_next_point(gt_rule_maker *maker);

typedef enum gt_rule_sizes {
    GT_RULE_SIZES_CORNERS,
    GT_RULE_SIZES_INNER, /* all sizes except the corners */
    GT_RULE_SIZES_TUNED,
    GT_RULE_SIZES_COMPARED
} gt_rule_sizes;

/* Sets *out to a list of sizes of the pool. Inner and compared sizes are in the order in which they
 * were added; the other lists are sorted by volume. */
gputune_status gt_rule_list_sizes(gt_size_list *out, const gt_rule_maker *maker,
                                  gt_rule_sizes which);
/* Lists the sizes at which all kept members have a time. If these are fewer than
 * GT_RULE_PROVED_SIZES, adds sizes at which at least half of the kept members have a time. */
gputune_status gt_rule_list_measured(gt_size_list *out, const gt_rule_maker *maker);

/* Times of pool members at sizes, in the form that the learner of the tree needs. */
typedef struct gt_rule_view {
    gt_rule_data data;
    gt_size_features features;
    gt_rule_feature *shown;
    double *times_ns, *values;
    uint32_t *codes;
} gt_rule_view;

/* Sets *out to the times of these members at these sizes. `predicted` is the number of further
 * sizes of the region to add. Nothing was measured at these, so the learner predicts the times
 * there. The caller frees *out with gt_rule_view_free(). */
gputune_status gt_rule_view_make(gt_rule_view *out, const gt_rule_maker *maker,
                                 const gt_member_list *members, const gt_size_list *sizes,
                                 size_t predicted);
void gt_rule_view_free(gt_rule_view *view);

/* Tunes sizes until new winners are hardly faster than the pool, or the phase ends. Winners, and
 * variants that are nearly as fast, are added to the pool. */
gputune_status gt_rule_tune(gt_rule_maker *maker);
/* Tunes new sizes, and measures the kept members there. */
gputune_status gt_rule_test(gt_rule_maker *maker);
/* Measures the missing times of pool members at tuned sizes, except members that cannot win. */
gputune_status gt_rule_measure_pool(gt_rule_maker *maker);
/* Tries neighbours of kept members at the sizes where the kept members lose most. A neighbour
 * differs in one axis, or only in axes that need no compile. Adds the neighbours to the pool. */
gputune_status gt_rule_search(gt_rule_maker *maker);
/* Measures the best members at more sizes, and then chooses the kept members again. */
gputune_status gt_rule_compare(gt_rule_maker *maker);
/* Measures and verifies the kept members at all sizes, corners first. Replaces those that fail. */
gputune_status gt_rule_complete(gt_rule_maker *maker);
/* Adds sizes until there are `most_sizes`, preferably where it is unclear which member is fastest.
 * Measures and verifies the kept members there. */
gputune_status gt_rule_add_sizes(gt_rule_maker *maker);

/* Estimates and logs the loss of a rule at sizes that were not measured. It combines two losses.
 * The tests show how much slower the best kept member is than a tuned variant. `losses` show how
 * much slower the tree's choice is than the best kept member at `sizes` (gt_rule_tree). */
gputune_status gt_rule_estimate(gt_rule_loss *out, const gt_rule_maker *maker, const double *losses,
                                const gt_size_list *sizes);
/* Computes the loss of a rule. Its logarithm is the sum of three numbers: the log-loss of the best
 * kept member (`choice`), the log-loss of the tree (`tree`, measured at other sizes), and the
 * standard error of `choice`, which has few sizes. NAN if there are too few losses. */
gputune_status gt_rule_add_losses(gt_rule_loss *out, const double *choice, size_t choices,
                                  const double *tree, size_t decisions);
