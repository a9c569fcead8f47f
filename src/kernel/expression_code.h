/* The operators of expressions, and how large an expression may be. */
#pragma once

#include "kernel/expression.h"

enum { GT_EXPRESSION_CODE_MAX = 2048, GT_EXPRESSION_NESTING = 64 };

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
