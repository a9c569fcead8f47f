#include "kernel/space_parts.h"

#include "kernel/types.h"

#include <stdlib.h>
#include <string.h>

/* The deepest axis that an expression uses; -1: none. */
static int axis_depth(const gt_expression *expression)
{
    for (int axis = GT_AXIS_MAX - 1; axis >= 0; axis--) {
        if (expression && gt_expression_uses(expression, GT_SLOT_AXIS + axis)) {
            return axis;
        }
        if (expression && gt_expression_uses(expression, GT_SLOT_AXIS_BYTES + axis)) {
            return axis;
        }
    }
    return -1;
}

static int deeper(int a, int b)
{
    return a > b ? a : b;
}

static int dimensions_depth(const gt_dimensions *dimensions)
{
    int depth = -1;
    for (uint32_t i = 0; i < dimensions->count; i++) {
        depth = deeper(depth, axis_depth(dimensions->items[i]));
    }
    return depth;
}

static int kind_depth(const gt_template *template, gt_axis_kind kind)
{
    int depth = -1;
    for (uint32_t i = 0; i < template->axis_count; i++) {
        depth = template->axes[i].kind == kind ? (int)i : depth;
    }
    return depth;
}

static bool uses_any(const gt_expression *expression, int first, int count)
{
    for (int i = 0; i < count; i++) {
        if (gt_expression_uses(expression, first + i)) {
            return true;
        }
    }
    return false;
}

static void add(gt_space *space, int depth, int order, gt_limit (*bind)(gt_binding *), int require)
{
    space->steps[space->step_count++] = (gt_check_step){depth, order, bind, require};
}

static int by_depth(const void *a, const void *b)
{
    const gt_check_step *x = a, *y = b;
    int difference = x->depth - y->depth;
    difference = difference ? difference : x->order - y->order;
    return difference ? difference : x->require - y->require;
}

/* A require() of plain values comes before the steps of its depth: it is cheaper. */
static void add_requires(gt_space *space, int block, int shared, int grid)
{
    const gt_template_parts *parts = space->template->parts;
    for (uint32_t i = 0; i < parts->require_count; i++) {
        const gt_expression *require = parts->requires[i];
        int depth = axis_depth(require);
        bool plain = !uses_any(require, GT_SLOT_BLOCK, GT_SLOT_WORD - GT_SLOT_BLOCK);
        depth = uses_any(require, GT_SLOT_BLOCK, 3) ? deeper(depth, block) : depth;
        depth = uses_any(require, GT_SLOT_OCCUPANCY, 2) ? deeper(depth, shared) : depth;
        depth = uses_any(require, GT_SLOT_GRID, 3) ? deeper(depth, grid) : depth;
        add(space, depth, plain ? 0 : 9, NULL, (int)i);
    }
}

void gt_space_plan(gt_space *space)
{
    const gt_template *template = space->template;
    const gt_template_parts *parts = template->parts;
    int cluster = kind_depth(template, GT_AXIS_CLUSTER);
    int block = deeper(dimensions_depth(&parts->block),
                       deeper(axis_depth(parts->launch_bounds[0]), axis_depth(parts->maxreg)));
    int shared = deeper(deeper(block, cluster), axis_depth(parts->shared));
    int grid = deeper(shared, dimensions_depth(&parts->grid));
    int carveout = deeper(shared, kind_depth(template, GT_AXIS_CARVEOUT));
    add(space, cluster, 1, gt_binding_cluster, 0);
    add(space, block, 2, gt_binding_block, 0);
    add(space, shared, 3, gt_binding_shared, 0);
    add(space, grid, 4, gt_binding_grid, 0);
    add(space, carveout, 5, gt_binding_carveout, 0);
    add_requires(space, block, shared, grid);
    qsort(space->steps, (size_t)space->step_count, sizeof *space->steps, by_depth);
    int step = 0;
    for (int depth = -1; depth <= GT_AXIS_MAX; depth++) {
        while (step < space->step_count && space->steps[step].depth < depth) {
            step++;
        }
        space->first_step[depth + 1] = step;
    }
}

/* The widest access that the machine does in one go, to which the prelude's types are aligned:
 * 16 bytes, 32 from compute capability 10.0 on. */
