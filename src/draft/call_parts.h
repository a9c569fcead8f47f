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
} gt_caller;

/* What an expression is for. */
typedef enum gt_call_use { GT_CALL_NONE, GT_CALL_GRID, GT_CALL_LENGTH } gt_call_use;

/* ---- call_bind.c ---- */

/* Gives the kernel's template parameters the values that the launch has for them. */
void gt_call_read_template(gt_caller *c);
/* Gives the variables that the launch hands to the kernel, and its block, their names. */
void gt_call_bind(gt_caller *c);
/* The constant that the code itself fixes the block by, or NULL. */
const char *gt_call_fixed_name(const gt_caller *c, uint16_t d);
/* Whether the program says the number that the value comes to. */
bool gt_call_number_of(int64_t *out, gt_caller *c, gt_span span, const gt_site *site);

/* ---- call_values.c ---- */

/* Reads the grid, the lengths, the fills and the scalars, over the names that leaves have now. */
void gt_call_read_values(gt_caller *c);
/* Whether the leaf becomes a problem value. */
bool gt_call_is_size(const gt_trace_leaf *leaf);
/* Appends the value as text, and to `divided` what must divide; false: it is not understood. */
bool gt_call_append(gt_caller *c, gt_text *out, gt_text *divided, gt_call_use how,
                    const char *prefix, gt_span span, const gt_site *site, const char *suffix);

/* ---- call_fallback.c ---- */

/* Reads an expression over the leaves; NULL: it is none. The caller's. */
gt_expression *gt_call_read_text(gt_caller *c, const char *text, size_t length);
/* The place of the parameter of that name; as many as there are: none. */
uint32_t gt_call_parameter_of(const gt_draft *draft, const char *name);
/* What a dimension of the grid and its blocks make up, where no comparison in the kernel says it.
 */
void gt_call_read_extent(gt_caller *c, uint16_t d);
/* Makes sizes of what the kernel's body says where the program does not. */
void gt_call_note_fallbacks(gt_caller *c);
/* The value of a symbol of the kernel's, for gt_polynomial_value(); `user` is the caller. */
double gt_call_value(const void *user, uint16_t symbol);

/* ---- call_sizes.c ---- */

/* Decides which leaves are sizes of the problem; the others are numbers. */
void gt_call_settle_leaves(gt_tracer *t);
/* What the kernel reads as vectors, by a cast of the pointer, is a whole number of them. */
void gt_call_read_casts(gt_caller *c);
/* Leaves out the conditions that the program's own values do not keep: it leaves a rest. */
void gt_call_keep_true(gt_caller *c);
void gt_call_write_work(gt_caller *c);
void gt_call_write_sizes(gt_caller *c);
