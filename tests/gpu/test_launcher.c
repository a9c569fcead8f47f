/* Tests the launcher with the fake driver: parameters, attributes, refused launches, and
 * freeing. */
#include "launcher_support.h"

TEST_WITHIN(plain_launch_makes_one_call_and_a_query, setup, NULL)
{
    GT_SCOPED(launcher_end) gt_launcher *launcher = load_pass(GT_PASS_NONE);
    CUdeviceptr scratch = 1;
    assert_int_equal(gt_launcher_scratch(&scratch, launcher, fake_stream(3), 0), 0);
    assert_int_equal(scratch, 0);
    assert_int_equal(gt_launcher_launch(launcher, fake_stream(3), arguments + 1), 0);
    assert_int_equal(fake.call_count, 2);
    const fake_call *call = fake_find("LaunchKernelEx", 0);
    assert_ptr_equal(call->stream, fake_stream(3));
    assert_int_equal(call->config.gridDimX, 256);
    assert_int_equal(call->config.blockDimX, 128);
    assert_int_equal(call->config.numAttrs, 0);
    assert_int_equal(call->parameters[0], 0xabcd00);
    assert_int_equal(call->parameters[1], 12345);
}

TEST_WITHIN(test_constant_copies_then_launches_then_records, setup, NULL)
{
    GT_SCOPED(launcher_end) gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
    launch_on(launcher, 1);
    fake_forget();
    launch_on(launcher, 1);
    assert_string_equal(fake_story(), "MemcpyHtoDAsync LaunchKernelEx EventRecord");
    const fake_call *copy = fake_find("MemcpyHtoDAsync", 0),
                    *kernel = fake_find("LaunchKernelEx", 0);
    assert_int_equal(copy->bytes, BLOCK_BYTES);
    assert_memory_equal(copy->data, block, FAKE_DATA_BYTES);
    assert_ptr_not_equal(copy->pointers[0], block);
    assert_int_equal(copy->object, kernel->object + 1000);
    assert_int_equal(kernel->parameters[0], 0xabcd00);
}

static gt_launch launch_with_scratch(void)
{
    gt_launch launch = make_launch(GT_PASS_NONE);
    launch.parameters[2] = (gt_parameter){
        .kind = GT_PARAMETER_SCRATCH, .bytes = 8, .argument = -1, .scratch_bytes = 4096};
    launch.parameter_count = 3;
    return launch;
}

TEST_WITHIN(scratch_is_initialised_from_its_argument, setup, NULL)
{
    gt_launch launch = launch_with_scratch();
    launch.parameters[2].argument = 0;
    launch.parameters[0].clear_bytes = 777;
    GT_SCOPED(launcher_end) gt_launcher *launcher = load(&launch);
    for (int i = 0; i < 2; i++) {
        fake_forget();
        assert_int_equal(gt_launcher_launch(launcher, fake_stream(1), arguments + 1), 0);
        const fake_call *copy = fake_find("MemcpyDtoDAsync", 0);
        assert_int_equal(copy->parameters[0], out_buffer);
        assert_int_equal(copy->bytes, 4096);
        assert_int_equal(fake_find("LaunchKernelEx", 0)->parameters[2], copy->object);
    }
    assert_string_equal(fake_story(), "MemcpyDtoDAsync MemsetD8Async LaunchKernelEx EventRecord");
}

TEST_WITHIN(test_scratch_is_known_before_the_first_launch, setup, NULL)
{
    gt_launch launch = launch_with_scratch();
    GT_SCOPED(launcher_end) gt_launcher *launcher = load(&launch);
    CUdeviceptr scratch;
    fake_forget();
    assert_int_equal(gt_launcher_scratch(&scratch, launcher, fake_stream(1), 2), 0);
    assert_int_equal(fake_find("MemAlloc", 0)->object, scratch);
    assert_int_equal(gt_launcher_launch(launcher, fake_stream(1), arguments + 1), 0);
    assert_int_equal(fake_count("MemAlloc"), 1);
    assert_int_equal(fake_find("LaunchKernelEx", 0)->parameters[2], scratch);
    fake.capture_status[1] = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    assert_int_equal(gt_launcher_scratch(&scratch, launcher, fake_stream(1), 2), GPUTUNE_ECAPTURE);
}

