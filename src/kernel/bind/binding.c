/* Binds configurations: evaluates their expressions, checks limits, and lists the launches in
 * loops. */
#include "kernel/bind/binding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void gt_binding_open(gt_binding *out, const gt_template *template, const gt_problem *problem,
                     const gt_device *device)
{
    *out = (gt_binding){.template = template, .problem = problem, .device = device};
    out->shape =
        (gt_kernel_step){.grid = {1, 1, 1}, .block = {1, 1, 1}, .cluster = {1, 1, 1}, .times = 1};
    out->carveout_kb = -1;
    gt_slots_fill(out->slots, template, problem, device);
}

static gt_limit bind_number(int64_t *out, const gt_expression *expression, int64_t otherwise,
                            const gt_binding *binding)
{
    *out = otherwise;
    bool known = expression && !gt_counters_used(expression);
    return known && gt_expression_try(out, expression, binding->slots) ? GT_LIMIT_EXPRESSION
                                                                       : GT_LIMIT_NONE;
}

static gt_limit check_cluster(const gt_binding *binding, int64_t blocks)
{
    const gt_device *device = binding->device;
    GT_EXCLUDE(blocks > 1 && (!device->cluster_launch || device->cc < 90), GT_LIMIT_CLUSTER_NONE);
    return blocks > 1 && blocks > device->max_cluster ? GT_LIMIT_CLUSTER : GT_LIMIT_NONE;
}

static const gt_template_step *step_of(const gt_binding *binding)
{
    return &binding->template->parts->steps[binding->step];
}

gt_limit gt_binding_cluster(gt_binding *binding)
{
    int64_t size[3], blocks = 1;
    for (int i = 0; i < 3; i++) {
        GT_WITHIN(bind_number(&size[i], step_of(binding)->cluster.items[i], 1, binding));
    }
    for (int i = 0; i < 3; i++) {
        GT_WITHIN(size[i] < 1 ? GT_LIMIT_CLUSTER_EMPTY : check_cluster(binding, size[i]));
        GT_WITHIN(check_cluster(binding, blocks *= size[i]));
        binding->shape.cluster[i] = (uint32_t)size[i];
    }
    return GT_LIMIT_NONE;
}

gt_limit gt_binding_block(gt_binding *binding)
{
    const gt_device *device = binding->device;
    int64_t size[3], threads = 1;
    for (int i = 0; i < 3; i++) {
        GT_WITHIN(bind_number(&size[i], step_of(binding)->block.items[i], 1, binding));
    }
    for (int i = 0; i < 3; i++) {
        GT_EXCLUDE(size[i] < 1, GT_LIMIT_BLOCK_EMPTY);
        GT_EXCLUDE(size[i] > device->max_threads_per_block, GT_LIMIT_BLOCK_THREADS);
        threads *= size[i];
        GT_EXCLUDE(threads > device->max_threads_per_block, GT_LIMIT_BLOCK_THREADS);
        GT_EXCLUDE(size[i] > device->max_block[i], GT_LIMIT_BLOCK_DIMENSION);
        binding->shape.block[i] = (uint32_t)size[i];
    }
    for (int i = 0; i < 3; i++) {
        binding->slots[GT_SLOT_BLOCK + i] = size[i];
    }
    return GT_LIMIT_NONE;
}

gt_limit gt_binding_bounds(gt_binding *binding)
{
    const gt_template_parts *parts = binding->template->parts;
    const int64_t threads = gt_volume(binding->shape.block);
    int64_t bounds, registers;
    GT_WITHIN(bind_number(&bounds, parts->launch_bounds[0], threads, binding));
    GT_EXCLUDE(bounds < threads, GT_LIMIT_BOUNDS);
    GT_WITHIN(bind_number(&registers, parts->maxreg, 0, binding));
    return registers < 0 || registers > 255 ? GT_LIMIT_MAXREG : GT_LIMIT_NONE;
}

