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
/* Writes a configuration as text, "VEC=4 BLOCK=256 coeffs=value CARVEOUT=auto", in the axes' order.
 * *out is the caller's to free(). ENOMEM. */
gputune_status gt_config_text(char **out, const gt_template *template, const gt_config *config);
/* Parses such a text, in which blanks or commas separate the axes; an axis that is missing keeps
 * its default. EINVAL, with the nearest axis or the axis's values, for an unknown axis or value. */
gputune_status gt_config_parse(gt_config *out, const gt_template *template, const char *text);
/* A configuration that launches safely with any alignment of the buffers and does the same work as
 * `config`: the default, with every vector axis at its narrowest value, and with the values of
 * `config` for the axes that work() uses. */
gt_config gt_config_scalar(const gt_template *template, const gt_config *config);
/* Returns whether `config` is as safe as `scalar` at every alignment, and does the same work. */
bool gt_config_is_as_safe(const gt_template *template, const gt_config *config,
                          const gt_config *scalar);
