/* Makes rules. rule_sizes.c chooses sizes, rule_pool.c measures, rule_search.c finds
 * configurations, rule_loss.c estimates the loss, and rule_make.c calls them. */
#pragma once

#include "base/clock.h"
#include "base/random.h"
#include "kernel/rule/features.h"
#include "search/rule_learner.h"
#include "tuner/rule_pool.h"

/* Makes a rule for a region of sizes, stores it, and sets *out to its text (kernel/rule/rule.h),
 * which the caller frees. `options` limit the whole work: time_limit_s (0: two minutes) and cancel.
 * Sizes are tuned one after another and their results are stored as usual, so a call after a cancel
 * continues there. With a short limit, the rule is made from fewer sizes, with a warning.
 *
 * Returns EINVAL for a region for which no rule can be made, with the reason. Returns ENOVARIANT or
 * EDEVMEM if nothing can run at a corner, which the message names. Returns ETIMEOUT if no variant
 * was proved at all corners within the limit, if only the default was measured, or if too few sizes
 * were tuned to know the loss. Returns ECANCELED if the caller cancelled. */
gputune_status gt_make_rule(char **out, const gt_services *services, const gt_device *device,
                            const char *kernel, const gputune_range *ranges, size_t range_count,
                            uint32_t most_codes, const gputune_options *options);

/* ---- shared by rule_make.c, rule_search.c and rule_loss.c; not used elsewhere
 * ------------------ */

/* Number of sizes at which each variant of a rule is verified if there is time. */
enum { GT_RULE_PROVED_SIZES = 64 };

typedef GT_ARRAY(uint32_t) gt_member_list;
static inline void gt_member_list_free(gt_member_list *members)
{
    gt_array_free(members);
}

typedef GT_ARRAY(size_t) gt_size_list; /* indices of sizes of the pool */
static inline void gt_size_list_free(gt_size_list *sizes)
{
    gt_array_free(sizes);
}

/* Each round of the work finds configurations in four phases, and measures the ones it keeps at
 * many sizes. Then it tunes new sizes, to know how much the kept configurations lose there. The
 * time for the last two steps is reserved, because a rule needs them. */
typedef struct gt_rule_maker {
    gt_pool pool;
    gt_services services; /* the caller's, but with fewer log lines of sessions */
    gt_rule_region region;
    uint32_t most_codes;
    gt_random random;
    uint64_t next_point; /* index of the next point (gt_region_point()) */
    gt_size_list tuned;  /* sizes at which the whole pool is measured */
    /* the tuned sizes, and the sizes at which the pool's best members are measured */
    gt_size_list compared;
    gt_member_list kept; /* the members from which the rule chooses */
    gt_size_list tests;  /* sizes that were tuned after the members were chosen */
    bool is_compared;    /* true if the tuning of some size tried several variants, or finished */
    double novelty;      /* mean logarithm of the speed-ups of the latest winners over the pool */
    double shares;       /* time of the next tuning, in multiples of a size's share */
    size_t most_sizes;   /* number of sizes at which the kept members are measured in this round */
    int64_t start_ns;
    double limit_s;
    /* the points of the round (gt_rule_time_at_s()), in seconds since start_ns */
    double points_s[4];
    /* seconds of the last round: for the corners, for the kept members at another size, for
     * testing, for learning */
    double corners_s, size_s, testing_s, learning_s;
} gt_rule_maker;

/* Returns the seconds from the start of the work to a point of the round: 0 is the start of the
 * round, 1 the end of finding configurations, 2 the end of measuring, and 3 the end of testing. */
double gt_rule_time_at_s(const gt_rule_maker *maker, double point);
/* Returns the seconds until a point of the round, or 0 after that point or a cancel. */
double gt_rule_left_s(const gt_rule_maker *maker, double point);
static inline bool gt_rule_is_late(const gt_rule_maker *maker, double point)
{
    return gt_rule_left_s(maker, point) <= 0;
}
/* Writes a log line about the end of a phase. */
void gt_rule_note(const gt_rule_maker *maker, const char *format, ...) GT_PRINTF(2, 3);
gt_problem gt_rule_next_point(gt_rule_maker *maker);

typedef enum gt_rule_sizes {
    GT_RULE_SIZES_CORNERS,
    GT_RULE_SIZES_INNER, /* all sizes except the corners */
    GT_RULE_SIZES_TUNED,
    GT_RULE_SIZES_COMPARED
} gt_rule_sizes;

/* Lists sizes of the pool. Inner and compared sizes are in the order in which they were added,
 * others in the order of volume. *out is empty or a list, which is replaced. */
gputune_status gt_rule_list_sizes(gt_size_list *out, const gt_rule_maker *maker,
                                  gt_rule_sizes which);
/* Lists the sizes at which all kept members were measured. If these are few, adds sizes at which at
 * least half were measured, beginning with the most complete ones. */
gputune_status gt_rule_list_measured(gt_size_list *out, const gt_rule_maker *maker);

/* The learner's data about some members of the pool. */
typedef struct gt_rule_view {
    gt_rule_data data;
    gt_size_features features;
    gt_rule_feature *shown;
    double *times_ns, *values;
    uint32_t *codes;
} gt_rule_view;

/* Sets *out to the data of these members at these sizes. Adds `predicted` more points of the
 * region, without times. gt_rule_view_free() frees *out. */
gputune_status gt_rule_view_make(gt_rule_view *out, const gt_rule_maker *maker,
                                 const gt_member_list *members, const gt_size_list *sizes,
                                 size_t predicted);
void gt_rule_view_free(gt_rule_view *view);

/* Tunes sizes until new winners gain little or the phase ends. Adds the winners, and other variants
 * that are nearly as fast, to the pool. */
gputune_status gt_rule_tune(gt_rule_maker *maker);
/* Tunes new sizes, and measures the kept members there. */
gputune_status gt_rule_test(gt_rule_maker *maker);
/* Measures pool members at the tuned sizes where their times are missing. Leaves out members that
 * were never nearly the fastest. */
gputune_status gt_rule_measure_pool(gt_rule_maker *maker);
/* Tries configurations that differ from members in one axis, or in axes that need no compile, at
 * the sizes where the chosen codes lose most. Adds the faster ones. */
gputune_status gt_rule_search(gt_rule_maker *maker);
/* Measures the best members at more sizes and chooses again by all sizes, because codes that are
 * best at few sizes are worse at others. */
gputune_status gt_rule_compare(gt_rule_maker *maker);
/* Measures and proves the kept members at all sizes, beginning with the corners. Chooses others for
 * members that fail. */
gputune_status gt_rule_complete(gt_rule_maker *maker);
/* Measures and proves the kept members at up to most_sizes sizes, preferably where different
 * members are the fastest. */
gputune_status gt_rule_add_sizes(gt_rule_maker *maker);

/* Estimates the loss at unseen sizes and logs it. The loss is relative to tuning each size as long
 * as the tests did. `losses` are the losses of the tree at `sizes` (gt_rule_tree), relative to the
 * best kept member there. The loss of that member is known from the tests. */
gputune_status gt_rule_estimate(gt_rule_loss *out, const gt_rule_maker *maker, const double *losses,
                                const gt_size_list *sizes);
/* Sets *out to the loss of a rule: the logarithmic loss of the best kept member (`choice`) plus
 * that of the tree (`tree`), which are known at different sizes, plus the standard error of
 * `choice`, because it has few sizes. The losses are NAN if there are too few sizes. */
gputune_status gt_rule_add_losses(gt_rule_loss *out, const double *choice, size_t choices,
                                  const double *tree, size_t decisions);
