/* Tests stream capture, graphs and user objects. */
#include "device.h"

#include <stdatomic.h>

static CUstream new_stream(void)
{
    CUstream stream;
    OK(cuStreamCreate(&stream, 1));
    return stream;
}

static CUgraphExec instantiate(CUgraph graph)
{
    CUgraphExec exec;
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphDestroy(graph));
    return exec;
}

TEST_ON_DEVICE(captured_work_runs_at_each_graph_launch)
{
    CUfunction add = load(ptx_add, "add");
    CUstream stream = new_stream();
    CUdeviceptr y = new_buffer(4);
    CUgraph graph;
    CUstreamCaptureStatus status;
    OK(cuCtxSynchronize());
    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    OK(cuStreamIsCapturing(stream, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(launch_add(add, y, 1.0F, 1, stream));
    OK(launch_add(add, y, 2.0F, 1, stream));
    OK(cuStreamEndCapture(stream, &graph));
    CHECK(read_float(y) == 0);
    CUgraphExec exec = instantiate(graph);
    OK(cuGraphLaunch(exec, stream));
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(read_float(y) == 6.0F);
    OK(cuGraphExecDestroy(exec));
}

TEST_ON_DEVICE(captured_copy_reads_its_source_at_each_replay)
{
    CUstream stream = new_stream();
    CUdeviceptr y = new_buffer(4);
    CUgraph graph;
    float source = 1;
    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuMemcpyHtoDAsync_v2(y, &source, sizeof source, stream));
    OK(cuStreamEndCapture(stream, &graph));
    CUgraphExec exec = instantiate(graph);
    for (int i = 2; i < 5; i++) {
        source = (float)i;
        OK(cuGraphLaunch(exec, stream));
        OK(cuStreamSynchronize(stream));
        CHECK(read_float(y) == (float)i);
    }
}

static void forks(void)
{
    open_device();
    CUfunction add = load(ptx_add, "add");
    CUstream origin = new_stream(), branch = new_stream();
    CUdeviceptr y = new_buffer(8);
    CUevent fork, join;
    CUgraph graph;
    CUstreamCaptureStatus status;
    OK(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
    OK(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
    OK(cuStreamBeginCapture_v2(origin, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(launch_add(add, y, 1.0F, 1, origin));
    OK(cuEventRecord(fork, origin));
    OK(cuStreamWaitEvent(branch, fork, 0));
    OK(cuStreamIsCapturing(branch, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(launch_add(add, y + 4, 1.0F, 1, branch));
    CHECK_CODE(cuEventQuery(fork), CUDA_ERROR_CAPTURED_EVENT);
    OK(cuEventRecord(join, branch));
    OK(cuStreamWaitEvent(origin, join, 0));
    OK(launch_add(add, y, 1.0F, 2, origin));
    OK(cuStreamEndCapture(origin, &graph));
    OK(cuStreamIsCapturing(branch, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_NONE);
    CUgraphExec exec = instantiate(graph);
    OK(cuGraphLaunch(exec, branch));
    OK(cuStreamSynchronize(branch));
    CHECK(read_float(y) == 2.0F && read_float(y + 4) == 2.0F);
}

static void unjoined(void)
{
    open_device();
    CUfunction add = load(ptx_add, "add");
    CUstream origin = new_stream(), branch = new_stream();
    CUdeviceptr y = new_buffer(8);
    CUevent fork;
    CUgraph graph;
    OK(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
    OK(cuStreamBeginCapture_v2(origin, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuEventRecord(fork, origin));
    OK(cuStreamWaitEvent(branch, fork, 0));
    OK(launch_add(add, y, 1.0F, 1, branch));
    CHECK_CODE(cuStreamEndCapture(origin, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    CHECK(!graph);
    OK(launch_add(add, y, 1.0F, 1, branch));
    OK(cuStreamSynchronize(branch));
    CHECK(read_float(y) == 1.0F);
}

TEST(forked_streams_must_join_the_origin)
{
    in_child(forks, NULL);
    in_child(unjoined, NULL);
}

static void check_spoiled(CUstream stream)
{
    CUstreamCaptureStatus status;
    CUgraph graph;
    OK(cuStreamIsCapturing(stream, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    CHECK_CODE(cuMemsetD8Async(0, 0, 0, stream), CUDA_SUCCESS);
    CHECK_CODE(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK(!graph);
    OK(cuStreamSynchronize(stream));
}

TEST_ON_DEVICE(unsafe_calls_invalidate_the_capture)
{
    CUstream stream = new_stream();
    CUevent outside;
    CUdeviceptr more, y = new_buffer(4);
    CUfunction add = load(ptx_add, "add");
    OK(cuEventCreate(&outside, 0));
    OK(cuEventRecord(outside, NULL));

    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CHECK_CODE(cuStreamWaitEvent(stream, outside, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    CHECK_CODE(launch_add(add, y, 1.0F, 1, stream), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    check_spoiled(stream);

    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    CHECK_CODE(cuMemAlloc_v2(&more, 4), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CHECK_CODE(cuMemAlloc_v2(&more, 4), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    check_spoiled(stream);

    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CHECK_CODE(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    check_spoiled(stream);

    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CHECK_CODE(cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    check_spoiled(stream);

    CUstream blocking;
    OK(cuStreamCreate(&blocking, 0));
    OK(cuStreamBeginCapture_v2(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    CHECK_CODE(launch_add(add, y, 1.0F, 1, NULL), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    check_spoiled(blocking);
    CHECK_CODE(cuStreamBeginCapture_v2(NULL, CU_STREAM_CAPTURE_MODE_RELAXED),
               CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

TEST_ON_DEVICE(relaxed_mode_allows_allocation_during_own_capture)
{
    CUstream stream = new_stream();
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    CUdeviceptr more;
    CUgraph graph;
    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
    OK(cuMemAlloc_v2(&more, 4));
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == CU_STREAM_CAPTURE_MODE_RELAXED);
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphDestroy(graph));
}

static void count_call(void *data)
{
    ++*(atomic_int *)data;
}

TEST_ON_DEVICE(user_object_lives_as_long_as_its_users)
{
    CUfunction add = load(ptx_add, "add");
    CUstream stream = new_stream();
    CUdeviceptr y = new_buffer(4);
    CUuserObject object;
    CUgraph graph;
    CUstreamCaptureStatus status;
    cuuint64_t id;
    atomic_int destroyed = 0;
    OK(cuUserObjectCreate(&object, &destroyed, count_call, 1, 1));
    OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuStreamGetCaptureInfo_v2(stream, &status, &id, &graph, NULL, NULL));
    OK(cuGraphRetainUserObject(graph, object, 1, 1));
    OK(launch_add(add, y, 1.0F, 1, stream));
    OK(cuStreamEndCapture(stream, &graph));
    CUgraphExec exec = instantiate(graph);
    CHECK(!destroyed);
    OK(cuGraphLaunch(exec, stream));
    OK(cuGraphExecDestroy(exec));
    OK(cuStreamSynchronize(stream));
    for (int i = 0; i < 1000 && !destroyed; i++) {
        usleep(1000);
    }
    CHECK(destroyed == 1 && read_float(y) == 1.0F);
}

static float replay_ms(CUgraphExec exec, CUstream stream)
{
    CUevent start, end;
    float ms;
    OK(cuEventCreate(&start, 0));
    OK(cuEventCreate(&end, 0));
    OK(cuEventRecord(start, stream));
    OK(cuGraphLaunch(exec, stream));
    OK(cuEventRecord(end, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuEventElapsedTime_v2(&ms, start, end));
    return ms;
}

/* As on hardware, a graph of m kernels takes less time than m launches, and about m times as long
 * as a graph of one kernel. */
TEST_ON_DEVICE(graph_takes_less_time_than_plain_launches)
{
    CUfunction add = load(ptx_add, "add");
    CUstream stream = new_stream();
    CUdeviceptr y = new_buffer(4096);
    CUgraph graph;
    float ms[2];
    OK(cuCtxSynchronize());
    for (int k = 0; k < 2; k++) {
        OK(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
        for (int i = 0; i < (k ? 100 : 50); i++) {
            OK(launch_add(add, y, 1.0F, 1024, stream));
        }
        OK(cuStreamEndCapture(stream, &graph));
        ms[k] = replay_ms(instantiate(graph), stream);
    }
    CHECK(ms[1] > 1.8F * ms[0] && ms[1] < 2.0F * ms[0]);
    CHECK(ms[1] < 100 * 0.0039F);
}
