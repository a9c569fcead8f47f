/* The launcher against a driver that keeps books. */
#include "gpu/launcher.h"
#include "support/fake_driver.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const gt_device device = {
    .cc = 90,
    .sm_count = 132,
    .warp_size = 32,
    .max_threads_per_sm = 2048,
    .shared_per_block_bytes = 48 * 1024,
    .shared_per_block_optin_bytes = 227 * 1024,
    .shared_per_sm_bytes = 228 * 1024,
    .max_cluster = 16,
    .max_parameter_bytes = 32764,
};
static const gt_image image = {"\x7f"
                               "ELF image",
                               10};

enum { BLOCK_BYTES = 8000 };
static uint8_t block[BLOCK_BYTES];
static CUdeviceptr out_buffer = 0xabcd00;
static const int count = 12345;
static const void *const arguments[] = {block, &out_buffer, &count};

/* kernel(out, count), with a block in front where it is passed as a parameter. */
static gt_launch make_launch(gt_pass pass)
{
    gt_launch launch = {
        .entry = "kernel",
        .geometry = {{256, 1, 1}, {128, 1, 1}, {1, 1, 1}, 0, -1},
        .pass = pass,
        .block_bytes = pass == GT_PASS_NONE ? 0 : BLOCK_BYTES,
        .argument_count = pass == GT_PASS_NONE ? 2 : 3,
    };
    launch.by_value_bytes = pass == GT_PASS_VALUE   ? BLOCK_BYTES
                            : pass == GT_PASS_SPLIT ? GT_PARAMETER_PORTABLE_BYTES - 96
                                                    : 0;
    int first = pass == GT_PASS_NONE ? 0 : 1;
    uint32_t n = 0;
    if (pass == GT_PASS_GLOBAL || launch.by_value_bytes) {
        uint32_t bytes = launch.by_value_bytes ? launch.by_value_bytes : 8;
        launch.parameters[n++] = (gt_parameter){GT_PARAMETER_BLOCK, bytes, 0, 0};
    }
    launch.parameters[n++] = (gt_parameter){GT_PARAMETER_BUFFER, 8, first, 0};
    launch.parameters[n++] = (gt_parameter){GT_PARAMETER_SCALAR, 4, first + 1, 0};
    launch.parameter_count = n;
    return launch;
}

static gputune_status try_load(gt_launcher **out, const gt_launch *launch)
{
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        fake.parameter_sizes[i] = (int)launch->parameters[i].bytes;
    }
    return gt_launcher_load(out, &fake.table, &device, &image, launch);
}

static gt_launcher *load(const gt_launch *launch)
{
    gt_launcher *launcher = NULL;
    if (try_load(&launcher, launch) < 0) {
        fail_msg("%s", gt_message());
    }
    fake_forget();
    return launcher;
}

static gt_launcher *load_pass(gt_pass pass)
{
    gt_launch launch = make_launch(pass);
    return load(&launch);
}

static void launch_on(gt_launcher *launcher, int stream)
{
    if (gt_launcher_launch(launcher, fake_stream(stream), arguments) < 0) {
        fail_msg("%s", gt_message());
    }
}

static void free_and_check(gt_launcher *launcher)
{
    gt_launcher_free(launcher);
    assert_int_equal(fake.live_modules, 0);
    assert_int_equal(fake.live_memory, 0);
    assert_int_equal(fake.live_host, 0);
    assert_int_equal(fake.live_events, 0);
}

static int setup(void **state)
{
    (void)state;
    fake_reset();
    for (int i = 0; i < BLOCK_BYTES; i++) {
        block[i] = (uint8_t)(i * 7 + i / 256);
    }
    return 0;
}

/* ---- passing ---- */

static void test_plain_launch_is_one_call(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_NONE);
    assert_int_equal(gt_launcher_launch(launcher, fake_stream(3), arguments + 1), 0);
    assert_int_equal(fake.call_count, 1);
    const fake_call *call = fake_find("LaunchKernelEx", 0);
    assert_ptr_equal(call->stream, fake_stream(3));
    assert_int_equal(call->config.gridDimX, 256);
    assert_int_equal(call->config.blockDimX, 128);
    assert_int_equal(call->config.numAttrs, 0);
    assert_int_equal(call->parameters[0], 0xabcd00);
    assert_int_equal(call->parameters[1], 12345);
    free_and_check(launcher);
}

