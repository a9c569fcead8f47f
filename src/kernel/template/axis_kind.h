/* The table of the kinds of axes. A row holds everything that the engine must know about one kind.
 * A new kind needs a value of gt_axis_kind (template.h), a row, and a parser if gt_parse_axis()
 * does not suffice. A kind that is a setting of the launch also needs a number in gt_kernel_step
 * (base/launch.h), which `sets` in its row names, and code in gpu/launcher_load.c that applies it.
 */
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
    /* If `expected` is set: the numbers that the kind takes, and the words by their numbers; of no
     * value the least is above the most. No value is the word 0. */
    struct {
        int64_t least, most;
    } numbers, words;
    bool doubles; /* of the numbers only powers of two */
    /* The offset of the number, or of one for each dimension, that a value becomes in the step that
     * is launched, by gt_binding_cluster(). 0: the kind is no setting of a step. */
    size_t sets;
} gt_axis_traits;

/* The row of a kind; NULL behind the last kind. */
const gt_axis_traits *gt_axis_traits_of(gt_axis_kind kind);
/* The kind of the axes that a pragma with this word declares; GT_AXIS_KINDS: none. */
gt_axis_kind gt_axis_kind_of(const char *word);
