/* A plan's kernel for those who launch it themselves. */
#include "api/plan.h"

#include "gpu/launcher.h"

static gputune_status check_call(const char *call, const void *out, const gputune_plan *plan,
                                 uint32_t version, uint32_t index)
{
    if (!out || !plan || !version) {
        return gt_fail(GPUTUNE_EINVAL, "%s: pass a plan, and set out->version", call);
    }
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
    gt_plan_view view;
    gt_function_facts facts;
    GT_TRY(check_call("gputune_plan_function", out, plan, out ? out->version : 0, index));
    GT_TRY(gt_plan_view_loaded(&view, plan));
    GT_TRY(gt_launcher_function(&facts, view.launcher));
    *out = (gputune_function){.version = GPUTUNE_FUNCTION_VERSION,
                              .function = facts.function,
                              .name = view.launch->entry,
                              .sizes = gt_description_sizes(view.description),
                              .shared_bytes = view.launch->geometry.shared_bytes,
                              .carveout_percent = facts.carveout_percent,
                              .parameter_count = count_parameters(view.description),
                              .constant_symbol = facts.constant_bytes ? GT_PASS_SYMBOL : NULL,
                              .constant_offset = facts.constant_offset,
                              .constant_bytes = facts.constant_bytes,
                              .image = view.image->data,
                              .image_bytes = view.image->bytes};
    for (int axis = 0; axis < 3; axis++) {
        out->grid[axis] = view.launch->geometry.grid[axis];
        out->block[axis] = view.launch->geometry.block[axis];
        out->cluster[axis] = view.launch->geometry.cluster[axis];
    }
    return GPUTUNE_OK;
}

int gputune_plan_parameter(gputune_parameter *out, const gputune_plan *plan, uint32_t index,
                           uint32_t parameter)
{
    GT_TRY(check_call("gputune_plan_parameter", out, plan, out ? out->version : 0, index));
    const gt_description *description = gt_plan_description(plan);
    const gputune_parameter *found = gt_description_parameter(description, parameter);
    if (!found) {
        return gt_fail(GPUTUNE_ENOTFOUND,
                       "gputune_plan_parameter: the kernel has %u parameters, and none of index %u",
                       count_parameters(description), parameter);
    }
    *out = *found;
    return GPUTUNE_OK;
}
