/* Bounds of an integer expression whose operands are known only by their bounds: what tells that a
 * constraint can no longer hold before all its axes have values. */
#pragma once

#include "kernel/expression_code.h"

/* The values that a successful evaluation may give, both ends included; low > high: none does. */
typedef struct gt_interval {
    int64_t low, high;
    bool may_fail; /* for some operands, as by a division by zero */
} gt_interval;

gt_interval gt_interval_of(int64_t value);
/* Every value, and it may fail. */
gt_interval gt_interval_any(void);
bool gt_interval_is_empty(gt_interval a);
/* One value for certain. */
bool gt_interval_is_value(gt_interval a);
bool gt_interval_is_false(gt_interval a); /* 0, or nothing: a constraint cannot hold */
bool gt_interval_is_true(gt_interval a);  /* never 0, and never fails: it holds */
/* The smallest interval around both. */
gt_interval gt_interval_join(gt_interval a, gt_interval b);

/* `operation` of two operands, or one, as gt_expression_try() computes it: exact for single values;
 * else an interval that holds every result, which may be wider than needed. Not for jumps. */
gt_interval gt_interval_binary(gt_operation operation, gt_interval a, gt_interval b);
gt_interval gt_interval_unary(gt_operation operation, gt_interval a);