static void test_value_passes_the_block_itself(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_VALUE);
    launch_on(launcher, 1);
    assert_string_equal(fake_story(), "LaunchKernelEx");
    assert_ptr_equal(fake_find("LaunchKernelEx", 0)->pointers[0], block);
    assert_int_equal(fake_find("LaunchKernelEx", 0)->parameters[2], 12345);
    free_and_check(launcher);
}

static void test_constant_copies_then_launches_then_records(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
    launch_on(launcher, 1);
    fake_forget();
    launch_on(launcher, 1);
    assert_string_equal(fake_story(), "MemcpyHtoDAsync LaunchKernelEx EventRecord");
    const fake_call *copy = fake_find("MemcpyHtoDAsync", 0),
                    *kernel = fake_find("LaunchKernelEx", 0);
    assert_int_equal(copy->bytes, BLOCK_BYTES);
    assert_memory_equal(copy->data, block, FAKE_DATA_BYTES);
    assert_ptr_not_equal(copy->pointers[0], block); /* the caller's memory may change at once */
    assert_int_equal(copy->object, kernel->object + 1000); /* the symbol of that very module */
    assert_int_equal(kernel->parameters[0], 0xabcd00);
    free_and_check(launcher);
}

static void test_split_copies_what_is_not_by_value(void **state)
{
    (void)state;
    gt_launch launch = make_launch(GT_PASS_SPLIT);
    gt_launcher *launcher = load(&launch);
    launch_on(launcher, 1);
    const fake_call *copy = fake_find("MemcpyHtoDAsync", 0);
    assert_int_equal(copy->bytes, BLOCK_BYTES - launch.by_value_bytes);
    assert_memory_equal(copy->data, block + launch.by_value_bytes, FAKE_DATA_BYTES);
    assert_ptr_equal(fake_find("LaunchKernelEx", 0)->pointers[0], block);
    free_and_check(launcher);
}

static void test_global_passes_a_buffer_of_its_own(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_GLOBAL);
    launch_on(launcher, 1);
    launch_on(launcher, 2);
    uint64_t first = fake_find("MemcpyHtoDAsync", 0)->object;
    uint64_t second = fake_find("MemcpyHtoDAsync", 1)->object;
    assert_int_not_equal(first, second);
    assert_int_equal(fake_find("LaunchKernelEx", 0)->parameters[0], first);
    assert_int_equal(fake_find("LaunchKernelEx", 1)->parameters[0], second);
    assert_int_equal(fake_count("ModuleLoadData"), 0);
    free_and_check(launcher);
}

static void test_scratch_and_clears(void **state)
{
    (void)state;
    gt_launch launch = make_launch(GT_PASS_NONE);
    launch.parameters[2] = (gt_parameter){GT_PARAMETER_SCRATCH, 8, -1, 4096};
    launch.parameter_count = 3;
    launch.clears[0] = (gt_clear){2, 4096};
    launch.clears[1] = (gt_clear){0, 777};
    launch.clear_count = 2;
    gt_launcher *launcher = load(&launch);
    for (int stream = 1; stream <= 2; stream++) {
        fake_forget();
        assert_int_equal(gt_launcher_launch(launcher, fake_stream(stream), arguments + 1), 0);
        uint64_t scratch = fake_find("MemAlloc", 0)->object;
        assert_int_equal(fake_find("MemAlloc", 0)->bytes, 4096);
        assert_int_equal(fake_find("MemsetD8Async", 0)->object, scratch);
        assert_int_equal(fake_find("MemsetD8Async", 1)->object, out_buffer);
        assert_int_equal(fake_find("MemsetD8Async", 1)->bytes, 777);
        assert_int_equal(fake_find("LaunchKernelEx", 0)->parameters[2], scratch);
    }
    fake_forget();
    assert_int_equal(gt_launcher_launch(launcher, fake_stream(1), arguments + 1), 0);
    assert_string_equal(fake_story(), "MemsetD8Async MemsetD8Async LaunchKernelEx EventRecord");
    free_and_check(launcher);
}

