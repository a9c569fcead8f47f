/* Computes the launches of a configuration at many run-time sizes. */
#include "kernel/bind/prototype.h"

#include <stdlib.h>
#include <string.h>

struct gt_prototype {
    const gt_template *template;
    /* size of an element of each argument in bytes; 0 for scalars */
    uint32_t element_bytes[GT_PARAMETER_MAX];
    const gt_expression *constraints[GT_REQUIRE_MAX]; /* require() clauses that use sizes */
    uint32_t constraint_count;
    gt_binding kernels[]; /* one binding for each kernel, before sizes and grid are set */
};

/* Returns true if the expression uses run-time sizes, or grids, which may depend on them. */
static bool uses_sizes(const gt_expression *expression, const gt_template *template)
{
    bool uses = gt_expression_uses_any(expression, GT_SLOT_GRID, 3);
    for (uint32_t i = 0; i < template->problem_count && expression; i++) {
        uses |= template->problem[i].kind == GT_PROBLEM_SIZE &&
                gt_expression_uses(expression, GT_SLOT_PROBLEM + (int)i);
    }
    return uses;
}

static bool has_fixed_shape(const gt_template_step *step, const gt_template *template)
{
    bool varies = step->cooperative || uses_sizes(step->shared, template) ||
                  uses_sizes(step->times, template) || uses_sizes(step->programmatic, template);
    for (uint32_t i = 0; i < 3; i++) {
        varies |= uses_sizes(step->block.items[i], template) ||
                  uses_sizes(step->cluster.items[i], template);
    }
    return !varies;
}

static bool is_plain(const gt_template *template, const gt_config *config)
{
    const gt_template_parts *parts = template->parts;
    bool plain = !parts->has_loops && !parts->texture_count && !template->pass_count;
    for (uint32_t i = 0; i < template->axis_count; i++) {
        const gt_axis *axis = &template->axes[i];
        plain &= axis->kind != GT_AXIS_L2_PERSIST || axis->values[config->choice[i]].number == 0;
    }
    for (uint32_t i = 0; i < parts->step_count; i++) {
        plain &= has_fixed_shape(&parts->steps[i], template);
    }
    return plain;
}

static gputune_status fill_prototype(gt_prototype *out, const gt_problem *problem,
                                     const gt_config *config, const gt_device *device)
{
    const gt_template *template = out->template;
    const gt_template_parts *parts = template->parts;
    for (uint32_t i = 0; i < parts->step_count; i++) {
        gt_binding *own = &out->kernels[i];
        gt_binding_open(own, template, problem, device);
        gt_slots_config(own->slots, template, config);
        own->step = i;
        gt_limit limit = gt_binding_cluster(own);
        limit = limit ? limit : gt_binding_block(own);
        limit = limit ? limit : gt_binding_shared(own);
        GT_REFUSE(limit, GPUTUNE_ENOVARIANT, "%s: %s", template->name,
                  GT_LIMIT_REASON(limit, device));
    }
    for (uint32_t i = 0; i < template->parameter_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        out->element_bytes[i] =
            argument->is_buffer ? gt_element_resolve(&out->kernels[0], argument->type).bytes : 0;
    }
    for (uint32_t i = 0; i < parts->constraint_count; i++) {
        if (uses_sizes(parts->constraints[i], template)) {
            out->constraints[out->constraint_count++] = parts->constraints[i];
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_prototype_make(gt_prototype **out, const gt_template *template,
                                 const gt_problem *problem, const gt_config *config,
                                 const gt_device *device)
{
    GT_REFUSE(!is_plain(template, config), GPUTUNE_EUNSUPPORTED,
              "%s: run-time sizes affect more than the grids and buffers", template->name);
    GT_FREED gt_prototype *made =
        calloc(1, sizeof *made + template->parts->step_count * sizeof *made->kernels);
    GT_TRY(gt_allocated(made));
    made->template = template;
    GT_TRY(fill_prototype(made, problem, config, device));
    *out = gt_take(&made);
    return GPUTUNE_OK;
}

static bool count_bytes(uint64_t *out, const gt_prototype *prototype, const int64_t *slots)
{
    const gt_template *template = prototype->template;
    for (uint32_t i = 0; i < template->parameter_count; i++) {
        out[i] = prototype->element_bytes[i];
        for (uint32_t k = 0; k < template->arguments[i].extent_count; k++) {
            int64_t extent;
            if (gt_expression_try(&extent, template->arguments[i].extents[k], slots) ||
                extent < 1 || __builtin_mul_overflow(out[i], (uint64_t)extent, &out[i]) ||
                out[i] > GT_BUFFER_BYTES_MAX) {
                return false;
            }
        }
    }
    return true;
}

/* Computes the members of *out except the grids. Returns false if the configuration is invalid. */
static bool compute_rest(gt_prototype_sizes *out, const gt_prototype *prototype,
                         const gt_binding *binding)
{
    const gt_template_parts *parts = prototype->template->parts;
    bool valid =
        !gt_binding_vectors(binding) && !gt_maps_make(out->maps, binding) &&
        gt_constraints_hold(prototype->constraints, prototype->constraint_count, binding->slots) &&
        count_bytes(out->bytes, prototype, binding->slots);
    for (uint32_t i = 0; i < parts->computed_count; i++) {
        valid = valid && !gt_binding_value(&out->values[i], binding, i);
    }
    return valid;
}

bool gt_prototype_launch(gt_prototype_sizes *out, const gt_prototype *prototype,
                         const gt_problem *problem)
{
    const gt_template *template = prototype->template;
    for (uint32_t i = 0; i < template->parts->step_count; i++) {
        gt_binding own = prototype->kernels[i];
        own.problem = problem;
        for (uint32_t v = 0; v < template->problem_count; v++) {
            own.slots[GT_SLOT_PROBLEM + v] = problem->values[v].number;
        }
        for (uint32_t d = 0; d < 3; d++) {
            if (gt_binding_grid(&own, d) || own.shape.grid[d] == 0) {
                return false;
            }
        }
        memcpy(out->grids[i], own.shape.grid, sizeof own.shape.grid);
        if (i == 0 && !compute_rest(out, prototype, &own)) {
            return false;
        }
    }
    return true;
}
