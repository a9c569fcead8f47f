/* Evaluates the #if directives of a text and blanks lines that are certainly disabled. */
#pragma once

#include "kernel/text/lexer.h"

/* The truth value of a condition. && takes the smaller of two values, and || takes the larger. */
typedef enum gt_truth { GT_NEVER, GT_PERHAPS, GT_SURELY } gt_truth;

/* Returns whether a macro of this name is defined. */
typedef gt_truth (*gt_defined_fn)(const void *user, const gt_token *name);

/* Evaluates a term that contains no && or ||. The lexer ends where the term ends. */
typedef gt_truth (*gt_term_fn)(const void *user, gt_lexer term);

enum { GT_CONDITIONS_MAX = 64 }; /* maximum depth of #ifs whose conditions are evaluated */

typedef struct gt_conditions {
    gt_truth now; /* whether the current line is compiled */
    gt_defined_fn defined;
    gt_term_fn term; /* evaluates a term; if NULL, the value of every term is unknown */
    const void *user;
    struct {
        /* whether the code around the #if is compiled, and whether any branch so far is compiled */
        gt_truth outside, taken;
    } open[GT_CONDITIONS_MAX + 1];
    unsigned depth;
} gt_conditions;

/* Starts at the beginning of a text, where no #if is open. */
void gt_conditions_open(gt_conditions *conditions, gt_defined_fn defined, gt_term_fn term,
                        const void *user);
/* Reads a directive, starting after its '#'. Ignores directives other than conditions. */
void gt_conditions_read(gt_conditions *conditions, gt_lexer line);

/* Replaces a part of a text by blanks and keeps its newlines. */
void gt_blank(char *text, size_t begin, size_t end);

/* The state of a name that the text itself does not define. */
typedef enum gt_meaning {
    GT_UNDEFINED, /* not a macro */
    GT_UNKNOWN,   /* perhaps a macro of a file that was not read */
    GT_OPEN,      /* a macro whose value varies; conditions that use it are kept */
    GT_VALUED     /* a macro with a known value */
} gt_meaning;

/* Returns the state of a name. For GT_VALUED, sets *value to the macro's value. */
typedef gt_meaning (*gt_meaning_fn)(const void *user, const gt_token *name, int64_t *value);

/* Copies `text` to *out and blanks the disabled lines. If all conditions of an #if are known, also
 * blanks its directives. Line numbers do not change. The caller frees *out. May return ENOMEM. */
gputune_status gt_branches_cut(char **out, const char *text, gt_meaning_fn meaning,
                               const void *user);
