/* The kinds of axes. A new kind needs a value of gt_axis_kind and rows in axis_kind.c and
 * template.c. If it sets a launch attribute, it also needs a member of gt_kernel_step and code in
 * gpu/loaded.c. */
#pragma once

#include "kernel/template/parse.h"

typedef struct gt_axis_traits {
    const char *name; /* name of the clause */
    bool generates;   /* true if values change the generated source by more than a macro */
    /* true if the value is a launch setting, even if the source also uses the value */
    bool at_launch;
    bool aligned;         /* true if the alignment of buffers limits the value */
    const char *buffers;  /* example of the clause's buffers in messages; NULL: no buffers */
    bool one_buffer;      /* true if the clause has one buffer, possibly of scratch() */
    const char *expected; /* expected values in messages; NULL: the values in the clause */
    /* allowed numbers, and allowed words as numbers (gt_value); none if least > most */
    struct {
        int64_t least, most;
    } numbers, words;
    bool doubles; /* true if only powers of two are allowed */
} gt_axis_traits;

/* Returns the properties of a kind, or NULL after the last kind. */
const gt_axis_traits *gt_axis_traits_of(gt_axis_kind kind);
/* Returns the kind of axes that a clause declares, or GT_AXIS_KINDS if it declares none. */
gt_axis_kind gt_axis_kind_of(const char *word);
