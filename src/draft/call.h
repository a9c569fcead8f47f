/* Reads how a host program launches its kernel: the values of grid, block and arguments, written as
 * expressions of the engine (kernel/expression.h). */
#pragma once

#include "kernel/functions.h"

#include "base/text.h"

struct gt_draft;

typedef struct gt_call_parameter {
    gt_text length;   /* a buffer's length in elements */
    gt_text value;    /* a scalar's value; "": the scalar is named like a problem size */
    gt_text enclosed; /* `value` as an operand: in brackets where it needs them */
    bool is_size;     /* the scalar is a problem size */
    gt_text unknown;  /* what the program was searched for in vain, for a comment */
    gt_text fill;     /* what the host writes into a buffer of integers */
} gt_call_parameter;

/* A text is empty where the program does not state the value, or launches no kernel. */
typedef struct gt_call {
    gt_text sizes; /* problem() clauses, each with a comment on what is not known about the size */
    gt_text block[3], grid[3], shared;
    uint32_t grid_dimensions;
    gt_text extent[3];  /* elements that the grid and its blocks cover in one dimension */
    int64_t threads[3]; /* the block that the program launches, in threads; 0: not known */
    gt_text divided;    /* require() clauses: what must divide without a remainder */
    gt_text work;       /* bytes that one launch moves, if it moves every argument once */
    gt_call_parameter parameters[GT_PARAMETER_MAX];
} gt_call;

/* Reads the launch of the draft's kernel into draft->call, and sets draft->is_called if the program
 * has such a launch. Blocks that nothing fixes become axes; if a buffer's length depends on the
 * blocks, they keep the program's values. Sets draft->failed when memory runs out. */
void gt_call_read(struct gt_draft *draft);
/* The expression for a problem size that the kernel does not name; "": the size has its own name.
 */
const char *gt_call_extent(const struct gt_draft *draft, uint16_t symbol);
/* Whether the program launches the draft's kernel. */
bool gt_call_is_launched(const struct gt_draft *draft);
void gt_call_free(gt_call *call);
