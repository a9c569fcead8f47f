/* What a configuration must pass, as rules in the order in which they are decided. */
#include "kernel/axis_kind.h"
#include "kernel/settings.h"
#include "kernel/space_parts.h"
#include "kernel/tensormap.h"

#include <stdlib.h>
#include <string.h>

enum {
    ORDER_PLAIN,
    ORDER_CLUSTER,
    ORDER_BLOCK,
    ORDER_SHARED,
    ORDER_GRID,
    ORDER_CARVEOUT,
    ORDER_COOPERATIVE,
    ORDER_STEPS,
    ORDER_LAUNCH
};

/* The terms that the steps of binding.h depend on; -1: on nothing. */
typedef struct planner {
    gt_space *space;
    int term_of_slot[GT_SLOT_MAX];
    int cluster, block, shared, grid[3];
    int bytes; /* of shared memory */
} planner;

static uint32_t axes_of(const planner *p, int term)
{
    return term < 0 ? 0 : p->space->terms.items.items[term].axes;
}

static gputune_status add_slot(planner *p, gt_term_kind kind, int slot, int operand, uint32_t axes,
                               gt_interval range)
{
    return gt_terms_add(&p->term_of_slot[slot], &p->space->terms,
                        (gt_term){.kind = kind,
                                  .slot = slot,
                                  .operands = {operand, -1, -1},
                                  .axes = axes,
                                  .range = range});
}

static gputune_status add_axes(planner *p)
{
    for (uint32_t i = 0; i < p->space->template->axis_count; i++) {
        uint32_t axes = UINT32_C(1) << i;
        GT_TRY(add_slot(p, GT_TERM_SLOT, GT_SLOT_AXIS + (int)i, -1, axes, gt_interval_any()));
        GT_TRY(add_slot(p, GT_TERM_SLOT, GT_SLOT_AXIS_BYTES + (int)i, -1, axes, gt_interval_any()));
    }
    return GPUTUNE_OK;
}

/* A slot that a step sets: 1 or more, known when all that the step depends on is. */
static gputune_status add_launch(planner *p, int slot, int operand)
{
    const gt_interval range = {1, INT64_MAX, true};
    return add_slot(p, GT_TERM_LAUNCH, slot, operand, axes_of(p, operand), range);
}

static int last_axis(uint32_t axes)
{
    return axes ? 31 - __builtin_clz(axes) : -1;
}

static void add_rule(planner *p, int term, int order, gt_limit (*bind)(gt_binding *), int require)
{
    uint32_t axes = axes_of(p, term);
    p->space->rules[p->space->rule_count++] = (gt_rule){.axes = axes,
                                                        .term = term,
                                                        .depth = last_axis(axes),
                                                        .order = order,
                                                        .require = require,
                                                        .bind = bind,
                                                        .limited = -1};
}

/* What a loop's counter changes is judged with the steps. */
static gputune_status join_expression(int *joined, planner *p, const gt_expression *expression)
{
    int term;
    if (gt_counters_used(expression)) {
        return GPUTUNE_OK;
    }
    const gt_term_scope scope = {p->term_of_slot, p->space->base.slots};
    GT_TRY(gt_terms_expression(&term, &p->space->terms, expression, &scope));
    return gt_terms_join(joined, &p->space->terms, *joined, term);
}

static gputune_status join_kind(int *joined, planner *p, gt_axis_kind kind)
{
    for (uint32_t i = 0; i < p->space->template->axis_count; i++) {
        if (p->space->template->axes[i].kind == kind) {
            GT_TRY(gt_terms_join(joined, &p->space->terms, *joined,
                                 p->term_of_slot[GT_SLOT_AXIS + i]));
        }
    }
    return GPUTUNE_OK;
}

static gputune_status join_if(int *joined, planner *p, bool wanted, int term)
{
    return wanted && term >= 0 ? gt_terms_join(joined, &p->space->terms, *joined, term)
                               : GPUTUNE_OK;
}

