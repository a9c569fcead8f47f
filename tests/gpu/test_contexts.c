/* Tests the responses of a driver to objects of another context and to destroyed contexts. The
 * driver is the emulator or, with GPUTUNE_TEST_DRIVER=cuda, the GPU's. Each case runs in a separate
 * process. Cases that CUDA leaves undefined are in tests/emulator/test_driver_context.c. */
#include "gpu/driver.h"
#include "support/test.h"

#include <dlfcn.h>

enum { NO_DEVICE = 125, BROKEN = 126 };

/* set(int *to): *to = 1 */
static const char ptx[] = ".version 7.0\n"
                          ".target sm_70\n"
                          ".address_size 64\n"
                          ".visible .entry set(.param .u64 to)\n"
                          "{\n"
                          ".reg .b64 %rd<3>;\n"
                          ".reg .b32 %r<2>;\n"
                          "ld.param.u64 %rd1, [to];\n"
                          "cvta.to.global.u64 %rd2, %rd1;\n"
                          "mov.u32 %r1, 1;\n"
                          "st.global.u32 [%rd2], %r1;\n"
                          "ret;\n"
                          "}\n";

/* A context with an object of each kind. */
typedef struct world {
    CUcontext context;
    CUmodule module;
    CUfunction set;
    CUstream stream;
    CUevent event;
    CUdeviceptr buffer;
} world;

static const gt_driver *driver;
static CUresult (*create)(CUcontext *, unsigned, CUdevice), (*destroy)(CUcontext);
static world here, other; /* `here`: objects of the current context */

static void must(CUresult code, const char *call)
{
    if (code) {
        fprintf(stderr, "%s: %d\n", call, (int)code);
        _exit(BROKEN);
    }
}
#define MUST(call) must(driver->call, #call)

static void make(world *out)
{
    must(create(&out->context, 0, 0), "cuCtxCreate");
    MUST(ModuleLoadData(&out->module, ptx));
    MUST(ModuleGetFunction(&out->set, out->module, "set"));
    MUST(StreamCreate(&out->stream, CU_STREAM_NON_BLOCKING));
    MUST(EventCreate(&out->event, CU_EVENT_DEFAULT));
    MUST(MemAlloc(&out->buffer, sizeof(int)));
}

static CUresult launch(CUfunction function, CUstream stream, CUdeviceptr to)
{
    void *parameters[] = {&to};
    return driver->LaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
}

static CUresult write_its_memory(void)
{
    MUST(CtxSynchronize());
    must(launch(here.set, NULL, other.buffer), "cuLaunchKernel");
    return driver->CtxSynchronize();
}

static CUresult wait_for_its_event(void)
{
    MUST(EventRecord(other.event, other.stream));
    return driver->StreamWaitEvent(here.stream, other.event, CU_EVENT_WAIT_DEFAULT);
}

static CUresult time_to_its_event(void)
{
    float milliseconds;
    MUST(EventRecord(here.event, here.stream));
    MUST(EventSynchronize(here.event));
    MUST(CtxSetCurrent(other.context));
    MUST(EventRecord(other.event, other.stream));
    MUST(EventSynchronize(other.event));
    MUST(CtxSetCurrent(here.context));
    return driver->EventElapsedTime(&milliseconds, here.event, other.event);
}

static CUresult get_its_function(void)
{
    CUfunction function;
    return driver->ModuleGetFunction(&function, other.module, "set");
}

static CUresult call_its_function(void)
{
    int registers;
    return driver->FuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, other.set);
}

static CUresult occupancy_of_its_function(void)
{
    int blocks;
    return driver->OccupancyMaxActiveBlocksPerMultiprocessor(&blocks, other.set, 32, 0);
}

static CUresult destroy_its_objects(void)
{
    MUST(EventDestroy(other.event));
    MUST(StreamDestroy(other.stream));
    return driver->MemFree(other.buffer);
}

static CUresult allocate(void)
{
    CUdeviceptr more;
    return driver->MemAlloc(&more, sizeof(int));
}

static CUresult allocate_in_none(void)
{
    MUST(CtxPopCurrent(NULL));
    MUST(CtxPopCurrent(NULL));
    return allocate();
}

static void *destroy_here(void *unused)
{
    must(destroy(here.context), "cuCtxDestroy");
    return NULL;
}

static void destroy_elsewhere(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, destroy_here, NULL) || pthread_join(thread, NULL)) {
        _exit(BROKEN);
    }
}

static CUresult allocate_in_destroyed(void)
{
    destroy_elsewhere();
    return allocate();
}

static CUresult synchronise_destroyed(void)
{
    destroy_elsewhere();
    return driver->CtxSynchronize();
}

static CUcontext primary;

static void enter_primary(void)
{
    MUST(DevicePrimaryCtxRetain(&primary, 0));
    MUST(CtxSetCurrent(primary));
    must(allocate(), "cuMemAlloc");
}

static CUresult allocate_in_reset(void)
{
    enter_primary();
    MUST(DevicePrimaryCtxReset(0));
    return allocate();
}

static CUresult allocate_in_released(void)
{
    enter_primary();
    MUST(DevicePrimaryCtxRelease(0));
    return allocate();
}

