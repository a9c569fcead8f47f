/* Configurations: one value for each axis of a template. */
#pragma once

#include "kernel/template/template.h"

#include "base/text.h"

/* A configuration: for each axis of the template, an index into its values. */
typedef struct gt_config {
    uint8_t choice[GT_AXIS_MAX];
} gt_config;

/* Appends an axis value in template syntax: "4", "float", "value", "auto". */
void gt_axis_value_append(gt_text *text, const gt_axis *axis, uint32_t choice);
gt_config gt_config_default(const gt_template *template);
/* Sets *out to a text such as "VEC=4 BLOCK=256 coeffs=value". The caller frees *out. ENOMEM. */
gputune_status gt_config_text(char **out, const gt_template *template, const gt_config *config);
/* Splits "AXIS=value" in place. Sets *axis, *value and given[*axis]. EINVAL for other texts, for an
 * unknown axis, and for an axis already in `given`. */
gputune_status gt_setting_split(uint32_t *axis, char **value, bool given[GT_AXIS_MAX],
                                const gt_template *template, char *setting);
/* Parses settings "AXIS=value" that blanks or commas separate. Missing axes keep their default. If
 * `add`, adds new values to the template if the axis allows them. EINVAL for an unknown axis or
 * value; the message names the nearest axis or the known values. */
gputune_status gt_config_parse(gt_config *out, const gt_template *template, const char *text,
                               bool add);
/* Returns a configuration for buffers of any alignment: the default with the narrowest vectors.
 * Axes that affect the work are copied from `config`. */
gt_config gt_config_scalar(const gt_template *template, const gt_config *config);
/* Returns true if `config` needs no more alignment than `scalar` and does the same work. */
bool gt_config_is_as_safe(const gt_template *template, const gt_config *config,
                          const gt_config *scalar);
