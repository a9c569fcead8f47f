/* Makes the loops of a pipeline into the sequence that launches carry. */
#include "kernel/binding.h"

#include "kernel/template_parts.h"

#include <string.h>

/* A sequence in the making. */
typedef struct maker {
    gt_sequence *out;
    const gt_binding *binding;
    const gt_kernel_step *steps;
    gt_limit limit;
    uint32_t conditions[GT_COUNTERS_MAX]; /* the items of the open loops' conditions */
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

/* The item's value becomes that of the operation on it and a number. */
static void add_operation(maker *m, gt_sequence_item *item, gt_operation operation, int64_t number)
{
    const int32_t value = (int32_t)item->count - 1;
    add_instruction(m, item, (gt_instruction){.operation = GT_DO_LITERAL, .integer = number});
    add_instruction(m, item, (gt_instruction){.operation = operation, .target = value});
}

/* An item with an expression's value. Only counters are left to be known later. */
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

/* The dimensions that change; a grid is rounded up to the cluster. */
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

/* An argument that is an expression; one that points into a buffer, in bytes from its beginning. */
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
    const uint32_t values = template->parameter_count;
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

static gt_limit check_values(const gt_iteration *run, const gt_binding *binding)
{
    const gt_template *template = binding->template;
    const gt_template_step *step = &template->parts->steps[run->step];
    const uint32_t values = template->parameter_count;
    for (uint32_t i = 0; i < step->argument_count; i++) {
        if (step->arguments[i] >= values) {
            const uint32_t value = step->arguments[i] - values;
            const gt_type type = template->parts->computed[value].type;
            GT_EXCLUDE(!gt_type_holds(type, run->values[value]) ||
                           (type == GT_TYPE_U64 && run->values[value] < 0),
                       GT_LIMIT_VALUE);
        }
    }
    return GT_LIMIT_NONE;
}

/* What is against one launch, beside what is against its step. */
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
                   blocks > (double)gt_blocks_resident(device, run->block, step->shared_bytes)
               ? GT_LIMIT_COOPERATIVE
               : check_values(run, binding);
}

/* Carries out what was made, without launching anything. The steps' shapes become those of their
 * launches. */
static gt_limit rehearse(const gt_sequence *sequence, gt_kernel_step *steps,
                         const gt_binding *binding)
{
    static const gt_limit limits[] = {
        [GT_SEQUENCE_FINE] = GT_LIMIT_NONE,          [GT_SEQUENCE_UNCOMPUTED] = GT_LIMIT_EXPRESSION,
        [GT_SEQUENCE_NO_GRID] = GT_LIMIT_GRID_EMPTY, [GT_SEQUENCE_NO_BLOCK] = GT_LIMIT_BLOCK_EMPTY,
        [GT_SEQUENCE_NO_TIMES] = GT_LIMIT_TIMES,     [GT_SEQUENCE_TOO_MANY] = GT_LIMIT_LAUNCHES};
    gt_iteration run;
    uint32_t launched = 0;
    gt_iteration_begin(&run);
    while (gt_iteration_next(&run, sequence)) {
        gt_kernel_step *step = &steps[run.step];
        const bool first = !(launched >> run.step & 1);
        gt_step_complete(&run, step);
        GT_WITHIN(check_launch(&run, step, binding));
        if (first) {
            memcpy(step->grid, run.grid, sizeof step->grid);
        }
        if (first || gt_volume(run.block) > gt_volume(step->block)) {
            memcpy(step->block, run.block, sizeof step->block);
        }
        launched |= 1u << run.step;
    }
    return run.error ? limits[run.error] : launched ? GT_LIMIT_NONE : GT_LIMIT_NO_LAUNCH;
}

gt_limit gt_sequence_bind(gt_sequence *out, gt_kernel_step steps[GT_STEPS_MAX],
                          const gt_binding *binding)
{
    const gt_template_parts *parts = binding->template->parts;
    maker m = {.out = out, .binding = binding, .steps = steps};
    out->item_count = out->code_count = 0;
    if (!parts->has_loops) {
        return GT_LIMIT_NONE;
    }
    for (uint32_t i = 0; i < parts->order_count; i++) {
        add_order(&m, parts, &parts->orders[i]);
    }
    GT_WITHIN(m.limit);
    return rehearse(out, steps, binding);
}
