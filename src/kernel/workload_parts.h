/* What workload.c and workload_elements.c share. */
#pragma once

#include "kernel/binding.h"

/* What a template says of a buffer's or block's elements. */
typedef struct gt_declared {
    const char *type;
    const gt_fill *fill;
    const gt_initialisers *list;
    gt_place place;
} gt_declared;

/* Sets what a buffer's elements are and how they are filled. buffer->elements must hold the number
 * of declared elements; it becomes the number of components, and buffer->bytes is set. Numbers that
 * are filled one by one are added to out->numbers. ETEMPLATE for integers without a fill, and for a
 * list that names no member. */
gputune_status gt_elements_bind(gt_workload *out, gt_buffer *buffer, const gt_binding *binding,
                                const gt_declared *declared);
/* Sets *out to the type and value of a scalar argument. EINVAL for a value that its type does not
 * hold. */
gputune_status gt_scalar_bind(gt_workload *workload, gt_scalar *out, const gt_binding *binding,
                              const gt_argument *argument);
