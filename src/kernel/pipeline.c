/* Evaluates the steps of a pipeline. */
#include "kernel/pipeline.h"

#include "kernel/template_parts.h"

#include <string.h>

enum { TIMES_MAX = 1 << 16, PROGRAMMATIC_CC = 90 };

/* An expression's value, or the given one where there is none. */
static gt_limit bind_number(int64_t *out, const gt_expression *expression, int64_t otherwise,
                            const gt_binding *binding)
{
    *out = otherwise;
    return expression && gt_expression_try(out, expression, binding->slots) ? GT_LIMIT_EXPRESSION
                                                                            : GT_LIMIT_NONE;
}

static gt_limit bind_numbers(gt_kernel_step *out, const gt_template_step *step,
                             const gt_binding *binding)
{
    int64_t times, programmatic;
    gt_limit limit = gt_shared_bind(&out->shared_bytes, step->shared, binding);
    limit = limit ? limit : bind_number(&times, step->times, 1, binding);
    limit = limit ? limit : bind_number(&programmatic, step->programmatic, 0, binding);
    if (limit) {
        return limit;
    }
    out->times = (uint32_t)times;
    out->programmatic = programmatic != 0;
    return times < 1 || times > TIMES_MAX                               ? GT_LIMIT_TIMES
           : out->programmatic && binding->device->cc < PROGRAMMATIC_CC ? GT_LIMIT_PROGRAMMATIC
                                                                        : GT_LIMIT_NONE;
}

static gt_limit bind_shape(gt_kernel_step *out, const gt_template_step *step,
                           const gt_binding *binding)
{
    gt_limit limit = gt_cluster_bind(out->cluster, &step->cluster, binding);
    limit = limit ? limit : gt_block_bind(out->block, &step->block, binding);
    for (uint32_t i = 0; i < 3 && !limit; i++) {
        limit = gt_grid_bind(&out->grid[i], &step->grid, i, out->cluster[i], binding);
    }
    if (limit) {
        return limit;
    }
    int64_t resident = gt_blocks_resident(binding->device, out->block, out->shared_bytes);
    return gt_cooperative_bind(&out->cooperative, step->cooperative, out->grid, resident, binding);
}

/* The first step's shape is the binding's own. */
static gt_limit bind_step(gt_kernel_step *out, const gt_binding *binding, uint32_t index)
{
    const gt_template_step *step = &binding->template->parts->steps[index];
    gt_limit limit = bind_numbers(out, step, binding);
    if (index == 0) {
        memcpy(out->block, binding->geometry.block, sizeof out->block);
        memcpy(out->grid, binding->geometry.grid, sizeof out->grid);
        memcpy(out->cluster, binding->geometry.cluster, sizeof out->cluster);
        out->shared_bytes = binding->geometry.shared_bytes;
        out->cooperative = binding->geometry.cooperative;
        return limit;
    }
    return limit ? limit : bind_shape(out, step, binding);
}

gt_limit gt_binding_steps(gt_binding *binding)
{
    gt_kernel_step step;
    gt_limit limit = GT_LIMIT_NONE;
    for (uint32_t i = 0; i < binding->template->parts->step_count && !limit; i++) {
        limit = bind_step(&step, binding, i);
    }
    return limit;
}

gt_limit gt_launch_add_steps(gt_launch *launch, const gt_binding *binding)
{
    const gt_template_parts *parts = binding->template->parts;
    const uint32_t first = /* behind blocks, as far as they are parameters */
        launch->parameter_count - binding->template->argument_count - parts->scratch_count;
    gt_limit limit = GT_LIMIT_NONE;
    for (uint32_t i = 0; i < parts->step_count && !limit; i++) {
        gt_kernel_step *step = &launch->steps[launch->step_count++];
        limit = bind_step(step, binding, i);
        memcpy(step->entry, parts->steps[i].kernel.entry, sizeof step->entry);
        step->parameter_count = parts->steps[i].argument_count;
        for (uint32_t p = 0; p < step->parameter_count; p++) {
            step->parameters[p] = first + parts->steps[i].arguments[p];
        }
    }
    return limit;
}

uint64_t gt_steps_axes(const gt_template *template)
{
    uint64_t axes = 0;
    const gt_template_parts *parts = template->parts;
    for (uint32_t s = 0; s < parts->step_count; s++) {
        const gt_template_step *step = &parts->steps[s];
        axes |= gt_axes_used(step->shared) | gt_axes_used(step->times) |
                gt_axes_used(step->cooperative) | gt_axes_used(step->programmatic);
        for (int i = 0; i < 3; i++) {
            axes |= gt_axes_used(step->block.items[i]) | gt_axes_used(step->grid.items[i]) |
                    gt_axes_used(step->cluster.items[i]);
        }
    }
    return axes;
}
