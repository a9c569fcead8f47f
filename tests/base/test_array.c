/* Tests growable arrays. */
#include "base/array.h"
#include "base_support.h"

TEST(array_keeps_pushed_values)
{
    GT_ARRAY(int) numbers = {0};
    for (int i = 0; i < 1000; i++) {
        ASSERT_OK(gt_array_push(&numbers, i * i));
    }
    assert_int_equal(numbers.count, 1000);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(numbers.items[i], i * i);
    }
    gt_array_free(&numbers);
    assert_null(numbers.items);
    assert_int_equal(numbers.count + numbers.capacity, 0);
}

TEST(reserve_adds_capacity)
{
    GT_ARRAY(double) values = {0};
    for (int i = 0; i < 20; i++) {
        ASSERT_OK(gt_array_reserve(&values));
        assert_true(values.capacity > values.count);
        values.items[values.count++] = i;
    }
    gt_array_free(&values);
}

TEST(array_too_large_for_memory_is_unchanged)
{
    int item;
    void *items = &item;
    size_t capacity = SIZE_MAX / 4;
    assert_int_equal(gt_array_grow(&items, &capacity, capacity, 1024), GPUTUNE_ENOMEM);
    assert_ptr_equal(items, &item);
    assert_int_equal(capacity, SIZE_MAX / 4);
    assert_string_equal(gputune_error(), "out of host memory");
}
