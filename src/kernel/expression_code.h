/* What an expression is parsed into. */
#pragma once

#include "base/operation.h"
#include "kernel/expression.h"

enum { GT_EXPRESSION_CODE_MAX = 2048, GT_EXPRESSION_NESTING = 64 };

struct gt_expression {
    gt_instruction *code;
    int count;
    bool real;
    uint64_t used[GT_SLOT_MAX / 64];
    char *text;
    gt_place place; /* path: owned by whoever owns the template's texts */
};

/* An operator between two operands; the tightest has the highest precedence. */
typedef struct gt_infix {
    const char *sign;
    int precedence;
    gt_operation operation;
} gt_infix;

/* The operator at the lexer; NULL: the token is none. */
const gt_infix *gt_infix_at(const struct gt_lexer *lexer);
/* How the operation is written: between operands or, for the other function, as NAME(…); NULL: in
 * another way. */
const gt_infix *gt_infix_of(gt_operation operation);
const char *gt_function_of(gt_operation operation);
