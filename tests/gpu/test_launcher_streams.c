/* Tests the launcher with the fake driver: streams, threads and captures. */
#include "launcher_support.h"

TEST_WITHIN(test_each_stream_has_a_module, setup, NULL)
{
    GT_SCOPED(launcher_end) gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
    launch_on(launcher, 1);
    launch_on(launcher, 2);
    launch_on(launcher, 1);
    assert_int_equal(fake_count("ModuleLoadData"), 1); /* only the second stream loads a module */
    assert_int_not_equal(fake_find("LaunchKernelEx", 0)->object,
                         fake_find("LaunchKernelEx", 1)->object);
    assert_int_equal(fake_find("LaunchKernelEx", 0)->object,
                     fake_find("LaunchKernelEx", 2)->object);
    assert_int_not_equal(fake_find("MemcpyHtoDAsync", 0)->object,
                         fake_find("MemcpyHtoDAsync", 1)->object);
}

TEST_WITHIN(test_a_ninth_stream_waits, setup, NULL)
{
    GT_SCOPED(launcher_end) gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
    for (int stream = 1; stream <= GT_LAUNCHER_STREAMS; stream++) {
        launch_on(launcher, stream);
    }
    assert_int_equal(fake_count("StreamWaitEvent"), 0);
    uint64_t event = fake_find("EventRecord", 0)->object;
    fake_forget();
    launch_on(launcher, GT_LAUNCHER_STREAMS + 1);
    assert_string_equal(fake_story(), "StreamWaitEvent MemcpyHtoDAsync LaunchKernelEx EventRecord");
    assert_int_equal(fake_find("StreamWaitEvent", 0)->object, event);
    assert_ptr_equal(fake_find("StreamWaitEvent", 0)->stream, fake_stream(GT_LAUNCHER_STREAMS + 1));
    assert_int_equal(fake_count("ModuleLoadData"), 0);
    fake_forget();
    launch_on(launcher, GT_LAUNCHER_STREAMS + 1);
    assert_int_equal(fake_count("StreamWaitEvent"), 0);
}

TEST_WITHIN(failed_wait_is_repeated, setup, NULL)
{
    GT_SCOPED(launcher_end) gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
    for (int stream = 1; stream <= GT_LAUNCHER_STREAMS; stream++) {
        launch_on(launcher, stream);
    }
    fake.fail_name = "StreamWaitEvent";
    fake.fail_code = CUDA_ERROR_INVALID_VALUE;
    assert_int_equal(gt_launcher_launch(launcher, fake_stream(9), arguments), GPUTUNE_ECUDA);
    fake.fail_name = NULL;
    fake_forget();
    launch_on(launcher, 9);
    assert_int_equal(fake_count("StreamWaitEvent"), 1);
}

TEST_WITHIN(test_staging_is_reused_after_its_event_only, setup, NULL)
{
    GT_SCOPED(launcher_end) gt_launcher *launcher = load_pass(GT_PASS_GLOBAL);
    fake.events_pending = true;
    size_t launches = 0;
    while (fake_count("EventSynchronize") == 0 && launches < 100) {
        launch_on(launcher, 1);
        launches++;
    }
    assert_in_range(launches, 2, 99);
    size_t slots = launches - 1; /* the last one waited for the slot of the first */
    assert_int_equal(fake_find("EventSynchronize", 0)->object, fake_find("EventRecord", 0)->object);
    assert_ptr_equal(fake_find("MemcpyHtoDAsync", slots)->pointers[0],
                     fake_find("MemcpyHtoDAsync", 0)->pointers[0]);
    for (size_t i = 1; i < slots; i++) {
        assert_ptr_not_equal(fake_find("MemcpyHtoDAsync", i)->pointers[0],
                             fake_find("MemcpyHtoDAsync", 0)->pointers[0]);
    }
    assert_true(fake_find("EventSynchronize", 0) < fake_find("MemcpyHtoDAsync", slots));
}

