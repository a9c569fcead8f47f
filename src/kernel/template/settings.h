/* Settings that are expressions, and the table of those of kernels. Settings of a launch are
 * clauses of a template with one kernel, or words in launch(); other settings say how the code is
 * compiled. Parsing and identities go through this table. */
#pragma once

#include "kernel/template/declared.h"

typedef struct gt_setting {
    const char *word;
    size_t offset; /* of the setting's member in its struct, which is gt_template_step, or
                      gt_template_parts if in_source: a gt_dimensions if `most` is 3 or more, else
                      `most` expressions; with `words` and without expressions, a word's index */
    uint32_t most; /* expressions that the setting takes; 0: none, but a word or arguments */
    unsigned clause_use, launch_use; /* the GT_USE_ bits (symbols.h) of the setting as a clause of
                                        its own, and behind NAME =; 0: it cannot stand there */
    bool in_source;                  /* it says how the code of all steps is compiled */
    bool is_real;                    /* its expressions may be floating */
    const char *words; /* those that it takes, or the numbers, of which one that stands alone must
                          be one; NULL: any */
    const char *expected; /* the words, for messages */
} gt_setting;

/* Settings that a clause may have, `NAME = …`. */
typedef struct gt_settings {
    const gt_setting *items;
    uint32_t count;
    const char *example; /* for messages: "a setting such as block = 256" */
} gt_settings;

enum { GT_SETTINGS_OF_LAUNCH = 9, GT_SETTINGS = 11 };
/* All settings of kernels, in the order in which messages name them: first those of launch(), then
 * those that are `in_source`, each a clause that may be given once. */
extern const gt_setting gt_kernel_settings[GT_SETTINGS];
/* Those of launch(). */
extern const gt_settings gt_launch_settings;
