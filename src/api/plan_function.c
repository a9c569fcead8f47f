/* A plan's kernel for programs that launch it themselves. */
#include "api/call.h"
#include "api/plan.h"

#include "base/versioned.h"
#include "gpu/launcher.h"

#include <string.h>

static gputune_status check_call(const char *call, const void *out, const gputune_plan *plan)
{
    GT_TRY(gt_need(call, "out", out));
    return gt_need(call, "plan", plan);
}

static gputune_status check_index(const char *call, const gt_launch *launch, uint32_t index)
{
    uint32_t count = launch->step_count;
    if (launch->sequence.item_count) {
        return gt_fail(GPUTUNE_EUNSUPPORTED,
                       "%s: the kernels of this plan are launched in loops, with arguments or "
                       "conditions of their own; launch them with gputune_launch()",
                       call);
    }
    return index >= count
               ? gt_fail(GPUTUNE_ENOTFOUND, "%s: the plan has %u kernel%s, and none of index %u",
                         call, count, gt_plural(count), index)
               : GPUTUNE_OK;
}

static void fill_shape(gputune_function *out, const gt_kernel_step *kernel)
{
    memcpy(out->grid, kernel->grid, sizeof out->grid);
    memcpy(out->block, kernel->block, sizeof out->block);
    memcpy(out->cluster, kernel->cluster, sizeof out->cluster);
    out->shared_bytes = kernel->shared_bytes;
    out->cooperative = kernel->cooperative != 0;
    out->programmatic = kernel->programmatic != 0;
    out->times = kernel->times;
}

int gputune_plan_function(gputune_function *out, gputune_plan *plan, uint32_t index)
{
    static const size_t bytes[] = {GT_BYTES_THROUGH(gputune_function, times)};
    static const gt_layouts layouts = {"gputune_function", GPUTUNE_FUNCTION_VERSION, bytes};
    _Static_assert(sizeof bytes / sizeof *bytes == GPUTUNE_FUNCTION_VERSION, "a row for each");
    gt_plan_view view;
    gt_function_facts facts;
    uint32_t constant_count = 0;
    GT_TRY(check_call(__func__, out, plan));
    GT_TRY(check_index(__func__, gt_plan_launch(plan), index));
    GT_TRY(gt_plan_view_loaded(&view, plan));
    GT_TRY(gt_launcher_function(&facts, view.launcher, index));
    const gt_kernel_step *kernel = &view.launch->steps[index];
    gputune_function function = {.version = GPUTUNE_FUNCTION_VERSION,
                                 .function = facts.function,
                                 .name = facts.symbol,
                                 .sizes = gt_description_sizes(view.description),
                                 .carveout_percent = facts.carveout_percent,
                                 .parameter_count = gt_step_parameters(view.launch, kernel),
                                 .constants =
                                     gt_description_constants(view.description, &constant_count),
                                 .image = view.image->data,
                                 .image_bytes = view.image->bytes};
    function.constant_count = constant_count;
    fill_shape(&function, kernel);
    return gt_versioned_write(out, &function, &layouts);
}

static int write_parameter(gputune_parameter *out, const gputune_parameter *found)
{
    static const size_t bytes[] = {GT_BYTES_THROUGH(gputune_parameter, element_bytes)};
    static const gt_layouts layouts = {"gputune_parameter", GPUTUNE_PARAMETER_VERSION, bytes};
    _Static_assert(sizeof bytes / sizeof *bytes == GPUTUNE_PARAMETER_VERSION, "a row for each");
    return gt_versioned_write(out, found, &layouts);
}

int gputune_plan_parameter(gputune_parameter *out, const gputune_plan *plan, uint32_t index,
                           uint32_t parameter)
{
    GT_TRY(check_call(__func__, out, plan));
    const gt_launch *launch = gt_plan_launch(plan);
    GT_TRY(check_index(__func__, launch, index));
    const gt_kernel_step *kernel = &launch->steps[index];
    const uint32_t count = gt_step_parameters(launch, kernel);
    if (parameter >= count) {
        return gt_fail(GPUTUNE_ENOTFOUND,
                       "gputune_plan_parameter: the kernel has %u parameters, and none of index %u",
                       count, parameter);
    }
    uint32_t at = gt_step_parameter(kernel, parameter);
    return write_parameter(out, gt_description_parameter(gt_plan_description(plan), at));
}

int gputune_plan_argument(gputune_parameter *out, const gputune_plan *plan, uint32_t argument)
{
    GT_TRY(check_call(__func__, out, plan));
    const gt_described_argument *found =
        gt_description_argument(gt_plan_description(plan), argument);
    if (!found) {
        return gt_fail(GPUTUNE_ENOTFOUND,
                       "gputune_plan_argument: the plan has fewer arguments, and none of index %u",
                       argument);
    }
    return write_parameter(out, &found->parameter);
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
