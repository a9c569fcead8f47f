/* Handles that are no longer valid. CUDA leaves their use undefined; here it is always an error. */
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
    /* None of that harms what is valid. */
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
    CHECK_CODE(cuCtxSetCurrent(context), CUDA_ERROR_INVALID_CONTEXT);
    CHECK_CODE(cuCtxPushCurrent_v2(context), CUDA_ERROR_INVALID_CONTEXT);
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

static void test_handles(void **state)
{
    (void)state;
    in_child(destroyed, NULL);
    in_child(never_made, NULL);
    in_child(of_a_destroyed_context, NULL);
    in_child(of_a_reset_context, NULL);
}

static void destroy_nothing(void *data)
{
    (void)data;
}

static void graphs(void)
{
    open_device();
    CUgraph graph;
    CUgraphExec exec;
    CUuserObject object;
    size_t count;
    OK(cuUserObjectCreate(&object, NULL, destroy_nothing, 1, 1));
    OK(cuUserObjectRelease(object, 1));
    CHECK_CODE(cuUserObjectRelease(object, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphCreate(&graph, 0));
    CHECK_CODE(cuGraphRetainUserObject(graph, object, 1, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphDestroy(graph));
    CHECK_CODE(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuGraphGetNodes(graph, NULL, &count), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphLaunch(exec, NULL));
    OK(cuGraphExecDestroy(exec));
    CHECK_CODE(cuGraphExecDestroy(exec), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuGraphLaunch(exec, NULL), CUDA_ERROR_INVALID_VALUE);
}

static void test_graphs(void **state)
{
    (void)state;
    in_child(graphs, NULL);
}

/* A kernel reaches the memory of its own context alone; pinned host memory is every context's. */
static void memory_of_another_context(void)
{
    open_device();
    CUdeviceptr y = new_buffer(4);
    float *pinned;
    OK(cuMemAllocHost_v2((void **)&pinned, sizeof *pinned));
    *pinned = 1;
    CUcontext context;
    OK(cuCtxCreate_v2(&context, 0, 0));
    CUfunction add = load(ptx_add, "add");
    OK(launch_add(add, (CUdeviceptr)(uintptr_t)pinned, 1.0F, 1, NULL));
    OK(cuCtxSynchronize());
    CHECK(*pinned == 2.0F);
    OK(launch_add(add, y, 1.0F, 1, NULL));
    CHECK_CODE(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(strstr(emuLastMessage(), "in memory of another context"));
}

static void test_memory(void **state)
{
    (void)state;
    in_child(memory_of_another_context, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_handles),
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