/* Whether anything but the step itself asks how many blocks there is room for. */
static bool asks_occupancy(const gt_template_parts *parts)
{
    const gt_template_step *first = &parts->steps[0];
    bool asks = first->cooperative != NULL;
    for (uint32_t i = 0; i < first->grid.count; i++) {
        asks |= gt_expression_uses_any(first->grid.items[i], GT_SLOT_OCCUPANCY, 2);
    }
    for (uint32_t i = 0; i < parts->require_count; i++) {
        asks |= gt_expression_uses_any(parts->requires[i], GT_SLOT_OCCUPANCY, 2);
    }
    return asks;
}

typedef struct joining {
    planner *planner;
    int joined;
    gputune_status status;
} joining;

static void join_next(void *user, const gt_expression *expression)
{
    joining *j = user;
    if (j->status == GPUTUNE_OK) {
        j->status = join_expression(&j->joined, j->planner, expression);
    }
}

static gputune_status plan_block(planner *p)
{
    const gt_template_parts *parts = p->space->template->parts;
    const gt_template_step *first = &parts->steps[0];
    for (uint32_t i = 0; i < p->space->template->axis_count; i++) {
        bool sets = gt_axis_traits_of(p->space->template->axes[i].kind)->set != NULL;
        GT_TRY(join_if(&p->cluster, p, sets, p->term_of_slot[GT_SLOT_AXIS + i]));
    }
    for (uint32_t i = 0; i < first->cluster.count; i++) {
        GT_TRY(join_expression(&p->cluster, p, first->cluster.items[i]));
    }
    for (uint32_t i = 0; i < first->block.count; i++) {
        int own = -1;
        GT_TRY(join_expression(&own, p, first->block.items[i]));
        GT_TRY(gt_terms_join(&p->block, &p->space->terms, p->block, own));
        p->term_of_slot[GT_SLOT_BLOCK + i] = own;
    }
    joining j = {p, p->block, GPUTUNE_OK};
    gt_settings_visit(parts, true, join_next, &j);
    p->block = j.joined;
    return j.status;
}

static gputune_status plan_shared(planner *p)
{
    const gt_template_parts *parts = p->space->template->parts;
    const gt_expression *shared = parts->steps[0].shared;
    bool occupancy = asks_occupancy(parts);
    if (shared) {
        GT_TRY(join_expression(&p->shared, p, shared));
        p->bytes = p->shared;
    }
    GT_TRY(join_if(&p->shared, p, occupancy || gt_expression_uses_any(shared, GT_SLOT_BLOCK, 3),
                   p->block));
    GT_TRY(join_if(&p->shared, p, occupancy, p->cluster));
    GT_TRY(add_launch(p, GT_SLOT_OCCUPANCY, p->shared));
    return add_launch(p, GT_SLOT_OCCUPANCY + 1, p->shared);
}

static gputune_status plan_grid(planner *p)
{
    const gt_dimensions *grid = &p->space->template->parts->steps[0].grid;
    for (uint32_t i = 0; i < 3; i++) {
        const gt_expression *own = i < grid->count ? grid->items[i] : NULL;
        p->grid[i] = p->cluster;
        if (own) {
            GT_TRY(join_expression(&p->grid[i], p, own));
        }
        GT_TRY(join_if(&p->grid[i], p, gt_expression_uses_any(own, GT_SLOT_BLOCK, 3), p->block));
        GT_TRY(add_launch(p, GT_SLOT_GRID + (int)i, p->grid[i]));
    }
    return GPUTUNE_OK;
}

static gt_limit bind_grid_x(gt_binding *binding)
{
    return gt_binding_grid(binding, 0);
}

static gt_limit bind_grid_y(gt_binding *binding)
{
    return gt_binding_grid(binding, 1);
}

static gt_limit bind_grid_z(gt_binding *binding)
{
    return gt_binding_grid(binding, 2);
}