static void test_repeat_leaves_the_copy_out(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
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
    free_and_check(launcher);
}

/* ---- streams ---- */

static void test_each_stream_has_a_module(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
    launch_on(launcher, 1);
    launch_on(launcher, 2);
    launch_on(launcher, 1);
    assert_int_equal(fake_count("ModuleLoadData"), 1); /* the first stream took the one loaded */
    assert_int_not_equal(fake_find("LaunchKernelEx", 0)->object,
                         fake_find("LaunchKernelEx", 1)->object);
    assert_int_equal(fake_find("LaunchKernelEx", 0)->object,
                     fake_find("LaunchKernelEx", 2)->object);
    assert_int_not_equal(fake_find("MemcpyHtoDAsync", 0)->object,
                         fake_find("MemcpyHtoDAsync", 1)->object);
    free_and_check(launcher);
}

static void test_a_ninth_stream_waits(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
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
    launch_on(launcher, GT_LAUNCHER_STREAMS + 1); /* it owns the lane now */
    assert_int_equal(fake_count("StreamWaitEvent"), 0);
    free_and_check(launcher);
}

static void test_a_failed_wait_is_made_up_for(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
    for (int stream = 1; stream <= GT_LAUNCHER_STREAMS; stream++) {
        launch_on(launcher, stream);
    }
    fake.fail_name = "StreamWaitEvent";
    fake.fail_code = CUDA_ERROR_UNKNOWN;
    assert_int_equal(gt_launcher_launch(launcher, fake_stream(9), arguments), GPUTUNE_ECUDA);
    fake.fail_name = NULL;
    fake_forget();
    launch_on(launcher, 9);
    assert_int_equal(fake_count("StreamWaitEvent"), 1);
    free_and_check(launcher);
}

static void test_staging_is_reused_after_its_event_only(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_GLOBAL);
    fake.events_pending = true;
    size_t launches = 0;
    while (fake_count("EventSynchronize") == 0 && launches < 100) {
        launch_on(launcher, 1);
        launches++;
    }
    assert_in_range(launches, 2, 99);
    size_t slots = launches - 1; /* the last one had to wait for the first one's slot */
    assert_int_equal(fake_find("EventSynchronize", 0)->object, fake_find("EventRecord", 0)->object);
    assert_ptr_equal(fake_find("MemcpyHtoDAsync", slots)->pointers[0],
                     fake_find("MemcpyHtoDAsync", 0)->pointers[0]);
    for (size_t i = 1; i < slots; i++) {
        assert_ptr_not_equal(fake_find("MemcpyHtoDAsync", i)->pointers[0],
                             fake_find("MemcpyHtoDAsync", 0)->pointers[0]);
    }
    assert_true(fake_find("EventSynchronize", 0) < fake_find("MemcpyHtoDAsync", slots));
    free_and_check(launcher);
}

static void test_a_failed_launch_keeps_the_slot_until_its_event(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_GLOBAL);
    fake.fail_name = "LaunchKernelEx";
    fake.fail_code = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    assert_int_equal(gt_launcher_launch(launcher, fake_stream(1), arguments), GPUTUNE_ECUDA);
    assert_int_equal(fake_count("EventRecord"), 1);
    fake.fail_name = NULL;
    fake.events_pending = true;
    fake_forget();
    launch_on(launcher, 1);
    assert_int_equal(fake_count("EventSynchronize"), 1);
    free_and_check(launcher);
}

/* What one thread launches: many rounds over more streams than there are instances. */
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

/* The index of the launch that reads what call `copy` copied: the next thing done to its module. */
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

/* Between a block's copy into a module and the launch that reads it nothing else touches that
 * module, and a stream that takes it over waits for the one before. */
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

static void test_threads_keep_copy_and_launch_together(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
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
    free_and_check(launcher);
}

/* ---- captures ---- */

static void test_captured_launch_belongs_to_the_graph(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
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
    /* A replay reads both again: each must still hold what it was launched with. */
    assert_int_equal(*(const uint8_t *)fake_find("MemcpyHtoDAsync", 0)->pointers[0], first);
    assert_int_equal(*(const uint8_t *)fake_find("MemcpyHtoDAsync", 1)->pointers[0], block[0]);
    fake_graphs_gone();
    free_and_check(launcher);
}

