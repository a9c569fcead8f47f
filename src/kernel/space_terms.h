/* What constraints depend on. While some axes of a constraint have no value yet, the rest of it can
 * be bounded, by running its code over intervals, and can be recognised when the same rest comes up
 * again. For space*.c only. */
#pragma once

#include "kernel/interval.h"
#include "kernel/template.h"

#include "base/array.h"

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
    int operands[2];   /* indices of terms; negative: none */
    uint32_t axes;     /* bit i: the term depends on axis i */
    gt_interval range; /* of a slot: all values that its axis may have */
} gt_term;

/* All terms of a space. */
typedef struct gt_terms {
    GT_ARRAY(gt_term) items;
    int of_slot[GT_SLOT_MAX]; /* the index of its term; negative: the slot is a constant */
} gt_terms;

/* Adds a term, whose axes become those of its operands or its code too; *out is its index. */
gputune_status gt_terms_add(int *out, gt_terms *terms, gt_term term);
/* Sets *out to a GT_TERM_JOIN of the terms `a` and `b`; if one is negative, to the other. */
gputune_status gt_terms_join(int *out, gt_terms *terms, int a, int b);
/* What is left of a term once the axes in `known` have the values in `slots`. */
typedef struct gt_residue {
    gt_interval range;
    uint64_t key; /* equal keys: the same is left, whatever the known values were */
} gt_residue;

gt_residue gt_terms_evaluate(const gt_terms *terms, int term, const int64_t *slots, uint32_t known);