static CUresult enter_reset(void)
{
    enter_primary();
    MUST(DevicePrimaryCtxReset(0));
    return driver->CtxSetCurrent(primary);
}

/* The primary context's handle stays the same, but its identity changes. */
static CUresult retain_after_reset(void)
{
    unsigned long long before, after;
    CUcontext again;
    enter_primary();
    MUST(CtxGetId(primary, &before));
    MUST(DevicePrimaryCtxReset(0));
    MUST(DevicePrimaryCtxRetain(&again, 0));
    MUST(CtxGetId(again, &after));
    if (again != primary || before == after) {
        fprintf(stderr, "handle %p, then %p; identity %llu, then %llu\n", (void *)primary,
                (void *)again, before, after);
        return CUDA_ERROR_UNKNOWN;
    }
    return allocate();
}

/* The cases: a name, the driver's expected answer, and the call. */
#define CASES(X)                                                                                   \
    X(launch_its_function, CUDA_ERROR_INVALID_HANDLE, launch(other.set, NULL, here.buffer))        \
    X(launch_on_its_stream, CUDA_ERROR_INVALID_HANDLE,                                             \
      launch(here.set, other.stream, here.buffer))                                                 \
    X(launch_both_its, CUDA_SUCCESS, launch(other.set, other.stream, other.buffer))                \
    X(write_its_memory, CUDA_SUCCESS, write_its_memory())                                          \
    X(record_its_event, CUDA_ERROR_INVALID_HANDLE, driver->EventRecord(other.event, here.stream))  \
    X(record_on_its_stream, CUDA_ERROR_INVALID_HANDLE,                                             \
      driver->EventRecord(here.event, other.stream))                                               \
    X(record_both_its, CUDA_SUCCESS, driver->EventRecord(other.event, other.stream))               \
    X(wait_for_its_event, CUDA_SUCCESS, wait_for_its_event())                                      \
    X(time_to_its_event, CUDA_ERROR_INVALID_HANDLE, time_to_its_event())                           \
    X(query_its_event, CUDA_SUCCESS, driver->EventQuery(other.event))                              \
    X(synchronise_its_stream, CUDA_SUCCESS, driver->StreamSynchronize(other.stream))               \
    X(copy_on_its_stream, CUDA_SUCCESS,                                                            \
      driver->MemcpyDtoDAsync(here.buffer, here.buffer, sizeof(int), other.stream))                \
    X(get_its_function, CUDA_SUCCESS, get_its_function())                                          \
    X(unload_its_module, CUDA_SUCCESS, driver->ModuleUnload(other.module))                         \
    X(call_its_function, CUDA_SUCCESS, call_its_function())                                        \
    X(occupancy_of_its_function, CUDA_SUCCESS, occupancy_of_its_function())                        \
    X(destroy_its_objects, CUDA_SUCCESS, destroy_its_objects())                                    \
    X(allocate_in_none, CUDA_ERROR_INVALID_CONTEXT, allocate_in_none())                            \
    X(allocate_in_destroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED, allocate_in_destroyed())             \
    X(synchronise_destroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED, synchronise_destroyed())             \
    X(allocate_in_reset, CUDA_ERROR_CONTEXT_IS_DESTROYED, allocate_in_reset())                     \
    X(allocate_in_released, CUDA_ERROR_CONTEXT_IS_DESTROYED, allocate_in_released())               \
    X(enter_reset, CUDA_SUCCESS, enter_reset())                                                    \
    X(retain_after_reset, CUDA_SUCCESS, retain_after_reset())

#define DEFINE(name, wanted, call)                                                                 \
    static CUresult try_##name(void)                                                               \
    {                                                                                              \
        return call;                                                                               \
    }
CASES(DEFINE)

typedef struct test_case {
    const char *name;
    CUresult (*act)(void);
    CUresult wanted;
} test_case;

#define ROW(name, wanted, call) {#name, try_##name, wanted},
static const test_case cases[] = {CASES(ROW)};

static void run(const test_case *one)
{
    const char *name = getenv("GPUTUNE_TEST_DRIVER");
    alarm(60);
    if (gt_driver_open(&driver, name ? name : "emu") < 0) {
        fprintf(stderr, "%s\n", gt_message());
        _exit(NO_DEVICE);
    }
    *(void **)&create = dlsym(driver->handle, "cuCtxCreate_v2");
    *(void **)&destroy = dlsym(driver->handle, "cuCtxDestroy_v2");
    if (!create || !destroy) {
        _exit(BROKEN);
    }
    make(&other);
    make(&here);
    CUresult code = one->act();
    if (code != one->wanted) {
        fprintf(stderr, "%s: %d, expected %d\n", one->name, (int)code, (int)one->wanted);
        _exit(1);
    }
    _exit(0);
}

TEST(driver_reports_errors_of_foreign_and_destroyed_contexts)
{
    int differ = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child) {
            run(&cases[i]);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        SKIP_IF(WIFEXITED(status) && WEXITSTATUS(status) == NO_DEVICE);
        if (!WIFEXITED(status) || WEXITSTATUS(status)) {
            fprintf(stderr, "%s: failed (wait status 0x%x)\n", cases[i].name, (unsigned)status);
            differ++;
        }
    }
    assert_int_equal(differ, 0);
}
