/* Intervals hold what they bound. */
#include "kernel_support.h"

#include "base/random.h"
#include "kernel/interval.h"

static gt_interval some_interval(gt_random *random, int64_t reach)
{
    int64_t low = (int64_t)gt_random_below(random, (uint64_t)(2 * reach + 1)) - reach;
    return (gt_interval){low, low + (int64_t)gt_random_below(random, 6), false};
}

/* Every result of operands within is within, and a failure is foretold. */
static void assert_holds(gt_interval bound, const char *error, int64_t value)
{
    if (error) {
        assert_true(bound.may_fail);
        return;
    }
    assert_true(bound.low <= value && value <= bound.high);
}

TEST(test_binary)
{
    gt_random random = {7};
    for (int i = 0; i < 40000; i++) {
        gt_operation operation =
            (gt_operation)(GT_DO_BINARY + gt_random_below(&random, GT_DO_AND - GT_DO_BINARY));
        gt_interval a = some_interval(&random, i % 2 ? 8 : 70), b = some_interval(&random, 8);
        gt_interval bound = gt_interval_binary(operation, a, b);
        for (int64_t x = a.low; x <= a.high; x++) {
            for (int64_t y = b.low; y <= b.high; y++) {
                int64_t value = 0;
                const char *error = gt_operation_binary(&value, operation, x, y);
                assert_holds(bound, error, value);
            }
        }
    }
}

TEST(test_unary)
{
    static const gt_operation operations[] = {GT_DO_NEGATE, GT_DO_NOT,  GT_DO_COMPLEMENT,
                                              GT_DO_TRUTH,  GT_DO_SQRT, GT_DO_LOG2};
    gt_random random = {9};
    for (int i = 0; i < 4000; i++) {
        gt_operation operation = operations[i % 6];
        gt_interval a = some_interval(&random, 12);
        gt_interval bound = gt_interval_unary(operation, a);
        for (int64_t x = a.low; x <= a.high; x++) {
            int64_t value = x;
            const char *error = gt_operation_unary(&value, operation);
            assert_holds(bound, error, value);
        }
    }
}

TEST(test_ends)
{
    const gt_interval any = gt_interval_any(), largest = gt_interval_of(INT64_MAX);
    const gt_interval zero = gt_interval_of(0), one = gt_interval_of(1);
    const gt_interval few = {2, 5, false}, least = {INT64_MIN, INT64_MIN + 1, false};
    assert_true(gt_interval_is_empty(gt_interval_binary(GT_DO_DIVIDE, few, zero)));
    assert_true(gt_interval_is_false(gt_interval_binary(GT_DO_DIVIDE, few, zero)));
    assert_true(gt_interval_is_empty(gt_interval_binary(GT_DO_ADD, largest, few)));
    assert_true(gt_interval_is_empty(gt_interval_unary(GT_DO_LOG2, gt_interval_of(-3))));
    assert_true(gt_interval_is_true(gt_interval_binary(GT_DO_LESS, one, few)));
    assert_true(gt_interval_is_false(gt_interval_binary(GT_DO_GREATER, one, few)));
    /* what may fail holds for nobody yet */
    assert_false(gt_interval_is_true(gt_interval_binary(GT_DO_LESS_EQUAL, any, largest)));
    gt_interval negated = gt_interval_unary(GT_DO_NEGATE, least);
    assert_true(negated.may_fail && negated.high == INT64_MAX);
    for (int operation = GT_DO_BINARY; operation < GT_DO_AND; operation++) {
        (void)gt_interval_binary((gt_operation)operation, any, any);
        (void)gt_interval_binary((gt_operation)operation, least, any);
        (void)gt_interval_binary((gt_operation)operation, any, least);
    }
}
