/* Tests the device and its profile, the environment, symbol lookup, contexts, forks, and names of
 * errors. */
#include "device.h"

TEST_IN_CHILD(device_reports_its_profile)
{
    int version, count, value;
    CHECK_CODE(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    OK(cuDriverGetVersion(&version));
    CHECK(version == 13000);
    CHECK_CODE(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    CHECK(count == 1);
    CUdevice device;
    OK(cuDeviceGet(&device, 0));
    CHECK_CODE(cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
    char name[100];
    OK(cuDeviceGetName(name, sizeof name, 0));
    CHECK(!strcmp(name, "NVIDIA H200 (emulated)"));
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    CHECK(value == 132);
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0));
    CHECK(value == 227 * 1024);
    CUuuid uuid, zero = {{0}};
    OK(cuDeviceGetUuid_v2(&uuid, 0));
    CHECK(memcmp(&uuid, &zero, sizeof uuid));
}

static void is_an_a100(void)
{
    int value;
    char name[100];
    OK(cuInit(0));
    OK(cuDeviceGetName(name, sizeof name, 0));
    CHECK(strstr(name, "A100") && strstr(name, "(emulated)"));
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 0));
    CHECK(value == 0);
    CHECK(!strcmp(emuProfileName(0), "a100"));
}

TEST(environment_selects_the_a100)
{
    in_child(is_an_a100, "GPUTUNE_DRIVER=emu:a100");
    in_child(is_an_a100, "GPUTUNE_EMU_PROFILE=a100");
}

TEST_IN_CHILD(profile_is_selected_before_init)
{
    CHECK_CODE(emuSelectProfile("b999"), CUDA_ERROR_NOT_FOUND);
    CHECK(strstr(emuLastMessage(), "h200"));
    OK(emuSelectProfile("a100"));
    is_an_a100();
    CHECK_CODE(emuSelectProfile("h200"), CUDA_ERROR_ILLEGAL_STATE);
}

static void refuses_profile(void)
{
    CHECK_CODE(cuInit(0), CUDA_ERROR_INVALID_VALUE);
    CHECK(strstr(emuLastMessage(), "no emulator profile 'z80'; expected one of: "));
}

static void has_three(void)
{
    int count, value;
    char name[100];
    CUuuid first, second;
    CUcontext context, other;
    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    CHECK(count == 3);
    CHECK(!strcmp(emuProfileName(0), "h200") && !strcmp(emuProfileName(2), "a100"));
    OK(cuDeviceGetName(name, sizeof name, 2));
    CHECK(strstr(name, "A100"));
    OK(cuDeviceGetUuid_v2(&first, 0));
    OK(cuDeviceGetUuid_v2(&second, 1));
    CHECK(memcmp(&first, &second, sizeof first));
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 2));
    CHECK(value == 0);
    CUdevice device;
    CHECK_CODE(cuDeviceGet(&device, 3), CUDA_ERROR_INVALID_DEVICE);
    OK(cuDevicePrimaryCtxRetain(&context, 2));
    OK(cuCtxSetCurrent(context));
    OK(cuCtxGetDevice(&device));
    CHECK(device == 2);
    OK(cuDevicePrimaryCtxReset_v2(0));
    OK(cuCtxSynchronize());
    CHECK_CODE(cuDevicePrimaryCtxRetain(&other, 0), CUDA_ERROR_NOT_SUPPORTED);
    CHECK(strstr(emuLastMessage(), "one device per process"));
}

static void is_one_a100(void)
{
    int count;
    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    CHECK(count == 1 && !strcmp(emuProfileName(0), "a100"));
}

static void is_one_a100_of_three(void)
{
    OK(emuSelectProfile("a100"));
    is_one_a100();
}

static void refuses_devices(void)
{
    CHECK_CODE(cuInit(0), CUDA_ERROR_INVALID_VALUE);
    CHECK(strstr(emuLastMessage(), "at most 8"));
}

TEST(environment_lists_several_devices)
{
    in_child(has_three, "GPUTUNE_EMU_DEVICES=h200,h200,a100");
    in_child(is_one_a100_of_three, "GPUTUNE_EMU_DEVICES=h200,h200,a100");
    in_child(is_one_a100, "GPUTUNE_EMU_DEVICES=a100");
    in_child(refuses_profile, "GPUTUNE_EMU_DEVICES=h200,z80");
    in_child(refuses_devices, "GPUTUNE_EMU_DEVICES=a100,a100,a100,a100,a100,a100,a100,a100,a100");
}

