/* Makes rules. rule_sizes.c chooses sizes, rule_pool.c measures, rule_search.c finds
 * configurations, rule_loss.c estimates the loss, and rule_make.c calls them. */
#pragma once

#include "base/clock.h"
#include "base/random.h"
#include "kernel/rule/features.h"
#include "search/rule_learner.h"
#include "tuner/rule_pool.h"

/* Makes a rule for a region of sizes, stores it, and sets *out to its text (kernel/rule/rule.h),
 * which the caller frees. Tunes sizes one after another and stores their results as usual, so a
 * call after a cancel continues from them. options->time_limit_s limits the whole work (0: two
 * minutes). With a short limit, the rule is made from fewer sizes, with a warning.
 *
 * Returns EINVAL for a region for which no rule can be made; ENOVARIANT or EDEVMEM if nothing can
 * run at a corner, which the message names; ETIMEOUT if the limit was too short to verify a variant
 * at all corners, to compare variants, or to estimate the loss; ECANCELED. */
gputune_status gt_make_rule(char **out, const gt_services *services, const gt_device *device,
                            const char *kernel, const gputune_range *ranges, size_t range_count,
                            uint32_t most_codes, const gputune_options *options);

/* ---- shared by the rule_*.c files; not used elsewhere ---------------------------------------- */

/* Each variant of a rule is verified at this many sizes if there is time. */
enum { GT_RULE_PROVED_SIZES = 64 };

typedef GT_ARRAY(uint32_t) gt_member_list;
static inline void gt_member_list_free(gt_member_list *members)
{
    gt_array_free(members);
}

typedef GT_ARRAY(size_t) gt_size_list; /* indices into gt_pool.sizes */
static inline void gt_size_list_free(gt_size_list *sizes)
{
    gt_array_free(sizes);
}

/* The state of the work, which proceeds in rounds. Each round finds configurations, measures the
 * best ones at many sizes, and tunes further sizes to estimate how much the rule loses there. */
typedef struct gt_rule_maker {
    gt_pool pool;
    gt_services services; /* the caller's services, but with fewer log lines */
    gt_rule_region region;
    uint32_t most_codes;
    gt_random random;
    uint64_t next_point; /* index for the next call of gt_region_point() */
    gt_size_list tuned;  /* tuned sizes, at which all pool members are measured */
    /* the tuned sizes, and sizes at which only the best pool members are measured */
    gt_size_list compared;
    gt_member_list kept; /* pool members from which the rule chooses */
    gt_size_list tests;  /* sizes tuned after `kept` was chosen, to test the choice */
    bool is_compared;    /* true if some tuning has tried several variants, or finished */
    double novelty;      /* mean log of the speed-up of recent winners over the pool */
    double shares;       /* time limit of the next tuning, as a multiple of the planned time */
    size_t most_sizes;   /* number of sizes at which `kept` is measured in this round */
    int64_t start_ns;
    double limit_s;
    /* phase boundaries of the round (gt_rule_time_at_s()), in seconds since start_ns */
    double points_s[4];
    /* seconds of the previous round for: corners, one other size, testing, learning */
    double corners_s, size_s, testing_s, learning_s;
} gt_rule_maker;

/* Returns when a phase boundary of the round is due, in seconds since the start of the work.
 * Boundary 0 is the start of the round, 1 the end of finding configurations, 2 the end of
 * measuring, and 3 the end of testing. A fraction is a time between two boundaries. */
double gt_rule_time_at_s(const gt_rule_maker *maker, double point);
/* Returns the seconds until a phase boundary; 0 if it has passed or the caller cancelled. */
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

/* Lists sizes of the pool in *out, replacing an earlier list. Inner and compared sizes are in the
 * order in which they were added; others are ordered by volume. */
gputune_status gt_rule_list_sizes(gt_size_list *out, const gt_rule_maker *maker,
                                  gt_rule_sizes which);
/* Lists the sizes at which all kept members were measured. If there are few, adds sizes at which at
 * least half of the members were measured, beginning with those where most were. */
gputune_status gt_rule_list_measured(gt_size_list *out, const gt_rule_maker *maker);

/* Some pool members and sizes in the form that the learner of the tree takes. */
typedef struct gt_rule_view {
    gt_rule_data data;
    gt_size_features features;
    gt_rule_feature *shown;
    double *times_ns, *values;
    uint32_t *codes;
} gt_rule_view;

/* Sets *out to the times of these pool members at these sizes. Adds `predicted` more sizes of the
 * region that were not measured; the learner predicts their times. The caller frees *out with
 * gt_rule_view_free(). */
gputune_status gt_rule_view_make(gt_rule_view *out, const gt_rule_maker *maker,
                                 const gt_member_list *members, const gt_size_list *sizes,
                                 size_t predicted);
void gt_rule_view_free(gt_rule_view *view);

/* Tunes sizes until new winners are hardly faster, or the phase ends. Adds the winners, and
 * variants that are nearly as fast, to the pool. */
gputune_status gt_rule_tune(gt_rule_maker *maker);
/* Tunes new sizes, and measures the kept members at these sizes. */
gputune_status gt_rule_test(gt_rule_maker *maker);
/* Measures pool members at tuned sizes where their time is missing, except members never fast. */
gputune_status gt_rule_measure_pool(gt_rule_maker *maker);
/* Tries configurations that differ from pool members in one axis, or in axes that need no compile,
 * at the sizes where the chosen codes lose most. Adds the faster ones to the pool. */
gputune_status gt_rule_search(gt_rule_maker *maker);
/* Measures the best members at more sizes, where others may be the fastest, and chooses again. */
gputune_status gt_rule_compare(gt_rule_maker *maker);
/* Measures and verifies the kept members at all sizes, corners first. Replaces failing members. */
gputune_status gt_rule_complete(gt_rule_maker *maker);
/* Adds sizes until there are `most_sizes`, preferably sizes at which different members may be the
 * fastest. Measures and verifies the kept members there. */
gputune_status gt_rule_add_sizes(gt_rule_maker *maker);

/* Estimates how much a rule loses at unseen sizes compared with tuning each size, and logs it. The
 * tests show the loss of the best kept member compared with a tuned variant. `losses` are the
 * tree's losses at `sizes` compared with the best kept member there (gt_rule_tree). */
gputune_status gt_rule_estimate(gt_rule_loss *out, const gt_rule_maker *maker, const double *losses,
                                const gt_size_list *sizes);
/* Sets *out to the loss of a rule, from logarithmic losses. It is the sum of the best kept member's
 * loss (`choice`), the tree's loss (`tree`, from other sizes), and the standard error of `choice`,
 * which has few sizes. NAN if there are too few sizes. */
gputune_status gt_rule_add_losses(gt_rule_loss *out, const double *choice, size_t choices,
                                  const double *tree, size_t decisions);
