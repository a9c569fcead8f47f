/* A space as a whole: opening it, which values it covers, and what it says of one configuration. */
#include "kernel/space_parts.h"

#include "kernel/axis_kind.h"
#include "kernel/types.h"

#include <stdlib.h>
#include <string.h>

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
    for (uint32_t i = 0; i < parts->require_count; i++) {
        gt_text text = {0};
        gt_text_printf(&text, "require(%s)", parts->requires[i] -> text);
        GT_TRY(gt_text_take(&space->reasons[GT_REASON_REQUIRE + i], &text));
        gt_text_printf(&text, "require(%s): division by zero or overflow",
                       parts->requires[i] -> text);
        GT_TRY(gt_text_take(&space->reasons[GT_REASON_FAILED + i], &text));
    }
    return GPUTUNE_OK;
}

gt_limit gt_space_value_limit(const gt_space *space, uint32_t axis, uint8_t choice)
{
    const gt_axis_traits *traits = gt_axis_traits_of(space->template->axes[axis].kind);
    return traits->limit ? traits->limit(&space->base, space->workload, axis, choice)
                         : GT_LIMIT_NONE;
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

static gputune_status restrict_one(gt_space *space, bool given[GT_AXIS_MAX], const char *only)
{
    GT_FREED char *copy = NULL;
    uint32_t axis;
    GT_TRY(gt_strdup(&copy, only));
    char *name = copy + strspn(copy, " \t"), *equals = strchr(name, '=');
    GT_REFUSE(!equals, GPUTUNE_EINVAL, "'%s' is not a restriction; expected AXIS=value,value",
              only);
    *equals = '\0';
    name[strcspn(name, " \t")] = '\0';
    GT_TRY(gt_axis_by_name(&axis, space->template, name));
    GT_REFUSE(given[axis], GPUTUNE_EINVAL, "axis '%s' restricted twice; expected it once", name);
    given[axis] = true;
    return restrict_axis(space, axis, equals + 1);
}

/* Fills `choices` from the template's values and the restrictions. EINVAL as for gt_space_open().
 */
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

gputune_status gt_space_open(gt_space **out, const gt_template *template, const gt_problem *problem,
                             const gt_workload *workload, const gt_device *device,
                             const char *const *only, size_t only_count)
{
    gt_space *space = calloc(1, sizeof *space);
    GT_TRY(gt_allocated(space));
    space->template = template;
    space->workload = workload;
    gt_binding_open(&space->base, template, problem, device);
    gputune_status status = restrict_all(space, only, only_count);
    GT_THEN(status, make_reasons(space));
    GT_THEN(status, gt_space_plan(space));
    if (status == GPUTUNE_OK) {
        gt_space_block(space);
        gt_space_group(space);
        space->probe = space->base;
    }
    return GT_GIVE(status, out, space, gt_space_free(space));
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
        gt_diagram_free(&space->groups[g].walked);
        gt_diagram_free(&space->groups[g].better);
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

int gt_space_reason(gt_space *space, const gt_config *config)
{
    int reason = space->hopeless;
    for (uint32_t i = 0; i < space->template->axis_count && !reason; i++) {
        uint32_t bit = UINT32_C(1) << i;
        reason = (int)gt_space_value_limit(space, i, config->choice[i]);
        gt_slots_axis(space->probe.slots, space->template, i, config->choice[i]);
        reason = reason ? reason : gt_space_check(space, &space->probe, bit | (bit - 1), i, NULL);
    }
    return reason;
}

const char *gt_space_excludes(gt_space *space, const gt_config *config)
{
    int reason = gt_space_reason(space, config);
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

/* Says what excludes the most combinations, the largest first. */
static gputune_status refuse(gt_space *space)
{
    enum { MOST = 4 };
    const gt_exclusion_count *list;
    size_t count = gt_space_exclusions(space, &list);
    GT_SCOPED(gt_text_free) gt_text text = {0};
    bool told[GT_SPACE_REASONS] = {false};
    for (size_t n = 0; n < count && n < MOST; n++) {
        size_t best = count;
        for (size_t i = 0; i < count; i++) {
            best = !told[i] && (best == count || list[i].count > list[best].count) ? i : best;
        }
        told[best] = true;
        gt_text_printf(&text, "%s%s (%llu)", n ? "; " : "", list[best].reason,
                       (unsigned long long)list[best].count);
    }
    return gt_fail(GPUTUNE_ENOVARIANT,
                   "%s: no configuration of %llu is possible at these sizes on this GPU; excluded "
                   "by: %s%s",
                   space->template->name, (unsigned long long)gt_space_combinations(space),
                   gt_text_string(&text), count > MOST ? "; and more" : "");
}

gputune_status gt_space_require_any(gt_space *space)
{
    GT_TRY(gt_space_prepare(space));
    return gt_space_count(space).count ? GPUTUNE_OK : refuse(space);
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
    for (uint32_t i = 0; i < template->parts->require_count; i++) {
        hash = gt_hash_join(hash, gt_hash_string(space->reasons[GT_REASON_REQUIRE + i]));
    }
    return hash;
}