/* Scratch memory is zeroed once for each stream, and has guard zones. */
TEST_WITHIN(scratch_is_zeroed_before_the_first_launch, setup, NULL)
{
    gt_launch launch = launch_with_scratch();
    launch.parameters[2].scratch = GT_SCRATCH_ZERO;
    GT_SCOPED(launcher_end) gt_launcher *launcher = load(&launch);
    gt_launcher_guard(launcher, 64);
    for (int stream = 1; stream <= 2; stream++) {
        fake_forget();
        assert_int_equal(gt_launcher_launch(launcher, fake_stream(stream), arguments + 1), 0);
        uint64_t scratch = fake_find("LaunchKernelEx", 0)->parameters[2];
        assert_int_equal(fake_find("MemAlloc", 0)->object, scratch - 64);
        assert_int_equal(fake_find("MemAlloc", 0)->bytes, 4096 + 128);
        assert_int_equal(fake_count("MemsetD8Async"), 1);
        assert_int_equal(fake_find("MemsetD8Async", 0)->object, scratch);
        assert_int_equal(fake_find("MemsetD8Async", 0)->bytes, 4096);
    }
    fake_forget();
    assert_int_equal(gt_launcher_launch(launcher, fake_stream(1), arguments + 1), 0);
    assert_string_equal(fake_story(), "LaunchKernelEx EventRecord");
}

/* Scratch memory that must grow is freed before the larger allocation. Here, this allocation
 * fails. */
TEST_WITHIN(a_launcher_works_after_its_scratch_could_not_grow, setup, NULL)
{
    static const uint32_t grids[1][3] = {{256, 1, 1}};
    const uint64_t bytes[3] = {0, 0, 1 << 20};
    const gt_launch_sizes larger = {.id = 7, .grids = grids, .bytes = bytes};
    const gt_launch launch = launch_with_scratch();
    GT_SCOPED(launcher_end) gt_launcher *launcher = load(&launch);
    for (int captured = 0; captured < 2; captured++) {
        fake.capture_status[1] = captured ? CU_STREAM_CAPTURE_STATUS_ACTIVE : 0;
        launch_on(launcher, 1);
        fake_graphs_gone();
        fake.fail_name = "MemAlloc";
        fake.fail_code = CUDA_ERROR_OUT_OF_MEMORY;
        assert_true(gt_launcher_launch_at(launcher, &larger, fake_stream(1), arguments) < 0);
        fake.fail_name = NULL;
        fake_graphs_gone();
        fake_forget();
        launch_on(launcher, 1);
        assert_int_not_equal(fake_find("LaunchKernelEx", 0)->object, 0);
        assert_int_not_equal(fake_find("LaunchKernelEx", 0)->parameters[2], 0);
    }
    fake.capture_status[1] = CU_STREAM_CAPTURE_STATUS_NONE;
    fake_graphs_gone();
}

/* A graph of repeated launches uses the same scratch memory as ordinary launches. */
TEST_WITHIN(test_repeats_share_the_scratch_of_launches, setup, NULL)
{
    gt_launch launch = launch_with_scratch();
    GT_SCOPED(launcher_end) gt_launcher *launcher = load(&launch);
    fake_forget();
    assert_int_equal(gt_launcher_launch(launcher, fake_stream(1), arguments + 1), 0);
    uint64_t scratch = fake_find("LaunchKernelEx", 0)->parameters[2];
    fake_forget();
    fake.capture_status[1] = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    assert_int_equal(gt_launcher_repeat(launcher, fake_stream(1), arguments + 1), 0);
    assert_string_equal(fake_story(), "LaunchKernelEx");
    assert_int_equal(fake_find("LaunchKernelEx", 0)->parameters[2], scratch);
}