static gputune_status plan_maps(planner *p)
{
    const gt_template_parts *parts = p->space->template->parts;
    joining j = {p, -1, GPUTUNE_OK};
    for (uint32_t i = 0; i < parts->map_count; i++) {
        gt_map_expressions(&parts->maps[i], join_next, &j);
    }
    GT_TRY(j.status);
    if (parts->map_count > 0) {
        add_rule(p, j.joined, ORDER_CARVEOUT, gt_binding_maps, 0);
    }
    return GPUTUNE_OK;
}

/* What several blocks take together; each by itself is judged with its axis. */
static gputune_status plan_blocks(planner *p)
{
    int joined = -1;
    if (p->space->template->pass_count > 1) {
        GT_TRY(join_kind(&joined, p, GT_AXIS_PASS));
        add_rule(p, joined, ORDER_CARVEOUT, gt_binding_blocks, 0);
    }
    return GPUTUNE_OK;
}

static gputune_status plan_cooperative(planner *p)
{
    int term = -1;
    const gt_expression *cooperative = p->space->template->parts->steps[0].cooperative;
    if (!cooperative) {
        return GPUTUNE_OK;
    }
    GT_TRY(join_expression(&term, p, cooperative));
    GT_TRY(join_if(&term, p, true, p->shared));
    for (int i = 0; i < 3; i++) {
        GT_TRY(join_if(&term, p, true, p->grid[i]));
    }
    add_rule(p, term, ORDER_COOPERATIVE, gt_binding_cooperative, 0);
    return GPUTUNE_OK;
}

/* With loops it is the tunables' values that count: what is made of them is known too late. */
static gputune_status join_axes(int *joined, planner *p, uint64_t axes)
{
    for (uint32_t i = 0; i < p->space->template->axis_count; i++) {
        GT_TRY(join_if(joined, p, axes >> i & 1, p->term_of_slot[GT_SLOT_AXIS + i]));
        GT_TRY(join_if(joined, p, axes >> i & 1, p->term_of_slot[GT_SLOT_AXIS_BYTES + i]));
    }
    return GPUTUNE_OK;
}

static gputune_status plan_pipeline(planner *p)
{
    const gt_template_parts *parts = p->space->template->parts;
    joining j = {p, -1, GPUTUNE_OK};
    if (!parts->is_pipeline) {
        return GPUTUNE_OK;
    }
    if (parts->has_loops) {
        j.status = join_axes(&j.joined, p, gt_settings_axes(parts, false));
    } else {
        gt_settings_visit(parts, false, join_next, &j);
    }
    GT_TRY(j.status);
    add_rule(p, j.joined, ORDER_STEPS, gt_binding_steps, 0);
    return GPUTUNE_OK;
}

static gputune_status plan_steps(planner *p)
{
    int carveout = -1;
    GT_TRY(plan_block(p));
    GT_TRY(plan_shared(p));
    GT_TRY(plan_grid(p));
    GT_TRY(join_kind(&carveout, p, GT_AXIS_CARVEOUT));
    GT_TRY(join_if(&carveout, p, carveout >= 0, p->shared));
    add_rule(p, p->cluster, ORDER_CLUSTER, gt_binding_cluster, 0);
    add_rule(p, p->block, ORDER_BLOCK, gt_binding_block, 0);
    add_rule(p, p->shared, ORDER_SHARED, gt_binding_shared, 0);
    if (p->bytes >= 0) {
        p->space->rules[p->space->rule_count - 1].limit = gt_shared_limit;
        p->space->rules[p->space->rule_count - 1].limited = p->bytes;
    }
    add_rule(p, p->grid[0], ORDER_GRID, bind_grid_x, 0);
    add_rule(p, p->grid[1], ORDER_GRID, bind_grid_y, 0);
    add_rule(p, p->grid[2], ORDER_GRID, bind_grid_z, 0);
    add_rule(p, carveout, ORDER_CARVEOUT, gt_binding_carveout, 0);
    GT_TRY(plan_maps(p));
    GT_TRY(plan_blocks(p));
    GT_TRY(plan_cooperative(p));
    return plan_pipeline(p);
}

