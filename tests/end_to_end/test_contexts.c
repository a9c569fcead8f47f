/* Tests one tuner in an application with several CUDA contexts, and with a context that is reset.
 * Runs on a GPU with GPUTUNE_TEST_DRIVER=cuda. */
#include "world.h"

#include <dlfcn.h>

enum { COUNT = 1000 };

static gputune *tuner;
static CUresult (*create)(CUcontext *, unsigned, CUdevice), (*destroy)(CUcontext);

static int open_devices(void **state)
{
    setenv("GPUTUNE_EMU_DEVICES", "h200,h200", 1);
    world_open(getenv("GPUTUNE_TEST_DRIVER") ? world_driver() : "emu");
    *(void **)&create = dlsym(world.driver->handle, "cuCtxCreate_v2");
    *(void **)&destroy = dlsym(world.driver->handle, "cuCtxDestroy_v2");
    assert_true(create && destroy);
    return 0;
}

static gputune_plan *request_plan(const char *kernel)
{
    gputune_plan *plan;
    OK(tune_kernel(&plan, tuner, kernel, GPUTUNE_SIZES({"n", COUNT}),
                   &OPTIONS(.effort = GPUTUNE_CACHED_ONLY)));
    return plan;
}

static int open_tuner(void **state)
{
    tuner = tuner_open(":memory:");
    return 0;
}

static int close_tuner(void **state)
{
    gputune_close(tuner);
    return 0;
}

static CUcontext new_context(void)
{
    CUcontext made;
    OK(gt_cuda_check(world.driver, create(&made, 0, 0), "cuCtxCreate"));
    return made;
}

static void end_context(CUcontext context)
{
    OK(gt_cuda_check(world.driver, destroy(context), "cuCtxDestroy"));
    CU(CtxSetCurrent(world.context));
}

TEST_WITHIN(plan_is_launched_in_each_context, open_tuner, close_tuner)
{
    gputune_plan *first = request_plan("axpy");
    OK(launch_axpy(first, COUNT));
    CUcontext other = new_context();
    gputune_plan *second = request_plan("axpy");
    OK(launch_axpy(second, COUNT));
    CU(CtxSetCurrent(world.context));
    OK(launch_axpy(second, COUNT));
    end_context(other);
    CUcontext third = new_context(); /* the new context may get the handle of the destroyed one */
    OK(launch_axpy(first, COUNT));
    CU(CtxSetCurrent(world.context));
    gputune_plan_release(first);
    gputune_plan_release(second);
    end_context(third);
}

TEST(plan_is_made_in_the_context_of_another_device)
{
    int devices;
    CUcontext other;
    CU(DeviceGetCount(&devices));
    if (devices < 2) {
        skip();
    }
    OK(gputune_open(&tuner, &OPEN_OPTIONS(.database = ":memory:", .device = "1")));
    GT_SCOPED(plan_end) gputune_plan *plan = request_plan("axpy");
    ASSERT_FAILS(launch_axpy(plan, COUNT), GPUTUNE_EINVAL,
                 "the current context belongs to device 0");
    if (create(&other, 0, 1) == CUDA_SUCCESS) { /* fails on the emulator: one device per process */
        OK(launch_axpy(plan, COUNT));
        end_context(other);
    }
    gputune_close(tuner);
}

TEST_WITHIN(memory_kept_for_streams_ends_with_their_context, open_tuner, close_tuner)
{
    static int values[COUNT];
    gputune_plan *plan;
    int got = 0, sum = 0;
    gputune_options options = OPTIONS(.effort = GPUTUNE_CACHED_ONLY);
    for (int i = 0; i < COUNT; i++) {
        values[i] = i;
        sum += i;
    }
    CUcontext other = new_context();
    OK(tune_kernel(&plan, tuner, "paramsum", GPUTUNE_SIZES({"COUNT", COUNT}), &options));
    for (int turn = 0; turn < 2; turn++) {
        CUdeviceptr out = buffer_of(&got, sizeof got);
        OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(values, &out)));
        CU(MemcpyDtoH(&got, out, sizeof got));
        assert_int_equal(got, sum);
        got = 0;
        if (turn == 0) {
            end_context(other);
        }
    }
    gputune_plan_release(plan);
}

static CUfunction function_of(gputune_plan *plan)
{
    gputune_function function = GPUTUNE_FUNCTION_INIT;
    OK(gputune_plan_function(&function, plan, 0));
    float values[COUNT] = {0}, a = 2;
    CUdeviceptr x = buffer_of(values, sizeof values), y = buffer_of(values, sizeof values);
    size_t n = COUNT;
    void *parameters[] = {&y, &x, &a, &n};
    CU(LaunchKernel(function.function, function.grid[0], 1, 1, function.block[0], 1, 1,
                    function.shared_bytes, NULL, parameters, NULL));
    CU(CtxSynchronize());
    CU(MemFree(x));
    CU(MemFree(y));
    return function.function;
}

