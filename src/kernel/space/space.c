/* Creates a space with its filters and values, and checks single configurations.
 *
 * A configuration is valid if no filter excludes it. A filter is a stage of the binding
 * (kernel/bind/binding.h) or an operand of && in a require(). It depends on some of the axes, and
 * is applied as soon as they have values. A stage is applied after the stages whose results it
 * needs.
 *
 * Axes that are connected by filters form a group, and a space is the product of its groups. A
 * decision diagram counts the valid combinations of a group (diagram.c). Combinations of the first
 * axes that leave the same conditions for the other axes (keys.c) share a node, so few nodes are
 * enough for millions of combinations. If the diagram of a group would become too large, the group
 * is loose: its combinations are tested one by one, and its counts are estimates.
 *
 * A space is opened without diagrams. gt_space_prepare() builds them when the space first counts,
 * draws or lists configurations. After that, only the iteration and `probe`, a binding for single
 * configurations, change. */
#include "kernel/space/internal.h"

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

/* Begins a filter. All its inputs must be added before the next filter. */
static gt_filter *new_filter(gt_space *space, int order, gt_limit (*bind)(gt_binding *))
{
    gt_filter *filter = &space->filters[space->filter_count++];
    *filter = (gt_filter){.order = order, .bind = bind, .first = space->inputs.count};
    return filter;
}

static void add_raw(gt_filter *filter, uint32_t axes)
{
    filter->raw |= axes;
    filter->axes |= axes;
}

/* Adds an expression to a filter. Skips expressions with loop counters, because the filter of the
 * pipeline checks them. */
static gputune_status add_input(gt_space *space, gt_filter *filter, const gt_expression *expression)
{
    if (!expression || gt_counters_used(expression)) {
        return GPUTUNE_OK;
    }
    for (int i = 0; i < expression->count; i++) {
        const gt_instruction *one = &expression->code[i];
        filter->axes |= one->operation == GT_DO_SLOT ? space->slot_axes[one->target] : 0;
    }
    filter->inputs++;
    return gt_array_push(&space->inputs, expression);
}

static gputune_status add_dimensions(gt_space *space, gt_filter *filter, const gt_dimensions *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        GT_TRY(add_input(space, filter, all->items[i]));
    }
    return GPUTUNE_OK;
}

/* Adds all expressions of the clauses that are listed in `words`. */
static gputune_status add_clauses(gt_space *space, gt_filter *filter, const char *words)
{
    const gt_template_parts *parts = space->template->parts;
    for (const gt_expression *one = NULL; (one = gt_expression_of(parts, words, one));) {
        GT_TRY(add_input(space, filter, one));
    }
    return GPUTUNE_OK;
}

static uint32_t axes_of_kind(const gt_template *template, gt_axis_kind kind)
{
    uint32_t axes = 0;
    for (uint32_t i = 0; i < template->axis_count; i++) {
        axes |= template->axes[i].kind == kind ? UINT32_C(1) << i : 0;
    }
    return axes;
}

