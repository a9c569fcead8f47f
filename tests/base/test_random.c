/* Tests the random number generator. */
#include "base/random.h"
#include "base_support.h"

enum { DRAWS = 100000 };

TEST(random_sequence_equals_splitmix64)
{
    gt_random random = {1234567};
    assert_true(gt_random_next(&random) == UINT64_C(6457827717110365317));
    assert_true(gt_random_next(&random) == UINT64_C(3203168211198807973));
}

TEST(random_below_reaches_all_values)
{
    gt_random random = {1};
    int seen[7] = {0};
    for (int i = 0; i < DRAWS; i++) {
        uint64_t value = gt_random_below(&random, 7);
        assert_true(value < 7);
        seen[value]++;
    }
    for (int i = 0; i < 7; i++) {
        assert_in_range(seen[i], DRAWS / 7 - 1000, DRAWS / 7 + 1000);
    }
    assert_true(gt_random_below(&random, 1) == 0);
}

TEST(random_unit_is_uniform)
{
    gt_random random = {2};
    double sum = 0;
    for (int i = 0; i < DRAWS; i++) {
        double unit = gt_random_unit(&random);
        assert_true(unit >= 0 && unit < 1);
        sum += unit;
    }
    assert_true(fabs(sum / DRAWS - 0.5) < 0.01);
}

TEST(shuffle_repeats_with_its_seed)
{
    uint64_t first[50], second[50];
    uint32_t seen[50] = {0};
    gt_random one = {3}, two = {3};
    for (uint32_t i = 0; i < 50; i++) {
        first[i] = second[i] = i;
    }
    gt_random_shuffle(&one, first, 50);
    gt_random_shuffle(&two, second, 50);
    assert_memory_equal(first, second, sizeof first);
    size_t moved = 0;
    for (uint32_t i = 0; i < 50; i++) {
        seen[first[i]]++;
        moved += first[i] != i;
    }
    for (uint32_t i = 0; i < 50; i++) {
        assert_int_equal(seen[i], 1);
    }
    assert_true(moved > 40);
    gt_random_shuffle(&one, first, 0);
}
