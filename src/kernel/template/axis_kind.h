/* The kinds of axes. A new one needs a value of gt_axis_kind, a row here and one in template.c, and
 * as a setting of the launch a number in gt_kernel_step and code in gpu/loaded.c. */
#pragma once

#include "kernel/template/parse.h"

typedef struct gt_axis_traits {
    const char *name; /* the word of the pragma */
    bool generates;   /* the value shapes the generated source itself and is no macro */
    bool at_launch;   /* the value is a part of the launch, whether or not the source contains it */
    bool aligned;     /* the buffers' alignment bounds the value; the smallest always works */
    const char *buffers; /* what the buffers behind the pragma's colon are for; NULL: it has none */
    bool one_buffer;     /* the pragma names exactly one buffer */
    bool scratch;        /* a buffer of scratch() may be named */
    const char *expected; /* the values that the kind takes; NULL: words or integers as written */
    /* the numbers, and the words by number (never 0), that `expected` says; none if least > most */
    struct {
        int64_t least, most;
    } numbers, words;
    bool doubles; /* of the numbers only powers of two */
    /* of a number in the launched step, set by gt_binding_cluster(); 0: the value sets none */
    size_t sets;
} gt_axis_traits;

/* The row of a kind; NULL behind the last kind. */
const gt_axis_traits *gt_axis_traits_of(gt_axis_kind kind);
/* The kind of the axes that a pragma with this word declares; GT_AXIS_KINDS: none. */
gt_axis_kind gt_axis_kind_of(const char *word);
