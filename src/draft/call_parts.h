/* Types and functions that the files reading a launch share. For call*.c only. */
#pragma once

#include "draft/trace.h"

/* One launch in the program's text: `kernel<types><<<config>>>(arguments)`. */
typedef struct gt_call_launch {
    size_t at;                        /* the token of the kernel's name */
    gt_span types, config, arguments; /* the tokens between the brackets */
} gt_call_launch;

/* The state of reading one launch. */
typedef struct gt_caller {
    gt_draft *draft;
    gt_call *call;
    const gt_program *program;
    gt_tracer tracer;
    gt_call_launch launch;
    gt_site site;
    gt_bound made;  /* the call of the function that allocates the buffer which is being read */
    bool is_pinned; /* results depend on the block, which therefore keeps one value */
    int64_t chosen; /* the largest value for problem sizes that the program does not state */
    int order; /* how these sizes compare: 0, all are equal; 1, the first is the largest; 2, the
                  last is the largest */
    int64_t border; /* what they have besides, for conditions like (n - 2) % 32 == 0 */
} gt_caller;

/* ---- call.c ---- */

/* The value of one of the kernel's symbols, as a callback of gt_sum_value(); `user` is the
 * gt_caller. */
double gt_call_value(const void *user, uint16_t symbol);
/* The launch's value for one dimension of its grid (`index` 0) or block (1); false: it has none. */
bool gt_call_configured(const gt_caller *c, gt_closure *out, size_t index, int dimension);
/* What the launch gives to the kernel's parameter at `index`; false: nothing. */
bool gt_call_argument(const gt_caller *c, gt_closure *out, size_t index);

/* ---- call_values.c ---- */

/* What an expression is for; blocks and shared memory are the launch's. */
typedef enum gt_call_use {
    GT_CALL_FOR_VALUE,
    GT_CALL_FOR_LENGTH,
    GT_CALL_FOR_GRID,
    GT_CALL_FOR_LAUNCH
} gt_call_use;

/* The value as text, which the draft keeps; what must divide is appended to `divided`, unless that
 * is NULL. "": the value is not understood. `prefix` and `suffix` stand around the value. */
const char *gt_call_print(gt_caller *c, gt_text *divided, gt_call_use how, const char *prefix,
                          const gt_closure *value, const char *suffix);
/* Reads the grid, the buffers' lengths and fills, and the scalars, as expressions over the names
 * that the tracer's leaves have at this time. */
void gt_call_read_values(gt_caller *c);
/* The value of a leaf: the program's, or else one chosen here. */
int64_t gt_call_leaf_value(const gt_caller *c, size_t leaf);
/* Decides which leaves are sizes of the problem; the others are numbers. */
void gt_call_settle_leaves(gt_tracer *t);
/* Writes what needs all values: conditions, work, blocks and problem sizes. */
void gt_call_write(gt_caller *c);

/* ---- call_lengths.c ---- */

/* Takes what is found of a member's value; false: the value is of no use. */
typedef bool (*gt_call_take_fn)(void *user, gt_caller *c, const gt_closure *value);

/* Gives `take` what the program has for a member of the struct that the launch gives as `value`:
 * the member itself, as in the allocation of a pointer, or what it is set to. false: `take` took
 * nothing. */
bool gt_call_trace_member(gt_caller *c, gt_closure value, const char *member, gt_call_take_fn take,
                          void *user);
/* The token of the pointer's name in the item at place `index`; 0: there is none. */
size_t gt_call_pointer_at(const gt_program *program, gt_span items, size_t index);
/* How many of the kernel's buffers the program allocates, as far as it can be found. */
size_t gt_call_count_allocations(gt_caller *c);
/* Reads what the program allocates for the buffer. */
void gt_call_read_length(gt_caller *c, uint32_t index);