static int64_t resident_blocks(const gt_device *device, const uint32_t block[3],
                               uint32_t shared_bytes)
{
    int64_t warp = device->warp_size > 0 ? device->warp_size : 32;
    int64_t threads = (int64_t)block[0] * block[1] * block[2];
    int64_t blocks = device->max_threads_per_sm / ((threads + warp - 1) / warp * warp);
    if (shared_bytes > 0) {
        int64_t bytes = (int64_t)shared_bytes + device->shared_reserved_per_block_bytes;
        int64_t fit = device->shared_per_sm_bytes / bytes;
        blocks = fit < blocks ? fit : blocks;
    }
    blocks = blocks > device->max_blocks_per_sm ? device->max_blocks_per_sm : blocks;
    blocks = blocks < 1 ? 1 : blocks;
    return blocks * (device->sm_count > 0 ? device->sm_count : 1);
}

gt_limit gt_binding_shared(gt_binding *binding)
{
    gt_kernel_step *g = &binding->shape;
    int64_t bytes, cluster = (int64_t)g->cluster[0] * g->cluster[1] * g->cluster[2];
    GT_WITHIN(bind_number(&bytes, step_of(binding)->shared, 0, binding));
    GT_EXCLUDE(bytes < 0, GT_LIMIT_SHARED_NEGATIVE);
    GT_EXCLUDE(bytes > binding->device->shared_per_block_optin_bytes, GT_LIMIT_SHARED);
    g->shared_bytes = (uint32_t)bytes;
    const int64_t blocks = resident_blocks(binding->device, g->block, g->shared_bytes);
    binding->slots[GT_SLOT_OCCUPANCY] = blocks;
    binding->slots[GT_SLOT_OCCUPANCY + 1] = blocks > cluster ? blocks / cluster : 1;
    return GT_LIMIT_NONE;
}

bool gt_binding_has_empty_size(const gt_binding *binding)
{
    bool has = false;
    for (uint32_t i = 0; i < binding->template->problem_count; i++) {
        has |= binding->template->problem[i].kind == GT_PROBLEM_SIZE &&
               binding->problem->values[i].number == 0;
    }
    return has;
}

gt_limit gt_binding_grid(gt_binding *binding, uint32_t dimension)
{
    gt_kernel_step *shape = &binding->shape;
    int64_t size, most = binding->device->max_grid[dimension];
    int64_t cluster = shape->cluster[dimension];
    GT_WITHIN(bind_number(&size, step_of(binding)->grid.items[dimension], 1, binding));
    const int64_t least = size == 0 && gt_binding_has_empty_size(binding) ? 0 : 1;
    gt_limit limit = size < least                                          ? GT_LIMIT_GRID_EMPTY
                     : size > most - cluster + 1 || size > UINT32_MAX - 64 ? GT_LIMIT_GRID
                                                                           : GT_LIMIT_NONE;
    if (!limit) {
        shape->grid[dimension] = (uint32_t)((size + cluster - 1) / cluster * cluster);
    }
    binding->slots[GT_SLOT_GRID + dimension] = shape->grid[dimension];
    return limit;
}

static gt_limit bind_shape(gt_binding *binding)
{
    GT_WITHIN(gt_binding_cluster(binding));
    GT_WITHIN(gt_binding_block(binding));
    GT_WITHIN(gt_binding_bounds(binding));
    GT_WITHIN(gt_binding_shared(binding));
    for (uint32_t i = 0; i < 3; i++) {
        GT_WITHIN(gt_binding_grid(binding, i));
    }
    return GT_LIMIT_NONE;
}

static bool has_carveout(const gt_device *device, int64_t kb)
{
    for (int i = 0; i < device->carveout_count; i++) {
        if (device->carveout_kb[i] == kb) {
            return true;
        }
    }
    return kb == -1;
}

gt_limit gt_binding_carveout(gt_binding *binding)
{
    const gt_template *template = binding->template;
    for (uint32_t i = 0; i < template->axis_count; i++) {
        if (template->axes[i].kind != GT_AXIS_CARVEOUT) {
            continue;
        }
        int64_t kb = binding->slots[GT_SLOT_AXIS + i];
        GT_EXCLUDE(!has_carveout(binding->device, kb), GT_LIMIT_CARVEOUT_SIZE);
        binding->carveout_kb = (int)kb;
        int64_t bytes = binding->shape.shared_bytes;
        bytes += bytes ? binding->device->shared_reserved_per_block_bytes : 0;
        GT_EXCLUDE(kb >= 0 && bytes > kb * 1024, GT_LIMIT_CARVEOUT_BLOCK);
    }
    return GT_LIMIT_NONE;
}

