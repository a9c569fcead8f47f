/* A configuration consists of one value for each axis of a template. */
#pragma once

#include "kernel/template/template.h"

#include "base/text.h"

/* A configuration, as an index into the values of each axis. */
typedef struct gt_config {
    uint8_t choice[GT_AXIS_MAX];
} gt_config;

/* Appends a value as it is written in a template: "4", "float", "value", "auto". */
void gt_axis_value_append(gt_text *text, const gt_axis *axis, uint32_t choice);
gt_config gt_config_default(const gt_template *template);
/* Sets *out to a text such as "VEC=4 BLOCK=256". The caller frees *out. May return ENOMEM. */
gputune_status gt_config_text(char **out, const gt_template *template, const gt_config *config);
/* Splits the text "AXIS=value" in place. Sets *axis, *value and given[*axis]. EINVAL if the text is
 * not a setting, if the axis is unknown, or if given[*axis] was already set. */
gputune_status gt_setting_split(uint32_t *axis, char **value, bool given[GT_AXIS_MAX],
                                const gt_template *template, char *setting);
/* Parses settings "AXIS=value", which are separated by blanks or commas. Other axes keep their
 * default. If `add`, adds new values to the template if their axis allows them. EINVAL for an
 * unknown axis or value. The message contains a similar name or the known values. */
gputune_status gt_config_parse(gt_config *out, const gt_template *template, const char *text,
                               bool add);
/* Returns a configuration that works for buffers with any alignment: the default with the narrowest
 * vectors. Axes that affect the work have the values of `config`. */
gt_config gt_config_scalar(const gt_template *template, const gt_config *config);
/* Returns true if `config` does the same work as `scalar` and does not need more alignment. */
bool gt_config_is_as_safe(const gt_template *template, const gt_config *config,
                          const gt_config *scalar);
