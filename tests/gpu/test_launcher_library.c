/* The launcher against a driver that keeps books and has libraries: one launcher in all contexts.
 */
#include "launcher_support.h"

static int setup_libraries(void **state)
{
    setup(state);
    fake_libraries();
    return 0;
}

static void test_a_launch_asks_nothing_about_contexts(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_NONE);
    assert_true(gt_launcher_is_everywhere(launcher));
    assert_int_equal(fake.live_libraries, 1);
    assert_int_equal(fake.live_modules, 0);
    for (int context = 1; context <= 3; context++) {
        fake.current = fake_context(context);
        assert_int_equal(gt_launcher_launch(launcher, NULL, arguments + 1), GPUTUNE_OK);
    }
    assert_int_equal(fake.call_count, 3);
    assert_int_equal(fake_find("LaunchKernelEx", 0)->object,
                     fake_find("LaunchKernelEx", 2)->object);
    free_and_check(launcher);
}

/* Buffers, constant symbols and clears are a context's, or a module's in it. */
static void test_what_needs_more_than_arguments_is_a_module(void **state)
{
    (void)state;
    gt_launch cleared = make_launch(GT_PASS_NONE);
    cleared.clear_count = 1;
    cleared.clears[0] = (gt_clear){0, 64};
    gt_launcher *launchers[] = {load(&cleared), load_pass(GT_PASS_CONSTANT),
                                load_pass(GT_PASS_SPLIT), load_pass(GT_PASS_GLOBAL)};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        assert_false(gt_launcher_is_everywhere(launchers[i]));
    }
    assert_int_equal(fake.live_libraries, 0);
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        gt_launcher_free(launchers[i]);
    }
    free_and_check(load_pass(GT_PASS_VALUE));
    assert_int_equal(fake_count("LibraryUnload"), 1);
}

static void test_attributes_are_the_kernels_in_all_contexts(void **state)
{
    (void)state;
    gt_launch launch = make_launch(GT_PASS_NONE);
    gt_launcher *launcher;
    launch.geometry = (gt_geometry){{32, 1, 1}, {128, 1, 1}, {16, 1, 1}, 100 * 1024, 132, 0, 0};
    assert_int_equal(try_load(&launcher, &launch), GPUTUNE_OK);
    assert_int_equal(fake_count("FuncSetAttribute"), 0);
    assert_int_equal(fake_count("KernelSetAttribute"), 3);
    const fake_call *shared = fake_find("KernelSetAttribute", 0);
    assert_int_equal(shared->object, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    assert_int_equal(shared->bytes, 100 * 1024);
    assert_int_equal(fake_find("KernelSetAttribute", 1)->object,
                     CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
    assert_int_equal(fake_find("KernelSetAttribute", 2)->object,
                     CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    free_and_check(launcher);
}

/* Whatever a driver has against the library, a module works as it always did, or says why not. */
static void test_an_image_that_is_refused_as_a_library_is_a_module(void **state)
{
    static const char *const calls[] = {"LibraryLoadData", "LibraryGetKernel", "KernelGetFunction"};
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        fake.fail_name = calls[i];
        fake.fail_code = CUDA_ERROR_NOT_SUPPORTED;
        gt_launcher *launcher = load_pass(GT_PASS_NONE);
        assert_false(gt_launcher_is_everywhere(launcher));
        assert_int_equal(fake.live_modules, 1);
        assert_int_equal(fake.live_libraries, 0);
        launch_on(launcher, 1);
        free_and_check(launcher);
    }
}

static void test_a_second_size_shares_the_library(void **state)
{
    (void)state;
    gt_launcher *parent = load_pass(GT_PASS_NONE), *child;
    gt_launch launch = make_launch(GT_PASS_NONE);
    launch.geometry.grid[0] = 7;
    assert_int_equal(gt_launcher_share(&child, parent, &launch), 0);
    assert_false(gt_launcher_is_everywhere(child));
    assert_int_equal(fake_count("LibraryLoadData"), 0);
    assert_int_equal(fake_count("ModuleLoadData"), 0);
    assert_int_equal(gt_launcher_launch(child, fake_stream(1), arguments + 1), 0);
    assert_int_equal(fake_find("LaunchKernelEx", 0)->config.gridDimX, 7);
    gt_launcher_free(child);
    assert_int_equal(fake.live_libraries, 1);
    free_and_check(parent);
}

static void test_free_needs_no_context(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_NONE);
    fake.current = NULL;
    fake.fail_name = "CtxPushCurrent";
    fake.fail_code = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    free_and_check(launcher);
    assert_int_equal(fake_count("CtxPushCurrent"), 0);
    assert_true(fake_find("LibraryUnload", 0)->relaxed);
}

/* In a context where it was not launched yet, too: the driver loads the code before the launch, in
 * a mode that breaks no capture. */
static void test_a_graph_holds_the_library(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_NONE);
    fake.current = fake_context(2);
    fake.capture_status[1] = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    fake_forget();
    assert_int_equal(gt_launcher_launch(launcher, fake_stream(1), arguments + 1), GPUTUNE_OK);
    assert_true(fake_find("KernelGetFunction", 0) < fake_find("LaunchKernelEx", 0));
    assert_true(fake_find("KernelGetFunction", 0)->relaxed);
    gt_launcher_free(launcher);
    assert_int_equal(fake.live_libraries, 1);
    fake.current = NULL;
    fake_graphs_gone();
    fake.current = fake_context(1);
    free_and_check(load_pass(GT_PASS_NONE)); /* what is left goes with the next load */
    assert_int_equal(fake_count("CtxPushCurrent"), 0);
}