gt_limit gt_binding_cooperative(gt_binding *binding)
{
    gt_kernel_step *shape = &binding->shape;
    int64_t value;
    GT_WITHIN(bind_number(&value, step_of(binding)->cooperative, 0, binding));
    shape->cooperative = value != 0;
    double blocks = (double)shape->grid[0] * shape->grid[1] * shape->grid[2];
    return value && blocks > (double)binding->slots[GT_SLOT_OCCUPANCY] ? GT_LIMIT_COOPERATIVE
                                                                       : GT_LIMIT_NONE;
}

static gt_limit bind_step(gt_kernel_step *out, const gt_binding *binding, uint32_t index)
{
    enum { TIMES_MAX = 1 << 16, PROGRAMMATIC_CC = 90 };
    gt_binding own = *binding;
    int64_t times, programmatic;
    own.step = index;
    own.shape = index == 0 ? binding->shape : (gt_kernel_step){.times = 1};
    GT_WITHIN(bind_number(&times, step_of(&own)->times, 1, &own));
    GT_WITHIN(bind_number(&programmatic, step_of(&own)->programmatic, 0, &own));
    GT_EXCLUDE(times < 1 || times > TIMES_MAX, GT_LIMIT_TIMES);
    GT_EXCLUDE(programmatic && own.device->cc < PROGRAMMATIC_CC, GT_LIMIT_PROGRAMMATIC);
    own.shape.times = (uint32_t)times;
    own.shape.programmatic = programmatic != 0;
    if (index > 0) {
        GT_WITHIN(bind_shape(&own));
        GT_WITHIN(gt_binding_cooperative(&own));
    }
    *out = own.shape;
    return GT_LIMIT_NONE;
}

/* ---- loops ----------------------------------------------------------------------------------- */

typedef struct maker {
    gt_sequence *out;
    const gt_binding *binding;
    const gt_kernel_step *steps;
    gt_limit limit;
    /* for each open loop, the index in out->items of the item that evaluates its condition */
    uint32_t conditions[GT_COUNTERS_MAX];
} maker;

static gt_sequence_item *add_item(maker *m, gt_sequence_kind kind, uint32_t index)
{
    static gt_sequence_item none;
    gt_sequence *out = m->out;
    if (out->item_count == GT_SEQUENCE_ITEMS) {
        m->limit = GT_LIMIT_SEQUENCE;
        return &none;
    }
    gt_sequence_item *item = &out->items[out->item_count++];
    *item = (gt_sequence_item){.kind = kind, .index = index, .first = out->code_count};
    return item;
}

static void add_instruction(maker *m, gt_sequence_item *item, gt_instruction one)
{
    gt_sequence *out = m->out;
    if (out->code_count == GT_SEQUENCE_CODE || item->count == GT_SEQUENCE_TREE - 1) {
        m->limit = GT_LIMIT_SEQUENCE;
        return;
    }
    out->code[out->code_count++] = one;
    item->count++;
}

static void add_operation(maker *m, gt_sequence_item *item, gt_operation operation, int64_t number)
{
    const int32_t value = (int32_t)item->count - 1;
    add_instruction(m, item, (gt_instruction){.operation = GT_DO_LITERAL, .integer = number});
    add_instruction(m, item, (gt_instruction){.operation = operation, .target = value});
}

/* Adds an item that evaluates an expression. In its code, only loop counters are variables, and the
 * values of all other names are literals. */
static gt_sequence_item *add_value(maker *m, gt_sequence_kind kind, uint32_t index,
                                   const gt_expression *expression)
{
    const int64_t *slots = m->binding->slots;
    gt_sequence_item *item = add_item(m, kind, index);
    if (!gt_counters_used(expression)) {
        gt_instruction one = {.operation = GT_DO_LITERAL};
        bool fails = gt_expression_try(&one.integer, expression, slots) != NULL;
        m->limit = fails && !m->limit ? GT_LIMIT_EXPRESSION : m->limit;
        add_instruction(m, item, one);
        return item;
    }
    for (int i = 0; i < expression->count; i++) {
        gt_instruction one = expression->code[i];
        if (one.operation == GT_DO_SLOT && one.target >= GT_SLOT_COUNTER &&
            one.target < GT_SLOT_COUNTER + GT_COUNTERS_MAX) {
            one.target -= GT_SLOT_COUNTER;
        } else if (one.operation == GT_DO_SLOT) {
            one = (gt_instruction){.operation = GT_DO_LITERAL, .integer = slots[one.target]};
        }
        add_instruction(m, item, one);
    }
    return item;
}

