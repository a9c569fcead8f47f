/* Settings that are expressions, and the table of those of kernels. Settings of a launch are
 * clauses of a template with one kernel, or words in launch(); other settings say how the code is
 * compiled. Parsing and identities go through this table. */
#pragma once

#include "kernel/template_parts.h"

typedef struct gt_setting {
    const char *word;
    size_t offset; /* of the setting's member in its struct, which is gt_template_step, or
                      gt_template_parts if in_source: a gt_dimensions if `most` is 3, else `most`
                      expressions */
    uint32_t most; /* expressions that the setting takes; 0: none, but arguments */
    unsigned clause_use, launch_use; /* the GT_USE_ bits (symbols.h) of the setting as a clause of
                                        its own, and in launch(); 0: it cannot stand there */
    bool in_source;                  /* it says how the code of all steps is compiled */
    bool is_real;                    /* its expressions may be floating */
} gt_setting;

enum { GT_SETTINGS_OF_LAUNCH = 9 };
/* The setting at `index`, in the order in which messages name them: first those of launch(), then
 * those that are `in_source`, each a clause that may be given once; NULL behind the last. */
const gt_setting *gt_setting_at(uint32_t index);
