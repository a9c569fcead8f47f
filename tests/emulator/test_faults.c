/* Tests the syntax of GPUTUNE_EMU_FAULTS. */
#include "device.h"
#include "emulator/faults.h"

static bool knows(const char *name)
{
    return !strcmp(name, "cuMemAlloc") || !strcmp(name, "cuLaunchKernel");
}

TEST(rules_count_calls)
{
    emu_faults *faults;
    char why[200];
    double delay;
    assert_true(emu_faults_parse(&faults, " cuMemAlloc:2=2, cuLaunchKernel:*3=719 ", knows, why,
                                 sizeof why));
    const int alloc[] = {0, 2, 0, 0}, launch[] = {0, 0, 719, 0, 0, 719};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(emu_faults_next(faults, "cuMemAlloc", 0, &delay), alloc[i]);
    }
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(emu_faults_next(faults, "cuLaunchKernel", 0, &delay), launch[i]);
    }
    emu_faults_free(faults);
}

TEST(rule_for_one_device)
{
    emu_faults *faults;
    char why[200];
    double delay;
    assert_true(emu_faults_parse(&faults, "cuMemAlloc@1:2=2", knows, why, sizeof why));
    const int device[] = {0, 1, 0, 1, 1}, code[] = {0, 0, 0, 2, 0};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(emu_faults_next(faults, "cuMemAlloc", device[i], &delay), code[i]);
    }
    emu_faults_free(faults);
}

TEST(rule_delays_a_call)
{
    emu_faults *faults;
    char why[200];
    double delay;
    assert_true(
        emu_faults_parse(&faults, "cuMemAlloc:1=~1.5ms,cuMemAlloc:1=2", knows, why, sizeof why));
    assert_int_equal(emu_faults_next(faults, "cuMemAlloc", 0, &delay), 2);
    assert_true(delay == 1.5e6);
    assert_int_equal(emu_faults_next(faults, "cuMemAlloc", 0, &delay), 0);
    assert_true(delay == 0);
    emu_faults_free(faults);
}

TEST(empty_script_fails_nothing)
{
    emu_faults *faults;
    char why[200];
    double delay;
    assert_true(emu_faults_parse(&faults, NULL, knows, why, sizeof why));
    assert_null(faults);
    assert_true(emu_faults_parse(&faults, "  ", knows, why, sizeof why));
    assert_int_equal(emu_faults_next(faults, "cuMemAlloc", 0, &delay), 0);
    assert_true(emu_faults_parse(&faults, "cuMemAlloc:1=2,,", knows, why, sizeof why));
    emu_faults_free(faults);
}

TEST(invalid_scripts_are_refused)
{
    static const char *const scripts[][2] = {
        {"cuMemAlloc", "expected name:n=code"},    {"cuMemAlloc:3", "expected name:n=code"},
        {"cuMemAllok:1=2", "no such driver call"}, {"cuMemAlloc:0=2", "a number from 1"},
        {"cuMemAlloc:-1=2", "a number from 1"},    {"cuMemAlloc:*=2", "a number from 1"},
        {"cuMemAlloc:1=", "an error code"},        {"cuMemAlloc:1=0", "an error code"},
        {"cuMemAlloc:1=2x", "an error code"},      {"cuMemAlloc:1=~5", "an error code"},
        {"cuMemAlloc:1=~-5ms", "an error code"},   {"cuMemAlloc:1=2,x", "'x'"},
        {"cuMemAlloc@:1=2", "a device's number"},  {"cuMemAlloc@one:1=2", "a device's number"},
    };
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        emu_faults *faults;
        char why[200] = "";
        assert_false(emu_faults_parse(&faults, scripts[i][0], knows, why, sizeof why));
        assert_non_null(strstr(why, scripts[i][1]));
        assert_null(strchr(why, '\n'));
    }
}

static void third_fails(void)
{
    open_device();
    CUdeviceptr buffer;
    OK(cuMemAlloc_v2(&buffer, 4));
    OK(cuMemAlloc_v2(&buffer, 4));
    CHECK_CODE(cuMemAlloc_v2(&buffer, 4), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemAlloc_v2(&buffer, 4));
}

/* A scripted sticky error makes the device unusable for the process, as on hardware. */
static void sticks(void)
{
    open_device();
    CHECK_CODE(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    CUdeviceptr buffer;
    CHECK_CODE(cuMemAlloc_v2(&buffer, 4), CUDA_ERROR_LAUNCH_FAILED);
    CHECK(strstr(emuLastMessage(), "GPUTUNE_EMU_FAULTS"));
}

static void refuses_script(void)
{
    CHECK_CODE(cuInit(0), CUDA_ERROR_INVALID_VALUE);
    CHECK(strstr(emuLastMessage(), "'cuMemAlok:1=2': no such driver call"));
}

TEST(scripted_failures_in_the_driver)
{
    in_child(third_fails, "GPUTUNE_EMU_FAULTS=cuMemAlloc:3=2");
    in_child(sticks, "GPUTUNE_EMU_FAULTS=cuCtxSynchronize:1=719");
    in_child(refuses_script, "GPUTUNE_EMU_FAULTS=cuMemAlok:1=2");
}
