/* The kinds of axes. To add a kind, add a value of gt_axis_kind and rows in axis_kind.c and
 * template.c. If the kind sets a launch attribute, also add a member of gt_kernel_step and code in
 * gpu/loaded.c. */
#pragma once

#include "kernel/template/parse.h"

typedef struct gt_axis_traits {
    const char *name; /* name of the clause that declares an axis of this kind */
    bool generates;   /* true if the value selects generated code, instead of being a macro */
    /* true if the value is a launch setting; the source may use it, too */
    bool at_launch;
    bool aligned;         /* true if the alignment of buffers limits the values */
    const char *buffers;  /* example of the clause's buffers, for messages; NULL: no buffers */
    bool one_buffer;      /* true if the clause has one buffer, which may be in scratch() */
    const char *expected; /* allowed values, for messages; NULL: integers or words, as declared */
    /* range of the allowed integers, and of gt_value.number for words; none if least > most */
    struct {
        int64_t least, most;
    } numbers, words;
    bool doubles; /* true if only powers of two are allowed */
} gt_axis_traits;

/* Returns the properties of a kind, or NULL after the last kind. */
const gt_axis_traits *gt_axis_traits_of(gt_axis_kind kind);
/* Returns the kind of axis that a clause declares, or GT_AXIS_KINDS if it does not declare axes. */
gt_axis_kind gt_axis_kind_of(const char *word);
