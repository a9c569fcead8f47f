/* Making rules (rule_make.c, rule_search.c), from sizes (rule_sizes.h) and times (rule_pool.h). */
#pragma once

#include "base/clock.h"
#include "base/random.h"
#include "kernel/rule/features.h"
#include "search/rule_learner.h"
#include "tuner/rule_pool.h"

/* Makes a rule for a region of sizes, stores it, and sets *out to its text (kernel/rule/rule.h),
 * which the caller frees. `options` limit the whole work: time_limit_s (0: two minutes) and cancel.
 * Sizes are tuned one after another and stored as usual, so a call that was cancelled continues
 * there. EINVAL for a region for which there is no rule, with the reason; ENOVARIANT or EDEVMEM,
 * naming the corner, if nothing can run at a corner; ETIMEOUT if the limit passed before the rule
 * was proved; ECANCELED. */
gputune_status gt_make_rule(char **out, const gt_services *services, const gt_device *device,
                            const char *kernel, const gputune_range *ranges, size_t range_count,
                            uint32_t most_codes, const gputune_options *options);

/* ---- between rule_make.c and rule_search.c --------------------------------------------------- */

enum { GT_RULE_PROVED_SIZES = 64 }; /* at which each variant of a rule was verified, at least */

typedef GT_ARRAY(uint32_t) gt_member_list;
static inline void gt_member_list_free(gt_member_list *members)
{
    gt_array_free(members);
}

typedef struct gt_rule_maker {
    gt_pool pool;
    gt_services services; /* those of the caller, except that sessions log little */
    gt_rule_region region;
    uint32_t most_codes;
    gt_random random;
    uint64_t next_point; /* of the sequence of sizes */
    size_t corners;      /* the first sizes of the pool */
    size_t tuned;        /* the sizes after them, which were tuned */
    gt_member_list kept; /* the members from which the rule chooses */
    int64_t begun_ns;
    double limit_s;
} gt_rule_maker;

/* Returns true if this fraction of the time limit has passed, or the caller has cancelled. */
bool gt_rule_is_late(const gt_rule_maker *maker, double fraction);
/* Logs the end of a phase. */
void gt_rule_note(const gt_rule_maker *maker, const char *format, ...) GT_PRINTF(2, 3);
/* Adds the size of a point. *added is false if that is not a new size. */
gputune_status gt_rule_add_point(bool *added, gt_rule_maker *maker, const gt_problem *point);
gt_problem gt_rule_next_point(gt_rule_maker *maker);

/* The data of some members for the learner. */
typedef struct gt_rule_view {
    gt_rule_data data;
    gt_size_features features;
    gt_rule_feature *shown;
    double *times_ns, *values;
    uint32_t *codes;
} gt_rule_view;

/* Makes the data of these members at the first `size_count` sizes, and without times at
 * `predicted` more points of the region. gt_rule_view_free() frees *out. */
gputune_status gt_rule_view_make(gt_rule_view *out, const gt_rule_maker *maker,
                                 const gt_member_list *members, size_t size_count,
                                 size_t predicted);
enum { GT_RULE_PREDICTED = 400 };
void gt_rule_view_free(gt_rule_view *view);

/* Tunes sizes and adds their winners, and others that are nearly as fast, to the pool. */
gputune_status gt_rule_tune(gt_rule_maker *maker);
/* Measures the pool at the corners and the tuned sizes. Leaves out, after a few sizes, members that
 * were never nearly the fastest. */
gputune_status gt_rule_measure_pool(gt_rule_maker *maker);
/* Changes one axis of members where the chosen codes lose most, and adds what is faster. */
gputune_status gt_rule_search(gt_rule_maker *maker);
/* Chooses the codes of the rule and, among their configurations, few that are enough. */
gputune_status gt_rule_choose_members(gt_rule_maker *maker);
/* Tries configurations that need no compile, because they share the code of kept members. */
gputune_status gt_rule_try_siblings(gt_rule_maker *maker);
/* Measures, and so proves, the kept members at all sizes. Chooses others for those that fail. */
gputune_status gt_rule_complete(gt_rule_maker *maker);
/* Measures the kept members at more sizes, especially where different ones are the fastest. */
gputune_status gt_rule_add_sizes(gt_rule_maker *maker);
