/* Constraints as trees over the axes, so that what is left of one can be bounded, and recognised
 * when it comes up again, while some of its axes have no value yet. For space*.c only. */
#pragma once

#include "kernel/interval.h"
#include "kernel/template.h"

#include "base/array.h"

typedef enum gt_term_kind {
    GT_TERM_CONSTANT,
    GT_TERM_SLOT, /* an axis's own: known when the axis has a value */
    GT_TERM_UNARY,
    GT_TERM_BINARY,
    GT_TERM_AND,
    GT_TERM_OR,
    GT_TERM_CHOICE, /* operands: condition, then, else */
    GT_TERM_JOIN,   /* no value: what a step of binding.h depends on */
    GT_TERM_LAUNCH  /* a slot that steps of binding.h set; operand: what it depends on */
} gt_term_kind;

typedef struct gt_term {
    gt_term_kind kind;
    gt_operation operation;
    int slot;
    int operands[3];   /* terms, by index */
    uint32_t axes;     /* bit i: it depends on axis i */
    gt_interval range; /* of a constant, and of a slot over the values that its axis may have */
} gt_term;

/* Zero-initialised: none. */
typedef struct gt_terms {
    GT_ARRAY(gt_term) items;
} gt_terms;

/* What a slot stands for in an expression: the number of a term that is there already. Negative: a
 * plain constant, the slot's value. */
typedef struct gt_term_scope {
    const int *term_of_slot; /* GT_SLOT_MAX of them */
    const int64_t *slots;
} gt_term_scope;

void gt_terms_free(gt_terms *terms);
gputune_status gt_terms_add(int *out, gt_terms *terms, gt_term term);
/* Both behind one term; `a` negative: `b` alone. */
gputune_status gt_terms_join(int *out, gt_terms *terms, int a, int b);
/* The tree of an expression. */
gputune_status gt_terms_expression(int *out, gt_terms *terms, const gt_expression *expression,
                                   const gt_term_scope *scope);
/* The two sides of an "a && b", each a constraint of its own; false for any other term. */
bool gt_terms_split(const gt_terms *terms, int term, int *left, int *right);

/* What is left of a term once the axes in `known` have the values in `slots`. */
typedef struct gt_residue {
    gt_interval range;
    uint64_t key; /* equal keys: the same is left, whatever the known values were */
} gt_residue;

gt_residue gt_terms_evaluate(const gt_terms *terms, int term, const int64_t *slots, uint32_t known);
