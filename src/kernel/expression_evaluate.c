/* Runs an expression's code over integers or doubles. */
#include "kernel/expression_code.h"
#include "kernel/lexer.h"

#include <math.h>

static const char division[] = "division by zero";
static const char overflow[] = "overflow of 64 bits";
static const char domain[] = "a value outside the function's domain";
static const char operand[] = "an operator without its operands";

const char *gt_expression_try(int64_t *out, const gt_expression *expression, const int64_t *slots)
{
    return gt_code_run(out, expression->code, expression->count, slots);
}

static gputune_status fail(const gt_expression *expression, const char *error)
{
    return gt_fail_at(expression->place, "%s in '%s'; expected a value that can be computed", error,
                      expression->text);
}

gputune_status gt_expression_integer(int64_t *out, const gt_expression *expression,
                                     const int64_t *slots)
{
    const char *error = gt_expression_try(out, expression, slots);
    return error ? fail(expression, error) : GPUTUNE_OK;
}

/* Bits, shifts and remainders of doubles that hold integers. */
static const char *combine_as_integers(double *out, gt_operation operation, double a, double b)
{
    const double limit = 9.2e18;
    int64_t result;
    if (!(fabs(a) < limit && fabs(b) < limit)) {
        return overflow;
    }
    const char *error = gt_operation_binary(&result, operation, (int64_t)a, (int64_t)b);
    *out = error ? 0 : (double)result;
    return error;
}

static const char *combine_reals(double *out, gt_operation operation, double a, double b)
{
    bool truth;
    if (gt_operation_compare(&truth, operation, a < b ? -1 : a > b)) {
        *out = truth;
        return NULL;
    }
    switch (operation) {
    case GT_DO_MULTIPLY:
        *out = a * b;
        return NULL;
    case GT_DO_ADD:
        *out = a + b;
        return NULL;
    case GT_DO_SUBTRACT:
        *out = a - b;
        return NULL;
    case GT_DO_DIVIDE:
    case GT_DO_CEIL_DIV:
    case GT_DO_ROUND_UP:
        *out = operation == GT_DO_DIVIDE ? a / b : ceil(a / b);
        *out *= operation == GT_DO_ROUND_UP ? b : 1;
        return b == 0 ? division : NULL;
    case GT_DO_MIN:
    case GT_DO_MAX:
        *out = operation == GT_DO_MIN ? fmin(a, b) : fmax(a, b);
        return NULL;
    case GT_DO_POW:
        *out = pow(a, b);
        return NULL;
    default:
        return combine_as_integers(out, operation, a, b);
    }
}

static const char *unary_real(double *value, gt_operation operation)
{
    const double a = *value;
    if (operation == GT_DO_COMPLEMENT) {
        return combine_as_integers(value, GT_DO_BIT_XOR, a, -1);
    }
    *value = operation == GT_DO_NEGATE  ? -a
             : operation == GT_DO_NOT   ? a == 0
             : operation == GT_DO_TRUTH ? a != 0
             : operation == GT_DO_SQRT  ? sqrt(a)
                                        : log2(a);
    return NULL;
}

/* Whether the result of an operation on integers is one. */
static bool stays_whole(gt_operation operation)
{
    return operation != GT_DO_POW && operation != GT_DO_SQRT && operation != GT_DO_LOG2;
}

static const char *divide_whole(double *out, gt_operation operation, double a, double b)
{
    const char *error = combine_reals(out, operation, a, b);
    *out = operation == GT_DO_DIVIDE ? trunc(*out) : *out;
    return error;
}

/* typed: as C++ divides integers; else exactly. */
static const char *try_real(double *out, const gt_expression *expression, const int64_t *slots,
                            bool typed)
{
    double stack[GT_CODE_STACK];
    bool whole[GT_CODE_STACK] = {false};
    int top = -1;
    for (int i = 0; i < expression->count;) {
        const gt_instruction *step = &expression->code[i++];
        const char *error = NULL;
        if (top + 1 < gt_operation_operands(step->operation)) {
            return operand;
        }
        if (step->operation == GT_DO_SLOT) {
            stack[++top] = (double)slots[step->target];
            whole[top] = typed;
        } else if (step->operation == GT_DO_LITERAL) {
            stack[++top] = (double)step->integer;
            whole[top] = typed;
        } else if (step->operation == GT_DO_REAL) {
            stack[++top] = step->real;
            whole[top] = false;
        } else if (step->operation >= GT_DO_JUMP && step->operation < GT_DO_BINARY) {
            bool pops, jump = gt_operation_jumps(step->operation, stack[top] == 0, &pops);
            stack[top] = step->operation == GT_DO_OR_SHORTCUT ? stack[top] != 0 : stack[top];
            top -= pops;
            i = jump ? step->target : i;
        } else if (step->operation >= GT_DO_BINARY && step->operation < GT_DO_SQRT) {
            const bool both = whole[top - 1] && whole[top];
            error = (both ? divide_whole : combine_reals)(&stack[top - 1], step->operation,
                                                          stack[top - 1], stack[top]);
            whole[--top] = both && stays_whole(step->operation);
        } else {
            error = unary_real(&stack[top], step->operation);
            whole[top] = whole[top] && stays_whole(step->operation);
        }
        if (error) {
            return error;
        }
    }
    if (top != 0) {
        return operand;
    }
    *out = stack[0];
    return isfinite(*out) || (typed && !isnan(*out)) ? NULL : domain;
}

static gputune_status evaluate(double *out, const gt_expression *expression, const int64_t *slots,
                               bool typed)
{
    double value;
    const char *error = try_real(&value, expression, slots, typed);
    if (error) {
        return fail(expression, error);
    }
    *out = value;
    return GPUTUNE_OK;
}

gputune_status gt_expression_real(double *out, const gt_expression *expression,
                                  const int64_t *slots)
{
    return evaluate(out, expression, slots, false);
}

gputune_status gt_expression_number(double *out, const gt_expression *expression,
                                    const int64_t *slots)
{
    return evaluate(out, expression, slots, true);
}