static void add_shape(maker *m, gt_sequence_kind kind, const gt_dimensions *shape,
                      const gt_kernel_step *step)
{
    for (uint32_t i = 0; i < shape->count; i++) {
        if (!gt_counters_used(shape->items[i])) {
            continue;
        }
        gt_sequence_item *item = add_value(m, kind, i, shape->items[i]);
        if (kind == GT_SEQUENCE_GRID && step->cluster[i] > 1) {
            add_operation(m, item, GT_DO_ROUND_UP, step->cluster[i]);
        }
    }
}

static void add_argument(maker *m, uint32_t index)
{
    const gt_template *template = m->binding->template;
    const gt_template_value *value = &template->parts->computed[index];
    gt_sequence_item *item = add_value(m, GT_SEQUENCE_VALUE, index, value->value);
    if (value->base) {
        const char *type = template->arguments[value->base - 1].type;
        add_operation(m, item, GT_DO_MULTIPLY, gt_element_resolve(m->binding, type).bytes);
    }
}

static void add_launch(maker *m, uint32_t index)
{
    const gt_template *template = m->binding->template;
    const gt_template_step *step = &template->parts->steps[index];
    const uint32_t values = gt_first_computed(template);
    gt_sequence_item *condition =
        step->when ? add_value(m, GT_SEQUENCE_UNLESS, 0, step->when) : NULL;
    add_shape(m, GT_SEQUENCE_GRID, &step->grid, &m->steps[index]);
    add_shape(m, GT_SEQUENCE_BLOCK, &step->block, &m->steps[index]);
    if (gt_counters_used(step->times)) {
        add_value(m, GT_SEQUENCE_TIMES, 0, step->times);
    }
    for (uint32_t i = 0; i < step->argument_count; i++) {
        if (step->arguments[i] >= values) {
            add_argument(m, step->arguments[i] - values);
        }
    }
    add_item(m, GT_SEQUENCE_LAUNCH, index);
    if (condition) {
        condition->target = m->out->item_count;
    }
}

static void add_end(maker *m, const gt_template_parts *parts, const gt_order *order)
{
    uint32_t condition = m->conditions[order->index];
    for (const gt_order *begin = order; begin-- > parts->orders;) {
        if (begin->kind == GT_ORDER_FOR && begin->index == order->index) {
            add_value(m, GT_SEQUENCE_COUNTER, order->index, begin->next);
            break;
        }
    }
    add_item(m, GT_SEQUENCE_GOTO, 0)->target = condition;
    m->out->items[condition].target = m->out->item_count;
}

static void add_order(maker *m, const gt_template_parts *parts, const gt_order *order)
{
    switch (order->kind) {
    case GT_ORDER_LAUNCH:
        add_launch(m, order->index);
        break;
    case GT_ORDER_FOR:
        add_value(m, GT_SEQUENCE_COUNTER, order->index, order->begin);
        m->conditions[order->index] = m->out->item_count;
        add_value(m, GT_SEQUENCE_UNLESS, 0, order->condition);
        break;
    case GT_ORDER_END:
        add_end(m, parts, order);
        break;
    default:
        add_item(m, GT_SEQUENCE_SWAP, order->index)->target = order->other;
    }
}

static gt_limit check_value(gt_type type, int64_t value)
{
    return gt_type_holds(type, value) && (type != GT_TYPE_U64 || value >= 0) ? GT_LIMIT_NONE
                                                                             : GT_LIMIT_VALUE;
}

static gt_limit check_values(const gt_iteration *run, const gt_binding *binding)
{
    const gt_template *template = binding->template;
    const gt_template_step *step = &template->parts->steps[run->step];
    const uint32_t values = gt_first_computed(template);
    for (uint32_t i = 0; i < step->argument_count; i++) {
        if (step->arguments[i] >= values) {
            const uint32_t value = step->arguments[i] - values;
            GT_WITHIN(check_value(template->parts->computed[value].type, run->values[value]));
        }
    }
    return GT_LIMIT_NONE;
}