TEST_WITHIN(repeat_omits_the_copy, setup, NULL)
{
    GT_SCOPED(launcher_end) gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
    assert_int_equal(gt_launcher_repeat(launcher, fake_stream(1), arguments), GPUTUNE_EINVAL);
    assert_int_equal(fake_count("LaunchKernelEx"), 0);
    launch_on(launcher, 1);
    uint64_t function = fake_find("LaunchKernelEx", 0)->object;
    fake_forget();
    assert_int_equal(gt_launcher_repeat(launcher, fake_stream(1), arguments), 0);
    assert_string_equal(fake_story(), "LaunchKernelEx EventRecord");
    fake_forget();
    fake.capture_status[1] = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    assert_int_equal(gt_launcher_repeat(launcher, fake_stream(1), arguments), 0);
    assert_string_equal(fake_story(), "LaunchKernelEx");
    assert_int_equal(fake_find("LaunchKernelEx", 0)->object, function);
}

static bool was_set(CUfunction_attribute which, size_t *value)
{
    for (size_t i = 0; i < fake_count("FuncSetAttribute"); i++) {
        if (fake_find("FuncSetAttribute", i)->object == (uint64_t)which) {
            *value = fake_find("FuncSetAttribute", i)->bytes;
            return true;
        }
    }
    return false;
}

