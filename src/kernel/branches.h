/* Blanks the lines of a text that its own #if leave out, as far as the conditions can be decided.
 */
#pragma once

#include "kernel/lexer.h"

/* Replaces a part of a text by blanks; lines keep their numbers. */
void gt_blank(char *text, size_t begin, size_t end);

/* What is known of a name that the text itself does not define as a macro. */
typedef enum gt_meaning {
    GT_UNDEFINED, /* no macro */
    GT_OPEN,  /* a macro with one of several values: a condition on it leaves nothing out, whatever
                 the text defines it as */
    GT_VALUED /* a macro with one known value */
} gt_meaning;

/* Says what a name is; sets *value if it is GT_VALUED. */
typedef gt_meaning (*gt_meaning_fn)(const void *user, const gt_token *name, int64_t *value);

/* Copies `text` and blanks the lines that conditions leave out. The directives of an #if are
 * blanked too if all its conditions can be decided. Lines keep their numbers. *out is the caller's
 * to free(). ENOMEM. */
gputune_status gt_branches_cut(char **out, const char *text, gt_meaning_fn meaning,
                               const void *user);
