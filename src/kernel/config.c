/* Configurations as text, and the default one. */
#include "kernel/space.h"

#include "kernel/axis_kind.h"
#include "kernel/template_parts.h"
#include "kernel/types.h"

#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

gt_config gt_config_default(const gt_template *template)
{
    gt_config config = {{0}};
    for (uint32_t i = 0; i < template->axis_count; i++) {
        config.choice[i] = (uint8_t) template->axes[i].default_choice;
    }
    return config;
}

void gt_axis_value_append(gt_text *text, const gt_axis *axis, uint32_t choice)
{
    gt_text_append(text, GT_TEXT_OF_VALUE(&axis->values[choice]));
}

gputune_status gt_config_text(char **out, const gt_template *template, const gt_config *config)
{
    gt_text text = {0};
    for (uint32_t i = 0; i < template->axis_count; i++) {
        gt_text_printf(&text, "%s%s=", i ? " " : "", template->axes[i].name);
        gt_axis_value_append(&text, &template->axes[i], config->choice[i]);
    }
    return gt_text_take(out, &text);
}

gputune_status gt_axis_by_name(uint32_t *out, const gt_template *template, const char *name)
{
    int index = gt_template_axis_index(template, name);
    if (index >= 0) {
        *out = (uint32_t)index;
        return GPUTUNE_OK;
    }
    GT_REFUSE(template->axis_count == 0, GPUTUNE_EINVAL,
              "%s has no axis '%s'; it has no tunables at all", template->name, name);
    gt_near near = gt_near_to(name);
    gt_near_items(&near, template->axes, template->axis_count);
    GT_REFUSE(near.name[0], GPUTUNE_EINVAL, "%s has no axis '%s'; expected '%s'", template->name,
              name, near.name);
    GT_SCOPED(gt_text_free) gt_text list = {0};
    for (uint32_t i = 0; i < template->axis_count; i++) {
        gt_text_printf(&list, "%s%s", i ? ", " : "", template->axes[i].name);
    }
    return gt_fail(GPUTUNE_EINVAL, "%s has no axis '%s'; expected one of %s", template->name, name,
                   gt_text_string(&list));
}

/* "NAME=VALUE", which is split in place. */
static gputune_status apply(gt_config *config, bool given[GT_AXIS_MAX], const gt_template *template,
                            char *setting)
{
    char *value = strchr(setting, '=');
    uint32_t axis = 0;
    GT_REFUSE(!value || value == setting || !value[1], GPUTUNE_EINVAL,
              "'%s' is not a setting; expected AXIS=value", setting);
    *value++ = '\0';
    GT_TRY(gt_axis_by_name(&axis, template, setting));
    GT_REFUSE(given[axis], GPUTUNE_EINVAL, "axis '%s' given twice; expected it once", setting);
    given[axis] = true;
    return gt_axis_choice(&config->choice[axis], template, axis, value, true);
}

/* The end of the setting at `at`. A setting goes on over blanks until another "NAME=" or a comma,
 * so that values of several words need no quotes. */
static char *setting_end(char *at)
{
    char *end = at;
    for (;;) {
        end += strcspn(end, " \t\n,");
        char *next = end + strspn(end, " \t\n");
        size_t word = strcspn(next, " \t\n,=");
        if (*next == '\0' || *next == ',' || word == 0 || next[word] == '=') {
            return end;
        }
        end = next;
    }
}

static gputune_status parse_settings(gt_config *config, const gt_template *template, char *text)
{
    bool given[GT_AXIS_MAX] = {false};
    static const char blanks[] = " \t\n,";
    for (char *at = text + strspn(text, blanks); *at;) {
        char *end = setting_end(at);
        char *next = end + strspn(end, blanks);
        *end = '\0';
        GT_TRY(apply(config, given, template, at));
        at = next;
    }
    return GPUTUNE_OK;
}

gputune_status gt_config_parse(gt_config *out, const gt_template *template, const char *text)
{
    GT_FREED char *copy = NULL;
    gt_config config = gt_config_default(template);
    GT_TRY(gt_strdup(&copy, text));
    GT_TRY(parse_settings(&config, template, copy));
    *out = config;
    return GPUTUNE_OK;
}

gt_config gt_config_scalar(const gt_template *template, const gt_config *config)
{
    gt_config scalar = gt_config_default(template);
    for (uint32_t i = 0; i < template->axis_count; i++) {
        const gt_axis *axis = &template->axes[i];
        if (template->work.axes >> i & 1) {
            scalar.choice[i] = config->choice[i];
        }
        bool aligned = gt_axis_traits_of(axis->kind)->aligned;
        for (uint32_t v = 0; v < axis->count && aligned; v++) {
            if (axis->values[v].number < axis->values[scalar.choice[i]].number) {
                scalar.choice[i] = (uint8_t)v;
            }
        }
    }
    return scalar;
}

bool gt_config_is_as_safe(const gt_template *template, const gt_config *config,
                          const gt_config *scalar)
{
    bool safe = true;
    for (uint32_t i = 0; i < template->axis_count; i++) {
        bool matters =
            gt_axis_traits_of(template->axes[i].kind)->aligned || (template->work.axes >> i & 1);
        safe = safe && (!matters || config->choice[i] == scalar->choice[i]);
    }
    return safe;
}