TEST_WITHIN(test_cluster_carveout_and_shared_memory, setup, NULL)
{
    size_t value;
    gt_launch launch = make_launch(GT_PASS_NONE);
    launch.steps[0].cluster[0] = 16;
    launch.carveout_kb = 100;
    launch.steps[0].shared_bytes = 100 * 1024;
    gt_launcher *launcher;
    assert_int_equal(try_load(&launcher, &launch), 0);
    assert_true(was_set(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, &value));
    assert_int_equal(value, 1);
    assert_true(was_set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &value));
    assert_int_equal(value, 100 * 1024);
    assert_true(was_set(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, &value));
    assert_int_equal(value, 43);
    assert_int_equal(gt_launcher_launch(launcher, fake_stream(1), arguments + 1), 0);
    const fake_call *call = fake_find("LaunchKernelEx", 0);
    assert_int_equal(call->config.numAttrs, 2);
    assert_int_equal(call->attributes[0].id, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
    assert_int_equal(call->attributes[0].value.clusterDim.x, 16);
    assert_int_equal(call->attributes[0].value.clusterDim.y, 1);
    assert_int_equal(call->attributes[1].id, CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    assert_int_equal(call->attributes[1].value.sharedMemCarveout, 43);
    assert_int_equal(call->config.sharedMemBytes, 100 * 1024);
    free_and_check(launcher);
}

TEST_WITHIN(test_cooperative, setup, NULL)
{
    gt_launch launch = make_launch(GT_PASS_NONE);
    launch.steps[0].cooperative = 1;
    gt_launcher *launcher;
    assert_int_equal(try_load(&launcher, &launch), 0);
    assert_int_equal(gt_launcher_launch(launcher, fake_stream(1), arguments), 0);
    const fake_call *call = fake_find("LaunchKernelEx", 0);
    assert_int_equal(call->config.numAttrs, 1);
    assert_int_equal(call->attributes[0].id, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
    assert_int_equal(call->attributes[0].value.cooperative, 1);
    free_and_check(launcher);
}

TEST_WITHIN(test_portable_cluster_needs_no_opt_in, setup, NULL)
{
    size_t value;
    gt_launch launch = make_launch(GT_PASS_NONE);
    launch.steps[0].cluster[0] = 8;
    gt_launcher *launcher;
    assert_int_equal(try_load(&launcher, &launch), 0);
    assert_false(was_set(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, &value));
    assert_false(was_set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &value));
    free_and_check(launcher);
}

TEST_WITHIN(test_carveout_percent_reaches_the_size, setup, NULL)
{
    static const int sizes[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
    static const int maxima[] = {64, 100, 164, 228};
    for (size_t m = 0; m < 4; m++) {
        for (size_t i = 0; i < 10 && sizes[i] <= maxima[m]; i++) {
            /* The driver chooses the smallest carveout whose percentage is at least `percent`. */
            int percent = gt_carveout_percent(sizes[i], maxima[m]);
            size_t chosen = 0;
            while (sizes[chosen] * 100 < percent * maxima[m]) {
                chosen++;
            }
            assert_int_equal(sizes[chosen], sizes[i]);
        }
    }
}

static void expect_refusal(const gt_launch *launch, gputune_status status, const char *message)
{
    gt_launcher *launcher = NULL;
    ASSERT_FAILS(try_load(&launcher, launch), status, message);
    assert_null(launcher);
    assert_int_equal(fake.live_modules, 0);
    fake_reset();
}

TEST_WITHIN(refusal_message_has_the_reason, setup, NULL)
{
    gt_launch launch = make_launch(GT_PASS_NONE);
    fake.current = NULL;
    expect_refusal(&launch, GPUTUNE_EINVAL, "no CUDA context is current");
    launch.steps[0].cluster[0] = 3;
    expect_refusal(&launch, GPUTUNE_EINVAL, "not a multiple of its cluster of 3");
    launch.steps[0].cluster[0] = 16;
    fake.clusters = 0;
    expect_refusal(&launch, GPUTUNE_ECUDA, "a cluster of 16 blocks of 128 threads");
    fake.fail_name = "OccupancyMaxActiveClusters";
    fake.fail_code = CUDA_ERROR_INVALID_CLUSTER_SIZE;
    expect_refusal(&launch, GPUTUNE_ECUDA, "a cluster of 16 blocks: cuOccupancyMaxActiveClusters");
    launch = make_launch(GT_PASS_NONE);
    fake.blocks = 0;
    expect_refusal(&launch, GPUTUNE_ECUDA, "does not fit on a multiprocessor");
    launch.steps[0].cooperative = 1;
    launch.steps[0].grid[0] = 132 * 2 + 1;
    fake.blocks = 2;
    expect_refusal(&launch, GPUTUNE_ECUDA,
                   "a cooperative grid of 265 blocks does not fit on the device at once; with this "
                   "code 264 fit");
    launch = make_launch(GT_PASS_NONE);
    fake.max_threads = 64;
    expect_refusal(&launch, GPUTUNE_ECUDA, "at most 64 threads are possible with 42 registers");
    launch.steps[0].shared_bytes = 220 * 1024;
    fake.fixed_shared_bytes = 20 * 1024;
    expect_refusal(&launch, GPUTUNE_ECUDA, "a block has 245760 bytes of shared memory");
    launch = make_launch(GT_PASS_CONSTANT);
    fake.no_symbol = true;
    expect_refusal(&launch, GPUTUNE_EINVAL, "no symbol " GT_PASS_SYMBOL "c");
    launch = make_launch(GT_PASS_NONE);
    memcpy(launch.steps[0].entry, "missing", 8);
    expect_refusal(&launch, GPUTUNE_ECUDA, "the image has no kernel 'missing'");
    launch = make_launch(GT_PASS_NONE);
    fake.fail_name = "ModuleLoadData";
    fake.fail_code = CUDA_ERROR_INVALID_IMAGE;
    expect_refusal(&launch, GPUTUNE_ECUDA,
                   "cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE (200): as scripted");
}

/* Tests a launch with two parameter blocks. One is copied to a buffer of its own, the other to the
 * module's symbol. */
TEST_WITHIN(test_each_block_is_copied_to_its_place, setup, NULL)
{
    gt_launch launch = make_launch(GT_PASS_GLOBAL);
    launch.block_count = 2;
    launch.blocks[1] = (gt_block){GT_PASS_CONSTANT, 40, 0, "bias", true};
    launch.argument_count = 4;
    launch.parameters[1].argument = 2;
    launch.parameters[2].argument = 3;
    GT_SCOPED(launcher_end) gt_launcher *launcher = load(&launch);
    const uint8_t bias[40] = {7, 8, 9};
    const void *four[] = {block, bias, &out_buffer, &count};
    ASSERT_OK(gt_launcher_launch(launcher, (CUstream)1, four));
    const fake_call *first = fake_find("MemcpyHtoDAsync", 0);
    const fake_call *second = fake_find("MemcpyHtoDAsync", 1);
    assert_true(first && second);
    assert_int_equal(first->bytes, BLOCK_BYTES);
    assert_int_equal(second->bytes, 40);
    assert_memory_equal(second->data, bias, 3);
}

TEST_WITHIN(test_parameter_sizes_are_compared_with_the_kernel, setup, NULL)
{
    gt_launch launch = make_launch(GT_PASS_NONE);
    gt_launcher *launcher;
    fake.parameter_sizes[0] = 8;
    fake.parameter_sizes[1] = 8;
    assert_int_equal(gt_launcher_load(&launcher, &fake.table, &device, &image, NULL, &launch),
                     GPUTUNE_EINVAL);
    assert_string_equal(gt_message(),
                        "parameter 1 of kernel kernel has 8 bytes; the launch gives 4");
    fake.parameter_sizes[1] = 4;
    fake.parameter_sizes[2] = 4;
    ASSERT_OK(gt_launcher_load(&launcher, &fake.table, &device, &image, NULL, &launch));
    assert_int_equal(gt_launcher_check_count(launcher), GPUTUNE_EINVAL);
    free_and_check(launcher);
}

/* Some tools report every driver call that fails, so no call may fail in a correct program. */
TEST_WITHIN(test_no_call_fails_while_code_is_loaded, setup, NULL)
{
    for (gt_pass pass = GT_PASS_NONE; pass <= GT_PASS_GLOBAL; pass++) {
        free_and_check(load_pass(pass));
        assert_int_equal(fake.refused, 0);
    }
}

TEST_WITHIN(wrong_context_is_reported, setup, NULL)
{
    gt_launcher *plain = load_pass(GT_PASS_NONE);
    gt_launcher *copying = load_pass(GT_PASS_GLOBAL);
    fake.current = fake_context(2);
    fake.fail_name = "LaunchKernelEx";
    fake.fail_code = CUDA_ERROR_INVALID_HANDLE;
    fake_forget();
    ASSERT_FAILS(gt_launcher_launch(plain, fake_stream(1), arguments + 1), GPUTUNE_ECUDA,
                 "another CUDA context is current");
    ASSERT_FAILS(gt_launcher_launch(copying, fake_stream(1), arguments), GPUTUNE_ECUDA,
                 "another CUDA context is current");
    assert_int_equal(fake_count("MemcpyHtoDAsync"), 0);
    fake.fail_name = NULL;
    gt_launcher_free(plain);
    free_and_check(copying);
    assert_ptr_equal(fake.current, fake_context(2));
}

TEST_WITHIN(test_free_waits_and_tolerates_a_lost_context, setup, NULL)
{
    gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
    launch_on(launcher, 1);
    fake_forget();
    free_and_check(launcher);
    assert_true(fake_find("EventSynchronize", 0) < fake_find("ModuleUnload", 0));
    launcher = load_pass(GT_PASS_NONE);
    fake.current = NULL;
    fake.fail_name = "CtxPushCurrent";
    fake.fail_code = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    fake_forget();
    gt_launcher_free(launcher);
    assert_int_equal(fake_count("ModuleUnload"), 0);
}

TEST_WITHIN(test_free_breaks_no_capture, setup, NULL)
{
    gt_launcher *launcher = load_pass(GT_PASS_SPLIT);
    launch_on(launcher, 1);
    free_and_check(launcher);
    assert_int_equal(fake_count("CtxSynchronize"), 0); /* synchronising would break a capture */
}

TEST_WITHIN(second_size_shares_the_module, setup, NULL)
{
    gt_launcher *parent = load_pass(GT_PASS_NONE), *child;
    gt_launch launch = make_launch(GT_PASS_NONE);
    launch.steps[0].grid[0] = 7;
    assert_int_equal(
        gt_launcher_load(&child, &fake.table, &device, &image, gt_launcher_module(parent), &launch),
        0);
    assert_int_equal(fake_count("ModuleLoadData"), 0);
    assert_int_equal(gt_launcher_launch(child, fake_stream(1), arguments + 1), 0);
    assert_int_equal(fake_find("LaunchKernelEx", 0)->config.gridDimX, 7);
    gt_launcher_free(child);
    assert_int_equal(fake.live_modules, 1);
    free_and_check(parent);
}
