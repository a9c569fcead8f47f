/* Follows the #if of a text, and blanks the lines that are surely left out. */
#pragma once

#include "kernel/text/lexer.h"

/* The truth of a condition. The order matters: && is the smaller of two truths, || the larger. */
typedef enum gt_truth { GT_NEVER, GT_PERHAPS, GT_SURELY } gt_truth;

/* Returns whether a macro of that name is defined. */
typedef gt_truth (*gt_defined_fn)(const void *user, const gt_token *name);

/* Returns whether a term without && and || is true. The lexer covers only the term. */
typedef gt_truth (*gt_term_fn)(const void *user, gt_lexer term);

enum { GT_CONDITIONS_MAX = 64 };

typedef struct gt_conditions {
    gt_truth now; /* whether the current line is compiled */
    gt_defined_fn defined;
    gt_term_fn term; /* NULL: every term is GT_PERHAPS */
    const void *user;
    struct {
        /* The truth of the code around the #if; and of its branches so far. */
        gt_truth outside, taken;
    } open[GT_CONDITIONS_MAX];
    unsigned depth;
} gt_conditions;

/* Begins a text, outside of every condition. */
void gt_conditions_open(gt_conditions *conditions, gt_defined_fn defined, gt_term_fn term,
                        const void *user);
/* Reads a directive, from after its '#' on; only conditions change anything. */
void gt_conditions_read(gt_conditions *conditions, gt_lexer line);

/* Replaces a part of a text by blanks; lines keep their numbers. */
void gt_blank(char *text, size_t begin, size_t end);

/* The knowledge about a name that the text itself does not define as a macro. */
typedef enum gt_meaning {
    GT_UNDEFINED, /* no macro */
    GT_UNKNOWN,   /* perhaps a macro: what is not read may define it */
    GT_OPEN,      /* a macro with one of several values: conditions on it leave nothing out */
    GT_VALUED     /* a macro with one known value */
} gt_meaning;

/* Returns what a name is; sets *value if it is GT_VALUED. */
typedef gt_meaning (*gt_meaning_fn)(const void *user, const gt_token *name, int64_t *value);

/* Copies `text` and blanks the lines that conditions leave out, and the directives of an #if if all
 * its conditions are known. Lines keep their numbers. The caller frees *out. ENOMEM. */
gputune_status gt_branches_cut(char **out, const char *text, gt_meaning_fn meaning,
                               const void *user);
