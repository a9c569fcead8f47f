/* The settings of a launch that are expressions: clauses of a template with one kernel, or words in
 * launch(); and those that say how its code is compiled. A table that parsing, freeing, spaces and
 * identities go through. */
#pragma once

#include "kernel/template_parts.h"

typedef struct gt_setting {
    const char *word;
    size_t offset; /* in gt_template_step, or where `in_source` in gt_template_parts: of a
                      gt_dimensions where `most` is 3, else of as many expressions */
    uint32_t most;
    unsigned clause_use, launch_use; /* what it may use (symbols.h) as a clause of its own, and in
                                        launch(); 0: there is none such */
    bool in_source;                  /* it says how code is compiled, that of all steps */
} gt_setting;

/* The setting of that index, in the order in which messages name them; NULL behind the last. */
const gt_setting *gt_setting_at(uint32_t index);
/* The same of those that are `in_source`, each a clause that may be given once. */
const gt_setting *gt_setting_in_source(uint32_t index);
/* Where its expressions are; those that were not given are NULL. */
gt_expression **gt_setting_values(const gt_setting *setting, gt_template_parts *parts,
                                  gt_template_step *step);
/* Calls `use` with the expressions of all settings that are `in_source`; or with those of all
 * steps, and of their loops and arguments. */
void gt_settings_visit(const gt_template_parts *parts, bool in_source,
                       void (*use)(void *user, const gt_expression *expression), void *user);
/* Bit i: one of these uses axis i. */
uint64_t gt_settings_axes(const gt_template_parts *parts, bool in_source);
