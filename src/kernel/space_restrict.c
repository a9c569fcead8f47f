/* Which values of each axis a space covers, and what the engine has against one by itself. */
#include "kernel/axis_kind.h"
#include "kernel/space_parts.h"

#include "kernel/types.h"

#include <stdlib.h>
#include <string.h>

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

static gputune_status apply(gt_space *space, bool given[GT_AXIS_MAX], const char *only)
{
    char *copy, *name;
    uint32_t axis;
    GT_TRY(gt_strdup(&copy, only));
    name = copy + strspn(copy, " \t");
    char *equals = strchr(name, '=');
    gputune_status status =
        equals
            ? GPUTUNE_OK
            : gt_fail(GPUTUNE_EINVAL, "'%s' is not a restriction; expected AXIS=value,value", only);
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