static gt_limit check_launch(const gt_iteration *run, const gt_kernel_step *step,
                             const gt_binding *binding)
{
    const gt_device *device = binding->device;
    uint64_t threads = (uint64_t)run->block[0] * run->block[1] * run->block[2];
    for (int i = 0; i < 3; i++) {
        GT_EXCLUDE(run->grid[i] > device->max_grid[i], GT_LIMIT_GRID);
        GT_EXCLUDE(run->block[i] > (uint32_t)device->max_block[i], GT_LIMIT_BLOCK_DIMENSION);
    }
    double blocks = (double)run->grid[0] * run->grid[1] * run->grid[2];
    return threads > (uint64_t)device->max_threads_per_block ? GT_LIMIT_BLOCK_THREADS
           : step->cooperative &&
                   blocks > (double)resident_blocks(device, run->block, step->shared_bytes)
               ? GT_LIMIT_COOPERATIVE
               : check_values(run, binding);
}

/* Runs through all launches of the loops and checks each of them. Stores the first grid and the
 * largest block of each kernel in its step. */
static gt_limit try_launch(gt_launch *launch, const gt_binding *binding)
{
    static const gt_limit limits[] = {
        [GT_SEQUENCE_FINE] = GT_LIMIT_NONE,          [GT_SEQUENCE_UNCOMPUTED] = GT_LIMIT_EXPRESSION,
        [GT_SEQUENCE_NO_GRID] = GT_LIMIT_GRID_EMPTY, [GT_SEQUENCE_NO_BLOCK] = GT_LIMIT_BLOCK_EMPTY,
        [GT_SEQUENCE_NO_TIMES] = GT_LIMIT_TIMES,     [GT_SEQUENCE_TOO_MANY] = GT_LIMIT_LAUNCHES};
    const gt_launch_view view = gt_launch_view_of(launch);
    gt_iteration run;
    uint32_t launched = 0;
    gt_iteration_begin(&run);
    while (gt_launch_next(&run, &view)) {
        gt_kernel_step *step = &launch->steps[run.step];
        const bool first = !(launched >> run.step & 1);
        GT_WITHIN(check_launch(&run, step, binding));
        if (first) {
            memcpy(step->grid, run.grid, sizeof step->grid);
        }
        if (first || gt_volume(run.block) > gt_volume(step->block)) {
            memcpy(step->block, run.block, sizeof step->block);
        }
        launched |= 1u << run.step;
    }
    return run.error                                        ? limits[run.error]
           : launched || gt_binding_has_empty_size(binding) ? GT_LIMIT_NONE
                                                            : GT_LIMIT_NO_LAUNCH;
}

static gt_limit bind_sequence(gt_launch *out, const gt_binding *binding)
{
    const gt_template_parts *parts = binding->template->parts;
    maker m = {.out = &out->sequence, .binding = binding, .steps = out->steps};
    out->sequence.item_count = out->sequence.code_count = 0;
    if (!parts->has_loops) {
        return GT_LIMIT_NONE;
    }
    for (uint32_t i = 0; i < parts->order_count; i++) {
        add_order(&m, parts, &parts->orders[i]);
    }
    GT_WITHIN(m.limit);
    return try_launch(out, binding);
}

gt_limit gt_binding_value(int64_t *out, const gt_binding *binding, uint32_t index)
{
    const gt_template_value *computed = &binding->template->parts->computed[index];
    GT_WITHIN(bind_number(out, computed->value, 0, binding));
    return check_value(computed->type, *out);
}

gt_limit gt_steps_bind(gt_launch *out, const gt_binding *binding)
{
    const gt_template_parts *parts = binding->template->parts;
    int64_t value;
    out->step_count = parts->step_count;
    for (uint32_t i = 0; i < out->step_count; i++) {
        GT_WITHIN(bind_step(&out->steps[i], binding, i));
    }
    for (uint32_t i = 0; i < parts->computed_count && !parts->has_loops; i++) {
        GT_WITHIN(gt_binding_value(&value, binding, i));
    }
    return bind_sequence(out, binding);
}

