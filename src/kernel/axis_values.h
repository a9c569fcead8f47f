/* The values of axes: their texts, and values that users add to a template. For src/kernel only. */
#pragma once

#include "kernel/template.h"

#include "base/text.h"

/* Sets *out to a word value: the template's own copy of the word, and the number that expressions
 * see. EINVAL: the template has too many words already. Thread-safe. */
gputune_status gt_template_word(gt_value *out, const gt_template *template, const char *word);
/* Sets *out to the index of the value `text` of an axis. If the axis lacks the value, `add` is set
 * and the axis's kind takes it, the value is added. EINVAL, which names the possible values, for
 * any other text. Thread-safe. */
gputune_status gt_axis_choice(uint8_t *out, const gt_template *template, uint32_t axis,
                              const char *text, bool add);
/* NULL if the axis takes the value; else the values that it takes, for a message: "1, 2, 4 or 8".
 */
const char *gt_axis_refuses(const gt_axis *axis, const gt_value *value);
/* Writes a value as text ("4", "half", "auto") to `out`, which has room for `bytes`. */
void gt_value_text(char *out, size_t bytes, const gt_value *value);
/* Appends the texts of several values: "1, 2, 4". */
void gt_values_append(gt_text *out, const gt_value *values, uint32_t count);
