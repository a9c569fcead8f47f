/* Interval arithmetic over the operations of template expressions. */
#include "kernel/interval.h"

static const gt_interval nothing = {1, 0, true};

gt_interval gt_interval_of(int64_t value)
{
    return (gt_interval){value, value, false};
}

gt_interval gt_interval_any(void)
{
    return (gt_interval){INT64_MIN, INT64_MAX, true};
}

bool gt_interval_is_empty(gt_interval a)
{
    return a.low > a.high;
}

bool gt_interval_is_value(gt_interval a)
{
    return a.low == a.high && !a.may_fail;
}

bool gt_interval_is_false(gt_interval a)
{
    return gt_interval_is_empty(a) || (a.low == 0 && a.high == 0);
}

bool gt_interval_is_true(gt_interval a)
{
    return !gt_interval_is_empty(a) && !a.may_fail && (a.low > 0 || a.high < 0);
}

gt_interval gt_interval_join(gt_interval a, gt_interval b)
{
    bool may_fail = a.may_fail || b.may_fail;
    if (gt_interval_is_empty(a) || gt_interval_is_empty(b)) {
        gt_interval other = gt_interval_is_empty(a) ? b : a;
        return (gt_interval){other.low, other.high, may_fail};
    }
    return (gt_interval){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high,
                         may_fail};
}

/* What of low..high an expression can have: more than 64 bits is a failure. */
static gt_interval narrow(gt_wide low, gt_wide high, bool may_fail)
{
    if (low > INT64_MAX || high < INT64_MIN) {
        return nothing;
    }
    may_fail |= low < INT64_MIN || high > INT64_MAX;
    return (gt_interval){low < INT64_MIN ? INT64_MIN : (int64_t)low,
                         high > INT64_MAX ? INT64_MAX : (int64_t)high, may_fail};
}

/* Around the results at the four corners, of what is monotone in each operand. */
static gt_interval around(gt_operation operation, gt_interval a, gt_interval b, bool may_fail)
{
    const gt_wide corners[4] = {
        gt_operation_wide(operation, a.low, b.low), gt_operation_wide(operation, a.low, b.high),
        gt_operation_wide(operation, a.high, b.low), gt_operation_wide(operation, a.high, b.high)};
    gt_wide low = corners[0], high = corners[0];
    for (int i = 1; i < 4; i++) {
        low = corners[i] < low ? corners[i] : low;
        high = corners[i] > high ? corners[i] : high;
    }
    return narrow(low, high, may_fail);
}

/* round_up(a, b) lies between a and the next multiple but one. */
static gt_interval round_up(gt_interval a, gt_interval b, bool may_fail)
{
    gt_wide down = b.low < 0 ? (gt_wide)b.low + 1 : 0, up = b.high > 0 ? (gt_wide)b.high - 1 : 0;
    return narrow(a.low + down, a.high + up, may_fail);
}

/* C's remainder has the dividend's sign and is nearer to zero than the divisor. */
static gt_interval remainder_bounds(gt_interval a, gt_interval b, bool may_fail)
{
    gt_wide most = b.high > -(gt_wide)b.low ? (gt_wide)b.high : -(gt_wide)b.low;
    gt_wide low = -(most - 1) > a.low ? -(most - 1) : (gt_wide)a.low;
    gt_wide high = most - 1 < a.high ? most - 1 : (gt_wide)a.high;
    return narrow(a.low < 0 ? low : 0, a.high > 0 ? high : 0, may_fail);
}

static gt_interval divide(gt_operation operation, gt_interval a, gt_interval b, bool may_fail)
{
    return operation == GT_DO_REMAINDER  ? remainder_bounds(a, b, may_fail)
           : operation == GT_DO_ROUND_UP ? round_up(a, b, may_fail)
                                         : around(operation, a, b, may_fail);
}

/* Computes for the positive and the negative divisors apart: zero between them fails. */
static gt_interval by_sign(gt_operation operation, gt_interval a, gt_interval b, bool may_fail)
{
    gt_interval result = nothing;
    bool zero = b.low <= 0 && b.high >= 0;
    result.may_fail = may_fail || zero;
    if (b.high >= 1) {
        const gt_interval positive = {b.low > 1 ? b.low : 1, b.high, false};
        result = gt_interval_join(divide(operation, a, positive, result.may_fail), result);
    }
    if (b.low <= -1) {
        const gt_interval negative = {b.low, b.high < -1 ? b.high : -1, false};
        result = gt_interval_join(divide(operation, a, negative, result.may_fail), result);
    }
    return result;
}