static bool needs_occupancy(const gt_template_parts *parts)
{
    const gt_template_step *first = &parts->steps[0];
    bool asks = first->cooperative != NULL;
    for (uint32_t i = 0; i < first->grid.count; i++) {
        asks |= gt_expression_uses_any(first->grid.items[i], GT_SLOT_OCCUPANCY, 2);
    }
    for (uint32_t i = 0; i < parts->constraint_count; i++) {
        asks |= gt_expression_uses_any(parts->constraints[i], GT_SLOT_OCCUPANCY, 2);
    }
    return asks;
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

/* Adds the filters of the first kernel's shape, and records which axes determine its slots. */
static gputune_status plan_shape(gt_space *space)
{
    static gt_limit (*const grids[])(gt_binding *) = {bind_grid_x, bind_grid_y, bind_grid_z};
    const gt_template_parts *parts = space->template->parts;
    const gt_template_step *step = &parts->steps[0];
    uint32_t *slots = space->slot_axes;
    gt_filter *cluster = new_filter(space, ORDER_CLUSTER, gt_binding_cluster);
    GT_TRY(add_dimensions(space, cluster, &step->cluster));
    gt_filter *block = new_filter(space, ORDER_BLOCK, gt_binding_block);
    GT_TRY(add_dimensions(space, block, &step->block));
    for (int i = 0; i < 3; i++) {
        slots[GT_SLOT_BLOCK + i] = step->block.items[i] ? block->axes : 0;
    }
    gt_filter *bounds = new_filter(space, ORDER_BLOCK, gt_binding_bounds);
    add_raw(bounds, block->axes);
    GT_TRY(add_clauses(space, bounds, "launch_bounds maxreg"));
    gt_filter *shared = new_filter(space, ORDER_SHARED, gt_binding_shared);
    add_raw(shared, needs_occupancy(parts) ? block->axes | cluster->axes : 0);
    GT_TRY(add_input(space, shared, step->shared));
    slots[GT_SLOT_OCCUPANCY] = slots[GT_SLOT_OCCUPANCY + 1] = shared->axes;
    for (int i = 0; i < 3; i++) {
        gt_filter *grid = new_filter(space, ORDER_GRID, grids[i]);
        add_raw(grid, cluster->axes);
        GT_TRY(add_input(space, grid, step->grid.items[i]));
        slots[GT_SLOT_GRID + i] = grid->axes;
    }
    const uint32_t carveouts = axes_of_kind(space->template, GT_AXIS_CARVEOUT);
    gt_filter *carveout = new_filter(space, ORDER_CARVEOUT, gt_binding_carveout);
    add_raw(carveout, carveouts ? carveouts | shared->raw : 0);
    GT_TRY(add_input(space, carveout, carveouts ? step->shared : NULL));
    if (step->cooperative) {
        gt_filter *cooperative = new_filter(space, ORDER_COOPERATIVE, gt_binding_cooperative);
        add_raw(cooperative, shared->raw);
        GT_TRY(add_input(space, cooperative, step->cooperative));
        GT_TRY(add_input(space, cooperative, step->shared));
        GT_TRY(add_dimensions(space, cooperative, &step->grid));
    }
    return GPUTUNE_OK;
}

static gputune_status plan_rest(gt_space *space)
{
    const gt_template_parts *parts = space->template->parts;
    if (parts->map_count > 0) {
        gt_filter *maps = new_filter(space, ORDER_CARVEOUT, gt_binding_maps);
        GT_TRY(add_clauses(space, maps, "tensormap"));
    }
    /* check all pass() blocks together; block_values() has checked each block separately */
    if (space->template->pass_count > 1) {
        gt_filter *blocks = new_filter(space, ORDER_CARVEOUT, gt_binding_blocks);
        add_raw(blocks, axes_of_kind(space->template, GT_AXIS_PASS));
    }
    if (parts->is_pipeline) {
        gt_filter *steps = new_filter(space, ORDER_STEPS, gt_binding_steps);
        /* the launches in a loop can only be listed when all tunables that they use have values */
        add_raw(steps, parts->has_loops ? (uint32_t)gt_axes_of(parts, GT_WORDS_LAUNCHED) : 0);
        GT_TRY(add_clauses(space, steps, parts->has_loops ? "" : GT_WORDS_LAUNCHED));
    }
    return GPUTUNE_OK;
}

/* Adds filters for the part of a require() from code[begin] to code[at]. Each operand of && gets
 * its own filter, because one operand may be enough to exclude a configuration. Does not split an
 * && if fewer free filters than `spare` would remain. */
static gputune_status add_require(gt_space *space, int require, int begin, int at, int spare)
{
    const gt_expression *expression = space->template->parts->constraints[require];
    const gt_instruction *step = &expression->code[at];
    if (step->operation == GT_DO_AND && space->filter_count + spare + 2 <= GT_FILTERS_MAX) {
        GT_TRY(add_require(space, require, begin, step->target, spare + 1));
        return add_require(space, require, step->target + 1, at - 1, spare);
    }
    /* filters without launch properties are cheap, so they are applied first */
    const bool plain =
        !gt_expression_uses_any(expression, GT_SLOT_BLOCK, GT_SLOT_WORD - GT_SLOT_BLOCK);
    gt_filter *filter = new_filter(space, plain ? ORDER_PLAIN : ORDER_LAUNCH, NULL);
    filter->require = require;
    filter->at = at;
    for (int i = begin; i <= at; i++) {
        const gt_instruction *one = &expression->code[i];
        filter->axes |= one->operation == GT_DO_SLOT ? space->slot_axes[one->target] : 0;
    }
    return gt_array_push(&space->inputs, expression);
}

static int last_axis(const gt_filter *filter)
{
    return filter->axes ? 31 - __builtin_clz(filter->axes) : -1;
}

static int compare_filters(const void *a, const void *b)
{
    const gt_filter *x = a, *y = b;
    int difference = last_axis(x) - last_axis(y);
    difference = difference ? difference : x->order - y->order;
    difference = difference ? difference : x->require - y->require;
    return difference ? difference : (x->first > y->first) - (x->first < y->first);
}

/* Applies a filter. The earlier filters on its axes must have been applied. Returns a reason, or
 * 0. */
static int apply_filter(const gt_space *space, gt_binding *binding, const gt_filter *filter)
{
    int64_t holds;
    if (filter->bind) {
        return (int)filter->bind(binding);
    }
    const gt_instruction *code = space->inputs.items[filter->first]->code;
    return gt_code_run(&holds, code, filter->at, binding->slots)
               ? GT_REASON_FAILED + filter->require
           : !holds ? GT_REASON_REQUIRE + filter->require
                    : 0;
}

static void list_filter(gt_space *space)
{
    for (int r = 0; r < space->filter_count; r++) {
        const gt_filter *filter = &space->filters[r];
        if (!filter->axes && !space->excludes_all) {
            space->excludes_all = apply_filter(space, &space->base, filter);
        }
        for (uint32_t i = 0; i < space->template->axis_count; i++) {
            if (filter->axes >> i & 1) {
                space->touching[i][space->touching_count[i]++] = (uint8_t)r;
            }
        }
    }
}

static gputune_status plan_filter(gt_space *space)
{
    const gt_template *template = space->template;
    const int constraints = (int)template->parts->constraint_count;
    for (int i = 0; i < 3; i++) { /* missing dimensions of a block are 1 */
        space->base.slots[GT_SLOT_BLOCK + i] = 1;
    }
    for (uint32_t i = 0; i < template->axis_count; i++) {
        space->slot_axes[GT_SLOT_AXIS + i] = UINT32_C(1) << i;
        space->slot_axes[GT_SLOT_AXIS_BYTES + i] = UINT32_C(1) << i;
    }
    GT_TRY(plan_shape(space));
    GT_TRY(plan_rest(space));
    for (int i = 0; i < constraints; i++) {
        GT_TRY(
            add_require(space, i, 0, template->parts->constraints[i]->count - 1, constraints - i));
    }
    qsort(space->filters, (size_t)space->filter_count, sizeof *space->filters, compare_filters);
    list_filter(space);
    return GPUTUNE_OK;
}

int gt_filter_ahead(const gt_space *space, const gt_binding *binding, const gt_filter *filter,
                    uint32_t known, uint64_t *key)
{
    const gt_residue left = gt_filter_evaluate(space, filter, binding->slots, known);
    *key = left.left == GT_LEFT_VALUE ? 0 : left.key;
    return left.left == GT_LEFT_FAILED                 ? GT_REASON_FAILED + filter->require
           : left.left == GT_LEFT_VALUE && !left.value ? GT_REASON_REQUIRE + filter->require
                                                       : 0;
}

int gt_space_check(const gt_space *space, gt_binding *binding, uint32_t known, uint32_t axis)
{
    for (int k = 0; k < space->touching_count[axis]; k++) {
        const gt_filter *filter = &space->filters[space->touching[axis][k]];
        const int reason = filter->axes & ~known ? 0 : apply_filter(space, binding, filter);
        if (reason) {
            return reason;
        }
    }
    return 0;
}

static void block_values(gt_space *space)
{
    for (uint32_t i = 0; i < space->template->axis_count; i++) {
        for (int v = 0; v < space->counts[i]; v++) {
            const uint8_t choice = space->choices[i][v];
            const int reason = (int)gt_axis_limit(&space->base, space->workload, i, choice);
            space->probe = space->base;
            gt_slots_axis(space->probe.slots, space->template, i, choice);
            space->blocked[i][v] =
                reason ? reason : gt_space_check(space, &space->probe, UINT32_C(1) << i, i);
        }
    }
}

static void group_axes(gt_space *space)
{
    uint32_t linked[GT_AXIS_MAX], count = space->template->axis_count;
    for (uint32_t i = 0; i < count; i++) {
        linked[i] = UINT32_C(1) << i;
    }
    for (int r = 0; r < space->filter_count; r++) {
        uint32_t all = space->filters[r].axes;
        for (uint32_t i = 0; i < count; i++) {
            all |= linked[i] & space->filters[r].axes ? linked[i] : 0;
        }
        for (uint32_t i = 0; i < count; i++) {
            linked[i] = linked[i] & all ? all : linked[i];
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        int first = __builtin_ctz(linked[i]);
        uint32_t earlier = linked[i] & ((UINT32_C(1) << i) - 1);
        space->group_of[i] = earlier ? space->group_of[first] : space->group_count++;
        space->groups[space->group_of[i]].axes = linked[i];
    }
}

/* ---- the whole space ------------------------------------------------------------------------- */

uint64_t gt_space_combinations(const gt_space *space)
{
    uint64_t product = 1;
    for (uint32_t i = 0; i < space->template->axis_count; i++) {
        if (__builtin_mul_overflow(product, (uint64_t)space->counts[i], &product)) {
            return UINT64_MAX;
        }
    }
    return product;
}

static gputune_status make_reasons(gt_space *space)
{
    const gt_template_parts *parts = space->template->parts;
    for (int i = 0; i < GT_LIMIT_COUNT; i++) {
        const char *text = GT_LIMIT_REASON((gt_limit)i, space->base.device);
        GT_TRY(gt_strdup(&space->reasons[i], text));
    }
    for (uint32_t i = 0; i < parts->constraint_count; i++) {
        gt_text text = {0};
        gt_text_printf(&text, "require(%s)", parts->constraints[i]->text);
        GT_TRY(gt_text_take(&space->reasons[GT_REASON_REQUIRE + i], &text));
        gt_text_printf(&text, "require(%s): division by zero or overflow",
                       parts->constraints[i]->text);
        GT_TRY(gt_text_take(&space->reasons[GT_REASON_FAILED + i], &text));
    }
    return GPUTUNE_OK;
}

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

static gputune_status restrict_one(gt_space *space, bool given[GT_AXIS_MAX], const char *only)
{
    GT_FREED char *copy = NULL;
    char *values;
    uint32_t axis;
    GT_TRY(gt_strdup(&copy, only));
    GT_TRY(gt_setting_split(&axis, &values, given, space->template, copy + strspn(copy, " \t")));
    return restrict_axis(space, axis, values);
}

static gputune_status restrict_all(gt_space *space, const char *const *only, size_t only_count)
{
    bool given[GT_AXIS_MAX] = {false};
    for (uint32_t i = 0; i < space->template->axis_count; i++) {
        space->counts[i] = (int)space->template->axes[i].count;
        for (int v = 0; v < space->counts[i]; v++) {
            space->choices[i][v] = (uint8_t)v;
        }
    }
    for (size_t i = 0; i < only_count; i++) {
        GT_TRY(restrict_one(space, given, only[i]));
    }
    return GPUTUNE_OK;
}

static void free_space_at(gt_space **space)
{
    gt_space_free(*space);
}

gputune_status gt_space_open(gt_space **out, const gt_template *template, const gt_problem *problem,
                             const gt_workload *workload, const gt_device *device,
                             const char *const *only, size_t only_count)
{
    GT_SCOPED(free_space_at) gt_space *space = calloc(1, sizeof *space);
    GT_TRY(gt_allocated(space));
    space->template = template;
    space->workload = workload;
    gt_binding_open(&space->base, template, problem, device);
    GT_TRY(restrict_all(space, only, only_count));
    GT_TRY(make_reasons(space));
    GT_TRY(plan_filter(space));
    block_values(space);
    group_axes(space);
    space->probe = space->base;
    *out = gt_take(&space);
    return GPUTUNE_OK;
}

void gt_space_free(gt_space *space)
{
    if (!space) {
        return;
    }
    for (int i = 0; i < GT_SPACE_REASONS; i++) {
        free(space->reasons[i]);
    }
    for (int g = 0; g < space->group_count; g++) {
        gt_diagram_clear(&space->groups[g].diagram);
    }
    gt_array_free(&space->inputs);
    free(space);
}

size_t gt_space_choices(const gt_space *space, uint32_t axis, const uint8_t **out)
{
    *out = space->choices[axis];
    return (size_t)space->counts[axis];
}

void gt_space_set_cancel(gt_space *space, bool (*canceled)(void *user), void *user)
{
    space->canceled = canceled;
    space->user = user;
}

bool gt_space_is_canceled(const gt_space *space)
{
    return space->canceled && space->canceled(space->user);
}

int gt_space_reason(gt_space *space, const gt_config *config, uint32_t axes)
{
    int reason = space->excludes_all;
    uint32_t known = 0;
    for (uint32_t i = 0; i < space->template->axis_count && !reason; i++) {
        if (axes >> i & 1) {
            known |= UINT32_C(1) << i;
            reason = (int)gt_axis_limit(&space->base, space->workload, i, config->choice[i]);
            gt_slots_axis(space->probe.slots, space->template, i, config->choice[i]);
            reason = reason ? reason : gt_space_check(space, &space->probe, known, i);
        }
    }
    return reason;
}

bool gt_space_has(gt_space *space, const gt_config *config)
{
    for (uint32_t i = 0; i < space->template->axis_count; i++) {
        if (!memchr(space->choices[i], config->choice[i], (size_t)space->counts[i])) {
            return false;
        }
    }
    return !gt_space_reason(space, config, UINT32_MAX);
}

const char *gt_space_excludes(gt_space *space, const gt_config *config)
{
    int reason = gt_space_reason(space, config, UINT32_MAX);
    return reason ? space->reasons[reason] : NULL;
}

const char *gt_space_why_unused(gt_space *space, uint32_t axis, uint8_t choice)
{
    gt_config config = gt_config_default(space->template);
    config.choice[axis] = choice;
    if (gt_space_uses(space, axis, choice)) {
        return NULL;
    }
    for (int v = 0; v < space->counts[axis]; v++) {
        if (space->choices[axis][v] == choice && space->blocked[axis][v]) {
            return space->reasons[space->blocked[axis][v]];
        }
    }
    const char *reason = gt_space_excludes(space, &config);
    return reason ? reason : "excluded by constraints";
}

static gputune_status refuse_space(gt_space *space)
{
    enum { MOST = 4 };
    const gt_exclusion_count *list;
    size_t count = gt_space_exclusions(space, &list);
    GT_SCOPED(gt_text_free) gt_text text = {0};
    bool listed[GT_SPACE_REASONS] = {false};
    for (size_t n = 0; n < count && n < MOST; n++) {
        size_t best = count;
        for (size_t i = 0; i < count; i++) {
            best = !listed[i] && (best == count || list[i].count > list[best].count) ? i : best;
        }
        listed[best] = true;
        gt_text_printf(&text, "%s%s (excludes %llu)", n ? "; " : "", list[best].reason,
                       (unsigned long long)list[best].count);
    }
    return gt_fail(GPUTUNE_ENOVARIANT,
                   "%s: none of %llu configurations is possible at these sizes on this GPU: %s%s",
                   space->template->name, (unsigned long long)gt_space_combinations(space),
                   gt_text_string(&text), count > MOST ? "; and other reasons" : "");
}

gputune_status gt_space_require_any(gt_space *space)
{
    GT_TRY(gt_space_prepare(space));
    return gt_space_count(space).count ? GPUTUNE_OK : refuse_space(space);
}

uint32_t gt_space_features(double out[GT_LAUNCH_FEATURES], const gt_space *space,
                           const gt_config *config)
{
    return gt_binding_features(out, &space->base, config);
}

gt_hash gt_space_signature(const gt_space *space)
{
    const gt_template *template = space->template;
    gt_hash hash = gt_hash_join(template->parts->geometry, template->parts->making);
    for (uint32_t i = 0; i < template->axis_count; i++) {
        const gt_axis *axis = &template->axes[i];
        const int64_t shape[3] = {(int64_t)axis->kind, space->counts[i], (int64_t)axis->buffers};
        hash = gt_hash_join(hash, gt_hash_string(axis->name));
        hash = gt_hash_join(hash, gt_hash_bytes(shape, sizeof shape));
        for (int v = 0; v < space->counts[i]; v++) {
            const char *value = GT_TEXT_OF_VALUE(&axis->values[space->choices[i][v]]);
            hash = gt_hash_join(hash, gt_hash_string(value));
        }
    }
    for (uint32_t i = 0; i < template->parts->constraint_count; i++) {
        hash = gt_hash_join(hash, gt_hash_string(space->reasons[GT_REASON_REQUIRE + i]));
    }
    return hash;
}
