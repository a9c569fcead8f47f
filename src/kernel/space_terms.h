/* Constraints as trees over the axes. While some axes of a constraint have no value yet, the rest
 * of its tree can be bounded, and can be recognised when the same rest comes up again. For space*.c
 * only. */
#pragma once

#include "kernel/interval.h"
#include "kernel/template.h"

#include "base/array.h"

typedef enum gt_term_kind {
    GT_TERM_CONSTANT,
    GT_TERM_SLOT, /* the slot of an axis: known once the axis has a value */
    GT_TERM_UNARY,
    GT_TERM_BINARY,
    GT_TERM_AND,
    GT_TERM_OR,
    GT_TERM_CHOICE, /* operands: condition, then, else */
    GT_TERM_JOIN,   /* has no value; operands: the terms that a step of binding.h depends on */
    GT_TERM_LAUNCH  /* a slot that a step of binding.h sets; operand: what the step depends on */
} gt_term_kind;

typedef struct gt_term {
    gt_term_kind kind;
    gt_operation operation;
    int slot;
    int operands[3];   /* indices of terms */
    uint32_t axes;     /* bit i: the term depends on axis i */
    gt_interval range; /* of a constant: its value; of a slot: all values that its axis may have */
} gt_term;

/* All terms of a space. Zero-initialised, it is empty. */
typedef struct gt_terms {
    GT_ARRAY(gt_term) items;
} gt_terms;

/* What the slots in an expression stand for. */
typedef struct gt_term_scope {
    const int *term_of_slot; /* by slot, GT_SLOT_MAX entries: the index of its term; negative: the
                                slot is a constant */
    const int64_t *slots;    /* by slot: the value, if the slot is a constant */
} gt_term_scope;

void gt_terms_free(gt_terms *terms);
gputune_status gt_terms_add(int *out, gt_terms *terms, gt_term term);
/* Sets *out to a GT_TERM_JOIN of the terms `a` and `b`; if `a` is negative, to `b` itself. */
gputune_status gt_terms_join(int *out, gt_terms *terms, int a, int b);
/* Adds the tree of an expression; *out is the index of its root. */
gputune_status gt_terms_expression(int *out, gt_terms *terms, const gt_expression *expression,
                                   const gt_term_scope *scope);
/* Sets *left and *right to the two sides of an "a && b", each a constraint of its own; false for
 * any other term. */
bool gt_terms_split(const gt_terms *terms, int term, int *left, int *right);

/* What is left of a term once the axes in `known` have the values in `slots`. */
typedef struct gt_residue {
    gt_interval range;
    uint64_t key; /* equal keys: the same is left, whatever the known values were */
} gt_residue;

gt_residue gt_terms_evaluate(const gt_terms *terms, int term, const int64_t *slots, uint32_t known);
