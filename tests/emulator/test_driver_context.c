/* Tests invalid handles, which the emulator always refuses although CUDA leaves the result
 * undefined, and objects of a context that is not current. */
#include "device.h"

static const CUresult invalid = CUDA_ERROR_INVALID_HANDLE;

typedef struct objects {
    CUmodule module;
    CUfunction add;
    CUstream stream;
    CUevent event;
} objects;

static objects make(void)
{
    objects all;
    OK(cuModuleLoadData(&all.module, ptx_add));
    OK(cuModuleGetFunction(&all.add, all.module, "add"));
    OK(cuStreamCreate(&all.stream, 1));
    OK(cuEventCreate(&all.event, 0));
    return all;
}

static void check_invalid(const objects *all)
{
    CUfunction function;
    CUdeviceptr address, y = new_buffer(4);
    int value;
    CHECK_CODE(cuModuleGetFunction(&function, all->module, "add"), invalid);
    CHECK_CODE(cuModuleGetGlobal_v2(&address, NULL, all->module, "add"), invalid);
    CHECK_CODE(cuModuleUnload(all->module), invalid);
    CHECK_CODE(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, all->add), invalid);
    CHECK_CODE(launch_add(all->add, y, 1.0F, 1, NULL), invalid);
    CHECK_CODE(cuStreamSynchronize(all->stream), invalid);
    CHECK_CODE(cuStreamQuery(all->stream), invalid);
    CHECK_CODE(cuMemsetD8Async(y, 0, 4, all->stream), invalid);
    CHECK_CODE(cuStreamBeginCapture_v2(all->stream, CU_STREAM_CAPTURE_MODE_RELAXED), invalid);
    CHECK_CODE(cuStreamDestroy_v2(all->stream), invalid);
    CHECK_CODE(cuEventRecord(all->event, NULL), invalid);
    CHECK_CODE(cuEventQuery(all->event), invalid);
    CHECK_CODE(cuStreamWaitEvent(NULL, all->event, 0), invalid);
    CHECK_CODE(cuEventDestroy_v2(all->event), invalid);
    objects valid = make();
    CHECK_CODE(launch_add(valid.add, y, 1.0F, 1, all->stream), invalid);
    OK(launch_add(valid.add, y, 1.0F, 1, valid.stream));
    OK(cuCtxSynchronize());
    CHECK(read_float(y) == 1.0F);
}

static void destroyed(void)
{
    open_device();
    const objects all = make();
    OK(cuModuleUnload(all.module));
    OK(cuStreamDestroy_v2(all.stream));
    OK(cuEventDestroy_v2(all.event));
    check_invalid(&all);
}

static void never_made(void)
{
    open_device();
    char none[64] = "";
    const objects all = {(CUmodule)(void *)none, (CUfunction)(void *)(none + 16),
                         (CUstream)(void *)(none + 32), (CUevent)0x1000};
    check_invalid(&all);
}

static void of_a_destroyed_context(void)
{
    open_device();
    CUcontext context;
    OK(cuCtxCreate_v2(&context, 0, 0));
    const objects all = make();
    OK(launch_add(all.add, new_buffer(4), 1.0F, 1, all.stream));
    OK(cuEventRecord(all.event, all.stream));
    OK(cuCtxDestroy_v2(context));
    CHECK_CODE(cuCtxDestroy_v2(context), CUDA_ERROR_INVALID_CONTEXT);
    check_invalid(&all);
}

