/* Libraries where CUDA leaves the answer undefined or a GPU does not show it. What a GPU answers
 * too is in tests/gpu/test_contexts.c. */
#include "device.h"

static const CUresult invalid = CUDA_ERROR_INVALID_HANDLE;
static const CUfunction_attribute most_shared = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;

static CUlibrary new_library(void)
{
    CUlibrary library;
    OK(cuLibraryLoadData(&library, ptx_add, NULL, NULL, 0, NULL, NULL, 0));
    return library;
}

static CUkernel kernel_of(CUlibrary library)
{
    CUkernel kernel;
    OK(cuLibraryGetKernel(&kernel, library, "add"));
    return kernel;
}

static CUresult launch_kernel(CUkernel kernel, CUdeviceptr y, CUstream stream)
{
    return launch_add((CUfunction)(void *)kernel, y, 1.0F, 1, stream);
}

static CUcontext new_context(void)
{
    CUcontext context;
    OK(cuCtxCreate_v2(&context, 0, 0));
    return context;
}

/* ---- handles ---- */

static void handles_of_an_unloaded_library(void)
{
    open_device();
    CUdeviceptr y = new_buffer(4);
    CUlibrary library = new_library();
    CUkernel kernel = kernel_of(library), other;
    CUfunction function;
    int value;
    OK(cuKernelGetFunction(&function, kernel));
    CHECK_CODE(cuLibraryGetKernel(&other, library, "sub"), CUDA_ERROR_NOT_FOUND);
    OK(cuLibraryUnload(library));
    CHECK_CODE(cuLibraryUnload(library), invalid);
    CHECK_CODE(cuLibraryGetKernel(&other, library, "add"), invalid);
    CHECK_CODE(cuKernelGetFunction(&function, kernel), invalid);
    CHECK_CODE(cuKernelGetAttribute(&value, most_shared, kernel, 0), invalid);
    CHECK_CODE(cuKernelSetAttribute(most_shared, 0, kernel, 0), invalid);
    CHECK_CODE(launch_kernel(kernel, y, NULL), invalid);
    CHECK_CODE(launch_add(function, y, 1.0F, 1, NULL), invalid);
    OK(launch_kernel(kernel_of(new_library()), y, NULL));
    OK(cuCtxSynchronize());
    CHECK(read_float(y) == 1.0F);
}

static void unloading_waits(void)
{
    open_device();
    enum { COUNT = 1 << 18 };
    CUdeviceptr y = new_buffer(COUNT * sizeof(float));
    CUcontext other = new_context();
    CUstream stream;
    OK(cuStreamCreate(&stream, 1));
    CUlibrary library = new_library();
    OK(launch_add((CUfunction)(void *)kernel_of(library), y, 1.0F, COUNT, stream));
    OK(cuCtxPopCurrent_v2(&other));
    OK(cuLibraryUnload(library));
    OK(cuStreamQuery(stream));
}

static void test_handles(void **state)
{
    (void)state;
    in_child(handles_of_an_unloaded_library, NULL);
    in_child(unloading_waits, NULL);
}

/* ---- images ---- */

static void refused_images(void)
{
    OK(cuInit(0)); /* a library needs no context */
    CUlibrary library;
    char log[200] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CHECK_CODE(cuLibraryLoadData(&library, "\177ELF\2\1\1", NULL, NULL, 0, NULL, NULL, 0),
               CUDA_ERROR_NO_BINARY_FOR_GPU);
    CHECK_CODE(cuLibraryLoadData(&library, "no such text", options, values, 2, NULL, NULL, 0),
               CUDA_ERROR_INVALID_PTX);
    CHECK(log[0] && !strcmp(log, emuLastMessage()));
    CHECK_CODE(cuLibraryLoadData(&library, NULL, NULL, NULL, 0, NULL, NULL, 0),
               CUDA_ERROR_INVALID_VALUE);
}

static void test_images(void **state)
{
    (void)state;
    in_child(refused_images, NULL);
}

/* ---- contexts ---- */

