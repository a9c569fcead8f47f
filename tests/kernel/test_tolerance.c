/* Tests default tolerances, which depend on types, lengths, and sensitivities. */
#include "kernel/bind/tolerance.h"

#include "kernel_support.h"

static gt_workload workload_of(gt_type type, uint64_t inputs, uint64_t outputs)
{
    gt_workload workload = {.buffer_count = 2};
    workload.buffers[0] = (gt_buffer){.type = type, .direction = GT_OUT, .elements = outputs};
    workload.buffers[1] = (gt_buffer){.type = type, .direction = GT_IN, .elements = inputs};
    return workload;
}

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-6 * fabs(expected)) {
        fail_msg("%.9g, expected %.9g", value, expected);
    }
}

TEST(tolerance_keeps_stated_values)
{
    gt_workload workload = workload_of(GT_TYPE_F32, 1000, 1000);
    workload.tolerance = (gt_tolerance){.rtol = 0.5, .stated = true};
    gt_tolerance t = gt_tolerance_of(&workload, 0, &(gt_sensitivity){.step = 1, .moved = 1});
    assert_true(t.rtol == 0.5 && t.atol == 0 && t.stol == 0);
    workload.tolerance = (gt_tolerance){.stated = true}; /* rtol = 0 */
    t = gt_tolerance_of(&workload, 0, &(gt_sensitivity){.step = 1, .moved = 1});
    assert_true(t.rtol == 0 && t.atol == 0);
}

TEST(test_integers_are_compared_exactly)
{
    gt_workload workload = workload_of(GT_TYPE_I32, 1000, 1000);
    gt_tolerance t = gt_tolerance_of(&workload, 0, &(gt_sensitivity){0});
    assert_true(t.rtol == 0 && t.atol == 0 && t.stol == 0);
    assert_true(gt_tolerance_step(&workload) == 0);
}

TEST(test_the_step_is_the_root_of_the_coarsest_roundoff)
{
    gt_workload workload = workload_of(GT_TYPE_F32, 10, 10);
    assert_near(gt_tolerance_step(&workload), 0x1p-12);
    workload.buffers[1].type = GT_TYPE_BF16;
    assert_near(gt_tolerance_step(&workload), 0x1p-4);
    workload.buffers[1].type = GT_TYPE_I32;
    workload.buffers[0].type = GT_TYPE_F64;
    assert_near(gt_tolerance_step(&workload), sqrt(0x1p-53));
}

TEST(test_terms)
{
    const gt_sensitivity unknown = {0};
    gt_workload sum = workload_of(GT_TYPE_F32, 1000000, 1);
    assert_near(gt_tolerance_terms(&sum, 0, &unknown), 1e6);
    gt_workload product = workload_of(GT_TYPE_F32, 2 * 512 * 512, 512 * 512);
    assert_near(gt_tolerance_terms(&product, 0, &unknown), 2 * 512);
    /* a sparse step changed one in 64 inputs and one in 64 results, so each result has one term */
    assert_near(gt_tolerance_terms(&product, 0, &(gt_sensitivity){.still = 63.0 / 64}), 1);
    assert_near(gt_tolerance_terms(&product, 0, &(gt_sensitivity){.still = pow(63.0 / 64, 225)}),
                225);
    product.work_flops = 512.0 * 512 * 3000;
    assert_near(gt_tolerance_terms(&product, 0, &(gt_sensitivity){.still = 63.0 / 64}), 3000);
}

/* Results whose terms cancel have an absolute tolerance; the others have a relative tolerance. */
TEST(test_absolute_and_relative)
{
    gt_workload workload = workload_of(GT_TYPE_F32, 100000, 100000);
    gt_sensitivity seen = {
        .step = 0x1p-12, .largest = 2, .moved = 0x1p-12 * 3, .relative = 1000, .still = 63.0 / 64};
    gt_tolerance t = gt_tolerance_of(&workload, 0, &seen);
    assert_near(t.rtol, 1e-5);
    assert_near(t.atol, 6 * 0x1p-24 * 3);
    seen.relative = 0x1p-12 * 500; /* results change by 500 times as much as inputs, relatively */
    seen.moved = seen.relative * 2;
    t = gt_tolerance_of(&workload, 0, &seen);
    assert_near(t.rtol, 6 * 0x1p-24 * 500);
    assert_near(t.atol, 0x1p-126);
    seen = (gt_sensitivity){
        .step = 0x1p-12, .largest = 2, .moved = 1, .relative = INFINITY, .still = 63.0 / 64};
    assert_near(gt_tolerance_of(&workload, 0, &seen).atol, 6 * 0x1p-24 * 4096);
    seen.moved = 100; /* the function jumps */
    assert_near(gt_tolerance_of(&workload, 0, &seen).atol, 0.02);
    seen = (gt_sensitivity){.largest = 7, .still = 63.0 / 64}; /* no input could be changed */
    assert_near(gt_tolerance_of(&workload, 0, &seen).atol, 6 * 0x1p-24 * 7);
    seen.step = 0x1p-12; /* results do not depend on the changed input */
    assert_near(gt_tolerance_of(&workload, 0, &seen).atol, 6 * 0x1p-24 * 7);
}

/* A sum of a million terms is outside of the tolerance if the terms of one warp are missing, but
 * within the tolerance if the terms are added in another order. */
TEST(test_a_long_sum)
{
    gt_workload workload = workload_of(GT_TYPE_F32, 1000000, 1);
    gt_sensitivity seen = {.step = 0x1p-12, .largest = 300, .moved = 577 * 0x1p-12, .relative = 1};
    gt_tolerance t = gt_tolerance_of(&workload, 0, &seen); /* uniform(-1, 1) */
    assert_true(t.atol + t.rtol * 300 > 0.1 && t.atol + t.rtol * 300 < 0.2);
    seen.largest = 1e-3; /* small by chance */
    assert_true(gt_tolerance_of(&workload, 0, &seen).atol > 0.1);
    seen.largest = 500000; /* inputs are uniform in (0, 1), so a warp adds about 16 */
    t = gt_tolerance_of(&workload, 0, &seen);
    assert_true(t.rtol * 500000 > 5 && t.atol + t.rtol * 500000 < 10);
}

TEST(test_with_scale)
{
    gt_workload workload = workload_of(GT_TYPE_F32, 1000000, 100);
    workload.has_scale = true;
    gt_tolerance t = gt_tolerance_of(&workload, 0, &(gt_sensitivity){0});
    assert_near(t.stol, 0x1p-21);
    assert_true(t.rtol == 1e-5);
}