static void test_a_failed_launch_names_the_context(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_NONE);
    fake.fail_name = "LaunchKernelEx";
    fake.fail_code = CUDA_ERROR_INVALID_VALUE;
    assert_int_equal(gt_launcher_launch(launcher, NULL, arguments + 1), GPUTUNE_ECUDA);
    assert_non_null(strstr(gt_message(), "cuLaunchKernelEx"));
    fake.device = 1;
    assert_int_equal(gt_launcher_launch(launcher, NULL, arguments + 1), GPUTUNE_EINVAL);
    assert_non_null(strstr(gt_message(), "of device 1, and the plan is for device 0"));
    fake.current = NULL;
    assert_int_equal(gt_launcher_launch(launcher, NULL, arguments + 1), GPUTUNE_EINVAL);
    assert_non_null(strstr(gt_message(), "no CUDA context is current"));
    free_and_check(launcher);
}

static void test_another_device_is_refused_at_load(void **state)
{
    (void)state;
    gt_launch launch = make_launch(GT_PASS_NONE);
    gt_launcher *launcher = NULL;
    fake.device = 1;
    assert_int_equal(try_load(&launcher, &launch), GPUTUNE_EINVAL);
    assert_non_null(strstr(gt_message(), "open a tuner for each device"));
    assert_int_equal(fake.live_libraries + fake.live_modules, 0);
}

static void test_the_function_is_the_current_contexts(void **state)
{
    (void)state;
    gt_launcher *launcher = load_pass(GT_PASS_NONE);
    gt_function_facts first, second;
    assert_int_equal(gt_launcher_function(&first, launcher, 0), GPUTUNE_OK);
    fake.current = fake_context(2);
    assert_int_equal(gt_launcher_function(&second, launcher, 0), GPUTUNE_OK);
    assert_ptr_not_equal(first.function, second.function);
    fake.current = NULL;
    assert_int_equal(gt_launcher_function(&second, launcher, 0), GPUTUNE_EINVAL);
    free_and_check(launcher);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_launch_asks_nothing_about_contexts, setup_libraries),
        cmocka_unit_test_setup(test_what_needs_more_than_arguments_is_a_module, setup_libraries),
        cmocka_unit_test_setup(test_attributes_are_the_kernels_in_all_contexts, setup_libraries),
        cmocka_unit_test_setup(test_an_image_that_is_refused_as_a_library_is_a_module,
                               setup_libraries),
        cmocka_unit_test_setup(test_a_second_size_shares_the_library, setup_libraries),
        cmocka_unit_test_setup(test_free_needs_no_context, setup_libraries),
        cmocka_unit_test_setup(test_a_graph_holds_the_library, setup_libraries),
        cmocka_unit_test_setup(test_a_failed_launch_names_the_context, setup_libraries),
        cmocka_unit_test_setup(test_another_device_is_refused_at_load, setup_libraries),
        cmocka_unit_test_setup(test_the_function_is_the_current_contexts, setup_libraries),
    };
    return cmocka_run_group_tests_name("launcher of a library", tests, NULL, NULL);
}
