/* Configurations: a choice for each axis of a template. */
#pragma once

#include "kernel/template/template.h"

#include "base/text.h"

/* For each axis of the template, the index of one of its values. */
typedef struct gt_config {
    uint8_t choice[GT_AXIS_MAX];
} gt_config;

/* Appends one value of an axis as templates write it: "4", "float", "value", "auto". */
void gt_axis_value_append(gt_text *text, const gt_axis *axis, uint32_t choice);
/* The template's default configuration. */
gt_config gt_config_default(const gt_template *template);
/* Writes "VEC=4 BLOCK=256 coeffs=value", in the axes' order. The caller frees *out. ENOMEM. */
gputune_status gt_config_text(char **out, const gt_template *template, const gt_config *config);
/* Parses such a text, with blanks or commas between the axes; a missing axis keeps its default.
 * EINVAL, with the nearest axis or the axis's values, for an unknown axis or value. */
gputune_status gt_config_parse(gt_config *out, const gt_template *template, const char *text);
/* Returns the default with the narrowest vectors, for any alignment, and work() as `config`. */
gt_config gt_config_scalar(const gt_template *template, const gt_config *config);
/* Returns whether `config` is as safe as `scalar` at every alignment, and does the same work. */
bool gt_config_is_as_safe(const gt_template *template, const gt_config *config,
                          const gt_config *scalar);
