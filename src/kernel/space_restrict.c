/* Which values of each axis a space covers, and what the engine has against one by itself. */
#include "kernel/space_parts.h"

#include "kernel/types.h"

#include <stdlib.h>
#include <string.h>

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
        return gt_vector_limit(space->template, space->workload, space->base.device, axis, value);
    }
    if (a->kind != GT_AXIS_PASS) {
        return GT_LIMIT_NONE;
    }
    gt_limit limit = gt_pass_layout_make(&layout, &space->base, (gt_pass)value);
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
