/* Tests opening drivers that are missing or unusable. */
#include "gpu/driver.h"
#include "support/test.h"

#include <dlfcn.h>

static void expect_failure(const char *name, gputune_status status, const char *message)
{
    const gt_driver *driver = NULL;
    ASSERT_FAILS(gt_driver_open(&driver, name), status, message);
    assert_null(driver);
}

TEST(test_unknown_names)
{
    expect_failure("opencl", GPUTUNE_EINVAL, "unknown driver 'opencl'; expected cuda, emu");
    expect_failure("emux", GPUTUNE_EINVAL, "unknown driver 'emux'");
}

TEST(driver_is_chosen_by_environment)
{
    setenv("GPUTUNE_DRIVER", "opencl", 1);
    expect_failure(NULL, GPUTUNE_EINVAL, "unknown driver 'opencl'");
    setenv("GPUTUNE_DRIVER", "", 1);
    const gt_driver *driver;
    gputune_status status = gt_driver_open(&driver, NULL);
    assert_true(status == GPUTUNE_OK || status == GPUTUNE_ENODRIVER);
    unsetenv("GPUTUNE_DRIVER");
}

TEST(driver_version_is_known_before_start)
{
    int version = 0;
    assert_int_equal(gt_driver_probe(&version, "opencl"), GPUTUNE_EINVAL);
    assert_int_equal(gt_driver_probe(&version, "/nowhere/libcuda.so.1"), GPUTUNE_ENODRIVER);
    assert_int_equal(version, 0);
    if (gt_driver_probe(&version, "cuda") == GPUTUNE_OK) {
        assert_true(version >= 12000);
    }
}

TEST(test_no_such_library)
{
    expect_failure("/nowhere/libcuda.so.1", GPUTUNE_ENODRIVER, "/nowhere/libcuda.so.1");
}

TEST(library_that_is_not_a_driver_is_refused)
{
    Dl_info info;
    void *address = dlsym(RTLD_DEFAULT, "_cmocka_run_group_tests");
    assert_non_null(address);
    assert_true(dladdr(address, &info));
    expect_failure(info.dli_fname, GPUTUNE_ENODRIVER, "is not a CUDA driver");
}

TEST(missing_emulator_is_reported)
{
    char empty[] = "/tmp/gputune-test-XXXXXX";
    assert_non_null(mkdtemp(empty));
    setenv("GPUTUNE_EMULATOR", "/nowhere", 1);
    expect_failure("emu", GPUTUNE_ENODRIVER, "no emulator at /nowhere (GPUTUNE_EMULATOR)");
    expect_failure("emu:h200", GPUTUNE_ENODRIVER, "no emulator at /nowhere");
    setenv("GPUTUNE_EMULATOR", empty, 1);
    expect_failure("emu", GPUTUNE_ENODRIVER, "libgputune-emu.so");
    unsetenv("GPUTUNE_EMULATOR");
    rmdir(empty);
}

TEST(missing_driver_message_has_a_remedy)
{
    const gt_driver *driver;
    if (gt_driver_open(&driver, "cuda") == GPUTUNE_OK) {
        print_message("there is a driver here\n");
        skip();
    }
    if (!strstr(gt_message(), "GPU") && !strstr(gt_message(), "NVIDIA driver")) {
        fail_msg("\"%s\" names no remedy", gt_message());
    }
}

int main(void)
{
    unsetenv("GPUTUNE_DRIVER");
    return tests_run(NULL, NULL);
}
