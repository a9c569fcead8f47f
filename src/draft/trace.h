/* Follows the names in a host program's expressions to what they are made of: parameters of the
 * kernel, its block, and values that cannot be followed further. These are the leaves. */
#pragma once

#include "draft/parts.h"

enum { GT_TRACE_LEAVES = 96, GT_TRACE_ALIASES = 64, GT_TRACE_CHAIN = 16 };

/* One of the names that traced expressions are made of. */
typedef struct gt_trace_leaf {
    char name[GT_NAME_MAX];
    size_t identity;  /* its variable: gt_found.identity */
    int parameter;    /* index of the kernel's parameter that it is, or -1 */
    gt_span origin;   /* the tokens of its value in the program */
    int64_t value;    /* set if has_value */
    bool has_value;   /* the program states the value */
    bool is_number;   /* expressions contain its value, not its name */
    bool is_assumed;  /* a scalar's value that the program does not say, and no length needs */
    bool is_axis;     /* a dimension of the block, or the elements of a thread, as a tunable */
    bool in_data;     /* an axis: a length or a scalar depends on it */
    bool is_property; /* a property of the device */
    bool in_grid, in_length; /* the grid, or a buffer's length, depends on it */
} gt_trace_leaf;

typedef struct gt_tracer {
    const gt_program *program;
    const gt_draft *draft; /* its arguments' names are taken */
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
} gt_tracer;

/* Follows a type to a number type, writes this type's words to `words` and returns its bytes. 0:
 * the type is no number type, and `words` are those of the program. */
int64_t gt_trace_type(char words[GT_NAME_MAX], const gt_program *program, gt_closure type);
/* Adds a leaf, whose name is changed if it is taken, and returns the leaf's index. */
size_t gt_trace_add(gt_tracer *tracer, const char *name, size_t identity, int parameter);
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
 * the way. Returns the type's bytes; 0: the words name neither a number
 * type nor such a struct. *by_macro: one of the steps
 * was a macro. */
int64_t gt_trace_bytes(const gt_program *program, char words[GT_NAME_MAX], bool *by_macro);
/* Reads `prefix`, the value and `suffix` as one expression over the leaves. NULL: the text is not
 * understood. The result is the caller's, to free(). */
gt_expression *gt_trace(gt_tracer *tracer, const char *prefix, const gt_closure *value,
                        const char *suffix);
/* Reads a text, or its first `length` bytes, as an expression over the leaves; NULL: it is none.
 * The result is the caller's, to free(). */
gt_expression *gt_trace_read(gt_tracer *tracer, const char *text);
gt_expression *gt_trace_read_on(gt_tracer *tracer, const char *text, size_t length);
/* The index of the leaf with this name, as gt_scope.slot; `user` is the tracer. -1: none. */
int gt_trace_slot(void *user, const char *name);
/* Computes the expression; false: one of its leaves has no value, or the evaluation fails. */
bool gt_trace_value(int64_t *out, const gt_tracer *tracer, const gt_expression *expression);
/* Whether the expression contains a block that is an axis. */
bool gt_trace_has_axis(const gt_tracer *tracer, const gt_expression *expression);
/* Sets in_grid (if `grid`) and in_length (if `length`) of the expression's leaves. */
void gt_trace_mark(gt_tracer *tracer, const gt_expression *expression, bool grid, bool length);
