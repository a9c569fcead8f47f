/* A space as a whole: its filters, its values, and single configurations.
 *
 * A configuration is valid if no filter excludes it. Filters are the stages of its binding
 * (kernel/bind/binding.h) and the operands of && in require(). Each filter depends on some axes,
 * and can be applied when these axes have values. Stages use results of earlier stages, which
 * determines the order of the filters.
 *
 * Axes that filters connect form a group, and the space is the product of its groups. Decision
 * diagrams count the valid combinations of a group (diagram.c). After each axis, combinations with
 * the same remaining conditions (terms.c) share a node, so millions of combinations need only few
 * nodes. If a diagram would become too large, its group is loose: the filters test each
 * combination, and counts are estimates.
 *
 * A space opens without diagrams. The first call that counts, draws or iterates builds them with
 * gt_space_prepare(). After that, only the iteration and `probe`, a binding for single
 * configurations, change. */
#include "kernel/space/internal.h"

#include "kernel/template/axis_kind.h"

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

/* Makes the filters of a space. Integer members are the terms of the stages' inputs, or -1. */
typedef struct planner {
    gt_space *space;
    const gt_template *template;
    const gt_template_parts *parts;
    gt_term_list *terms;
    int cluster, block, shared, grid[3];
    gputune_status status;
} planner;

static uint32_t axes_of(const planner *p, int term)
{
    return term < 0 ? 0 : p->terms->items.items[term].axes;
}

static uint32_t axes_in(const planner *p, const gt_instruction *code, int at)
{
    const gt_instruction *step = &code[at];
    const int operands = gt_operation_operands(step->operation);
    if (step->operation == GT_DO_SLOT) {
        return axes_of(p, p->terms->of_slot[step->target]);
    }
    const uint32_t last = operands > 0 ? axes_in(p, code, at - 1) : 0;
    return operands > 1 ? axes_in(p, code, step->target) | last : last;
}

/* Adds a term and returns its index. A term depends on the axes of its operands or code. */
static int add_term(planner *p, gt_term term)
{
    for (int i = 0; i < 2; i++) {
        term.axes |= axes_of(p, term.operands[i]);
    }
    term.axes |= term.kind == GT_TERM_CODE ? axes_in(p, term.expression->code, term.at) : 0;
    p->status = gt_array_push(&p->terms->items, term) < 0 ? gt_fail_memory() : p->status;
    return p->status < 0 ? -1 : (int)p->terms->items.count - 1;
}

/* Returns a term that joins two terms. If one is negative, returns the other. */
static int join_terms(planner *p, int a, int b)
{
    return a < 0 ? b : b < 0 ? a : add_term(p, (gt_term){.kind = GT_TERM_JOIN, .operands = {a, b}});
}

static void add_axes(planner *p)
{
    for (uint32_t i = 0; i < p->template->axis_count; i++) {
        const int slots[2] = {GT_SLOT_AXIS + (int)i, GT_SLOT_AXIS_BYTES + (int)i};
        for (int k = 0; k < 2; k++) {
            p->terms->of_slot[slots[k]] = add_term(p, (gt_term){.kind = GT_TERM_SLOT,
                                                                .slot = slots[k],
                                                                .operands = {-1, -1},
                                                                .axes = UINT32_C(1) << i});
        }
    }
}

/* Adds a term for a slot that a binding stage sets. `operand` is the term of the stage's inputs. */
static void add_launch(planner *p, int slot, int operand)
{
    p->terms->of_slot[slot] =
        add_term(p, (gt_term){.kind = GT_TERM_LAUNCH, .slot = slot, .operands = {operand, -1}});
}

static void add_filter(planner *p, int term, int order, gt_limit (*bind)(gt_binding *), int require)
{
    uint32_t axes = axes_of(p, term);
    p->space->filters[p->space->filter_count++] =
        (gt_filter){.axes = axes,
                    .term = term,
                    .depth = axes ? 31 - __builtin_clz(axes) : -1,
                    .order = order,
                    .require = require,
                    .bind = bind};
}

static int add_code(planner *p, const gt_expression *expression, int at)
{
    return add_term(
        p,
        (gt_term){.kind = GT_TERM_CODE, .expression = expression, .at = at, .operands = {-1, -1}});
}

/* Joins a term with an expression. Expressions with loop counters belong to the pipeline's
 * filter. */
static int join_expression(planner *p, int joined, const gt_expression *expression)
{
    return !expression || gt_counters_used(expression)
               ? joined
               : join_terms(p, joined, add_code(p, expression, expression->count - 1));
}

