/* Configurations: one value for each axis of a template. */
#pragma once

#include "kernel/template/template.h"

#include "base/text.h"

/* A configuration: for each axis of the template, an index into its values. */
typedef struct gt_config {
    uint8_t choice[GT_AXIS_MAX];
} gt_config;

/* Appends a value of an axis as templates write it: "4", "float", "value", "auto". */
void gt_axis_value_append(gt_text *text, const gt_axis *axis, uint32_t choice);
/* Returns the template's default configuration. */
gt_config gt_config_default(const gt_template *template);
/* Sets *out to "VEC=4 BLOCK=256 coeffs=value", in the order of the axes. The caller frees *out.
 * ENOMEM. */
gputune_status gt_config_text(char **out, const gt_template *template, const gt_config *config);
/* Splits "AXIS=value" in place. Sets *axis and *value, and given[*axis] to true. EINVAL for other
 * texts, for an unknown axis, and for an axis that was already given. */
gputune_status gt_setting_split(uint32_t *axis, char **value, bool given[GT_AXIS_MAX],
                                const gt_template *template, char *setting);
/* Parses the text of a configuration, in which blanks or commas separate the axes. Missing axes
 * keep their default. If `add`, adds values that the template lacks and the axis allows. EINVAL for
 * an unknown axis, with the nearest name, or for an unknown value, with the known values. */
gputune_status gt_config_parse(gt_config *out, const gt_template *template, const char *text,
                               bool add);
/* Returns the configuration for buffers of any alignment: the default with the narrowest vectors.
 * Axes on which the work depends have their value in `config`. */
gt_config gt_config_scalar(const gt_template *template, const gt_config *config);
/* Returns true if `config` works at every alignment, as `scalar` does, and does the same work as
 * `scalar`. */
bool gt_config_is_as_safe(const gt_template *template, const gt_config *config,
                          const gt_config *scalar);
