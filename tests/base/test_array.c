/* Arrays that grow. */
#include "base/array.h"
#include "base_support.h"

static void array_keeps_what_is_pushed(void **state)
{
    GT_ARRAY(int) numbers = {0};
    (void)state;
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(gt_array_push(&numbers, i * i), GPUTUNE_OK);
    }
    assert_int_equal(numbers.count, 1000);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(numbers.items[i], i * i);
    }
    gt_array_free(&numbers);
    assert_null(numbers.items);
    assert_int_equal(numbers.count + numbers.capacity, 0);
}

static void room_is_made_for_one_more(void **state)
{
    GT_ARRAY(double) values = {0};
    (void)state;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(gt_array_reserve(&values), GPUTUNE_OK);
        assert_true(values.capacity > values.count);
        values.items[values.count++] = i;
    }
    gt_array_free(&values);
}

static void array_beyond_the_address_space_stays_as_it_is(void **state)
{
    int item;
    void *items = &item;
    size_t capacity = SIZE_MAX / 4;
    (void)state;
    assert_int_equal(gt_array_grow(&items, &capacity, capacity, 1024), GPUTUNE_ENOMEM);
    assert_ptr_equal(items, &item);
    assert_int_equal(capacity, SIZE_MAX / 4);
    assert_string_equal(gputune_error(), "out of host memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(array_keeps_what_is_pushed),
        cmocka_unit_test(room_is_made_for_one_more),
        cmocka_unit_test(array_beyond_the_address_space_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
