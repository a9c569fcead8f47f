/* The code of a small stack machine. Expressions are parsed into it, and loops of launches contain
 * it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GT_CODE_STACK = 64 };

typedef enum gt_operation {
    GT_DO_LITERAL,
    GT_DO_REAL, /* a floating literal, which the integer machine refuses */
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
    int32_t target; /* where a jump goes; for GT_DO_SLOT the slot */
    union {
        int64_t integer; /* of GT_DO_LITERAL */
        double real;     /* of GT_DO_REAL */
    };
} gt_instruction;

/* Each carries out one operation on integers and returns NULL, or a text that says what went wrong.
 * Binary operations are those from GT_DO_BINARY to before GT_DO_SQRT. */
const char *gt_operation_binary(int64_t *out, gt_operation operation, int64_t a, int64_t b);
const char *gt_operation_unary(int64_t *value, gt_operation operation);

__extension__ typedef __int128 gt_wide; /* no result of two 64-bit operands overflows it */
/* a OP b without a limit to its size, of every binary operation but comparisons and GT_DO_POW. No
 * division is by zero, and shifts are by 0 to 62. */
gt_wide gt_operation_wide(gt_operation operation, int64_t a, int64_t b);
bool gt_operation_divides(gt_operation operation);
bool gt_operation_shifts(gt_operation operation);

/* The orders of its operands in which a comparison is true, as bits; 0: the operation is no
 * comparison. */
enum { GT_ORDER_LESS = 1, GT_ORDER_EQUAL = 2, GT_ORDER_GREATER = 4 };
unsigned gt_operation_orders(gt_operation operation);
/* Sets *out to whether a comparison is true for operands in the given order (below 0, 0 or above).
 * False: the operation is no comparison. */
bool gt_operation_compare(bool *out, gt_operation operation, double order);
/* Whether a jump is taken if the top of the stack is zero, or is not (`zero`). Sets *pops to
 * whether the jump pops it. */
bool gt_operation_jumps(gt_operation operation, bool zero, bool *pops);
/* How many values an operation takes from the stack. */
static inline int gt_operation_operands(gt_operation operation)
{
    return operation < GT_DO_NEGATE ? 0 : 1 + (operation >= GT_DO_BINARY && operation < GT_DO_SQRT);
}

/* Runs code whose stack depth, jumps and slots are known to be in range. Returns NULL, or a text
 * that says what went wrong. */
const char *gt_code_run(int64_t *out, const gt_instruction *code, int count, const int64_t *slots);
