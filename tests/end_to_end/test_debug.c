/* Tests that GPUTUNE_DEBUG refuses a launch on memory that the kernel cannot use, and that the
 * message describes this memory. Runs on a GPU with GPUTUNE_TEST_DRIVER=cuda. */
#include "world.h"

#include <dlfcn.h>

enum { N = 1 << 16, BYTES = N * sizeof(float) };

static gputune *tuner;
static gputune_plan *plan;
static float values[N];
static CUdeviceptr x, y;

static gputune_plan *request_plan(gputune *of)
{
    gputune_plan *out;
    OK(tune_kernel(&out, of, "axpy", GPUTUNE_SIZES({"n", N}),
                   &OPTIONS(.effort = GPUTUNE_CACHED_ONLY)));
    return out;
}

static int open_tuner(void **state)
{
    world_open(world_driver());
    setenv("GPUTUNE_DEBUG", "1", 1);
    tuner = tuner_open(":memory:");
    unsetenv("GPUTUNE_DEBUG");
    plan = request_plan(tuner);
    x = buffer_of(values, BYTES);
    y = buffer_of(values, BYTES);
    return 0;
}

static int close_tuner(void **state)
{
    CU(MemFree(x));
    CU(MemFree(y));
    gputune_plan_release(plan);
    gputune_close(tuner);
    return world_close(state);
}

static int launch(gputune_plan *of, CUdeviceptr to, CUdeviceptr from)
{
    float a = 2;
    size_t n = N;
    return gputune_launch(of, NULL, GPUTUNE_ARGS(&to, &from, &a, &n));
}

static void refused(CUdeviceptr to, CUdeviceptr from, const char *name, const char *why)
{
    assert_int_equal(launch(plan, to, from), GPUTUNE_EINVAL);
    if (!strstr(gputune_error(), name) || !strstr(gputune_error(), why)) {
        fail_msg("'%s' does not say '%s' and '%s'", gputune_error(), name, why);
    }
    CU(CtxSynchronize());
}

TEST(right_buffers_are_launched)
{
    OK(launch(plan, y, x));
    CU(CtxSynchronize());
}

TEST(a_short_buffer_is_named)
{
    CUdeviceptr half = buffer_of(values, BYTES / 2);
    refused(half, x, "axpy: y = ", "has 131072 bytes up to the end of its allocation");
    refused(y, half, "axpy: x = ", "the plan needs 262144");
    refused(y, x + BYTES / 2, "axpy: x = ", "has 131072 bytes");
    CU(MemFree(half));
}

TEST(memory_that_is_not_the_devices_is_named)
{
    CUdeviceptr gone = buffer_of(values, BYTES);
    CU(MemFree(gone));
    refused(y, gone, "axpy: x = ", "it was freed, or never allocated");
    refused(0, x, "axpy: y = ", "it is NULL");
    int pageable = 0;
    CU(DeviceGetAttribute(&pageable, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, 0));
    if (!pageable) {
        refused(y, (uintptr_t)values, "axpy: x = ", "it is in the program's own memory");
    }
}

TEST(another_contexts_memory_is_named)
{
    CUcontext first, other;
    CUresult (*create)(CUcontext *, unsigned, CUdevice), (*destroy)(CUcontext);
    *(void **)&create = dlsym(world.driver->handle, "cuCtxCreate_v2");
    *(void **)&destroy = dlsym(world.driver->handle, "cuCtxDestroy_v2");
    CU(CtxGetCurrent(&first));
    OK(gt_cuda_check(world.driver, create(&other, 0, 0), "cuCtxCreate"));
    refused(y, x, "axpy: y = ", "belongs to another context of this device");
    OK(gt_cuda_check(world.driver, destroy(other), "cuCtxDestroy"));
    CU(CtxSetCurrent(first));
}

static void *driver_function(const char *name)
{
    void *out = dlsym(world.driver->handle, name);
    assert_non_null(out);
    return out;
}

