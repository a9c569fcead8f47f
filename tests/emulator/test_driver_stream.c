/* Tests streams, events, host functions, the modelled clock, and many threads. */
#include "device.h"

static float elapsed(CUevent start, CUevent end)
{
    float ms;
    OK(cuEventElapsedTime_v2(&ms, start, end));
    return ms;
}

TEST_ON_DEVICE(event_orders_two_streams)
{
    CUfunction spin = load(ptx_spin, "spin"), add = load(ptx_add, "add");
    CUstream first, second;
    CUevent event;
    OK(cuStreamCreate(&first, 1));
    OK(cuStreamCreate(&second, 1));
    OK(cuEventCreate(&event, 0));
    volatile int *flag;
    OK(cuMemAllocHost_v2((void **)&flag, sizeof *flag));
    CUdeviceptr y = new_buffer(8);
    OK(cuCtxSynchronize());
    void *params[] = {&flag};
    OK(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, first, params, NULL));
    OK(cuEventRecord(event, first));
    OK(launch_add(add, y, 1.0F, 1, second));
    OK(cuStreamSynchronize(second));
    OK(cuStreamWaitEvent(second, event, 0));
    OK(launch_add(add, y, 1.0F, 1, second));
    usleep(20000);
    CHECK_CODE(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
    CHECK_CODE(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    raise_flag(flag);
    OK(cuStreamSynchronize(second));
    OK(cuEventQuery(event));
    CHECK(read_float(y) == 2.0F);
}

TEST_ON_DEVICE(blocking_streams_order_with_the_legacy_stream)
{
    CUfunction spin = load(ptx_spin, "spin"), add = load(ptx_add, "add");
    CUstream blocking, independent;
    OK(cuStreamCreate(&blocking, 0));
    OK(cuStreamCreate(&independent, 1));
    volatile int *flag;
    OK(cuMemAllocHost_v2((void **)&flag, sizeof *flag));
    CUdeviceptr y = new_buffer(4), z = new_buffer(4);
    OK(cuCtxSynchronize());
    void *params[] = {&flag};
    OK(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, blocking, params, NULL));
    OK(launch_add(add, y, 1.0F, 1, NULL));
    OK(launch_add(add, z, 1.0F, 1, independent));
    OK(cuStreamSynchronize(independent));
    CHECK_CODE(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
    raise_flag(flag);
    OK(cuStreamSynchronize(NULL));
    CHECK(read_float(y) == 1.0F && read_float(z) == 1.0F);
}

TEST_ON_DEVICE(destroyed_stream_completes_its_work)
{
    CUfunction spin = load(ptx_spin, "spin"), add = load(ptx_add, "add");
    CUstream stream;
    OK(cuStreamCreate(&stream, 1));
    volatile int *flag;
    OK(cuMemAllocHost_v2((void **)&flag, sizeof *flag));
    CUdeviceptr y = new_buffer(4);
    void *params[] = {&flag};
    OK(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
    OK(launch_add(add, y, 1.0F, 1, stream));
    OK(cuStreamDestroy_v2(stream));
    CHECK(read_float(y) == 0);
    raise_flag(flag);
    OK(cuCtxSynchronize());
    CHECK(read_float(y) == 1.0F);
}

TEST_ON_DEVICE(events_measure_modelled_time)
{
    CUevent start, end, untimed;
    CUdeviceptr y = new_buffer(1 << 20);
    CUfunction add = load(ptx_add, "add");
    OK(cuEventCreate(&start, 0));
    OK(cuEventCreate(&end, 0));
    OK(cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    OK(cuEventQuery(start)); /* an event that was never recorded is complete */
    float ms;
    CHECK_CODE(cuEventElapsedTime_v2(&ms, start, end), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventRecord(start, NULL));
    OK(launch_add(add, y, 1.0F, 1 << 18, NULL));
    OK(cuEventRecord(end, NULL));
    OK(cuEventSynchronize(end));
    CHECK(elapsed(start, end) > 0.001F && elapsed(start, end) < 10);
    OK(cuEventRecord(untimed, NULL));
    OK(cuEventSynchronize(untimed));
    CHECK_CODE(cuEventElapsedTime_v2(&ms, start, untimed), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventDestroy_v2(start));
}

static double host_ns(void)
{
    double ns;
    OK(emuModelledTimeNs(&ns));
    return ns;
}

static double timed_sequence(void)
{
    open_device();
    CUdeviceptr y = new_buffer(1 << 16);
    CUfunction add = load(ptx_add, "add");
    OK(cuCtxSynchronize());
    double before = host_ns();
    for (int i = 0; i < 20; i++) {
        OK(launch_add(add, y, 1.0F, 1 << 14, NULL));
    }
    OK(cuStreamSynchronize(NULL));
    return host_ns() - before;
}

static int answer[2];

static void note_time(void)
{
    double ns = timed_sequence();
    CHECK(ns > 20 * 1000 && ns < 1e6);
    CHECK(write(answer[1], &ns, sizeof ns) == sizeof ns);
}

TEST(modelled_time_is_deterministic)
{
    double first, second;
    assert_int_equal(pipe(answer), 0);
    in_child(note_time, NULL);
    in_child(note_time, "GPUTUNE_EMU_THREADS=1");
    assert_int_equal(read(answer[0], &first, sizeof first), sizeof first);
    assert_int_equal(read(answer[0], &second, sizeof second), sizeof second);
    assert_true(first == second);
}

static CUfunction shared_add;

static void *add_many(void *argument)
{
    CUcontext context = argument;
    CUstream stream;
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&stream, 1));
    CUdeviceptr y = new_buffer(4);
    OK(cuCtxSynchronize());
    for (int i = 0; i < 100; i++) {
        OK(launch_add(shared_add, y, 1.0F, 1, stream));
    }
    OK(cuStreamSynchronize(stream));
    CHECK(read_float(y) == 100.0F);
    OK(cuStreamDestroy_v2(stream));
    OK(cuMemFree_v2(y));
    return NULL;
}

TEST_IN_CHILD(threads_with_their_own_streams)
{
    CUcontext context = open_device();
    pthread_t thread[8];
    shared_add = load(ptx_add, "add");
    for (int i = 0; i < 8; i++) {
        CHECK(!pthread_create(&thread[i], NULL, add_many, context));
    }
    for (int i = 0; i < 8; i++) {
        CHECK(!pthread_join(thread[i], NULL));
    }
}