TEST_WITHIN(test_a_failed_launch_keeps_the_slot_until_its_event, setup, NULL)
{
    GT_SCOPED(launcher_end) gt_launcher *launcher = load_pass(GT_PASS_GLOBAL);
    fake.fail_name = "LaunchKernelEx";
    fake.fail_code = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    assert_int_equal(gt_launcher_launch(launcher, fake_stream(1), arguments), GPUTUNE_ECUDA);
    assert_int_equal(fake_count("EventRecord"), 1);
    fake.fail_name = NULL;
    fake.events_pending = true;
    fake_forget();
    launch_on(launcher, 1);
    assert_int_equal(fake_count("EventSynchronize"), 1);
}

/* Launches 200 times on 11 streams, which is more streams than the launcher has modules. */
static void *launch_round_robin(void *user)
{
    for (int i = 0; i < 200; i++) {
        if (gt_launcher_launch(user, fake_stream(1 + i * 7 % 11), arguments) < 0) {
            return user;
        }
    }
    return NULL;
}

static bool is_call(const fake_call *call, const char *name, CUstream stream)
{
    return strcmp(call->name, name) == 0 && call->stream == stream;
}

/* Returns the first launch that uses a module after call `copy` has written to it. Fails the test
 * if the module is written to again before. */
static size_t find_launch(size_t copy)
{
    uint64_t symbol = fake.calls[copy].object;
    for (size_t i = copy + 1; i < fake.call_count; i++) {
        const fake_call *call = &fake.calls[i];
        assert_false(strcmp(call->name, "MemcpyHtoDAsync") == 0 && call->object == symbol);
        if (strcmp(call->name, "LaunchKernelEx") == 0 && call->object == symbol - 1000) {
            return i;
        }
    }
    fail_msg("a copy without a launch");
    return 0;
}

/* Checks that no other call uses a module between the copy of a block and the launch that reads the
 * block. A stream that takes over a module must first wait for the previous stream. */
static void check_critical_sections(void)
{
    static size_t last_launch[4096]; /* by module */
    memset(last_launch, 0, sizeof last_launch);
    for (size_t i = 0; i < fake.call_count; i++) {
        const fake_call *copy = &fake.calls[i];
        if (strcmp(copy->name, "MemcpyHtoDAsync") != 0) {
            continue;
        }
        size_t *last = &last_launch[copy->object - 2000];
        bool safe = *last == 0 || fake.calls[*last].stream == copy->stream;
        for (size_t j = *last; j < i && !safe; j++) {
            safe = is_call(&fake.calls[j], "StreamWaitEvent", copy->stream);
        }
        assert_true(safe);
        *last = find_launch(i);
        assert_ptr_equal(fake.calls[*last].stream, copy->stream);
    }
}

TEST_WITHIN(test_threads_keep_copy_and_launch_together, setup, NULL)
{
    GT_SCOPED(launcher_end) gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
    pthread_t threads[4];
    for (int t = 0; t < 4; t++) {
        assert_int_equal(pthread_create(&threads[t], NULL, launch_round_robin, launcher), 0);
    }
    for (int t = 0; t < 4; t++) {
        void *failed;
        pthread_join(threads[t], &failed);
        assert_null(failed);
    }
    assert_int_equal(fake_count("LaunchKernelEx"), 4 * 200);
    check_critical_sections();
}

TEST_WITHIN(test_captured_launch_belongs_to_the_graph, setup, NULL)
{
    GT_SCOPED(launcher_end) gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
    launch_on(launcher, 1);
    uint64_t outside = fake_find("LaunchKernelEx", 0)->object;
    fake.capture_status[1] = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    fake_forget();
    launch_on(launcher, 1);
    uint8_t first = block[0];
    block[0] ^= 0xff;
    launch_on(launcher, 1);
    assert_string_equal(fake_story(), "ModuleLoadData UserObjectCreate GraphRetainUserObject "
                                      "MemAllocHost MemcpyHtoDAsync LaunchKernelEx "
                                      "MemAllocHost MemcpyHtoDAsync LaunchKernelEx");
    assert_int_not_equal(fake_find("LaunchKernelEx", 0)->object, outside);
    assert_int_equal(fake_find("LaunchKernelEx", 0)->object,
                     fake_find("LaunchKernelEx", 1)->object);
    /* A replay reads both blocks again, so each must still contain the data of its launch. */
    assert_int_equal(*(const uint8_t *)fake_find("MemcpyHtoDAsync", 0)->pointers[0], first);
    assert_int_equal(*(const uint8_t *)fake_find("MemcpyHtoDAsync", 1)->pointers[0], block[0]);
    fake_graphs_gone();
}

