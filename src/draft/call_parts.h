/* What the files that read a launch share. For call*.c only. */
#pragma once

#include "draft/print.h"
#include "draft/trace.h"
#include "draft/write.h"

/* `kernel<…><<<config>>>(arguments)`. */
typedef struct gt_call_launch {
    size_t at;
    gt_span types, config, arguments; /* without their brackets */
} gt_call_launch;

typedef struct gt_caller {
    gt_draft *draft;
    gt_call *call;
    const gt_program *program;
    gt_tracer tracer;
    gt_call_launch launch;
    gt_site site;
    bool is_pinned; /* results depend on the block: it must stay one */
    int64_t chosen; /* for sizes that the program does not say */
    int order;      /* of them: 0, they are equal; 1, the first is the largest; 2, the last */
} gt_caller;

/* ---- call.c ---- */

/* The value of a symbol of the kernel's, for gt_sum_value(); `user` is the caller. */
double gt_call_value(const void *user, uint16_t symbol);
/* What the launch has for a dimension of its grid (0) or its block (1), and where that is read;
 * false: nothing. */
bool gt_call_configured(const gt_caller *c, gt_span *span, gt_site *site, size_t index,
                        int dimension);

/* ---- call_values.c ---- */

/* Reads the grid, the lengths, the fills and the scalars, over the names that leaves have now. */
void gt_call_read_values(gt_caller *c);
/* The value that a leaf has, or is given. */
int64_t gt_call_leaf_value(const gt_caller *c, size_t leaf);
/* Decides which leaves are sizes of the problem; the others are numbers. */
void gt_call_settle_leaves(gt_tracer *t);
/* Writes what follows from all values: conditions, work, blocks and sizes. */
void gt_call_write(gt_caller *c);
