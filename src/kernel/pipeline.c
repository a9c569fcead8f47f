/* Evaluates the steps of a pipeline. */
#include "kernel/pipeline.h"

#include "kernel/template_parts.h"

#include <string.h>

enum { TIMES_MAX = 1 << 16, PROGRAMMATIC_CC = 90 };

static gt_limit evaluate(int64_t out[3], const gt_dimensions *dimensions, const int64_t *slots)
{
    for (uint32_t i = 0; i < 3; i++) {
        out[i] = 1;
        if (i < dimensions->count && gt_expression_try(&out[i], dimensions->items[i], slots)) {
            return GT_LIMIT_EXPRESSION;
        }
    }
    return GT_LIMIT_NONE;
}

static gt_limit bind_block(gt_kernel_step *out, const gt_dimensions *block,
                           const gt_binding *binding)
{
    const gt_device *device = binding->device;
    int64_t size[3], threads = 1;
    gt_limit limit = evaluate(size, block, binding->slots);
    for (int i = 0; i < 3 && !limit; i++) {
        limit = size[i] < 1 ? GT_LIMIT_BLOCK_EMPTY
                : size[i] > device->max_threads_per_block ||
                        (threads *= size[i]) > device->max_threads_per_block
                    ? GT_LIMIT_BLOCK_THREADS
                : size[i] > device->max_block[i] ? GT_LIMIT_BLOCK_DIMENSION
                                                 : GT_LIMIT_NONE;
        out->block[i] = (uint32_t)size[i];
    }
    return limit;
}

/* A multiple of the cluster. */
static gt_limit bind_grid(gt_kernel_step *out, const gt_dimensions *grid, const gt_binding *binding)
{
    int64_t size[3];
    gt_limit limit = evaluate(size, grid, binding->slots);
    for (int i = 0; i < 3 && !limit; i++) {
        const int64_t cluster = out->cluster[i], most = binding->device->max_grid[i] - cluster + 1;
        limit = size[i] < 1 ? GT_LIMIT_GRID_EMPTY : size[i] > most ? GT_LIMIT_GRID : GT_LIMIT_NONE;
        out->grid[i] = (uint32_t)((size[i] + cluster - 1) / cluster * cluster);
    }
    return limit;
}

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
    int64_t shared, times, programmatic;
    gt_limit limit = bind_number(&shared, step->shared, 0, binding);
    limit = limit ? limit : gt_shared_limit(binding->device, shared);
    limit = limit ? limit : bind_number(&times, step->times, 1, binding);
    limit = limit ? limit : bind_number(&programmatic, step->programmatic, 0, binding);
    if (limit) {
        return limit;
    }
    out->shared_bytes = (uint32_t)shared;
    out->times = (uint32_t)times;
    out->programmatic = programmatic != 0;
    return times < 1 || times > TIMES_MAX                               ? GT_LIMIT_TIMES
           : out->programmatic && binding->device->cc < PROGRAMMATIC_CC ? GT_LIMIT_PROGRAMMATIC
                                                                        : GT_LIMIT_NONE;
}

static gt_limit bind_cooperative(gt_kernel_step *out, const gt_expression *cooperative,
                                 const gt_binding *binding)
{
    int64_t value;
    gt_limit limit = bind_number(&value, cooperative, 0, binding);
    if (limit || !value) {
        out->cooperative = 0;
        return limit;
    }
    out->cooperative = 1;
    double blocks = (double)out->grid[0] * out->grid[1] * out->grid[2];
    return blocks > (double)gt_blocks_resident(binding->device, out->block, out->shared_bytes)
               ? GT_LIMIT_COOPERATIVE
               : GT_LIMIT_NONE;
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
    limit = limit ? limit : gt_cluster_bind(out->cluster, &step->cluster, binding);
    limit = limit ? limit : bind_block(out, &step->block, binding);
    limit = limit ? limit : bind_grid(out, &step->grid, binding);
    return limit ? limit : bind_cooperative(out, step->cooperative, binding);
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
