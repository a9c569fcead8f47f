/* Tests launch axes: the L2 window, and how long the context sets L2 memory aside for windows. */
#include "launcher_support.h"

static size_t limit;
static int resets;

static CUresult get_limit(size_t *value, CUlimit which)
{
    assert_int_equal(which, CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
    *value = limit;
    return CUDA_SUCCESS;
}

static CUresult set_limit(CUlimit which, size_t value)
{
    assert_int_equal(which, CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
    limit = value;
    return CUDA_SUCCESS;
}

static CUresult reset_lines(void)
{
    resets++;
    return CUDA_SUCCESS;
}

static int setup_l2(void **state)
{
    setup(state);
    limit = 1000;
    resets = 0;
    fake.table.CtxGetLimit = get_limit;
    fake.table.CtxSetLimit = set_limit;
    fake.table.CtxResetPersistingL2Cache = reset_lines;
    return 0;
}

static gt_launcher *load_l2(uint64_t set_aside, uint64_t window)
{
    gt_launch launch = make_launch(GT_PASS_NONE);
    launch.l2 = (gt_l2_window){true, 0, set_aside, window};
    return load(&launch);
}

TEST_WITHIN(l2_window_follows_the_buffer_of_each_launch, setup_l2, NULL)
{
    GT_SCOPED(launcher_end) gt_launcher *launcher = load_l2(30000, 40000);
    const void *const without_block[] = {&out_buffer, &count};
    ASSERT_OK(gt_launcher_launch(launcher, fake_stream(1), without_block));
    const fake_call *call = fake_find("LaunchKernelEx", 0);
    assert_int_equal(call->config.numAttrs, 1);
    assert_int_equal(call->attributes[0].id, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW);
    assert_int_equal((uintptr_t)call->attributes[0].value.accessPolicyWindow.base_ptr, out_buffer);
    assert_int_equal(call->attributes[0].value.accessPolicyWindow.num_bytes, 40000);
    assert_true(call->attributes[0].value.accessPolicyWindow.hitRatio == 0.75F);
}

TEST_WITHIN(l2_keeps_the_maximum_until_the_last_launcher_is_freed, setup_l2, NULL)
{
    gt_launcher *small = load_l2(2000, 500), *large = load_l2(3000, 500);
    assert_int_equal(limit, 3000);
    gt_launcher *none = load_l2(0, 0);
    assert_int_equal(limit, 3000);
    gt_launcher_free(large);
    gt_launcher_free(none);
    assert_int_equal(resets, 0);
    gt_launcher_free(small);
    assert_int_equal(limit, 1000);
    assert_int_equal(resets, 1);
}

/* A variant must not profit from the larger part of L2 that another variant sets aside. */
TEST_WITHIN(l2_share_of_a_sample_is_its_own, setup_l2, NULL)
{
    gt_launcher *none = load_l2(0, 0), *small = load_l2(2000, 500), *large = load_l2(3000, 500);
    gt_launch plain_launch = make_launch(GT_PASS_NONE);
    gt_launcher *plain = load(&plain_launch);
    ASSERT_OK(gt_launcher_prepare(small));
    assert_int_equal(limit, 2000);
    ASSERT_OK(gt_launcher_prepare(plain));
    assert_int_equal(limit, 2000);
    ASSERT_OK(gt_launcher_prepare(none));
    assert_int_equal(limit, 1000);
    ASSERT_OK(gt_launcher_prepare(large));
    assert_int_equal(limit, 3000);
    assert_int_equal(resets, 3);
    gt_launcher_free(none);
    gt_launcher_free(small);
    gt_launcher_free(large);
    gt_launcher_free(plain);
    assert_int_equal(limit, 1000);
}

/* Clusters and residency apply only to the kernel that requests them. The window applies to all
 * kernels. */
TEST_WITHIN(test_the_steps_of_a_pipeline, setup_l2, NULL)
{
    const void *const without_block[] = {&out_buffer, &count};
    gt_launch launch = make_launch(GT_PASS_NONE);
    launch.step_count = 2;
    launch.steps[0] = (gt_kernel_step){.entry = "kernel",
                                       .grid = {256, 1, 1},
                                       .block = {128, 1, 1},
                                       .cluster = {4, 1, 1},
                                       .times = 2,
                                       .parameter_count = 2,
                                       .parameters = {0, 1}};
    launch.steps[1] = launch.steps[0];
    launch.steps[1].cluster[0] = launch.steps[1].times = launch.steps[1].cooperative = 1;
    launch.steps[1].grid[0] = 8;
    launch.l2 = (gt_l2_window){true, 0, 1000, 2000};
    gt_launcher *launcher = load(&launch);
    ASSERT_OK(gt_launcher_launch(launcher, fake_stream(1), without_block));
    for (int i = 0; i < 3; i++) {
        const fake_call *call = fake_find("LaunchKernelEx", i);
        const CUlaunchAttribute *window = &call->attributes[1];
        assert_int_equal(call->config.numAttrs, 2);
        assert_int_equal(call->attributes[0].id, i < 2 ? CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
                                                       : CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
        assert_int_equal(window->id, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW);
        assert_int_equal((uintptr_t)window->value.accessPolicyWindow.base_ptr, out_buffer);
    }
    free_and_check(launcher);
    launch.steps[0].cluster[0] = 3; /* a cluster of 3 does not divide the grid of 256 */
    assert_int_equal(try_load(&launcher, &launch), GPUTUNE_EINVAL);
    launch.steps[0].cluster[0] = 4;
    launch.steps[1].grid[0] = 1 << 20;
    assert_int_equal(try_load(&launcher, &launch), GPUTUNE_ECUDA);
    assert_non_null(
        strstr(gt_message(), "kernel: a cooperative grid of 1048576 blocks does not fit"));
}

/* Launches kernel(buffer, buffer, value) for the values 1 and 2, with grids of 10 and 20. After
 * each launch, two buffers are swapped. */
static gt_launch loop_of_two(void)
{
    gt_launch launch = make_launch(GT_PASS_NONE);
    launch.parameter_count = 3;
    launch.parameters[1] = launch.parameters[0];
    launch.parameters[1].argument = 1;
    launch.parameters[2] =
        (gt_parameter){.kind = GT_PARAMETER_VALUE, .bytes = 8, .argument = -1, .map = 1};
    launch.steps[0].parameter_count = 3;
    for (uint32_t i = 0; i < 3; i++) {
        launch.steps[0].parameters[i] = i;
    }
    launch.sequence = (gt_sequence){.item_count = 8,
                                    .items = {{GT_SEQUENCE_COUNTER, 0, 0, 0, 1},
                                              {GT_SEQUENCE_UNLESS, 0, 8, 1, 3},
                                              {GT_SEQUENCE_GRID, 0, 0, 4, 3},
                                              {GT_SEQUENCE_VALUE, 1, 0, 5, 1},
                                              {GT_SEQUENCE_LAUNCH, 0, 0, 0, 0},
                                              {GT_SEQUENCE_SWAP, 0, 1, 0, 0},
                                              {GT_SEQUENCE_COUNTER, 0, 0, 7, 3},
                                              {GT_SEQUENCE_GOTO, 0, 1, 0, 0}},
                                    .code_count = 10,
                                    .code = {{.operation = GT_DO_LITERAL, .integer = 1},
                                             {.operation = GT_DO_SLOT},
                                             {.operation = GT_DO_LITERAL, .integer = 3},
                                             {.operation = GT_DO_LESS},
                                             {.operation = GT_DO_LITERAL, .integer = 10},
                                             {.operation = GT_DO_SLOT},
                                             {.operation = GT_DO_MULTIPLY},
                                             {.operation = GT_DO_SLOT},
                                             {.operation = GT_DO_LITERAL, .integer = 1},
                                             {.operation = GT_DO_ADD}}};
    return launch;
}

TEST_WITHIN(loop_of_launches, setup_l2, NULL)
{
    CUdeviceptr other = 0x123400;
    const void *const two[] = {&out_buffer, &other};
    gt_launch launch = loop_of_two();
    GT_SCOPED(launcher_end) gt_launcher *launcher = load(&launch);
    for (size_t i = 0; i < 4; i++) { /* each launch starts the sequence from its beginning */
        if (i % 2 == 0) {
            ASSERT_OK(gt_launcher_launch(launcher, fake_stream(1), two));
        }
        const fake_call *call = fake_find("LaunchKernelEx", i);
        assert_int_equal(call->config.gridDimX, i % 2 ? 20 : 10);
        assert_int_equal(call->config.blockDimX, 128);
        assert_int_equal(call->parameters[0], i % 2 ? other : out_buffer);
        assert_int_equal(call->parameters[1], i % 2 ? out_buffer : other);
        assert_int_equal(call->parameters[2], i % 2 ? 2 : 1);
    }
    assert_int_equal(fake_count("LaunchKernelEx"), 4);
}

TEST_WITHIN(test_every_grid_of_a_loop_is_a_multiple_of_the_cluster, setup_l2, NULL)
{
    gt_launcher *launcher;
    gt_launch launch = loop_of_two();
    /* 4 divides the grids of 256 and 20 blocks, but not the grid of 10 blocks */
    launch.steps[0].cluster[0] = 4;
    ASSERT_FAILS(try_load(&launcher, &launch), GPUTUNE_EINVAL,
                 "a grid of 10 blocks is not a multiple");
}
