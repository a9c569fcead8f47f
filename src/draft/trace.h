/* Follows the names of a host program's expressions to what they are made of: parameters of the
 * kernel, its block, and values that come from nowhere else, the leaves. */
#pragma once

#include "draft/program.h"
#include "kernel/functions.h"
#include "kernel/template.h"

#include "base/text.h"

enum { GT_TRACE_LEAVES = 96, GT_TRACE_ALIASES = 64, GT_TRACE_CHAIN = 16 };

/* A name that expressions are made of. */
typedef struct gt_trace_leaf {
    char name[GT_NAME_MAX];
    size_t identity;  /* of its variable */
    int parameter;    /* of the kernel, or -1 */
    gt_span origin;   /* the program's text of its value */
    int64_t value;    /* where has_value */
    bool has_value;   /* the program says it */
    bool is_number;   /* stands for its value: nothing is named after it */
    bool is_axis;     /* a block */
    bool is_property; /* of the device */
    bool in_grid, in_length;
} gt_trace_leaf;

typedef struct gt_tracer {
    const gt_program *program;
    const gt_function_parameter *parameters; /* of the kernel */
    size_t parameter_count;
    gt_trace_leaf leaves[GT_TRACE_LEAVES];
    size_t leaf_count;
    const char *names[GT_SLOT_MAX];
    struct {
        size_t identity, leaf;
        int dimension; /* of a block; -1: a parameter */
    } aliases[GT_TRACE_ALIASES];
    size_t alias_count;
    struct {
        gt_span value;
        size_t leaf;
        int64_t literal; /* its number, where the launch itself has one; 0: none */
    } blocks[3];
    bool without_axes; /* axes stand for their values */
    bool in_grid;      /* numbers may be a block's */
    int dimension;     /* whose block a name is that several have */
    gt_text text;      /* what is being written */
    int steps, leaf_uses;
    bool failed; /* too much, or not understood */
} gt_tracer;

/* The words of a type, as the program has them, with what its names stand for: an element's, or as
 * they are; its bytes, or 0. */
int64_t gt_trace_type(char words[GT_NAME_MAX], const gt_program *program, gt_span span,
                      const gt_site *site);
/* A leaf of that name, which no other leaf has; its index. */
size_t gt_trace_add(gt_tracer *tracer, const char *name, size_t identity, int parameter);
/* The leaf without a value whose text in the program is the same, `m.rows()` or `atoi(argv[1])`,
 * and so its value; -1: none. */
int gt_trace_origin(const gt_tracer *tracer, gt_span origin);
/* The variables that the value is a plain name of, one after another; back: how many. *span and
 * *site are those of the last one's value. */
size_t gt_trace_chain(size_t identities[GT_TRACE_CHAIN], const gt_tracer *tracer, gt_span *span,
                      gt_site *site);
/* Goes to .x, .y or .z of a dim3, or of a number; an empty span: it is not told. */
void gt_trace_component(const gt_tracer *tracer, gt_span *span, gt_site *site, int dimension);
/* Follows typedef, using and macros from a type's words, which may become others, to a number type;
 * its bytes, or 0: none. *by_macro: a macro was among them. */
int64_t gt_trace_bytes(const gt_program *program, char words[GT_NAME_MAX], bool *by_macro);
/* Reads `prefix`, the value and `suffix` as one expression over the leaves; NULL: it is not
 * understood. The caller's, for gt_expression_free(). */
gt_expression *gt_trace(gt_tracer *tracer, const char *prefix, gt_span span, const gt_site *site,
                        const char *suffix);
/* Reads all of the text as an expression over the leaves; NULL: it is none. The caller's. */
gt_expression *gt_trace_read(gt_tracer *tracer, const char *text, size_t length);
/* The leaf of that name, for a gt_scope; `user` is the tracer. -1: none. */
int gt_trace_slot(void *user, const char *name);
/* What the expression comes to, if all its leaves have values. */
bool gt_trace_value(int64_t *out, const gt_tracer *tracer, const gt_expression *expression);
/* Whether the expression has a block that is an axis. */
bool gt_trace_has_axis(const gt_tracer *tracer, const gt_expression *expression);
/* Notes what the expression's leaves are for. */
void gt_trace_mark(gt_tracer *tracer, const gt_expression *expression, bool grid, bool length);