static void refuses_override(void)
{
    CHECK_CODE(cuInit(0), CUDA_ERROR_INVALID_VALUE);
    CHECK(!strcmp(emuLastMessage(), "GPUTUNE_EMU_SET: no such key 'sm_count'"));
}

static void refuses_threads(void)
{
    CHECK_CODE(cuInit(0), CUDA_ERROR_INVALID_VALUE);
    CHECK(strstr(emuLastMessage(), "GPUTUNE_EMU_THREADS"));
}

TEST(bad_configuration_fails_init)
{
    in_child(refuses_profile, "GPUTUNE_DRIVER=emu:z80");
    in_child(refuses_override, "GPUTUNE_EMU_SET=sm_count=4");
    in_child(refuses_threads, "GPUTUNE_EMU_THREADS=many");
}

static void find_symbols(void)
{
    void *found;
    CUdriverProcAddressQueryResult status;
    OK(cuGetProcAddress_v2("cuMemAlloc", &found, 3020, 0, &status));
    CHECK(found == (void *)(uintptr_t)cuMemAlloc_v2 && status == CU_GET_PROC_ADDRESS_SUCCESS);
    OK(cuGetProcAddress_v2("cuMemAlloc", &found, 3000, 0, &status));
    CHECK(!found && status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    OK(cuGetProcAddress_v2("cuMakeCoffee", &found, 12000, 0, &status));
    CHECK(!found && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    OK(cuGetProcAddress_v2("cuMakeCoffee", &found, 12000, 0, NULL));
    OK(cuGetProcAddress_v2("cuCtxCreate", &found, 12000, 0, NULL));
    CHECK(found == (void *)(uintptr_t)cuCtxCreate_v3);
    OK(cuGetProcAddress_v2("cuCtxCreate", &found, 13000, 0, NULL));
    CHECK(found == (void *)(uintptr_t)cuCtxCreate_v4);
    CHECK_CODE(cuGetProcAddress_v2("cuInit", &found, 99000, 0, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void old_driver(void)
{
    void *found;
    CUdriverProcAddressQueryResult status;
    int version;
    OK(cuDriverGetVersion(&version));
    CHECK(version == 11080);
    OK(cuGetProcAddress_v2("cuCtxGetId", &found, 11080, 0, &status));
    CHECK(!found && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    OK(cuGetProcAddress_v2("cuLaunchKernelEx", &found, 11060, 0, &status));
    CHECK(found);
}

TEST(get_proc_address_finds_every_call)
{
    in_child(find_symbols, NULL);
    in_child(old_driver, "GPUTUNE_EMU_SET=driver_version=11080");
}

TEST_IN_CHILD(contexts_are_a_stack)
{
    CUcontext first, second, current;
    OK(cuInit(0));
    CUdeviceptr buffer;
    CHECK_CODE(cuMemAlloc_v2(&buffer, 4), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDevicePrimaryCtxRetain(&first, 0));
    OK(cuCtxSetCurrent(first));
    OK(cuCtxCreate_v2(&second, 0, 0));
    OK(cuCtxGetCurrent(&current));
    CHECK(current == second);
    OK(cuMemAlloc_v2(&buffer, 4));
    OK(cuCtxPopCurrent_v2(&current));
    CHECK(current == second);
    OK(cuCtxGetCurrent(&current));
    CHECK(current == first);
    OK(cuCtxDestroy_v2(second));
    size_t bytes;
    CHECK_CODE(cuMemGetAddressRange_v2(NULL, &bytes, buffer), CUDA_ERROR_NOT_FOUND);
    OK(cuDevicePrimaryCtxRelease_v2(0));
    CHECK_CODE(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    CHECK_CODE(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_ON_DEVICE(forked_child_cannot_use_the_driver)
{
    CUdeviceptr buffer = new_buffer(4);
    pid_t child = fork();
    if (!child) {
        CHECK_CODE(cuMemAlloc_v2(&buffer, 4), CUDA_ERROR_NOT_INITIALIZED);
        CHECK_CODE(cuInit(0), CUDA_ERROR_NOT_INITIALIZED);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
    OK(cuMemFree_v2(buffer));
}

TEST(test_error_names)
{
    const char *text;
    assert_int_equal(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text), CUDA_SUCCESS);
    assert_string_equal(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
    assert_int_equal(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text), CUDA_SUCCESS);
    assert_string_equal(text, "an illegal memory access was encountered");
    assert_int_equal(cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE);
    assert_null(text);
}