/* What is loaded goes with its context, and other contexts keep theirs. */
static void a_context_ends(void)
{
    CUcontext context = open_device(), other = new_context();
    CUfunction here, gone;
    int value;
    CUlibrary library = new_library();
    CUkernel kernel = kernel_of(library);
    OK(cuKernelGetFunction(&gone, kernel));
    OK(cuCtxSetCurrent(context));
    OK(cuKernelGetFunction(&here, kernel));
    OK(cuCtxDestroy_v2(other));
    CHECK_CODE(cuFuncGetAttribute(&value, most_shared, gone), invalid);
    OK(cuFuncGetAttribute(&value, most_shared, here));
    CUdeviceptr y = new_buffer(4);
    OK(launch_kernel(kernel, y, NULL));
    OK(cuCtxSynchronize());
    CHECK(read_float(y) == 1.0F);
    OK(cuLibraryUnload(library));
}

static void on_a_destroyed_stream(void)
{
    open_device();
    CUstream stream;
    CUkernel kernel = kernel_of(new_library());
    OK(cuStreamCreate(&stream, 1));
    OK(cuStreamDestroy_v2(stream));
    CHECK_CODE(launch_kernel(kernel, new_buffer(4), stream), invalid);
}

static void test_contexts(void **state)
{
    (void)state;
    in_child(a_context_ends, NULL);
    in_child(on_a_destroyed_stream, NULL);
}

/* ---- attributes ---- */

/* What is set for one function stays, whenever the kernel's is set. */
static void a_functions_own_attribute(void)
{
    CUcontext context = open_device();
    CUfunction here, there;
    int value;
    new_context();
    CUkernel kernel = kernel_of(new_library());
    OK(cuKernelGetFunction(&there, kernel));
    OK(cuCtxSetCurrent(context));
    OK(cuKernelGetFunction(&here, kernel));
    OK(cuFuncSetAttribute(here, most_shared, 50000));
    OK(cuKernelSetAttribute(most_shared, 60000, kernel, 0));
    OK(cuFuncGetAttribute(&value, most_shared, here));
    CHECK(value == 50000);
    OK(cuFuncGetAttribute(&value, most_shared, there));
    CHECK(value == 60000);
    OK(cuKernelGetAttribute(&value, most_shared, kernel, 0));
    CHECK(value == 60000);
    CHECK_CODE(cuKernelSetAttribute(most_shared, 1 << 20, kernel, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuKernelSetAttribute(most_shared, 0, kernel, 1), CUDA_ERROR_INVALID_DEVICE);
    CHECK_CODE(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 8, kernel, 0),
               CUDA_ERROR_INVALID_VALUE);
}

static void test_attributes(void **state)
{
    (void)state;
    in_child(a_functions_own_attribute, NULL);
}

/* ---- captures ---- */

static void a_graph_of_an_unloaded_library(void)
{
    open_device();
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    CUlibrary library = new_library();
    CUdeviceptr y = new_buffer(4);
    OK(cuStreamCreate(&stream, 1));
    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(launch_kernel(kernel_of(library), y, stream));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(read_float(y) == 1.0F);
    OK(cuLibraryUnload(library));
    OK(cuGraphLaunch(exec, stream));
    CHECK_CODE(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_FAILED);
    CHECK(strstr(emuLastMessage(), "unloaded"));
}

/* Loading, and unloading, break a capture that is not relaxed. */
static void during_a_capture(void)
{
    open_device();
    CUstream stream;
    CUgraph graph;
    CUfunction function;
    CUlibrary library = new_library();
    OK(cuStreamCreate(&stream, 1));
    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CHECK_CODE(cuKernelGetFunction(&function, kernel_of(library)),
               CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CHECK_CODE(cuLibraryUnload(library), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK_CODE(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(cuLibraryUnload(library));
}

static void test_captures(void **state)
{
    (void)state;
    in_child(a_graph_of_an_unloaded_library, NULL);
    in_child(during_a_capture, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_handles),  cmocka_unit_test(test_images),
        cmocka_unit_test(test_contexts), cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_captures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