static void of_a_reset_context(void)
{
    CUcontext context = open_device();
    const objects all = make();
    OK(cuDevicePrimaryCtxReset_v2(0));
    CHECK_CODE(launch_add(all.add, 0, 1.0F, 1, NULL), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    CHECK_CODE(cuStreamSynchronize(all.stream), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    CHECK_CODE(cuCtxPopCurrent_v2(NULL), CUDA_SUCCESS);
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    check_invalid(&all);
}

TEST(invalid_handles_are_refused)
{
    in_child(destroyed, NULL);
    in_child(never_made, NULL);
    in_child(of_a_destroyed_context, NULL);
    in_child(of_a_reset_context, NULL);
}

static CUcontext destroyed_context(void)
{
    CUcontext context;
    open_device();
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuCtxDestroy_v2(context));
    return context;
}

static void set_destroyed(void)
{
    cuCtxSetCurrent(destroyed_context());
}

static void push_destroyed(void)
{
    cuCtxPushCurrent_v2(destroyed_context());
}

/* Expects the process to abort. With NVIDIA's driver, memory is corrupted and the process aborts
 * later. */
static void expect_abort(void (*body)(void))
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        body();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

TEST(destroyed_context_cannot_be_current)
{
    expect_abort(set_destroyed);
    expect_abort(push_destroyed);
}

static void destroy_nothing(void *data)
{
}

TEST_ON_DEVICE(invalid_graph_handles_are_refused)
{
    CUgraph graph;
    CUgraphExec exec;
    CUuserObject object;
    CUstream stream;
    OK(cuStreamCreate(&stream, 0));
    OK(cuUserObjectCreate(&object, NULL, destroy_nothing, 1, 1));
    OK(cuUserObjectRelease(object, 1));
    CHECK_CODE(cuUserObjectRelease(object, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuStreamEndCapture(stream, &graph));
    CHECK_CODE(cuGraphRetainUserObject(graph, object, 1, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphDestroy(graph));
    CHECK_CODE(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphLaunch(exec, NULL));
    OK(cuGraphExecDestroy(exec));
    CHECK_CODE(cuGraphExecDestroy(exec), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_VALUE);
}

enum { OTHER_COUNT = 1 << 18 };

/* A context that is not current, its objects, and a buffer of OTHER_COUNT floats. */
typedef struct other_context {
    CUcontext context;
    objects all;
    CUdeviceptr y;
} other_context;

static other_context make_other(void)
{
    other_context other;
    OK(cuCtxCreate_v2(&other.context, 0, 0));
    other.all = make();
    other.y = new_buffer(OTHER_COUNT * sizeof(float));
    return other;
}

/* The function and the stream of a launch must belong to the same context, which need not be the
 * current one. The default streams belong to the current context. */
TEST_IN_CHILD(launches_across_contexts)
{
    CUcontext context = open_device();
    const objects here = make();
    CUdeviceptr y = new_buffer(4);
    const other_context other = make_other();
    OK(cuCtxSetCurrent(context));
    CHECK_CODE(launch_add(other.all.add, other.y, 1.0F, 1, here.stream), invalid);
    CHECK_CODE(launch_add(here.add, y, 1.0F, 1, other.all.stream), invalid);
    CHECK_CODE(launch_add(other.all.add, y, 1.0F, 1, NULL), invalid);
    CHECK_CODE(launch_add(other.all.add, y, 1.0F, 1, CU_STREAM_PER_THREAD), invalid);
    OK(launch_add(other.all.add, other.y, 1.0F, OTHER_COUNT, other.all.stream));
    OK(cuModuleUnload(other.all.module));
    OK(cuStreamQuery(other.all.stream)); /* unloading a module waits for its launches */
    CHECK_CODE(launch_add(other.all.add, other.y, 1.0F, 1, other.all.stream), invalid);
    CHECK(read_float(other.y) == 1.0F);
    CHECK(read_float(y) == 0.0F);
}

static void memory_of_another_context(void)
{
    CUcontext context = open_device();
    CUfunction add = load(ptx_add, "add");
    const other_context other = make_other();
    float *pinned;
    OK(cuMemAllocHost_v2((void **)&pinned, sizeof *pinned));
    *pinned = 1;
    OK(cuCtxSetCurrent(context));
    OK(launch_add(add, (CUdeviceptr)(uintptr_t)pinned, 1.0F, 1, NULL));
    OK(launch_add(add, other.y, 1.0F, 1, NULL));
    OK(cuCtxSynchronize());
    CHECK(*pinned == 2.0F);
    CHECK(read_float(other.y) == 1.0F);
    OK(cuCtxDestroy_v2(other.context));
    OK(launch_add(add, other.y, 1.0F, 1, NULL));
    CHECK_CODE(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(strstr(emuLastMessage(), "in freed memory"));
}

static void memory_of_a_reset_context(void)
{
    open_device();
    CUdeviceptr y = new_buffer(4);
    const other_context other = make_other();
    OK(cuDevicePrimaryCtxReset_v2(0));
    OK(launch_add(other.all.add, y, 1.0F, 1, NULL));
    CHECK_CODE(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(strstr(emuLastMessage(), "in freed memory"));
}

TEST(kernels_reach_memory_of_live_contexts)
{
    in_child(memory_of_another_context, NULL);
    in_child(memory_of_a_reset_context, NULL);
}
