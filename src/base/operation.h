/* Integer expressions as trees, stored as arrays in which operands precede their operation. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gt_operation {
    GT_DO_LITERAL,
    GT_DO_REAL, /* a floating-point literal, which has no integer value */
    GT_DO_SLOT,
    GT_DO_NEGATE, /* the first operation with one operand */
    GT_DO_NOT,
    GT_DO_COMPLEMENT,
    GT_DO_TRUTH, /* 0 or 1 */
    GT_DO_SQRT,
    GT_DO_LOG2,
    GT_DO_BINARY, /* the first operation with two operands */
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
    GT_DO_AND, /* the first operation that may skip its second operand */
    GT_DO_OR,
    GT_DO_CHOOSE, /* condition ? a : b; the second operand is a GT_DO_ELSE of a and b */
    GT_DO_ELSE,
    GT_DO_LAST = GT_DO_ELSE
} gt_operation;

typedef struct gt_instruction {
    gt_operation operation;
    int32_t target; /* index of the first of two operands, or the slot of GT_DO_SLOT */
    union {
        int64_t integer; /* GT_DO_LITERAL */
        double real;     /* GT_DO_REAL */
    };
} gt_instruction;

/* Execute one operation on integers. Return NULL, or a description of the error.
 * gt_operation_binary() takes operations from GT_DO_BINARY up to, but not including, GT_DO_AND. */
const char *gt_operation_binary(int64_t *out, gt_operation operation, int64_t a, int64_t b);
const char *gt_operation_unary(int64_t *value, gt_operation operation);

/* Evaluates a comparison. `order` is negative, 0 or positive if the first operand is less than,
 * equal to or greater than the second. Returns false if the operation is not a comparison. */
bool gt_operation_compare(bool *out, gt_operation operation, double order);
/* Returns the number of operands. The last operand directly precedes the operation. */
static inline int gt_operation_operands(gt_operation operation)
{
    return operation < GT_DO_NEGATE ? 0 : operation < GT_DO_BINARY ? 1 : 2;
}

/* Evaluates the operation at `at`. Slots must be in range. Returns NULL, or the error's
 * description. */
const char *gt_code_run(int64_t *out, const gt_instruction *code, int at, const int64_t *slots);
