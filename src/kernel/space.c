#include "kernel/space_parts.h"

#include "kernel/types.h"

#include <stdlib.h>
#include <string.h>

static void count_combinations(gt_space *space)
{
    uint64_t product = 1;
    for (uint32_t i = space->template->axis_count; i-- > 0;) {
        space->below[i] = product;
        if (__builtin_mul_overflow(product, (uint64_t)space->counts[i], &product)) {
            product = UINT64_MAX;
        }
    }
}

uint64_t gt_space_combinations(const gt_space *space)
{
    uint64_t product;
    if (space->template->axis_count == 0) {
        return 1;
    }
    return __builtin_mul_overflow(space->below[0], (uint64_t)space->counts[0], &product)
               ? UINT64_MAX
               : product;
}

static gputune_status make_reasons(gt_space *space)
{
    const gt_template_parts *parts = space->template->parts;
    for (int i = 0; i < GT_LIMIT_COUNT; i++) {
        char text[96];
        gt_limit_text(text, sizeof text, (gt_limit)i, space->binding.device);
        GT_TRY(gt_strdup(&space->reasons[i], text));
    }
    for (uint32_t i = 0; i < parts->require_count; i++) {
        gt_text text = {0};
        gt_text_printf(&text, "require(%s)", gt_expression_text(parts->requires[i]));
        GT_TRY(gt_text_take(&space->reasons[GT_LIMIT_COUNT + i], &text));
    }
    return GPUTUNE_OK;
}

static gputune_status fill(gt_space *space, const char *const *only, size_t only_count)
{
    GT_TRY(gt_space_restrict(space, only, only_count));
    GT_TRY(make_reasons(space));
    count_combinations(space);
    gt_space_plan(space);
    for (uint32_t i = 0; i < space->template->axis_count; i++) {
        for (int v = 0; v < space->counts[i]; v++) {
            space->blocked[i][v] = (int)gt_space_value_limit(space, i, space->choices[i][v]);
        }
    }
    gt_space_rewind(space);
    return GPUTUNE_OK;
}

gputune_status gt_space_open(gt_space **out, const gt_template *template, const gt_problem *problem,
                             const gt_workload *workload, const gt_device *device,
                             const char *const *only, size_t only_count)
{
    gt_space *space = calloc(1, sizeof *space);
    if (!space) {
        return gt_fail_memory();
    }
    space->template = template;
    space->workload = workload;
    gt_binding_open(&space->binding, template, problem, device);
    gputune_status status = fill(space, only, only_count);
    if (status < 0) {
        gt_space_free(space);
        return status;
    }
    *out = space;
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
    free(space);
}

size_t gt_space_choices(const gt_space *space, uint32_t axis, const uint8_t **out)
{
    *out = space->choices[axis];
    return (size_t)space->counts[axis];
}

void gt_space_rewind(gt_space *space)
{
    space->started = space->finished = false;
    memset(space->cut, 0, sizeof space->cut);
}

/* The reason against what is decided at one depth, or 0. */
static int evaluate(gt_space *space, int depth)
{
    gt_binding *binding = &space->binding;
    for (int i = space->first_step[depth + 1]; i < space->first_step[depth + 2]; i++) {
        const gt_check_step *step = &space->steps[i];
        if (step->bind) {
            int limit = (int)step->bind(binding);
            if (limit) {
                return limit;
            }
            continue;
        }
        int64_t holds;
        const gt_expression *require = space->template->parts->requires[step->require];
        if (gt_expression_try(&holds, require, binding->slots) || !holds) {
            return GT_LIMIT_COUNT + step->require;
        }
    }
    return 0;
}

static void cut(gt_space *space, int reason, uint64_t count)
{
    uint64_t *total = &space->cut[reason];
    *total = *total > UINT64_MAX - count ? UINT64_MAX : *total + count;
}