/* Declares a driver function that gputune itself does not call. */
#define DECLARE(name, ...)                                                                         \
    CUresult (*name)(__VA_ARGS__);                                                                 \
    *(void **)&name = driver_function(#name)
#define OF_DRIVER(name, ...) OK(gt_cuda_check(world.driver, name(__VA_ARGS__), #name))

/* Maps adjacent pieces of memory, as PyTorch's expandable segments do. Skipped on the emulator. */
TEST(memory_of_several_pieces_is_one_buffer)
{
    enum { PIECES = 2, PIECE = 2 << 20, READ_AND_WRITE = 3 };
    const struct {
        int kind, handles, location, device;
        void *security;
        uint64_t flags;
    } allocation = {.kind = 1, .location = 1};
    const struct {
        int location, device, access;
    } access = {1, 0, READ_AND_WRITE};
    SKIP_IF(strncmp(world_driver(), "emu", 3) == 0);
    DECLARE(cuMemAddressReserve, CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
    DECLARE(cuMemCreate, unsigned long long *, size_t, const void *, unsigned long long);
    DECLARE(cuMemMap, CUdeviceptr, size_t, size_t, unsigned long long, unsigned long long);
    DECLARE(cuMemSetAccess, CUdeviceptr, size_t, const void *, size_t);
    CUdeviceptr base;
    OF_DRIVER(cuMemAddressReserve, &base, (PIECES + 1) * PIECE, 0, 0, 0);
    for (size_t i = 0; i < PIECES; i++) {
        unsigned long long piece;
        OF_DRIVER(cuMemCreate, &piece, PIECE, &allocation, 0);
        OF_DRIVER(cuMemMap, base + i * PIECE, PIECE, 0, piece, 0);
    }
    OF_DRIVER(cuMemSetAccess, base, PIECES * PIECE, &access, 1);
    OK(launch(plan, base + PIECE - BYTES / 2, x));
    CU(CtxSynchronize());
    refused(base + PIECES * PIECE - BYTES / 2, x, "axpy: y = ", "has 131072 bytes");
}

/* A green context has a part of the SMs and shares the primary context's memory. */
TEST(a_green_context_has_the_primary_ones_memory)
{
    enum { MULTIPROCESSORS = 1, DEFAULT_STREAM = 1, SOME = 16 };
    _Alignas(16) char all[1024], part[1024];
    void *description, *green;
    CUcontext first, context;
    unsigned groups = 1;
    CU(CtxGetCurrent(&first));
    SKIP_IF(!dlsym(world.driver->handle, "cuGreenCtxCreate"));
    DECLARE(cuDeviceGetDevResource, CUdevice, void *, int);
    DECLARE(cuDevSmResourceSplitByCount, void *, unsigned *, const void *, void *, unsigned,
            unsigned);
    DECLARE(cuDevResourceGenerateDesc, void **, void *, unsigned);
    DECLARE(cuGreenCtxCreate, void **, void *, CUdevice, unsigned);
    DECLARE(cuCtxFromGreenCtx, CUcontext *, void *);
    DECLARE(cuGreenCtxDestroy, void *);
    OF_DRIVER(cuDeviceGetDevResource, 0, all, MULTIPROCESSORS);
    OF_DRIVER(cuDevSmResourceSplitByCount, part, &groups, all, NULL, 0, SOME);
    OF_DRIVER(cuDevResourceGenerateDesc, &description, part, 1);
    OF_DRIVER(cuGreenCtxCreate, &green, description, 0, DEFAULT_STREAM);
    OF_DRIVER(cuCtxFromGreenCtx, &context, green);
    CU(CtxSetCurrent(context));
    OK(launch(plan, y, x));
    CU(CtxSynchronize());
    CU(CtxSetCurrent(first));
    OF_DRIVER(cuGreenCtxDestroy, green);
}

TESTS_WITHIN(open_tuner, close_tuner)
