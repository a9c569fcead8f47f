/* Expressions over integers as trees, in an array: an operation stands behind its operands. Loops
 * of launches contain them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gt_operation {
    GT_DO_LITERAL,
    GT_DO_REAL, /* a floating literal, which has no integer value */
    GT_DO_SLOT,
    GT_DO_NEGATE, /* from here on: one operand */
    GT_DO_NOT,
    GT_DO_COMPLEMENT,
    GT_DO_TRUTH, /* 0 or 1 */
    GT_DO_SQRT,
    GT_DO_LOG2,
    GT_DO_BINARY, /* from here on: two operands */
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
    GT_DO_AND, /* from here on, the first operand decides whether the second one is computed */
    GT_DO_OR,
    GT_DO_CHOOSE, /* condition ? a : b; its second operand is GT_DO_ELSE, with the operands a and b
                   */
    GT_DO_ELSE,
    GT_DO_LAST = GT_DO_ELSE
} gt_operation;

typedef struct gt_instruction {
    gt_operation operation;
    int32_t target; /* the index of the first of two operands; for GT_DO_SLOT the slot */
    union {
        int64_t integer; /* of GT_DO_LITERAL */
        double real;     /* of GT_DO_REAL */
    };
} gt_instruction;

/* Each carries out one operation on integers and returns NULL, or a text that says what went wrong.
 * Binary operations are those from GT_DO_BINARY to before GT_DO_AND. */
const char *gt_operation_binary(int64_t *out, gt_operation operation, int64_t a, int64_t b);
const char *gt_operation_unary(int64_t *value, gt_operation operation);

/* Sets *out to whether a comparison is true for operands in the given order (below 0, 0 or above).
 * False: the operation is no comparison. */
bool gt_operation_compare(bool *out, gt_operation operation, double order);
/* How many operands an operation has; the last one stands in front of it. */
static inline int gt_operation_operands(gt_operation operation)
{
    return operation < GT_DO_NEGATE ? 0 : operation < GT_DO_BINARY ? 1 : 2;
}

/* Computes the operation at the index `at`, which is that of a tree with slots in range. Returns
 * NULL, or a text that says what went wrong. */
const char *gt_code_run(int64_t *out, const gt_instruction *code, int at, const int64_t *slots);
