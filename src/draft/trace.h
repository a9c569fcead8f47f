/* Follows the names in a host program's expressions to what they are made of: parameters of the
 * kernel, its block, and values that cannot be followed further. These are the leaves (trace.c).
 * Reads launches by them (call.c, call_values.c). */
#pragma once

#include "draft/parts.h"

enum { GT_TRACE_LEAVES = 96, GT_TRACE_ALIASES = 64, GT_TRACE_CHAIN = 16 };

/* One of the names that traced expressions are made of. */
typedef struct gt_trace_leaf {
    char name[GT_NAME_MAX];
    size_t identity;                    /* its variable: gt_found.identity */
    const gt_draft_argument *parameter; /* of the kernel, that it is; NULL: none */
    gt_span origin;                     /* the tokens of its value in the program */
    int64_t value;                      /* set if has_value */
    bool has_value;                     /* the program states the value */
    bool is_number;                     /* expressions contain its value, not its name */
    bool is_assumed;  /* a scalar's value that the program does not say, and no length needs */
    bool is_axis;     /* a dimension of the block, or the elements of a thread, as a tunable */
    bool in_data;     /* an axis: a length or a scalar depends on it */
    bool is_property; /* a property of the device */
    bool in_grid, in_length; /* the grid, or a buffer's length, depends on it */
    bool in_shared;          /* a block's shared memory depends on it */
} gt_trace_leaf;

/* One launch in the program's text: `kernel<types><<<config>>>(arguments)`. */
typedef struct gt_call_launch {
    size_t at;                        /* the token of the kernel's name */
    gt_span types, config, arguments; /* the tokens between the brackets */
} gt_call_launch;

/* The state of reading a launch. */
typedef struct gt_tracer {
    const gt_program *program;
    gt_draft *draft; /* its arguments' names are taken */
    gt_trace_leaf leaves[GT_TRACE_LEAVES];
    size_t leaf_count;
    const char *names[GT_SLOT_MAX];
    struct {
        size_t identity, leaf;
        int dimension; /* of the block that the leaf is; -1: the leaf is a parameter */
    } aliases[GT_TRACE_ALIASES];
    size_t alias_count;
    struct {
        gt_span value;
        size_t leaf;
        int64_t literal; /* the number that the launch itself has as this block; 0: none */
    } blocks[3];
    bool without_axes; /* expressions contain the values of axes, not their names */
    bool in_grid;      /* the grid is being read: its numbers may be those of a block */
    int dimension;     /* the dimension that a name means which stands for several blocks */
    gt_text text;      /* the expression that is being written */
    int steps, depth, leaf_uses;
    bool failed; /* the expression is too large, or is not understood */
    /* of call*.c alone: */
    gt_call *call;
    gt_call_launch launch;
    gt_site site;
    gt_bound made;  /* the call of the function that allocates the buffer which is being read */
    bool is_pinned; /* results depend on the block, which therefore keeps one value */
    int64_t chosen; /* the largest value for problem sizes that the program does not state */
    int order; /* how these sizes compare: 0, all are equal; 1, the first is the largest; 2, the
                  last is the largest */
    int less;  /* how often those are halved that are in a block's shared memory */
    int64_t border; /* what they have besides, for conditions like (n - 2) % 32 == 0 */
} gt_tracer;

/* Follows a type to a number type, writes this type's words to `words` and returns its bytes. 0:
 * the type is no number type, and `words` are those of the program. */
int64_t gt_trace_type(char words[GT_NAME_MAX], const gt_program *program, gt_closure type);
/* Adds a leaf, whose name is changed if it is taken, and returns the leaf's index. */
size_t gt_trace_add(gt_tracer *tracer, const char *name, size_t identity,
                    const gt_draft_argument *parameter);
/* The leaf whose value is not known but has the same tokens in the program as `origin`, such as
 * `m.rows()` or `atoi(argv[1])`, so that both are equal. -1: there is none. */
