/* The kinds of axes, a row each: everything that the engine must know of a kind. A new kind needs a
 * value of gt_axis_kind (template.h), its row, and a parser where gt_parse_axis() does not do.
 * Where it is about the launch, it needs a member of gt_kernel_step (base/launch.h), which its row
 * sets, a line of it in farm/wire_tables.c, and what the launcher makes of that
 * (gpu/launcher_load.c). */
#pragma once

#include "kernel/binding.h"
#include "kernel/parse.h"

typedef struct gt_axis_traits {
    const char *name; /* the word of the pragma */
    bool once;        /* a template may have one such pragma */
    bool generates;   /* the value shapes the generated source itself and is no macro */
    bool at_launch;   /* the value is a part of the launch, whether or not the source has it */
    bool aligned;     /* the buffers' alignment bounds it; the smallest value always works */
    const char
        *buffers; /* what its buffers are, which it names behind a colon; NULL: it has none */
    bool one_buffer;
    bool scratch;         /* it may be one of scratch() */
    const char *expected; /* the values that the kind takes; NULL: words or integers as written */
    bool (*takes)(const gt_value *value); /* NULL exactly where `expected` is */
    /* What is against one value whatever the other axes have, or NULL: nothing. `binding` has the
     * problem and the device. */
    gt_limit (*limit)(const gt_binding *binding, const gt_workload *workload, uint32_t axis,
                      uint8_t choice);
    /* Puts a value into the step that is launched, or NULL: it is no setting of a step. Such axes
     * are decided together, by gt_binding_cluster(). */
    void (*set)(gt_kernel_step *step, const gt_axis *axis, int64_t value);
    gt_parse_fn parse; /* reads the pragma */
} gt_axis_traits;

/* The row of a kind; NULL behind the last. */
const gt_axis_traits *gt_axis_traits_of(gt_axis_kind kind);
/* The kind that this word declares; GT_AXIS_KINDS: none. */
gt_axis_kind gt_axis_kind_of(const char *word);