static int join_kind(planner *p, gt_axis_kind kind)
{
    int joined = -1;
    for (uint32_t i = 0; i < p->template->axis_count; i++) {
        bool is = p->template->axes[i].kind == kind;
        joined = join_terms(p, joined, is ? p->terms->of_slot[GT_SLOT_AXIS + i] : -1);
    }
    return joined;
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

static int join_words(planner *p, int joined, const char *words)
{
    for (const gt_expression *one = NULL; (one = gt_expression_of(p->parts, words, one));) {
        joined = join_expression(p, joined, one);
    }
    return joined;
}

static void plan_block(planner *p)
{
    const gt_template_step *first = &p->parts->steps[0];
    for (uint32_t i = 0; i < p->template->axis_count; i++) {
        bool sets = p->template->axes[i].kind == GT_AXIS_CLUSTER;
        p->cluster = join_terms(p, p->cluster, sets ? p->terms->of_slot[GT_SLOT_AXIS + i] : -1);
    }
    for (uint32_t i = 0; i < 3; i++) {
        p->cluster = join_expression(p, p->cluster, first->cluster.items[i]);
        p->terms->of_slot[GT_SLOT_BLOCK + i] = join_expression(p, -1, first->block.items[i]);
        p->block = join_terms(p, p->block, p->terms->of_slot[GT_SLOT_BLOCK + i]);
    }
    p->block = join_words(p, p->block, "launch_bounds maxreg");
}

static void plan_shared(planner *p)
{
    const gt_expression *shared = p->parts->steps[0].shared;
    bool occupancy = needs_occupancy(p->parts);
    bool of_block = occupancy || gt_expression_uses_any(shared, GT_SLOT_BLOCK, 3);
    p->shared = join_terms(p, join_expression(p, -1, shared), of_block ? p->block : -1);
    p->shared = join_terms(p, p->shared, occupancy ? p->cluster : -1);
    add_launch(p, GT_SLOT_OCCUPANCY, p->shared);
    add_launch(p, GT_SLOT_OCCUPANCY + 1, p->shared);
}

static void plan_grid(planner *p)
{
    for (uint32_t i = 0; i < 3; i++) {
        const gt_expression *own = p->parts->steps[0].grid.items[i];
        bool of_block = gt_expression_uses_any(own, GT_SLOT_BLOCK, 3);
        p->grid[i] = join_expression(p, p->cluster, own);
        p->grid[i] = join_terms(p, p->grid[i], of_block ? p->block : -1);
        add_launch(p, GT_SLOT_GRID + (int)i, p->grid[i]);
    }
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

static void plan_cooperative(planner *p)
{
    const gt_expression *cooperative = p->parts->steps[0].cooperative;
    if (!cooperative) {
        return;
    }
    int term = join_terms(p, join_expression(p, -1, cooperative), p->shared);
    for (int i = 0; i < 3; i++) {
        term = join_terms(p, term, p->grid[i]);
    }
    add_filter(p, term, ORDER_COOPERATIVE, gt_binding_cooperative, 0);
}

static void plan_pipeline(planner *p)
{
    if (!p->parts->is_pipeline) {
        return;
    }
    /* values inside loops are known only late, so the filter depends on all tunables of the
     * loops */
    const bool has_loops = p->parts->has_loops;
    const uint64_t axes = has_loops ? gt_axes_of(p->parts, GT_WORDS_LAUNCHED) : 0;
    const int *terms = p->terms->of_slot;
    int joined = has_loops ? -1 : join_words(p, -1, GT_WORDS_LAUNCHED);
    for (uint32_t i = 0; i < p->template->axis_count; i++) {
        joined = join_terms(p, joined, axes >> i & 1 ? terms[GT_SLOT_AXIS + i] : -1);
        joined = join_terms(p, joined, axes >> i & 1 ? terms[GT_SLOT_AXIS_BYTES + i] : -1);
    }
    add_filter(p, joined, ORDER_STEPS, gt_binding_steps, 0);
}

static void plan_steps(planner *p)
{
    plan_block(p);
    plan_shared(p);
    plan_grid(p);
    const int carveout = join_kind(p, GT_AXIS_CARVEOUT);
    add_filter(p, p->cluster, ORDER_CLUSTER, gt_binding_cluster, 0);
    add_filter(p, p->block, ORDER_BLOCK, gt_binding_block, 0);
    add_filter(p, p->shared, ORDER_SHARED, gt_binding_shared, 0);
    add_filter(p, p->grid[0], ORDER_GRID, bind_grid_x, 0);
    add_filter(p, p->grid[1], ORDER_GRID, bind_grid_y, 0);
    add_filter(p, p->grid[2], ORDER_GRID, bind_grid_z, 0);
    add_filter(p, join_terms(p, carveout, carveout >= 0 ? p->shared : -1), ORDER_CARVEOUT,
               gt_binding_carveout, 0);
    if (p->parts->map_count > 0) {
        add_filter(p, join_words(p, -1, "tensormap"), ORDER_CARVEOUT, gt_binding_maps, 0);
    }
    if (p->template->pass_count >
        1) { /* checks all blocks together; block_values() checks each block */
        add_filter(p, join_kind(p, GT_AXIS_PASS), ORDER_CARVEOUT, gt_binding_blocks, 0);
    }
    plan_cooperative(p);
    plan_pipeline(p);
}

/* Adds a filter for each operand of && in a require(), because one operand may already exclude a
 * configuration. Leaves `spare` filters free. */
static void add_require(planner *p, int require, int at, int spare)
{
    const gt_expression *expression = p->parts->constraints[require];
    const bool plain =
        !gt_expression_uses_any(expression, GT_SLOT_BLOCK, GT_SLOT_WORD - GT_SLOT_BLOCK);
    const gt_instruction *step = &expression->code[at];
    if (step->operation == GT_DO_AND && p->space->filter_count + spare + 2 <= GT_FILTERS_MAX) {
        add_require(p, require, step->target, spare + 1);
        add_require(p, require, at - 1, spare);
    } else { /* filters on plain values are cheap, so they run first */
        add_filter(p, add_code(p, expression, at), plain ? ORDER_PLAIN : ORDER_LAUNCH, NULL,
                   require);
    }
}

static int compare_filters(const void *a, const void *b)
{
    const gt_filter *x = a, *y = b;
    int difference = x->depth - y->depth;
    difference = difference ? difference : x->order - y->order;
    difference = difference ? difference : x->require - y->require;
    return difference ? difference : x->term - y->term;
}

static int reason_against_residue(const gt_filter *filter, const gt_residue *left)
{
    return left->left == GT_LEFT_FAILED                  ? GT_REASON_FAILED + filter->require
           : left->left == GT_LEFT_VALUE && !left->value ? GT_REASON_REQUIRE + filter->require
                                                         : 0;
}

/* Applies a filter. The earlier filters on its axes must have run. Returns an exclusion reason or
 * 0. */
static int apply_filter(const gt_space *space, gt_binding *binding, const gt_filter *filter)
{
    if (filter->bind) {
        return (int)filter->bind(binding);
    }
    gt_residue left = gt_terms_evaluate(&space->terms, filter->term, binding->slots, filter->axes);
    return reason_against_residue(filter, &left);
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
    planner p = {space,         space->template, space->template->parts, &space->terms,
                 .cluster = -1, .block = -1,     .status = GPUTUNE_OK};
    memset(space->terms.of_slot, -1, sizeof space->terms.of_slot);
    for (int i = 0; i < 3; i++) { /* value of missing dimensions */
        space->base.slots[GT_SLOT_BLOCK + i] = 1;
    }
    add_axes(&p);
    plan_steps(&p);
    const int constraints = (int)p.parts->constraint_count;
    for (int i = 0; i < constraints; i++) {
        add_require(&p, i, p.parts->constraints[i]->count - 1, constraints - i);
    }
    GT_TRY(p.status);
    qsort(space->filters, (size_t)space->filter_count, sizeof *space->filters, compare_filters);
    list_filter(space);
    return GPUTUNE_OK;
}

int gt_filter_ahead(const gt_space *space, const gt_binding *binding, const gt_filter *filter,
                    uint32_t known, uint64_t *key)
{
    gt_residue left = gt_terms_evaluate(&space->terms, filter->term, binding->slots, known);
    *key = !filter->bind && left.left == GT_LEFT_VALUE ? 0 : left.key;
    return filter->bind ? 0 : reason_against_residue(filter, &left);
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
    gt_array_free(&space->terms.items);
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

/* Returns the reason that excludes a configuration, or 0. Changes space->probe. */
static int reason_against(gt_space *space, const gt_config *config)
{
    int reason = space->excludes_all;
    for (uint32_t i = 0; i < space->template->axis_count && !reason; i++) {
        uint32_t bit = UINT32_C(1) << i;
        reason = (int)gt_axis_limit(&space->base, space->workload, i, config->choice[i]);
        gt_slots_axis(space->probe.slots, space->template, i, config->choice[i]);
        reason = reason ? reason : gt_space_check(space, &space->probe, bit | (bit - 1), i);
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
    return !reason_against(space, config);
}

const char *gt_space_excludes(gt_space *space, const gt_config *config)
{
    int reason = reason_against(space, config);
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