static uint64_t needed_alignment(const gt_device *device, uint64_t bytes)
{
    uint64_t widest = device->cc >= 100 ? 32 : 16;
    return bytes < widest ? bytes : widest;
}

gt_limit gt_vector_limit(const gt_template *template, const gt_workload *workload,
                         const gt_device *device, uint32_t axis, int64_t width)
{
    const gt_workload *w = workload;
    for (uint32_t i = 0; i < template->argument_count; i++) {
        if (!(template->axes[axis].buffers >> i & 1)) {
            continue;
        }
        uint32_t index = w->arguments[i].index;
        const gt_buffer *buffer = &w->buffers[index];
        uint64_t bytes = (uint64_t)width * gt_type_bytes(buffer->type);
        if (width > 1 && needed_alignment(device, bytes) > w->alignment[index]) {
            return GT_LIMIT_VECTOR_ALIGNMENT;
        }
        if (template->arguments[i].extent_count > 1 && w->innermost[index] % (uint64_t)width != 0) {
            return GT_LIMIT_VECTOR_EXTENT;
        }
    }
    return GT_LIMIT_NONE;
}

gt_limit gt_space_value_limit(const gt_space *space, uint32_t axis, uint8_t choice)
{
    const gt_axis *a = &space->template->axes[axis];
    gt_pass_layout layout;
    int64_t value = a->values[choice].number;
    if (a->kind == GT_AXIS_VECTOR) {
        return gt_vector_limit(space->template, space->workload, space->binding.device, axis,
                               value);
    }
    if (a->kind != GT_AXIS_PASS) {
        return GT_LIMIT_NONE;
    }
    gt_limit limit = gt_pass_layout_make(&layout, &space->binding, (gt_pass)value);
    /* the default stays, whatever it comes to */
    bool redundant = (int64_t)layout.pass != value && choice != a->default_choice;
    return limit == GT_LIMIT_NONE && redundant ? GT_LIMIT_PASS_SPLIT : limit;
}

/* "v, v" of one restriction, in place. */
static gputune_status restrict_axis(gt_space *space, uint32_t axis, char *values)
{
    uint8_t *choices = space->choices[axis];
    int count = 0;
    for (char *rest = values, *value; (value = strsep(&rest, ","));) {
        uint8_t choice;
        value += strspn(value, " \t");
        size_t length = strlen(value);
        while (length > 0 && (value[length - 1] == ' ' || value[length - 1] == '\t')) {
            value[--length] = '\0';
        }
        GT_TRY(gt_axis_choice(&choice, space->template, axis, value, true));
        if (!memchr(choices, choice, (size_t)count)) {
            choices[count++] = choice;
        }
    }
    space->counts[axis] = count;
    return GPUTUNE_OK;
}

static gputune_status apply(gt_space *space, bool given[GT_AXIS_MAX], const char *only)
{
    char *copy, *name;
    uint32_t axis;
    GT_TRY(gt_strdup(&copy, only));
    name = copy + strspn(copy, " \t");
    char *equals = strchr(name, '=');
    gputune_status status =
        equals ? GPUTUNE_OK
               : gt_fail(GPUTUNE_EINVAL, "'%s' is no restriction; expected AXIS=value,value", only);
    if (equals) {
        *equals = '\0';
        name[strcspn(name, " \t")] = '\0';
        status = gt_axis_by_name(&axis, space->template, name);
    }
    if (status == GPUTUNE_OK && given[axis]) {
        status = gt_fail(GPUTUNE_EINVAL, "axis '%s' restricted twice; expected it once", name);
    }
    if (status == GPUTUNE_OK) {
        given[axis] = true;
        status = restrict_axis(space, axis, equals + 1);
    }
    free(copy);
    return status;
}

gputune_status gt_space_restrict(gt_space *space, const char *const *only, size_t only_count)
{
    bool given[GT_AXIS_MAX] = {false};
    for (uint32_t i = 0; i < space->template->axis_count; i++) {
        space->counts[i] = (int)space->template->axes[i].count;
        for (int v = 0; v < space->counts[i]; v++) {
            space->choices[i][v] = (uint8_t)v;
        }
    }
    for (size_t i = 0; i < only_count; i++) {
        GT_TRY(apply(space, given, only[i]));
    }
    return GPUTUNE_OK;
}
