/* The values of axes: their texts, and those that users add. For src/kernel only. */
#pragma once

#include "kernel/template.h"

/* The template's own copy of a word and the number that expressions see; EINVAL when there are too
 * many. Thread-safe. */
gputune_status gt_template_word(gt_value *out, const gt_template *template, const char *word);
/* The index of a value of an axis. One that the axis lacks is added when `add` is set and the
 * axis's kind takes it. EINVAL names the values that can be given. Thread-safe. */
gputune_status gt_axis_choice(uint8_t *out, const gt_template *template, uint32_t axis,
                              const char *text, bool add);
/* What an axis takes that does not take this value ("1, 2, 4 or 8"), or NULL when it does. */
const char *gt_axis_refuses(const gt_axis *axis, const gt_value *value);
/* A value as text ("4", "half", "auto") into `out` of `bytes`. */
void gt_value_text(char *out, size_t bytes, const gt_value *value);