static void test_instance_of_a_gone_graph_is_used_again(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
    fake.capture_status[1] = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    launch_on(launcher, 1);
    fake_graphs_gone();
    fake_forget();
    launch_on(launcher, 1);
    assert_string_equal(fake_story(),
                        "UserObjectCreate GraphRetainUserObject MemcpyHtoDAsync LaunchKernelEx");
    fake_graphs_gone();
    free_and_check(launcher);
}

static void test_launcher_may_go_before_its_graph_lets_go(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
    fake.capture_status[1] = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    launch_on(launcher, 1);
    gt_launcher_free(launcher);
    assert_int_equal(fake.live_modules, 1);
    assert_int_equal(fake.live_host, 1);
    fake_graphs_gone();
    assert_int_equal(fake.live_modules, 1); /* a graph's callback may not call the driver */
    launcher = load_pass(GT_PASS_NONE);
    free_and_check(launcher);
}

static void test_capture_is_refused_before_the_stream_is_touched(void **state)
{
    (void)state;
    static const char *const failing[] = {"ModuleLoadData", "UserObjectCreate",
                                          "GraphRetainUserObject", "MemAllocHost"};
    gt_launcher *launcher = load_pass(GT_PASS_CONSTANT);
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
    free_and_check(launcher);
}

static void test_broken_and_implicit_captures_are_refused(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_GLOBAL);
    fake.capture_status[1] = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    assert_int_equal(gt_launcher_launch(launcher, fake_stream(1), arguments), GPUTUNE_ECAPTURE);
    fake.capture_result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    assert_int_equal(gt_launcher_launch(launcher, NULL, arguments), GPUTUNE_ECAPTURE);
    assert_int_equal(fake_count("MemcpyHtoDAsync") + fake_count("LaunchKernelEx"), 0);
    fake.capture_result = CUDA_SUCCESS;
    free_and_check(launcher);
}

