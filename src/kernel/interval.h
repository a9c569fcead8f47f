/* Interval arithmetic: bounds of an integer expression whose operands are known only by their
 * bounds. With it a space sees that a constraint can no longer hold before all its axes have
 * values. */
#pragma once

#include "kernel/expression.h"

/* The values that a successful evaluation may give, both ends included; low > high: every
 * evaluation fails. */
typedef struct gt_interval {
    int64_t low, high;
    bool may_fail; /* the evaluation fails for some operands, such as a division by zero */
} gt_interval;

gt_interval gt_interval_of(int64_t value);
/* The interval of all values, whose evaluation may also fail. */
gt_interval gt_interval_any(void);
bool gt_interval_is_empty(gt_interval a);
/* Whether the interval is one value, and the evaluation cannot fail. */
bool gt_interval_is_value(gt_interval a);
bool gt_interval_is_false(gt_interval a); /* only 0, or empty: the constraint cannot hold */
bool gt_interval_is_true(gt_interval a);  /* never 0 and never fails: the constraint holds */
/* The smallest interval that contains both. */
gt_interval gt_interval_join(gt_interval a, gt_interval b);

/* Applies `operation` to two operands, or to one, with the results of gt_expression_try(). For
 * single values the result is exact; else it is an interval that contains every result, and may be
 * wider than needed. `operation` must not be a jump. */
gt_interval gt_interval_binary(gt_operation operation, gt_interval a, gt_interval b);
gt_interval gt_interval_unary(gt_operation operation, gt_interval a);
