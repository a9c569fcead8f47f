/* Configurations: one value for each axis of a template. */
#pragma once

#include "kernel/template/template.h"

#include "base/text.h"

/* For each axis of the template, an index into its values. */
typedef struct gt_config {
    uint8_t choice[GT_AXIS_MAX];
} gt_config;

/* Appends a value of an axis as templates write it: "4", "float", "value", "auto". */
void gt_axis_value_append(gt_text *text, const gt_axis *axis, uint32_t choice);
/* Returns the template's default configuration. */
gt_config gt_config_default(const gt_template *template);
/* Writes "VEC=4 BLOCK=256 coeffs=value" in the axes' order. The caller frees *out. ENOMEM. */
gputune_status gt_config_text(char **out, const gt_template *template, const gt_config *config);
/* Splits "AXIS=value" in place, and sets given[*axis]. EINVAL for other texts, an unknown axis, or
 * one that is given already. */
gputune_status gt_setting_split(uint32_t *axis, char **value, bool given[GT_AXIS_MAX],
                                const gt_template *template, char *setting);
/* Parses such a text, in which blanks or commas separate the axes. Missing axes keep their default.
 * If `add`, adds values that the template lacks and the axis allows. EINVAL for an unknown axis,
 * with the nearest name, or an unknown value, with the known ones. */
gputune_status gt_config_parse(gt_config *out, const gt_template *template, const char *text,
                               bool add);
/* Returns the configuration for buffers of any alignment: the default with the narrowest vectors,
 * but with those axes of `config` that the work depends on. */
gt_config gt_config_scalar(const gt_template *template, const gt_config *config);
/* Returns true if `config` works at every alignment like `scalar`, and does the same work. */
bool gt_config_is_as_safe(const gt_template *template, const gt_config *config,
                          const gt_config *scalar);