int gt_trace_origin(const gt_tracer *tracer, gt_span origin);
/* Follows a value that is a variable's name alone to that variable's value, and so on. Writes the
 * variables' identities, returns how many there are, and moves *value to the last variable's. */
size_t gt_trace_chain(size_t identities[GT_TRACE_CHAIN], const gt_tracer *tracer,
                      gt_closure *value);
/* The value that the program gives a part of a struct or an array, `NAME.member`, or a vector's
 * size(), last in front of where it is read; false: none. */
bool gt_trace_part(gt_found *out, const gt_program *program, const gt_closure *part);
/* Moves *value to a component of a dim3: .x, .y or .z for `dimension` 0, 1 or 2. A number is its
 * own .x. An empty span: the program does not tell the component. */
void gt_trace_component(const gt_tracer *tracer, gt_closure *value, int dimension);
/* The bytes of a struct that a library of CUDA's declares; 0: the type is none of them. */
uint32_t gt_trace_opaque(const char *type);
/* Follows typedef, using and macros from a type's `words` to a number type, and replaces `words` on
 * the way. Returns the type's bytes; 0: the words name neither a number type nor such a struct. */
int64_t gt_trace_bytes(const gt_program *program, char words[GT_NAME_MAX]);
/* Reads `prefix`, the value and `suffix` as one expression over the leaves. NULL: the text is not
 * understood. The result is the caller's, to free(). */
gt_expression *gt_trace(gt_tracer *tracer, const char *prefix, const gt_closure *value,
                        const char *suffix);
/* Reads a text as an expression over the leaves; NULL: it is none. The result is the caller's, to
 * free(). */
gt_expression *gt_trace_read(gt_tracer *tracer, const char *text);
/* The index of the leaf with this name, as gt_scope.slot; `user` is the tracer. -1: none. */
int gt_trace_slot(void *user, const char *name);
/* Computes the expression; false: one of its leaves has no value, or the evaluation fails. */
bool gt_trace_value(int64_t *out, const gt_tracer *tracer, const gt_expression *expression);
/* Whether the expression contains a block that is an axis. */
bool gt_trace_has_axis(const gt_tracer *tracer, const gt_expression *expression);
/* Sets in_grid (if `grid`) and in_length (if `length`) of the expression's leaves. */
void gt_trace_mark(gt_tracer *tracer, const gt_expression *expression, bool grid, bool length);

/* ---- call.c ---- */

/* The value of one of the kernel's symbols, as a callback of gt_sum_value(); `user` is the
 * gt_tracer. */
double gt_call_value(const void *user, int symbol);
/* The launch's value for one dimension of its grid (`index` 0) or block (1); false: it has none. */
bool gt_call_configured(const gt_tracer *c, gt_closure *out, size_t index, int dimension);
/* What the launch gives to the kernel's argument; false: nothing. */
bool gt_call_argument(const gt_tracer *c, gt_closure *out, const gt_draft_argument *argument);

/* Adds a condition to call->divided, unless it is there already. */
void gt_call_require(gt_tracer *c, const char *condition);
/* Adds what must divide sizes. */
void gt_call_divide(gt_tracer *c);

/* ---- call_values.c ---- */

/* Reads the grid, the buffers' lengths and fills, and the scalars, as expressions over the names
 * that the tracer's leaves have at this time. */
void gt_call_read_values(gt_tracer *c);
/* The value of a leaf: the program's, or else one chosen here. */
int64_t gt_call_leaf_value(const gt_tracer *c, size_t leaf);
/* Decides which leaves are sizes of the problem; the others are numbers. */
void gt_call_settle_leaves(gt_tracer *t);
/* Writes what needs all values: conditions, work, blocks and problem sizes. */
void gt_call_write(gt_tracer *c);
/* How many of the kernel's buffers the program allocates, as far as it can be found. */
size_t gt_call_count_allocations(gt_tracer *c);