TEST_WITHIN(instance_of_a_destroyed_graph_is_reused, setup, NULL)
{
    GT_SCOPED(launcher_end) gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
    fake.capture_status[1] = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    launch_on(launcher, 1);
    fake_graphs_gone();
    fake_forget();
    launch_on(launcher, 1);
    assert_string_equal(fake_story(),
                        "UserObjectCreate GraphRetainUserObject MemcpyHtoDAsync LaunchKernelEx");
    fake_graphs_gone();
}

TEST_WITHIN(launcher_may_be_freed_before_its_graph, setup, NULL)
{
    gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
    fake.capture_status[1] = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    launch_on(launcher, 1);
    gt_launcher_free(launcher);
    assert_int_equal(fake.live_modules, 1);
    assert_int_equal(fake.live_host, 1);
    fake_graphs_gone();
    assert_int_equal(fake.live_modules, 1); /* a graph's callback must not call the driver */
    launcher = load_pass(GT_PASS_NONE);
    free_and_check(launcher);
}

TEST_WITHIN(test_capture_is_refused_before_the_stream_is_touched, setup, NULL)
{
    static const char *const failing[] = {"ModuleLoadData", "UserObjectCreate",
                                          "GraphRetainUserObject", "MemAllocHost"};
    GT_SCOPED(launcher_end) gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
    launch_on(launcher, 2);
    fake.capture_status[1] = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        fake_forget();
        fake.fail_name = failing[i];
        fake.fail_code = CUDA_ERROR_OUT_OF_MEMORY;
        assert_int_equal(gt_launcher_launch(launcher, fake_stream(1), arguments), GPUTUNE_ECAPTURE);
        assert_int_equal(fake_count("MemcpyHtoDAsync") + fake_count("LaunchKernelEx"), 0);
        fake.fail_name = NULL;
    }
    launch_on(launcher, 1);
    fake_graphs_gone();
}

TEST_WITHIN(test_broken_and_implicit_captures_are_refused, setup, NULL)
{
    GT_SCOPED(launcher_end) gt_launcher *launcher = load_pass(GT_PASS_GLOBAL);
    fake.capture_status[1] = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    assert_int_equal(gt_launcher_launch(launcher, fake_stream(1), arguments), GPUTUNE_ECAPTURE);
    fake.capture_result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    assert_int_equal(gt_launcher_launch(launcher, NULL, arguments), GPUTUNE_ECAPTURE);
    assert_int_equal(fake_count("MemcpyHtoDAsync") + fake_count("LaunchKernelEx"), 0);
    fake.capture_result = CUDA_SUCCESS;
}

TEST_WITHIN(test_calls_outside_a_launch_are_relaxed, setup, NULL)
{
    static const char *const unsafe[] = {"ModuleLoadData", "MemAlloc",    "MemAllocHost",
                                         "EventCreate",    "EventQuery",  "EventSynchronize",
                                         "MemFree",        "ModuleUnload"};
    gt_launch launch = make_launch(GT_PASS_SPLIT);
    gt_launcher *launcher;
    assert_int_equal(try_load(&launcher, &launch), 0);
    fake.events_pending = true;
    for (int i = 0; i < 20; i++) {
        launch_on(launcher, 1 + i % 2);
    }
    gt_launcher_free(launcher);
    for (size_t i = 0; i < fake.call_count; i++) {
        for (size_t u = 0; u < sizeof unsafe / sizeof *unsafe; u++) {
            if (strcmp(fake.calls[i].name, unsafe[u]) == 0 && !fake.calls[i].relaxed) {
                fail_msg("%s was called in the caller's capture mode", unsafe[u]);
            }
        }
    }
    assert_int_equal(fake_mode(), CU_STREAM_CAPTURE_MODE_GLOBAL);
}