gt_limit gt_binding_steps(gt_binding *binding)
{
    gt_launch launch;
    return gt_steps_bind(&launch, binding);
}

gt_limit gt_binding_all(gt_binding *binding, const gt_config *config)
{
    static gt_limit (*const steps[])(gt_binding *) = {
        bind_shape, gt_binding_carveout, gt_binding_cooperative, gt_binding_maps, gt_binding_steps};
    gt_slots_config(binding->slots, binding->template, config);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        GT_WITHIN(steps[i](binding));
    }
    return gt_binding_vectors(binding);
}

bool gt_constraints_hold(const gt_expression *const *constraints, uint32_t count,
                         const int64_t *slots)
{
    for (uint32_t i = 0; i < count; i++) {
        int64_t holds;
        if (gt_expression_try(&holds, constraints[i], slots) || !holds) {
            return false;
        }
    }
    return true;
}

uint32_t gt_binding_features(double out[GT_LAUNCH_FEATURES], const gt_binding *binding,
                             const gt_config *config)
{
    /* bytes of shared memory that CUDA reserves for each block */
    static const double reserved = 1024;
    const gt_template_parts *parts = binding->template->parts;
    gt_binding own = *binding;
    int64_t promised = 0;
    uint32_t count = 0;
    gt_slots_config(own.slots, own.template, config);
    for (; own.step < parts->step_count; own.step++, count += GT_STEP_FEATURES) {
        (void)bind_shape(&own); /* cannot fail, because the configuration is valid */
        if (own.step == 0) {
            (void)bind_number(&promised, parts->launch_bounds[1], 0, &own);
        }
        const gt_kernel_step *shape = &own.shape;
        const double threads = gt_volume(shape->block);
        const double resident = (double)own.slots[GT_SLOT_OCCUPANCY];
        const double most = (double)promised * own.device->sm_count;
        out[count] = log2(threads);
        out[count + 1] = log2(reserved + shape->shared_bytes);
        out[count + 2] = log2(fmax(1, (double)shape->grid[0] * shape->grid[1] * shape->grid[2]));
        out[count + 3] = log2(resident);
        out[count + 4] = log2(threads * (most > 0 ? fmin(resident, most) : resident));
    }
    out[count++] = log2(promised > 0 ? (double)promised : 1);
    return count;
}

static uint64_t add_aligned(uint64_t at, uint64_t bytes, uint64_t alignment)
{
    return (at + alignment - 1) / alignment * alignment + bytes;
}

static uint64_t parameter_bytes(const gt_binding *binding, const gt_block *blocks)
{
    const gt_template *template = binding->template;
    uint64_t at = 0;
    for (uint32_t i = 0; i < template->pass_count; i++) {
        const gt_element element = gt_element_resolve(binding, template->passes[i].type);
        at = blocks[i].pass == GT_PASS_GLOBAL ? add_aligned(at, 8, 8)
             : blocks[i].by_value_bytes > 0
                 ? add_aligned(at, blocks[i].by_value_bytes, element.alignment)
                 : at;
    }
    for (uint32_t i = 0; i < template->taken_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        const gt_element element = gt_element_resolve(binding, argument->type);
        at = argument->map         ? add_aligned(at, GT_TENSORMAP_BYTES, GT_TENSORMAP_ALIGNMENT)
             : argument->is_buffer ? add_aligned(at, 8, 8)
                                   : add_aligned(at, element.bytes, element.alignment);
    }
    for (uint32_t i = template->argument_count; i < template->parameter_count; i++) {
        at = add_aligned(at, 8, 8);
    }
    for (uint32_t i = 0; i < template->parts->map_count; i++) {
        if (!template->parts->maps[i].replaces) {
            at = add_aligned(at, GT_TENSORMAP_BYTES, GT_TENSORMAP_ALIGNMENT);
        }
    }
    return at;
}

/* Decides how many bytes of a `split` block are passed by value: as many as fit into the size of
 * parameters that every driver accepts. */
