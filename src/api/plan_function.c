/* A plan's kernel for those who launch it themselves. */
#include "api/call.h"
#include "api/plan.h"

#include "base/versioned.h"
#include "gpu/launcher.h"

static gputune_status check_call(const char *call, const void *out, const gputune_plan *plan,
                                 uint32_t index)
{
    GT_TRY(gt_need(call, "out", out));
    GT_TRY(gt_need(call, "plan", plan));
    return index ? gt_fail(GPUTUNE_ENOTFOUND, "%s: the plan has one kernel, of index 0; got %u",
                           call, index)
                 : GPUTUNE_OK;
}

static uint32_t count_parameters(const gt_description *description)
{
    uint32_t count = 0;
    while (gt_description_parameter(description, count)) {
        count++;
    }
    return count;
}

int gputune_plan_function(gputune_function *out, gputune_plan *plan, uint32_t index)
{
    static const size_t bytes[] = {GT_BYTES_THROUGH(gputune_function, image_bytes)};
    static const gt_layouts layouts = {"gputune_function", GPUTUNE_FUNCTION_VERSION, bytes};
    _Static_assert(sizeof bytes / sizeof *bytes == GPUTUNE_FUNCTION_VERSION, "a row for each");
    gt_plan_view view;
    gt_function_facts facts;
    uint32_t constant_count = 0;
    GT_TRY(check_call(__func__, out, plan, index));
    GT_TRY(gt_plan_view_loaded(&view, plan));
    GT_TRY(gt_launcher_function(&facts, view.launcher));
    gputune_function function = {.version = GPUTUNE_FUNCTION_VERSION,
                                 .function = facts.function,
                                 .name = view.launch->entry,
                                 .sizes = gt_description_sizes(view.description),
                                 .shared_bytes = view.launch->geometry.shared_bytes,
                                 .carveout_percent = facts.carveout_percent,
                                 .parameter_count = count_parameters(view.description),
                                 .constants =
                                     gt_description_constants(view.description, &constant_count),
                                 .image = view.image->data,
                                 .image_bytes = view.image->bytes};
    function.constant_count = constant_count;
    for (int axis = 0; axis < 3; axis++) {
        function.grid[axis] = view.launch->geometry.grid[axis];
        function.block[axis] = view.launch->geometry.block[axis];
        function.cluster[axis] = view.launch->geometry.cluster[axis];
    }
    return gt_versioned_write(out, &function, &layouts);
}

int gputune_plan_parameter(gputune_parameter *out, const gputune_plan *plan, uint32_t index,
                           uint32_t parameter)
{
    static const size_t bytes[] = {GT_BYTES_THROUGH(gputune_parameter, element_bytes)};
    static const gt_layouts layouts = {"gputune_parameter", GPUTUNE_PARAMETER_VERSION, bytes};
    _Static_assert(sizeof bytes / sizeof *bytes == GPUTUNE_PARAMETER_VERSION, "a row for each");
    GT_TRY(check_call(__func__, out, plan, index));
    const gt_description *description = gt_plan_description(plan);
    const gputune_parameter *found = gt_description_parameter(description, parameter);
    if (!found) {
        return gt_fail(GPUTUNE_ENOTFOUND,
                       "gputune_plan_parameter: the kernel has %u parameters, and none of index %u",
                       count_parameters(description), parameter);
    }
    return gt_versioned_write(out, found, &layouts);
}

int gputune_plan_check_argument(const gputune_plan *plan, uint32_t argument, size_t bytes)
{
    if (!plan) {
        return gt_fail(GPUTUNE_EINVAL, "gputune_plan_check_argument: the plan is NULL");
    }
    const gt_described_argument *found =
        gt_description_argument(gt_plan_description(plan), argument);
    if (!found) {
        return gt_fail(GPUTUNE_EINVAL,
                       "gputune_plan_check_argument: no argument %u; expected a "
                       "place in the plan's gputune_args",
                       argument);
    }
    if (bytes == found->element_bytes || bytes == found->whole_bytes) {
        return GPUTUNE_OK;
    }
    return gt_fail(
        GPUTUNE_EINVAL,
        "%s: '%s' is %u bytes where the kernel was compiled, and %zu in this program%s%s%s;"
        " declare its members alike",
        found->name, found->type, found->element_bytes, bytes,
        found->members[0] ? " (the kernel's has " : "", found->members,
        found->members[0] ? ")" : "");
}
