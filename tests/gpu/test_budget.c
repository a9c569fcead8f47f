/* Tests that allocations of device memory stay within a budget. */
#include "gpu/budget.h"
#include "support/fake_driver.h"
#include "support/test.h"

enum { MB = 1 << 20 };

static CUresult allocate(CUdeviceptr *out, size_t bytes)
{
    return gt_device_alloc(&fake.table, out, bytes);
}

TEST(allocations_stay_within_the_budget)
{
    GT_SCOPED(gt_budget_free) gt_budget budget = {.limit_bytes = 10 * MB};
    CUdeviceptr first, second, third = 7;
    fake_reset();
    fake.table.budget = &budget;
    assert_int_equal(allocate(&first, 6 * MB), CUDA_SUCCESS);
    assert_int_equal(allocate(&second, 3 * MB), CUDA_SUCCESS); /* two pages */
    assert_int_equal(budget.taken_bytes, 10 * MB);
    assert_int_equal(allocate(&third, 1), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(third, 7);
    assert_int_equal(fake.live_memory, 2);
    assert_int_equal(gt_device_free(&fake.table, first), CUDA_SUCCESS);
    assert_int_equal(budget.taken_bytes, 4 * MB);
    assert_true(gt_budget_has(&fake.table, 6 * MB));
    assert_false(gt_budget_has(&fake.table, 6 * MB + 1));
    assert_true(gt_budget_take(&fake.table, 99, 6 * MB));
    assert_int_equal(allocate(&third, 1), CUDA_ERROR_OUT_OF_MEMORY);
    gt_budget_give(&fake.table, 99);
    gt_budget_give(&fake.table, 98); /* unknown */
    assert_int_equal(allocate(&third, 1), CUDA_SUCCESS);
    gt_device_free(&fake.table, second);
    gt_device_free(&fake.table, third);
    assert_int_equal(budget.taken_bytes, 0);
}

TEST(without_a_limit_allocations_are_only_counted)
{
    GT_SCOPED(gt_budget_free) gt_budget budget = {0};
    CUdeviceptr address;
    fake_reset();
    assert_int_equal(allocate(&address, 8 * MB), CUDA_SUCCESS);
    gt_device_free(&fake.table, address);
    fake.table.budget = &budget;
    assert_int_equal(allocate(&address, 8 * MB), CUDA_SUCCESS);
    assert_int_equal(budget.taken_bytes, 8 * MB);
    gt_device_free(&fake.table, address);
}

TEST(small_allocations_share_pages)
{
    fake_reset();
    assert_int_equal(gt_budget_cost(&fake.table, 0), 0);
    assert_int_equal(gt_budget_cost(&fake.table, 1), 512);
    assert_int_equal(gt_budget_cost(&fake.table, MB), 2 * MB);
    assert_int_equal(gt_budget_cost(NULL, MB), MB);
}
