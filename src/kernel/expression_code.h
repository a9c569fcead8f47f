/* The code that expressions are parsed into: a small stack machine. For expression*.c only. */
#ifndef GT_KERNEL_EXPRESSION_CODE_H
#define GT_KERNEL_EXPRESSION_CODE_H

#include "kernel/expression.h"

enum { GT_EXPRESSION_STACK = 64, GT_EXPRESSION_CODE_MAX = 2048, GT_EXPRESSION_NESTING = 64 };

typedef enum gt_operation {
    GT_DO_LITERAL,
    GT_DO_SLOT,
    GT_DO_NEGATE,
    GT_DO_NOT,
    GT_DO_COMPLEMENT,
    GT_DO_TRUTH,        /* 0 or 1 */
    GT_DO_JUMP,         /* to `target` */
    GT_DO_BRANCH,       /* pops; to `target` when zero */
    GT_DO_AND_SHORTCUT, /* zero: stays as 0, to `target`; else pops */
    GT_DO_OR_SHORTCUT,  /* not zero: becomes 1, to `target`; else pops */
    GT_DO_BINARY,       /* from here on: two operands, one result */
    GT_DO_MULTIPLY = GT_DO_BINARY,
    GT_DO_DIVIDE,
    GT_DO_REMAINDER,
    GT_DO_ADD,
    GT_DO_SUBTRACT,
    GT_DO_SHIFT_LEFT,
    GT_DO_SHIFT_RIGHT,
    GT_DO_LESS,
    GT_DO_LESS_EQUAL,
    GT_DO_GREATER,
    GT_DO_GREATER_EQUAL,
    GT_DO_EQUAL,
    GT_DO_NOT_EQUAL,
    GT_DO_BIT_AND,
    GT_DO_BIT_XOR,
    GT_DO_BIT_OR,
    GT_DO_CEIL_DIV,
    GT_DO_ROUND_UP,
    GT_DO_MIN,
    GT_DO_MAX,
    GT_DO_POW,
    GT_DO_SQRT, /* one operand */
    GT_DO_LOG2
} gt_operation;

typedef struct gt_instruction {
    gt_operation operation;
    int target; /* of a jump; of GT_DO_SLOT the slot */
    int64_t integer;
    double real; /* of a literal */
} gt_instruction;

struct gt_expression {
    gt_instruction *code;
    int count;
    bool real;
    uint64_t used[GT_SLOT_MAX / 64];
    char *text;
    gt_place place; /* path: owned by whoever owns the template's texts */
};

/* One step on integers: what went wrong, or NULL. Binary ones are those from GT_DO_BINARY to before
 * GT_DO_SQRT. */
const char *gt_operation_binary(int64_t *out, gt_operation operation, int64_t a, int64_t b);
const char *gt_operation_unary(int64_t *value, gt_operation operation);

#endif
