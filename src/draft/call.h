/* What a program launches its kernel with, as the engine's expressions. */
#pragma once

#include "kernel/functions.h"

#include "base/text.h"

struct gt_draft;

typedef struct gt_call_parameter {
    gt_text length;   /* elements of a buffer */
    gt_text value;    /* of a scalar: "" where it is named like a size */
    gt_text enclosed; /* the value within an expression */
    bool is_size;
    gt_text unknown; /* what was looked for in vain */
    gt_text fill;    /* what the host puts into a buffer of integers */
} gt_call_parameter;

/* Texts are empty where the program does not say it, or launches no kernel. */
typedef struct gt_call {
    gt_text sizes; /* problem() clauses, with what is not known about each */
    gt_text block[3], grid[3], shared;
    uint32_t grid_dimensions;
    gt_text extent[3];  /* what a dimension of the grid and its blocks make up */
    int64_t threads[3]; /* the program's block; 0: not known */
    gt_text divided;    /* require() clauses */
    gt_text work;       /* bytes, if every argument is moved once */
    gt_call_parameter parameters[GT_PARAMETER_MAX];
} gt_call;

/* Reads the launch of the draft's kernel into draft->call, and sets is_called where there is one.
 * Blocks that nothing fixes become axes; where a length depends on them, they stay as the program
 * has them. */
void gt_call_read(struct gt_draft *draft);
/* What stands for a size that the kernel does not name; "": it has a name of its own. */
const char *gt_call_extent(const struct gt_draft *draft, uint16_t symbol);
/* Whether the program launches the draft's kernel. */
bool gt_call_is_launched(const struct gt_draft *draft);
void gt_call_free(gt_call *call);