static gt_interval shift(gt_operation operation, gt_interval a, gt_interval b, bool may_fail)
{
    const gt_interval allowed = {b.low > 0 ? b.low : 0, b.high < 62 ? b.high : 62, false};
    may_fail |= b.low < 0 || b.high > 62;
    return gt_interval_is_empty(allowed) ? nothing : around(operation, a, allowed, may_fail);
}

static gt_interval power(gt_interval a, gt_interval b, bool may_fail)
{
    int64_t low, high;
    if (b.high < 0) {
        return nothing;
    }
    if (a.low < 1) {
        return gt_interval_any();
    }
    if (gt_operation_binary(&low, GT_DO_POW, a.low, b.low > 0 ? b.low : 0)) {
        return nothing;
    }
    if (gt_operation_binary(&high, GT_DO_POW, a.high, b.high)) {
        return (gt_interval){low, INT64_MAX, true};
    }
    return (gt_interval){low, high, may_fail || b.low < 0};
}

static gt_interval bits(gt_operation operation, gt_interval a, gt_interval b, bool may_fail)
{
    int64_t most = a.high > b.high ? a.high : b.high, all = INT64_MAX;
    if (a.low < 0 || b.low < 0) {
        return (gt_interval){INT64_MIN, INT64_MAX, may_fail};
    }
    if (operation == GT_DO_BIT_AND) {
        return (gt_interval){0, a.high < b.high ? a.high : b.high, may_fail};
    }
    while (all / 2 >= most) {
        all /= 2;
    }
    return (gt_interval){0, all, may_fail};
}

/* Of a OP b: whether it holds for all values, for none, or for some. False: OP is no comparison. */
static bool compare(gt_interval *out, gt_operation operation, gt_interval a, gt_interval b,
                    bool may_fail)
{
    const unsigned holds = gt_operation_orders(operation);
    const unsigned possible = (a.low < b.high ? GT_ORDER_LESS : 0) |
                              (a.low <= b.high && b.low <= a.high ? GT_ORDER_EQUAL : 0) |
                              (a.high > b.low ? GT_ORDER_GREATER : 0);
    *out = (gt_interval){!(possible & ~holds), possible & holds ? 1 : 0, may_fail};
    return holds != 0;
}

static gt_interval combine(gt_operation operation, gt_interval a, gt_interval b, bool may_fail)
{
    if (gt_operation_divides(operation)) {
        return by_sign(operation, a, b, may_fail);
    }
    if (gt_operation_shifts(operation)) {
        return shift(operation, a, b, may_fail);
    }
    switch (operation) {
    case GT_DO_MULTIPLY:
    case GT_DO_ADD:
    case GT_DO_SUBTRACT:
    case GT_DO_MIN:
    case GT_DO_MAX:
        return around(operation, a, b, may_fail);
    case GT_DO_POW:
        return power(a, b, may_fail);
    default:
        return bits(operation, a, b, may_fail);
    }
}

gt_interval gt_interval_binary(gt_operation operation, gt_interval a, gt_interval b)
{
    gt_interval result;
    bool may_fail = a.may_fail || b.may_fail;
    if (gt_interval_is_empty(a) || gt_interval_is_empty(b)) {
        return nothing;
    }
    if (a.low == a.high && b.low == b.high) {
        int64_t value;
        if (gt_operation_binary(&value, operation, a.low, b.low)) {
            return nothing;
        }
        return (gt_interval){value, value, may_fail};
    }
    return compare(&result, operation, a, b, may_fail) ? result
                                                       : combine(operation, a, b, may_fail);
}

/* sqrt and log2 grow with their operand, and fail below `least`. */
static gt_interval growing(gt_operation operation, gt_interval a, int64_t least)
{
    int64_t low = a.low > least ? a.low : least, high = a.high;
    if (a.high < least || gt_operation_unary(&low, operation) ||
        gt_operation_unary(&high, operation)) {
        return nothing;
    }
    return (gt_interval){low, high, a.may_fail || a.low < least};
}

gt_interval gt_interval_unary(gt_operation operation, gt_interval a)
{
    bool zero = a.low <= 0 && a.high >= 0, other = a.low != 0 || a.high != 0;
    if (gt_interval_is_empty(a)) {
        return nothing;
    }
    switch (operation) {
    case GT_DO_NEGATE:
        return narrow(-(gt_wide)a.high, -(gt_wide)a.low, a.may_fail);
    case GT_DO_NOT:
        return (gt_interval){!other, zero, a.may_fail};
    case GT_DO_TRUTH:
        return (gt_interval){!zero, other, a.may_fail};
    case GT_DO_COMPLEMENT:
        return (gt_interval){~a.high, ~a.low, a.may_fail};
    case GT_DO_SQRT:
        return growing(operation, a, 0);
    default:
        return growing(operation, a, 1);
    }
}