/* Both sides of an && bite by themselves, each as soon as its own axes allow. */
static void add_require(planner *p, int term, int order, int require, int spare)
{
    int left, right;
    if (p->space->rule_count + spare + 2 <= GT_RULES_MAX &&
        gt_terms_split(&p->space->terms, term, &left, &right)) {
        add_require(p, left, order, require, spare + 1);
        add_require(p, right, order, require, spare);
    } else {
        add_rule(p, term, order, NULL, require);
    }
}

/* One over plain values is decided before the steps of its depth: it is cheaper. */
static gputune_status plan_requires(planner *p)
{
    const gt_template_parts *parts = p->space->template->parts;
    for (uint32_t i = 0; i < parts->require_count; i++) {
        int term = -1;
        bool plain = !gt_expression_uses_any(parts->requires[i], GT_SLOT_BLOCK,
                                             GT_SLOT_WORD - GT_SLOT_BLOCK);
        GT_TRY(join_expression(&term, p, parts->requires[i]));
        add_require(p, term, plain ? ORDER_PLAIN : ORDER_LAUNCH, (int)i,
                    (int)(parts->require_count - i));
    }
    return GPUTUNE_OK;
}

static int compare_rules(const void *a, const void *b)
{
    const gt_rule *x = a, *y = b;
    int difference = x->depth - y->depth;
    difference = difference ? difference : x->order - y->order;
    difference = difference ? difference : x->require - y->require;
    return difference ? difference : x->term - y->term;
}

static void list_touching(gt_space *space)
{
    for (int r = 0; r < space->rule_count; r++) {
        for (uint32_t i = 0; i < space->template->axis_count; i++) {
            if (space->rules[r].axes >> i & 1) {
                space->touching[i][space->touching_count[i]++] = (uint8_t)r;
            }
        }
    }
}

/* The rules without an axis decide for the whole space. */
static void apply_constant(gt_space *space)
{
    for (int r = 0; r < space->rule_count && !space->hopeless; r++) {
        if (!space->rules[r].axes) {
            space->hopeless = gt_rule_apply(space, &space->base, &space->rules[r]);
        }
    }
}

gputune_status gt_space_plan(gt_space *space)
{
    planner p = {.space = space, .cluster = -1, .block = -1, .shared = -1, .bytes = -1};
    for (int i = 0; i < GT_SLOT_MAX; i++) {
        p.term_of_slot[i] = -1;
    }
    for (int i = 0; i < 3; i++) { /* what the block's step says of dimensions that are not given */
        space->base.slots[GT_SLOT_BLOCK + i] = 1;
    }
    GT_TRY(add_axes(&p));
    GT_TRY(plan_steps(&p));
    GT_TRY(plan_requires(&p));
    qsort(space->rules, (size_t)space->rule_count, sizeof *space->rules, compare_rules);
    list_touching(space);
    apply_constant(space);
    return GPUTUNE_OK;
}

/* Of a require() against a range of values in which none makes it hold. */
static int reason_against_range(const gt_rule *rule, gt_interval range)
{
    return (gt_interval_is_empty(range) ? GT_REASON_FAILED : GT_REASON_REQUIRE) + rule->require;
}

int gt_rule_apply(const gt_space *space, gt_binding *binding, const gt_rule *rule)
{
    if (rule->bind) {
        return (int)rule->bind(binding);
    }
    gt_residue left = gt_terms_evaluate(&space->terms, rule->term, binding->slots, rule->axes);
    return gt_interval_is_true(left.range) ? 0 : reason_against_range(rule, left.range);
}

static int step_ahead(const gt_space *space, const gt_binding *binding, const gt_rule *rule,
                      uint32_t known, uint64_t *key)
{
    gt_interval range =
        gt_terms_evaluate(&space->terms, rule->limited, binding->slots, known).range;
    GT_EXCLUDE(gt_interval_is_empty(range), GT_LIMIT_EXPRESSION);
    gt_limit low = rule->limit(binding->device, range.low);
    gt_limit high = rule->limit(binding->device, range.high);
    if (low && low == high) {
        return (int)low;
    }
    *key = low || high || range.may_fail ? *key : 0;
    return 0;
}

