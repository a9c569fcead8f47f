/* Integer operations, and the evaluation of trees of operations. */
#include "base/operation.h"

#include <math.h>

static const char division[] = "division by zero";
static const char overflow[] = "overflow of 64 bits";
static const char shift[] = "a shift by a negative count or by more than 62";
static const char domain[] = "a value outside the function's domain";
static const char real[] = "a floating-point number";

static const char *compute_power(int64_t *out, int64_t base, int64_t exponent)
{
    int64_t value = 1;
    if (exponent < 0) {
        return domain;
    }
    if (exponent > 63 && (base < -1 || base > 1)) {
        return overflow;
    }
    for (int64_t i = exponent > 63 ? exponent % 2 + 2 : exponent; i > 0; i--) {
        if (__builtin_mul_overflow(value, base, &value)) {
            return overflow;
        }
    }
    *out = value;
    return NULL;
}

static const char *compute_root(int64_t *out, int64_t value)
{
    if (value < 0) {
        return domain;
    }
    int64_t guess = (int64_t)sqrt((double)value);
    while (guess > 0 && guess > value / guess) {
        guess--;
    }
    while ((guess + 1) <= value / (guess + 1)) {
        guess++;
    }
    *out = guess;
    return NULL;
}

__extension__ typedef __int128 wide;

static wide divide(gt_operation operation, int64_t a, int64_t b)
{
    const wide quotient = b == -1 ? -(wide)a : a / b, rest = a - quotient * b;
    const wide up = quotient + (rest != 0 && (a < 0) == (b < 0));
    switch (operation) {
    case GT_DO_DIVIDE:
        return quotient;
    case GT_DO_REMAINDER:
        return rest;
    default:
        return operation == GT_DO_CEIL_DIV ? up : up * b;
    }
}

bool gt_operation_compare(bool *out, gt_operation operation, double order)
{
    enum { LESS = 1, EQUAL = 2, GREATER = 4 };
    static const uint8_t orders[] = {
        [GT_DO_LESS] = LESS,       [GT_DO_LESS_EQUAL] = LESS | EQUAL,
        [GT_DO_GREATER] = GREATER, [GT_DO_GREATER_EQUAL] = GREATER | EQUAL,
        [GT_DO_EQUAL] = EQUAL,     [GT_DO_NOT_EQUAL] = LESS | GREATER};
    const unsigned holds = (size_t)operation < sizeof orders ? orders[operation] : 0;
    *out = holds & (order < 0 ? LESS : order > 0 ? GREATER : EQUAL);
    return holds != 0;
}

const char *gt_operation_unary(int64_t *value, gt_operation operation)
{
    switch (operation) {
    case GT_DO_NEGATE:
        return __builtin_sub_overflow(INT64_C(0), *value, value) ? overflow : NULL;
    case GT_DO_NOT:
        *value = !*value;
        return NULL;
    case GT_DO_COMPLEMENT:
        *value = ~*value;
        return NULL;
    case GT_DO_TRUTH:
        *value = *value != 0;
        return NULL;
    case GT_DO_SQRT:
        return compute_root(value, *value);
    default:
        if (*value <= 0) {
            return domain;
        }
        *value = 63 - __builtin_clzll((unsigned long long)*value);
        return NULL;
    }
}

const char *gt_operation_binary(int64_t *out, gt_operation operation, int64_t a, int64_t b)
{
    bool truth;
    wide result;
    if (gt_operation_compare(&truth, operation, a < b ? -1 : a > b)) {
        *out = truth;
        return NULL;
    }
    switch (operation) {
    case GT_DO_DIVIDE:
    case GT_DO_REMAINDER:
    case GT_DO_CEIL_DIV:
    case GT_DO_ROUND_UP:
        if (b == 0) {
            return division;
        }
        result = divide(operation, a, b);
        break;
    case GT_DO_MULTIPLY:
        result = (wide)a * b;
        break;
    case GT_DO_ADD:
        result = (wide)a + b;
        break;
    case GT_DO_SUBTRACT:
        result = (wide)a - b;
        break;
    case GT_DO_SHIFT_LEFT:
    case GT_DO_SHIFT_RIGHT:
        if (b < 0 || b > 62) {
            return shift;
        }
        result = operation == GT_DO_SHIFT_LEFT ? a * ((wide)1 << b) : a >> b;
        break;
    case GT_DO_BIT_AND:
        result = a & b;
        break;
    case GT_DO_BIT_XOR:
        result = a ^ b;
        break;
    case GT_DO_BIT_OR:
        result = a | b;
        break;
    case GT_DO_POW:
        return compute_power(out, a, b);
    default:
        result = (a < b) == (operation == GT_DO_MIN) ? a : b;
    }
    *out = (int64_t)result;
    return result == *out ? NULL : overflow;
}

const char *gt_code_run(int64_t *out, const gt_instruction *code, int at, const int64_t *slots)
{
    const gt_instruction *step = &code[at];
    const int operands = gt_operation_operands(step->operation);
    int64_t first;
    if (operands == 0) {
        *out = step->operation == GT_DO_SLOT ? slots[step->target] : step->integer;
        return step->operation == GT_DO_REAL ? real : NULL;
    }
    const char *error = gt_code_run(&first, code, operands == 1 ? at - 1 : step->target, slots);
    if (error) {
        return error;
    }
    if (step->operation == GT_DO_CHOOSE) {
        return gt_code_run(out, code, first ? code[at - 1].target : at - 2, slots);
    }
    *out = first;
    if (operands == 1) {
        return gt_operation_unary(out, step->operation);
    }
    bool is_logical = step->operation >= GT_DO_AND;
    bool decides = is_logical && (first != 0) == (step->operation == GT_DO_OR);
    error = decides ? NULL : gt_code_run(out, code, at - 1, slots);
    if (error || is_logical) {
        *out = *out != 0;
        return error;
    }
    return gt_operation_binary(out, step->operation, first, *out);
}
