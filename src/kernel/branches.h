/* Leaves out of a text what its #if do, as far as they can be told. */
#pragma once

#include "kernel/lexer.h"

/* What a name is that the text gives no value to. */
typedef enum gt_meaning {
    GT_UNDEFINED,
    GT_OPEN, /* one of several: a condition on it leaves nothing out; the text's own do not count */
    GT_VALUED
} gt_meaning;

typedef gt_meaning (*gt_meaning_fn)(const void *user, const gt_token *name, int64_t *value);

/* A copy of `text` in which what conditions leave out is blank, and so are their directives where
 * all of an #if can be told; lines keep their numbers. *out is the caller's to free(). ENOMEM. */
gputune_status gt_branches_cut(char **out, const char *text, gt_meaning_fn meaning,
                               const void *user);