static void test_calls_outside_a_launch_are_relaxed(void **state)
{
    (void)state;
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

/* ---- attributes and refusals ---- */

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

static void test_cluster_carveout_and_shared_memory(void **state)
{
    (void)state;
    size_t value;
    gt_launch launch = make_launch(GT_PASS_NONE);
    launch.geometry.cluster[0] = 16;
    launch.geometry.carveout_kb = 100;
    launch.geometry.shared_bytes = 100 * 1024;
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

static void test_portable_cluster_needs_no_opt_in(void **state)
{
    (void)state;
    size_t value;
    gt_launch launch = make_launch(GT_PASS_NONE);
    launch.geometry.cluster[0] = 8;
    gt_launcher *launcher;
    assert_int_equal(try_load(&launcher, &launch), 0);
    assert_false(was_set(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, &value));
    assert_false(was_set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &value));
    free_and_check(launcher);
}

static void test_carveout_percent_reaches_the_size(void **state)
{
    (void)state;
    static const int sizes[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
    static const int maxima[] = {64, 100, 164, 228};
    for (size_t m = 0; m < 4; m++) {
        for (size_t i = 0; i < 10 && sizes[i] <= maxima[m]; i++) {
            /* The driver takes the smallest size that is not below the percentage. */
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
    assert_int_equal(try_load(&launcher, launch), status);
    assert_null(launcher);
    if (!strstr(gt_message(), message)) {
        fail_msg("\"%s\" does not say \"%s\"", gt_message(), message);
    }
    assert_int_equal(fake.live_modules, 0);
    fake_reset();
}

static void test_refusals_name_their_reason(void **state)
{
    (void)state;
    gt_launch launch = make_launch(GT_PASS_NONE);
    fake.current = NULL;
    expect_refusal(&launch, GPUTUNE_EINVAL, "no CUDA context is current");
    launch.geometry.cluster[0] = 3;
    expect_refusal(&launch, GPUTUNE_EINVAL, "no multiple of its cluster's 3");
    launch.geometry.cluster[0] = 16;
    fake.clusters = 0;
    expect_refusal(&launch, GPUTUNE_ECUDA, "a cluster of 16 blocks of 128 threads");
    fake.fail_name = "OccupancyMaxActiveClusters";
    fake.fail_code = CUDA_ERROR_INVALID_CLUSTER_SIZE;
    expect_refusal(&launch, GPUTUNE_ECUDA, "a cluster of 16 blocks: cuOccupancyMaxActiveClusters");
    launch = make_launch(GT_PASS_NONE);
    fake.blocks = 0;
    expect_refusal(&launch, GPUTUNE_ECUDA, "does not fit on a multiprocessor");
    fake.max_threads = 64;
    expect_refusal(&launch, GPUTUNE_ECUDA, "a block of 128 threads does not fit: 42 registers");
    launch.geometry.shared_bytes = 220 * 1024;
    fake.fixed_shared_bytes = 20 * 1024;
    expect_refusal(&launch, GPUTUNE_ECUDA, "245760 bytes of shared memory a block");
    launch = make_launch(GT_PASS_CONSTANT);
    fake.no_symbol = true;
    expect_refusal(&launch, GPUTUNE_EINVAL, "no symbol " GT_PASS_SYMBOL);
    launch = make_launch(GT_PASS_NONE);
    memcpy(launch.entry, "missing", 8);
    expect_refusal(&launch, GPUTUNE_ECUDA, "the image has no kernel \"missing\"");
    launch = make_launch(GT_PASS_NONE);
    fake.fail_name = "ModuleLoadData";
    fake.fail_code = CUDA_ERROR_INVALID_IMAGE;
    expect_refusal(&launch, GPUTUNE_ECUDA,
                   "cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE (200): as scripted");
}

static void test_a_launch_that_contradicts_itself_is_refused(void **state)
{
    (void)state;
    gt_launch launch = make_launch(GT_PASS_NONE);
    launch.parameters[0].argument = 2;
    expect_refusal(&launch, GPUTUNE_EINVAL, "contradicts itself");
    launch = make_launch(GT_PASS_NONE);
    launch.parameter_count = GT_PARAMETER_MAX + 1;
    gt_launcher *launcher;
    assert_int_equal(gt_launcher_load(&launcher, &fake.table, &device, &image, &launch),
                     GPUTUNE_EINVAL);
    launch = make_launch(GT_PASS_VALUE);
    launch.block_bytes = 100;
    expect_refusal(&launch, GPUTUNE_EINVAL, "contradicts itself");
    launch = make_launch(GT_PASS_NONE);
    launch.clear_count = 1;
    launch.clears[0] = (gt_clear){1, 4}; /* a scalar */
    expect_refusal(&launch, GPUTUNE_EINVAL, "contradicts itself");
}

static void test_parameter_sizes_are_compared_with_the_kernel(void **state)
{
    (void)state;
    gt_launch launch = make_launch(GT_PASS_NONE);
    gt_launcher *launcher;
    fake.parameter_sizes[0] = 8;
    fake.parameter_sizes[1] = 8;
    assert_int_equal(gt_launcher_load(&launcher, &fake.table, &device, &image, &launch),
                     GPUTUNE_EINVAL);
    assert_string_equal(gt_message(),
                        "parameter 1 of kernel kernel has 8 bytes, the launch gives 4");
    fake.parameter_sizes[1] = 4;
    fake.parameter_sizes[2] = 4;
    assert_int_equal(gt_launcher_load(&launcher, &fake.table, &device, &image, &launch),
                     GPUTUNE_EINVAL);
    assert_int_equal(fake.live_modules, 0);
}

static void test_another_context_is_named(void **state)
{
    (void)state;
    gt_launcher *plain = load_pass(GT_PASS_NONE);
    gt_launcher *copying = load_pass(GT_PASS_GLOBAL);
    fake.current = fake_context(2);
    fake.fail_name = "LaunchKernelEx";
    fake.fail_code = CUDA_ERROR_INVALID_HANDLE;
    fake_forget();
    assert_int_equal(gt_launcher_launch(plain, fake_stream(1), arguments + 1), GPUTUNE_ECUDA);
    assert_non_null(strstr(gt_message(), "another CUDA context is current"));
    assert_int_equal(gt_launcher_launch(copying, fake_stream(1), arguments), GPUTUNE_ECUDA);
    assert_non_null(strstr(gt_message(), "another CUDA context is current"));
    assert_int_equal(fake_count("MemcpyHtoDAsync"), 0);
    fake.fail_name = NULL;
    gt_launcher_free(plain);
    free_and_check(copying); /* from the other context, which stays */
    assert_ptr_equal(fake.current, fake_context(2));
}

static void test_free_waits_and_tolerates_a_lost_context(void **state)
{
    (void)state;
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

static void test_free_breaks_no_capture(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_SPLIT);
    launch_on(launcher, 1);
    free_and_check(launcher);
    assert_int_equal(fake_count("CtxSynchronize"), 0); /* it would, in any capture mode */
}

static void test_a_second_size_shares_the_module(void **state)
{
    (void)state;
    gt_launcher *parent = load_pass(GT_PASS_NONE), *child;
    gt_launch launch = make_launch(GT_PASS_NONE);
    launch.geometry.grid[0] = 7;
    assert_int_equal(gt_launcher_share(&child, parent, &launch), 0);
    assert_int_equal(fake_count("ModuleLoadData"), 0);
    assert_int_equal(gt_launcher_launch(child, fake_stream(1), arguments + 1), 0);
    assert_int_equal(fake_find("LaunchKernelEx", 0)->config.gridDimX, 7);
    gt_launcher_free(child);
    assert_int_equal(fake.live_modules, 1);
    free_and_check(parent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_plain_launch_is_one_call, setup),
        cmocka_unit_test_setup(test_value_passes_the_block_itself, setup),
        cmocka_unit_test_setup(test_constant_copies_then_launches_then_records, setup),
        cmocka_unit_test_setup(test_split_copies_what_is_not_by_value, setup),
        cmocka_unit_test_setup(test_global_passes_a_buffer_of_its_own, setup),
        cmocka_unit_test_setup(test_scratch_and_clears, setup),
        cmocka_unit_test_setup(test_repeat_leaves_the_copy_out, setup),
        cmocka_unit_test_setup(test_each_stream_has_a_module, setup),
        cmocka_unit_test_setup(test_a_ninth_stream_waits, setup),
        cmocka_unit_test_setup(test_a_failed_wait_is_made_up_for, setup),
        cmocka_unit_test_setup(test_staging_is_reused_after_its_event_only, setup),
        cmocka_unit_test_setup(test_a_failed_launch_keeps_the_slot_until_its_event, setup),
        cmocka_unit_test_setup(test_threads_keep_copy_and_launch_together, setup),
        cmocka_unit_test_setup(test_captured_launch_belongs_to_the_graph, setup),
        cmocka_unit_test_setup(test_instance_of_a_gone_graph_is_used_again, setup),
        cmocka_unit_test_setup(test_launcher_may_go_before_its_graph_lets_go, setup),
        cmocka_unit_test_setup(test_capture_is_refused_before_the_stream_is_touched, setup),
        cmocka_unit_test_setup(test_broken_and_implicit_captures_are_refused, setup),
        cmocka_unit_test_setup(test_calls_outside_a_launch_are_relaxed, setup),
        cmocka_unit_test_setup(test_cluster_carveout_and_shared_memory, setup),
        cmocka_unit_test_setup(test_portable_cluster_needs_no_opt_in, setup),
        cmocka_unit_test_setup(test_carveout_percent_reaches_the_size, setup),
        cmocka_unit_test_setup(test_refusals_name_their_reason, setup),
        cmocka_unit_test_setup(test_a_launch_that_contradicts_itself_is_refused, setup),
        cmocka_unit_test_setup(test_parameter_sizes_are_compared_with_the_kernel, setup),
        cmocka_unit_test_setup(test_another_context_is_named, setup),
        cmocka_unit_test_setup(test_free_waits_and_tolerates_a_lost_context, setup),
        cmocka_unit_test_setup(test_free_breaks_no_capture, setup),
        cmocka_unit_test_setup(test_a_second_size_shares_the_module, setup),
    };
    return cmocka_run_group_tests_name("launcher", tests, NULL, NULL);
}