int gt_rule_ahead(const gt_space *space, const gt_binding *binding, const gt_rule *rule,
                  uint32_t known, uint64_t *key)
{
    gt_residue left = gt_terms_evaluate(&space->terms, rule->term, binding->slots, known);
    *key = left.key;
    if (rule->bind) {
        return rule->limit ? step_ahead(space, binding, rule, known, key) : 0;
    }
    if (gt_interval_is_false(left.range)) {
        return reason_against_range(rule, left.range);
    }
    *key = gt_interval_is_true(left.range) ? 0 : left.key;
    return 0;
}

int gt_space_check(const gt_space *space, gt_binding *binding, uint32_t known, uint32_t axis,
                   const gt_rule_set *ahead)
{
    for (int k = 0; k < space->touching_count[axis]; k++) {
        int index = space->touching[axis][k], reason = 0;
        const gt_rule *rule = &space->rules[index];
        if (!(rule->axes & ~known)) {
            reason = gt_rule_apply(space, binding, rule);
        } else if (ahead && gt_rule_in(ahead, index)) {
            uint64_t key;
            reason = gt_rule_ahead(space, binding, rule, known, &key);
        }
        if (reason) {
            return reason;
        }
    }
    return 0;
}

/* Bounds of an axis's two slots over the values that are left. */
static void bound_axis(gt_space *space, uint32_t axis)
{
    int64_t *slots = space->probe.slots;
    const int names[2] = {GT_SLOT_AXIS + (int)axis, GT_SLOT_AXIS_BYTES + (int)axis};
    gt_interval ranges[2] = {{1, 0, false}, {1, 0, false}};
    for (int v = 0; v < space->counts[axis]; v++) {
        if (space->blocked[axis][v]) {
            continue;
        }
        gt_slots_axis(slots, space->template, axis, space->choices[axis][v]);
        for (int i = 0; i < 2; i++) {
            ranges[i] = gt_interval_join(ranges[i], gt_interval_of(slots[names[i]]));
        }
    }
    for (size_t t = 0; t < space->terms.items.count; t++) {
        gt_term *term = &space->terms.items.items[t];
        for (int i = 0; i < 2 && term->kind == GT_TERM_SLOT; i++) {
            term->range = term->slot == names[i] ? ranges[i] : term->range;
        }
    }
}

static int reason_against_value(gt_space *space, uint32_t axis, uint8_t choice)
{
    int reason = (int)gt_space_value_limit(space, axis, choice);
    space->probe = space->base;
    gt_slots_axis(space->probe.slots, space->template, axis, choice);
    return reason ? reason : gt_space_check(space, &space->probe, UINT32_C(1) << axis, axis, NULL);
}

void gt_space_block(gt_space *space)
{
    for (uint32_t i = 0; i < space->template->axis_count; i++) {
        for (int v = 0; v < space->counts[i]; v++) {
            space->blocked[i][v] = reason_against_value(space, i, space->choices[i][v]);
        }
        bound_axis(space, i);
    }
}

void gt_space_group(gt_space *space)
{
    uint32_t linked[GT_AXIS_MAX], count = space->template->axis_count;
    for (uint32_t i = 0; i < count; i++) {
        linked[i] = UINT32_C(1) << i;
    }
    for (int r = 0; r < space->rule_count; r++) {
        uint32_t all = space->rules[r].axes;
        for (uint32_t i = 0; i < count; i++) {
            all |= linked[i] & space->rules[r].axes ? linked[i] : 0;
        }
        for (uint32_t i = 0; i < count; i++) {
            linked[i] = linked[i] & all ? all : linked[i];
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        int first = __builtin_ctz(linked[i]);
        uint32_t earlier = linked[i] & ((UINT32_C(1) << i) - 1);
        space->before[i] = last_axis(earlier);
        space->group_of[i] = earlier ? space->group_of[first] : space->group_count++;
        space->groups[space->group_of[i]].axes = linked[i];
    }
}
