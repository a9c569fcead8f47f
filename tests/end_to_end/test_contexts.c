/* One tuner in an application with several CUDA contexts, and with one that is reset. */
#include "world.h"

#include <dlfcn.h>

enum { COUNT = 1000 };

static gputune *tuner;
static CUresult (*create)(CUcontext *, unsigned, CUdevice), (*destroy)(CUcontext);

static int open_tuner(void **state)
{
    (void)state;
    world_open("emu:h200");
    *(void **)&create = dlsym(world.driver->handle, "cuCtxCreate_v2");
    *(void **)&destroy = dlsym(world.driver->handle, "cuCtxDestroy_v2");
    assert_true(create && destroy);
    return 0;
}

static gputune_plan *ask(const char *kernel)
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    gputune_plan *plan;
    options.effort = GPUTUNE_CACHED_ONLY;
    OK(tune_kernel(&plan, tuner, kernel, GPUTUNE_SIZES({"n", COUNT}), &options));
    return plan;
}

/* y += 2 * x in the current context. */
static int launch(gputune_plan *plan)
{
    static float values[COUNT], got[COUNT];
    float a = 2;
    size_t n = COUNT;
    for (int i = 0; i < COUNT; i++) {
        values[i] = (float)i;
        got[i] = 0;
    }
    CUdeviceptr x = buffer_of(values, sizeof values), y = buffer_of(values, sizeof values);
    int status = gputune_launch(plan, NULL, GPUTUNE_ARGS(&y, &x, &a, &n));
    if (status == GPUTUNE_OK) {
        CU(MemcpyDtoH(got, y, sizeof got));
        for (int i = 0; i < COUNT; i++) {
            assert_float_equal(got[i], 3.0F * (float)i, 0);
        }
    }
    CU(MemFree(x));
    CU(MemFree(y));
    return status;
}

static CUcontext new_context(void)
{
    CUcontext made;
    OK(gt_cuda_check(world.driver, create(&made, 0, 0), "cuCtxCreate"));
    return made;
}

static void test_a_plan_is_launched_in_each_context(void **state)
{
    (void)state;
    tuner = tuner_open(":memory:");
    gputune_plan *first = ask("axpy");
    OK(launch(first));
    CUcontext other = new_context();
    gputune_plan *second = ask("axpy");
    OK(launch(second)); /* the table's plan was made in the first one */
    CU(CtxSetCurrent(world.context));
    OK(launch(second));
    OK(gt_cuda_check(world.driver, destroy(other), "cuCtxDestroy"));
    CU(CtxSetCurrent(world.context));
    CUcontext third = new_context(); /* may have the handle of the one that is gone */
    OK(launch(first));
    CU(CtxSetCurrent(world.context));
    gputune_plan_release(first);
    gputune_plan_release(second);
    OK(gt_cuda_check(world.driver, destroy(third), "cuCtxDestroy"));
    CU(CtxSetCurrent(world.context));
    gputune_close(tuner);
}

static void test_a_reset_context_is_no_end(void **state)
{
    (void)state;
    tuner = tuner_open(":memory:");
    gputune_plan *before = ask("axpy");
    OK(launch(before));
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
        gputune_plan *after = ask("axpy");
        OK(launch(after));
        OK(launch(before));
        gputune_plan_release(after);
    }
    CU(DevicePrimaryCtxReset(0));
    gputune_plan_release(before);
    gputune_close(tuner);
    CU(DevicePrimaryCtxRetain(&world.context, 0));
    CU(CtxSetCurrent(world.context));
}

static void test_without_a_context_a_launch_says_so(void **state)
{
    (void)state;
    tuner = tuner_open(":memory:");
    CUcontext popped;
    size_t n = COUNT;
    float a = 2;
    void *nowhere = NULL;
    CU(CtxSetCurrent(NULL));
    gputune_plan *plan = ask("axpy");
    assert_int_equal(gputune_launch(plan, NULL, GPUTUNE_ARGS(&nowhere, &nowhere, &a, &n)),
                     GPUTUNE_EINVAL);
    assert_non_null(strstr(gputune_error(), "no CUDA context is current"));
    CU(CtxPushCurrent(world.context));
    OK(launch(plan));
    CU(CtxPopCurrent(&popped));
    gputune_plan_release(plan);
    CU(CtxSetCurrent(world.context));
    gputune_close(tuner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_a_context_a_launch_says_so),
        cmocka_unit_test(test_a_plan_is_launched_in_each_context),
        cmocka_unit_test(test_a_reset_context_is_no_end),
    };
    return cmocka_run_group_tests(tests, open_tuner, world_close);
}