TEST_WITHIN(each_context_has_its_own_function, open_tuner, close_tuner)
{
    GT_SCOPED(plan_end) gputune_plan *plan = request_plan("axpy");
    CUfunction first = function_of(plan);
    CUcontext other = new_context();
    assert_ptr_not_equal(function_of(plan), first);
    end_context(other);
    assert_ptr_equal(function_of(plan), first);
}

TEST_WITHIN(first_launch_in_a_context_can_be_captured, open_tuner, close_tuner)
{
    static float values[COUNT];
    float a = 2, got;
    size_t n = COUNT;
    gputune_plan *plan = request_plan("axpy");
    CUcontext other = new_context();
    CUstream stream = stream_new();
    values[0] = 1;
    CUdeviceptr x = buffer_of(values, sizeof values), y = buffer_of(values, sizeof values);
    CU(StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(gputune_launch(plan, stream, GPUTUNE_ARGS(&y, &x, &a, &n)));
    CUgraphExec exec = capture_end(stream);
    gputune_plan_release(plan);
    gputune_close(tuner);
    CU(GraphLaunch(exec, stream));
    CU(StreamSynchronize(stream));
    CU(MemcpyDtoH(&got, y, sizeof got));
    assert_float_equal(got, 3, 0);
    CU(GraphExecDestroy(exec));
    end_context(other);
}

TEST_WITHIN(plans_work_after_a_reset_of_the_context, open_tuner, close_tuner)
{
    gputune_plan *before = request_plan("axpy");
    OK(launch_axpy(before, COUNT));
    for (int round = 0; round < 3; round++) {
        CUcontext again;
        CU(DevicePrimaryCtxReset(0));
        size_t n = COUNT;
        float a = 2;
        void *nowhere = NULL;
        assert_int_equal(gputune_launch(before, NULL, GPUTUNE_ARGS(&nowhere, &nowhere, &a, &n)),
                         GPUTUNE_ECUDA);
        CU(DevicePrimaryCtxRetain(&again, 0));
        CU(CtxSetCurrent(again));
        gputune_plan *after = request_plan("axpy");
        OK(launch_axpy(after, COUNT));
        OK(launch_axpy(before, COUNT));
        gputune_plan_release(after);
    }
    CU(DevicePrimaryCtxReset(0));
    gputune_plan_release(before);
    CU(DevicePrimaryCtxRetain(&world.context, 0));
    CU(CtxSetCurrent(world.context));
}

TEST_WITHIN(launch_without_a_context_is_refused, open_tuner, close_tuner)
{
    CUcontext popped;
    gputune_function function = GPUTUNE_FUNCTION_INIT;
    size_t n = COUNT;
    float a = 2;
    void *nowhere = NULL;
    while (world.driver->CtxPopCurrent(&popped) ==
           CUDA_SUCCESS) { /* pop the contexts that earlier tests have left */
    }
    gputune_plan *plan = request_plan("axpy");
    ASSERT_FAILS(gputune_launch(plan, NULL, GPUTUNE_ARGS(&nowhere, &nowhere, &a, &n)),
                 GPUTUNE_EINVAL, "no CUDA context is current");
    ASSERT_FAILS(gputune_plan_function(&function, plan, 0), GPUTUNE_EINVAL,
                 "no CUDA context is current");
    CU(CtxPushCurrent(world.context));
    OK(launch_axpy(plan, COUNT));
    CU(CtxPopCurrent(&popped));
    gputune_plan_release(plan);
    CU(CtxSetCurrent(world.context));
}

/* This test must be the last one, because an illegal address makes the context unusable. */
TEST_WITHIN(lost_context_of_the_application_fails_the_call, open_tuner, close_tuner)
{
    gputune_plan *none;
    float values[2 * COUNT] = {0}, a = 2;
    size_t n = COUNT;
    CUevent event;
    GT_SCOPED(plan_end) gputune_plan *plan = request_plan("axpy");
    CU(EventCreate(&event, CU_EVENT_DISABLE_TIMING));
    CUdeviceptr x = buffer_of(values, sizeof values), y = x + COUNT * sizeof *values,
                nowhere = 4096;
    CU(EventRecord(event, NULL));
    OK(gputune_launch(plan, NULL, GPUTUNE_ARGS(&nowhere, &x, &a, &n)));
    assert_true(gt_cuda_fatal(world.driver->CtxSynchronize()));
    ASSERT_FAILS(gputune_launch(plan, NULL, GPUTUNE_ARGS(&y, &x, &a, &n)), GPUTUNE_ECUDA,
                 "ILLEGAL_ADDRESS");
    gputune_input input = {.buffer = "x", .data = (void *)(uintptr_t)x, .bytes = COUNT * sizeof a};
    gputune_options options = OPTIONS(.inputs = &input, .input_count = 1, .inputs_ready = event);
    assert_int_equal(tune_kernel(&none, tuner, "axpy", GPUTUNE_SIZES({"n", COUNT}), &options),
                     GPUTUNE_ECUDA);
    options.inputs_ready = NULL;
    assert_int_equal(tune_kernel(&none, tuner, "axpy", GPUTUNE_SIZES({"n", COUNT}), &options),
                     GPUTUNE_ECUDA);
}

TESTS_WITHIN(open_devices, world_close)
