/* What an expression is parsed into. */
#ifndef GT_KERNEL_EXPRESSION_CODE_H
#define GT_KERNEL_EXPRESSION_CODE_H

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

#endif
