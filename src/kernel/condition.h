/* Which lines of a text its #if, #ifdef and #else leave, as far as the text itself tells. */
#pragma once

#include "kernel/lexer.h"

/* Verdicts can be joined by the smaller and the larger of two. */
typedef enum gt_verdict { GT_NEVER, GT_PERHAPS, GT_SURELY } gt_verdict;

/* Whether a macro of that name is defined. */
typedef gt_verdict (*gt_defined_fn)(const void *user, const gt_token *name);

/* What a term without && and || comes to: a comparison, a sum or a macro. The lexer ends with it.
 */
typedef gt_verdict (*gt_term_fn)(const void *user, gt_lexer term);

enum { GT_CONDITIONS_MAX = 64 };

typedef struct gt_conditions {
    gt_verdict now; /* whether the current line is compiled */
    gt_defined_fn defined;
    gt_term_fn term; /* NULL: it is not known */
    const void *user;
    struct {
        gt_verdict outside, taken; /* around the #if; whether one of its branches was */
    } open[GT_CONDITIONS_MAX];
    unsigned depth;
} gt_conditions;

/* Begins outside of every condition. */
void gt_conditions_open(gt_conditions *conditions, gt_defined_fn defined, gt_term_fn term,
                        const void *user);
/* Reads what follows the '#' of a directive; `line` is copied. A directive that is no condition
 * changes nothing. */
void gt_conditions_read(gt_conditions *conditions, gt_lexer line);