/* Begins the walk; false when nothing can be valid, whatever the axes. */
static bool start(gt_space *space)
{
    space->started = true;
    int reason = evaluate(space, -1);
    if (reason) {
        cut(space, reason, gt_space_combinations(space));
        return false;
    }
    space->depth = 0;
    space->position[0] = -1;
    return true;
}

/* Takes the value at the current depth's position; 0 when nothing is against it. */
static int take(gt_space *space)
{
    int depth = space->depth, position = space->position[depth];
    if (space->blocked[depth][position]) {
        return space->blocked[depth][position];
    }
    gt_slots_axis(space->binding.slots, space->template, (uint32_t)depth,
                  space->choices[depth][position]);
    return evaluate(space, depth);
}

static void copy_config(gt_config *out, const gt_space *space)
{
    *out = (gt_config){{0}};
    for (uint32_t i = 0; i < space->template->axis_count; i++) {
        out->choice[i] = space->choices[i][space->position[i]];
    }
}

bool gt_space_next(gt_space *space, gt_config *out)
{
    int last = (int)space->template->axis_count - 1;
    bool first = !space->started;
    if (space->finished || (first && !start(space))) {
        space->finished = true;
        return false;
    }
    if (last < 0) {
        space->finished = true;
        *out = (gt_config){{0}};
        return true;
    }
    while (space->depth >= 0) {
        if (++space->position[space->depth] >= space->counts[space->depth]) {
            space->depth--;
            continue;
        }
        int reason = take(space);
        if (reason) {
            cut(space, reason, space->below[space->depth]);
        } else if (space->depth == last) {
            copy_config(out, space);
            return true;
        } else {
            space->position[++space->depth] = -1;
        }
    }
    space->finished = true;
    return false;
}

size_t gt_space_exclusions(const gt_space *space, const gt_exclusion_count **out)
{
    size_t count = 0;
    gt_space *own = (gt_space *)space; /* the list is made when it is asked for */
    for (int i = 0; i < GT_SPACE_REASONS; i++) {
        if (space->cut[i] > 0) {
            own->listed[count++] = (gt_exclusion_count){space->reasons[i], space->cut[i]};
        }
    }
    *out = space->listed;
    return count;
}

/* On a copy of the slots, so that a walk is not disturbed. */
static int reason_against(gt_space *space, const gt_config *config)
{
    int reason = evaluate(space, -1);
    for (uint32_t i = 0; i < space->template->axis_count && !reason; i++) {
        reason = (int)gt_space_value_limit(space, i, config->choice[i]);
        if (!reason) {
            gt_slots_axis(space->binding.slots, space->template, i, config->choice[i]);
            reason = evaluate(space, (int)i);
        }
    }
    return reason;
}

const char *gt_space_excludes(gt_space *space, const gt_config *config)
{
    const gt_binding saved = space->binding;
    int reason = reason_against(space, config);
    space->binding = saved;
    return reason ? space->reasons[reason] : NULL;
}

gt_hash gt_space_signature(const gt_space *space)
{
    const gt_template *template = space->template;
    gt_hash hash = template->parts->geometry;
    for (uint32_t i = 0; i < template->axis_count; i++) {
        const gt_axis *axis = &template->axes[i];
        const int64_t shape[2] = {(int64_t)axis->kind, space->counts[i]};
        hash = gt_hash_join(hash, gt_hash_string(axis->name));
        hash = gt_hash_join(hash, gt_hash_bytes(shape, sizeof shape));
        for (int v = 0; v < space->counts[i]; v++) {
            char value[GT_NAME_MAX];
            gt_value_text(value, sizeof value, &axis->values[space->choices[i][v]]);
            hash = gt_hash_join(hash, gt_hash_string(value));
        }
    }
    for (uint32_t i = 0; i < template->parts->require_count; i++) {
        hash = gt_hash_join(hash, gt_hash_string(space->reasons[GT_LIMIT_COUNT + i]));
    }
    return hash;
}
