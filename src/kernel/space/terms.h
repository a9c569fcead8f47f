/* The terms that constraints depend on, and what is left of them once some axes have values. */
#pragma once

#include "kernel/template/declared.h"

#include "base/array.h"

/* The parts of constraints. While some axes of a constraint have no value yet, a key identifies the
 * rest of the constraint, so that equal remainders are recognised. */
typedef enum gt_term_kind {
    GT_TERM_CODE,  /* an expression, or an operand in one */
    GT_TERM_SLOT,  /* the slot of an axis: known once the axis has a value */
    GT_TERM_JOIN,  /* has no value; operands: two terms that a step of binding.h depends on */
    GT_TERM_LAUNCH /* a slot that a step of binding.h sets; operand: what the step depends on */
} gt_term_kind;

typedef struct gt_term {
    gt_term_kind kind;
    const gt_expression *expression;
    int at; /* the operation in the expression's code */
    int slot;
    int operands[2]; /* indices of terms; negative: none */
    uint32_t axes;   /* bit i: the term depends on axis i */
} gt_term;

/* All terms of a space. */
typedef struct gt_term_list {
    GT_ARRAY(gt_term) items;
    int of_slot[GT_SLOT_MAX]; /* the index of its term; negative: the slot is a constant */
} gt_term_list;

/* The state of a term once the axes in `known` have the values in `slots`. */
typedef enum gt_left {
    GT_LEFT_OPEN,  /* depends on axes that have no value yet */
    GT_LEFT_VALUE, /* a value */
    GT_LEFT_FAILED /* cannot be computed, such as a division by zero */
} gt_left;

typedef struct gt_residue {
    gt_left left;
    int64_t value;
    uint64_t key; /* equal keys: the same is left, whatever the known values were */
} gt_residue;

gt_residue gt_terms_evaluate(const gt_term_list *terms, int term, const int64_t *slots,
                             uint32_t known);
