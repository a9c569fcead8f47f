/* Which parts of a text its #if leave out, as far as they can be told. */
#pragma once

#include "kernel/lexer.h"

#include "base/array.h"

typedef struct gt_left_out {
    const char *begin, *end;
} gt_left_out;

typedef GT_ARRAY(gt_left_out) gt_branches;

/* Reads the directives of `text`. The compiler is nvcc, which no option gives a macro to. A
 * condition that is not understood leaves nothing out. ENOMEM. */
gputune_status gt_branches_read(gt_branches *branches, const char *text);
/* Whether the place in the text is left out. */
bool gt_branches_leave_out(const gt_branches *branches, const char *at);