static void split_blocks(gt_block *blocks, uint32_t index, const gt_binding *binding,
                         uint32_t element)
{
    gt_block *block = &blocks[index];
    uint32_t part = GT_PARAMETER_PORTABLE_BYTES / element * element;
    block->by_value_bytes = part < block->bytes ? part : block->bytes;
    while (block->by_value_bytes >= element &&
           parameter_bytes(binding, blocks) > GT_PARAMETER_PORTABLE_BYTES) {
        block->by_value_bytes -= element;
    }
    block->pass = block->by_value_bytes == block->bytes ? GT_PASS_VALUE
                  : block->by_value_bytes == 0          ? GT_PASS_CONSTANT
                                                        : GT_PASS_SPLIT;
}

static gt_limit make_block(gt_block *out, const gt_binding *binding, uint32_t index, gt_pass way)
{
    const gt_argument *declared = &binding->template->passes[index];
    const uint64_t element = gt_element_resolve(binding, declared->type).bytes;
    int64_t count = 1;
    GT_EXCLUDE((declared->extent_count &&
                gt_expression_try(&count, declared->extents[0], binding->slots)) ||
                   count < 1 || count > UINT32_MAX / 16 ||
                   (uint64_t)count * element > UINT32_MAX / 2,
               GT_LIMIT_EXPRESSION);
    *out = (gt_block){.pass = way, .bytes = (uint32_t)((uint64_t)count * element)};
    out->by_value_bytes = way == GT_PASS_VALUE ? out->bytes : 0;
    out->may_lack = declared->axis < 0;
    if (way == GT_PASS_SPLIT || way == GT_PASS_CONSTANT) {
        (void)snprintf(out->symbol, sizeof out->symbol, "%s%s",
                       declared->axis < 0 ? "" : GT_PASS_SYMBOL, declared->name);
    }
    return GT_LIMIT_NONE;
}

gt_limit gt_binding_blocks(gt_binding *binding)
{
    gt_block blocks[GT_BLOCK_MAX];
    return gt_blocks_make(blocks, binding, NULL);
}

gt_limit gt_blocks_make(gt_block out[GT_BLOCK_MAX], const gt_binding *binding,
                        const gt_pass ways[GT_BLOCK_MAX])
{
    const uint32_t count = binding->template->pass_count;
    uint64_t constant = 0;
    for (uint32_t i = 0; i < count; i++) {
        const int axis = binding->template->passes[i].axis;
        const gt_pass own =
            axis < 0 ? GT_PASS_CONSTANT : (gt_pass)binding->slots[GT_SLOT_AXIS + axis];
        GT_WITHIN(make_block(&out[i], binding, i, ways ? ways[i] : own));
    }
    for (uint32_t i = 0; i < count; i++) {
        if (out[i].pass == GT_PASS_SPLIT) {
            split_blocks(out, i, binding,
                         gt_element_resolve(binding, binding->template->passes[i].type).bytes);
        }
        bool has_constant = out[i].pass == GT_PASS_SPLIT || out[i].pass == GT_PASS_CONSTANT;
        constant += has_constant ? gt_block_copied(&out[i]) : 0;
    }
    GT_EXCLUDE(constant > (uint64_t)binding->device->constant_bytes, GT_LIMIT_PASS_CONSTANT);
    return parameter_bytes(binding, out) > (uint64_t)binding->device->max_parameter_bytes
               ? GT_LIMIT_PASS_VALUE
               : GT_LIMIT_NONE;
}

/* ---- limits ---- */

#define TEXT(name, text) text,
static const char *const texts[GT_LIMIT_COUNT] = {GT_LIMIT_LIST(TEXT)};

const char *gt_limit_text(char out[GT_LIMIT_TEXT], gt_limit limit, const gt_device *device)
{
    const long long numbers[GT_LIMIT_COUNT] = {
        [GT_LIMIT_BLOCK_THREADS] = device->max_threads_per_block,
        [GT_LIMIT_SHARED] = device->shared_per_block_optin_bytes,
        [GT_LIMIT_GRID] = (long long)device->max_grid[0],
        [GT_LIMIT_CLUSTER] = device->max_cluster,
        [GT_LIMIT_CARVEOUT_BLOCK] = device->shared_reserved_per_block_bytes,
        [GT_LIMIT_PASS_VALUE] = device->max_parameter_bytes,
        [GT_LIMIT_PASS_CONSTANT] = (long long)device->constant_bytes};
    (void)snprintf(out, GT_LIMIT_TEXT, texts[limit], numbers[limit]);
    return out;
}
