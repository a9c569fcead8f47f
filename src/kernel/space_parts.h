/* What a space consists of. For space*.c only. */
#ifndef GT_KERNEL_SPACE_PARTS_H
#define GT_KERNEL_SPACE_PARTS_H

#include "kernel/binding.h"
#include "kernel/template_parts.h"

enum { GT_SPACE_REASONS = GT_LIMIT_COUNT + GT_REQUIRE_MAX };

/* One thing to evaluate once the axes down to `depth` have values: a step of binding.h, or a
 * require(). */
typedef struct gt_check_step {
    int depth; /* -1: none is needed */
    int order; /* among those of one depth */
    gt_limit (*bind)(gt_binding *);
    int require; /* index, when bind is NULL */
} gt_check_step;

enum { GT_CHECK_STEPS = GT_REQUIRE_MAX + 5 };

struct gt_space {
    const gt_template *template;
    const gt_workload *workload;
    gt_binding binding;
    uint8_t choices[GT_AXIS_MAX][GT_AXIS_VALUES]; /* the allowed ones, in their order */
    int counts[GT_AXIS_MAX];
    uint64_t below[GT_AXIS_MAX]; /* combinations under one value of an axis */
    gt_check_step steps[GT_CHECK_STEPS];
    int step_count;
    int first_step[GT_AXIS_MAX + 2];          /* by depth + 1 */
    int blocked[GT_AXIS_MAX][GT_AXIS_VALUES]; /* by position in choices: reason, or 0 */
    int position[GT_AXIS_MAX];
    int depth;
    bool started, finished;
    uint64_t cut[GT_SPACE_REASONS];
    char *reasons[GT_SPACE_REASONS];
    gt_exclusion_count listed[GT_SPACE_REASONS];
};

/* Fills choices from the template's values and the restrictions. EINVAL as gt_space_open. */
gputune_status gt_space_restrict(gt_space *space, const char *const *only, size_t only_count);
/* Fills steps, in the order of evaluation. */
void gt_space_plan(gt_space *space);
/* What the engine has against one value of an axis by itself. */
gt_limit gt_space_value_limit(const gt_space *space, uint32_t axis, uint8_t choice);

#endif
