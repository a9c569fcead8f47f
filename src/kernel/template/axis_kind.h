/* The kinds of axes. A new kind needs a value of gt_axis_kind, a row in axis_kind.c, and another
 * row in template.c. If its value is a setting of the launch, it also needs a member of
 * gt_kernel_step and code in gpu/loaded.c. */
#pragma once

#include "kernel/template/parse.h"

typedef struct gt_axis_traits {
    const char *name; /* the word of its clause */
    bool generates;   /* true if the value changes the generated source by more than a macro */
    /* true if the value is a part of the launch, even if the source also uses it */
    bool at_launch;
    /* true if the alignment of the buffers limits the value; the smallest value is always
     * possible */
    bool aligned;
    /* the buffers after the clause's colon, for messages; NULL: the clause names no buffers */
    const char *buffers;
    /* true if the clause names exactly one buffer, which may be a scratch() buffer */
    bool one_buffer;
    /* the values of the kind, for messages; NULL: words or integers, as in the clause */
    const char *expected;
    /* the allowed numbers, and the numbers of the allowed words; none if least > most */
    struct {
        int64_t least, most;
    } numbers, words;
    bool doubles; /* true if only powers of two are allowed */
} gt_axis_traits;

/* Returns the row of a kind, or NULL after the last kind. */
const gt_axis_traits *gt_axis_traits_of(gt_axis_kind kind);
/* Returns the kind of axes that a clause declares, or GT_AXIS_KINDS if it declares none. */
gt_axis_kind gt_axis_kind_of(const char *word);
