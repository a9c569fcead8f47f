/* The code that an expression is compiled to, and the table of its operators. */
#pragma once

#include "base/operation.h"
#include "kernel/expression.h"

enum { GT_EXPRESSION_CODE_MAX = 2048, GT_EXPRESSION_NESTING = 64 };

/* One allocation, with the code and the text behind the members. */
struct gt_expression {
    gt_instruction *code;
    int count;
    bool real;                       /* gt_expression_is_real() */
    uint64_t used[GT_SLOT_MAX / 64]; /* bit i: the code reads slot i */
    const char *text;                /* gt_expression_text() */
    gt_place place;                  /* path: owned by whoever owns the template's texts */
};

/* An operator between two operands; a higher precedence binds tighter. */
typedef struct gt_infix {
    const char *sign;
    int precedence;
    gt_operation operation;
} gt_infix;

/* The operator that the lexer's current token is; NULL: the token is none. */
const gt_infix *gt_infix_at(const struct gt_lexer *lexer);
/* How an operation is written: gt_infix_of() gives the operator between two operands, and
 * gt_function_of() the NAME of NAME(…). NULL: the operation is written in another way. */
const gt_infix *gt_infix_of(gt_operation operation);
const char *gt_function_of(gt_operation operation);
