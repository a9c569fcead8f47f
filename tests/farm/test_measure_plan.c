/* Tests how a sample is planned: the number of launches, the copies of the buffers, and the
 * memory. */
#include "farm/measure_plan.h"
#include "farm/measure_service.h"
#include "support/test.h"

TEST(short_kernels_are_launched_often)
{
    assert_int_equal(gt_plan_launches(1000, GT_SAMPLE_FULL), 200);
    assert_int_equal(gt_plan_launches(10, GT_SAMPLE_FULL), GT_LAUNCHES_MAX);
    assert_int_equal(gt_plan_launches(0, GT_SAMPLE_FULL), GT_LAUNCHES_MAX);
    assert_int_equal(gt_plan_launches(190e3, GT_SAMPLE_FULL), 5);
    assert_int_equal(gt_plan_launches(60e3, GT_SAMPLE_FULL), 5);
    assert_int_equal(gt_plan_launches(190e3, GT_SAMPLE_BRIEF), 2);
    assert_int_equal(gt_plan_launches(20e3, GT_SAMPLE_BRIEF), 10);
    assert_int_equal(gt_plan_launches(20e3, GT_SAMPLE_FULL), 10);
}

TEST(long_kernels_are_launched_seldom)
{
    assert_int_equal(gt_plan_launches(1e6, GT_SAMPLE_FULL), 2);
    assert_int_equal(gt_plan_launches(5e6, GT_SAMPLE_FULL), 1);
    assert_int_equal(gt_plan_launches(1e12, GT_SAMPLE_FULL), 1);
}

TEST(a_quick_sample_is_short)
{
    assert_int_equal(gt_plan_launches(190e3, GT_SAMPLE_QUICK), 1);
    assert_int_equal(gt_plan_launches(50e3, GT_SAMPLE_QUICK), 1);
    assert_int_equal(gt_plan_launches(5e3, GT_SAMPLE_QUICK), 20);
    assert_int_equal(gt_plan_burst(5e3, false), 400);
    assert_int_equal(gt_plan_burst(5e3, true), 100);
    assert_int_equal(gt_plan_burst(5e9, false), 1);
    assert_int_equal(gt_plan_singles(1e3, false), 100);
    assert_int_equal(gt_plan_singles(1e3, true), 25);
    assert_int_equal(gt_plan_singles(1e6, true), 9);
}

/* A sample that takes longer than 10 s would count as a hang. */
TEST(single_launches_of_long_kernels_are_few)
{
    assert_int_equal(gt_plan_singles(1e7, false), 100);
    assert_int_equal(gt_plan_singles(15e7, false), 7);
    assert_int_equal(gt_plan_singles(15e7, true), 7);
    assert_int_equal(gt_plan_singles(2e9, false), 3);
    assert_int_equal(gt_plan_singles(2e9, true), 3);
}

TEST(copies_of_the_buffers_exceed_twice_the_l2)
{
    const int64_t l2 = 50 << 20;
    const uint64_t plenty = UINT64_C(1) << 40;
    assert_int_equal(gt_plan_rotations(l2, 512 << 20, 512 << 20, plenty), 1);
    assert_int_equal(gt_plan_rotations(l2, 100 << 20, 100 << 20, plenty), 1);
    assert_int_equal(gt_plan_rotations(l2, 40 << 20, 40 << 20, plenty), 3);
    assert_int_equal(gt_plan_rotations(l2, 8192, 8192, plenty), GT_LAUNCHES_MAX);
}

TEST(copies_of_the_buffers_stay_within_memory)
{
    assert_int_equal(gt_plan_rotations(50 << 20, 10 << 20, 10 << 20, 25 << 20), 3);
    assert_int_equal(gt_plan_rotations(50 << 20, 10 << 20, 10 << 20, 0), 1);
    assert_int_equal(gt_plan_rotations(0, 10 << 20, 10 << 20, 1 << 30), 1);
    assert_int_equal(gt_plan_rotations(50 << 20, 0, 0, 1 << 30), 1);
}

TEST(hot_samples_rotate_buffers_if_l2_holds_the_data)
{
    const uint64_t plenty = 1ull << 36;
    assert_int_equal(gt_plan_hot_sets(60 << 20, 16 << 20, 17 << 20, plenty), 8);
    assert_int_equal(gt_plan_hot_sets(60 << 20, 61 << 20, 61 << 20, plenty), 1);
    assert_int_equal(gt_plan_hot_sets(60 << 20, 16 << 20, 16 << 20, 40 << 20), 3);
    assert_int_equal(gt_plan_hot_sets(60 << 20, 16 << 20, 16 << 20, 0), 1);
    assert_int_equal(gt_plan_hot_sets(60 << 20, 0, 0, plenty), 1);
    assert_int_equal(gt_plan_hot_sets(0, 16 << 20, 16 << 20, plenty), 1);
}

static gt_workload *axpy(uint64_t n)
{
    static gt_workload workload;
    workload = (gt_workload){.buffer_count = 2, .has_reference = true};
    for (int i = 0; i < 2; ++i) {
        workload.buffers[i] = (gt_buffer){.type = GT_TYPE_F32,
                                          .reference_type = GT_TYPE_F32,
                                          .direction = i == 0 ? GT_INOUT : GT_IN,
                                          .elements = n,
                                          .bytes = 4 * n};
        workload.alignment[i] = 16;
    }
    return &workload;
}

TEST(memory_counts_copies_and_results)
{
    const uint64_t n = 1000, guards = 2 * (GT_GUARD_FRONT + 1024 + GT_GUARD_BACK);
    gt_workload *workload = axpy(n);
    assert_int_equal(gt_plan_working_set(workload), 8 * n);
    /* the copies are: y, x, the initial y, and the expected y */
    assert_int_equal(gt_plan_device_bytes(NULL, workload, 1, (const uint64_t[2]){0}),
                     16 * n + guards);
    /* one more copy: an unchanged copy of the caller's x */
    assert_int_equal(gt_plan_device_bytes(NULL, workload, 1, (const uint64_t[2]){2}),
                     20 * n + guards);
    workload->buffers[0].reference_type = GT_TYPE_F64;
    assert_int_equal(gt_plan_device_bytes(NULL, workload, 1, (const uint64_t[2]){0}),
                     20 * n + guards);
}

TEST(scale_is_as_wide_as_it_says)
{
    gt_workload *workload = axpy(1000);
    gt_type type;
    assert_int_equal(gt_plan_scale_bytes(workload, &type), 0);
    workload->has_scale = true;
    workload->reference.parameter_count = 1;
    workload->reference.parameters[0].scratch_bytes = 8000;
    assert_int_equal(gt_plan_scale_bytes(workload, &type), 8000);
    assert_int_equal(type, GT_TYPE_F64);
    workload->reference.parameters[0].scratch_bytes = 4000;
    assert_int_equal(gt_plan_scale_bytes(workload, &type), 4000);
    assert_int_equal(type, GT_TYPE_F32);
}

TEST(odd_tail_buffers_are_aligned_as_promised_and_no_better)
{
    gt_workload *workload = axpy(1000);
    assert_int_equal(gt_plan_skew(workload, 0), 16);
    workload->alignment[0] = 1;
    assert_int_equal(gt_plan_skew(workload, 0), 4);
    workload->alignment[0] = 256;
    assert_int_equal(gt_plan_skew(workload, 0), 0);
    workload->alignment[0] = 4096;
    assert_int_equal(gt_plan_place(workload, 0, true, 512) % 4096, 0);
    assert_int_equal(gt_plan_place(workload, 0, false, 512) % 4096, 0);
    workload->alignment[0] = 8;
    assert_int_equal(gt_plan_place(workload, 0, false, 512) % 16, 8);
    assert_true(gt_plan_place(workload, 0, false, 512) >= 512 + GT_GUARD_FRONT);
    assert_true(gt_plan_place(workload, 0, false, 512) + 4000 + GT_GUARD_BACK <=
                512 + gt_plan_slot_bytes(workload, 0, false));
}

TEST(sets_do_not_overlap)
{
    uint64_t offsets[GT_PARAMETER_MAX];
    assert_int_equal(gt_plan_set(offsets, axpy(1000)), 8192);
    assert_int_equal(offsets[0], 0);
    assert_int_equal(offsets[1], 4096);
}

TEST(tables_number_tiles_in_one_sequence)
{
    GT_SCOPED(gt_tasks_free) gt_tasks table = {0};
    gt_service_task task = {.operation = GT_DO_COMPARE, .count = GT_TILE + 1};
    ASSERT_OK(gt_tasks_add(&table, NULL, &task));
    task.repeats = 3;
    ASSERT_OK(gt_tasks_add(&table, NULL, &task));
    gt_tasks_mark_timed(&table);
    task = (gt_service_task){.count = 1};
    ASSERT_OK(gt_tasks_add(&table, NULL, &task));
    assert_int_equal(table.tasks.items[1].first_tile, 2);
    assert_int_equal(table.tasks.items[2].first_tile, 8);
    assert_int_equal(table.tiles, 9);
    assert_int_equal(table.timed_count, 2);
    assert_int_equal(table.timed_tiles, 8);
    task.count = 0;
    ASSERT_OK(gt_tasks_add(&table, NULL, &task));
    assert_int_equal(table.tasks.count, 3);
    gt_tasks_reset(&table);
    assert_int_equal(table.tiles, 0);
}
