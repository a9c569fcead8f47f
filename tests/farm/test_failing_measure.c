/* Tests measuring with a driver in which the nth call fails, for each n. Nothing may leak, and the
 * next measurement must be correct. */
#include "measure_world.h"

#include "support/each_failure.h"

enum { FEW = 300 };

static const gt_driver *real;
static gt_driver failing_driver;
static CUresult failure;

/* The calls that can fail. Calls that release something are omitted, because they succeed. */
#define CALLS(X)                                                                                   \
    X(StreamCreate, (CUstream * s, unsigned f), (s, f))                                            \
    X(StreamSynchronize, (CUstream s), (s))                                                        \
    X(StreamBeginCapture, (CUstream s, CUstreamCaptureMode m), (s, m))                             \
    X(EventCreate, (CUevent * e, unsigned f), (e, f))                                              \
    X(EventRecord, (CUevent e, CUstream s), (e, s))                                                \
    X(EventSynchronize, (CUevent e), (e))                                                          \
    X(EventElapsedTime, (float *t, CUevent a, CUevent b), (t, a, b))                               \
    X(MemGetInfo, (size_t * a, size_t * b), (a, b))                                                \
    X(MemAlloc, (CUdeviceptr * a, size_t n), (a, n))                                               \
    X(MemAllocHost, (void **a, size_t n), (a, n))                                                  \
    X(MemcpyHtoD, (CUdeviceptr a, const void *b, size_t n), (a, b, n))                             \
    X(MemcpyHtoDAsync, (CUdeviceptr a, const void *b, size_t n, CUstream s), (a, b, n, s))         \
    X(MemcpyDtoHAsync, (void *a, CUdeviceptr b, size_t n, CUstream s), (a, b, n, s))               \
    X(MemcpyDtoDAsync, (CUdeviceptr a, CUdeviceptr b, size_t n, CUstream s), (a, b, n, s))         \
    X(MemsetD8Async, (CUdeviceptr a, unsigned char v, size_t n, CUstream s), (a, v, n, s))         \
    X(MemsetD32Async, (CUdeviceptr a, unsigned v, size_t n, CUstream s), (a, v, n, s))             \
    X(ModuleLoadData, (CUmodule * m, const void *i), (m, i))                                       \
    X(ModuleLoadDataEx, (CUmodule * m, const void *i, unsigned n, CUjit_option *o, void **v),      \
      (m, i, n, o, v))                                                                             \
    X(ModuleGetFunction, (CUfunction * f, CUmodule m, const char *n), (f, m, n))                   \
    X(ModuleGetGlobal, (CUdeviceptr * a, size_t * b, CUmodule m, const char *n), (a, b, m, n))     \
    X(FuncGetAttribute, (int *v, CUfunction_attribute a, CUfunction f), (v, a, f))                 \
    X(FuncSetAttribute, (CUfunction f, CUfunction_attribute a, int v), (f, a, v))                  \
    X(LaunchKernelEx, (const CUlaunchConfig *c, CUfunction f, void **p, void **e), (c, f, p, e))   \
    X(LaunchKernel,                                                                                \
      (CUfunction f, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned g,       \
       unsigned h, CUstream s, void **p, void **q),                                                \
      (f, a, b, c, d, e, g, h, s, p, q))                                                           \
    X(OccupancyMaxActiveBlocksPerMultiprocessor, (int *b, CUfunction f, int t, size_t n),          \
      (b, f, t, n))                                                                                \
    X(GraphInstantiateWithFlags, (CUgraphExec * e, CUgraph g, unsigned long long f), (e, g, f))    \
    X(GraphUpload, (CUgraphExec e, CUstream s), (e, s))                                            \
    X(GraphLaunch, (CUgraphExec e, CUstream s), (e, s))                                            \
    X(CtxSetCurrent, (CUcontext c), (c))                                                           \
    X(DevicePrimaryCtxRetain, (CUcontext * c, CUdevice d), (c, d))                                 \
    X(DeviceGet, (CUdevice * d, int o), (d, o))

/* A call that waits for the device belongs to two kinds, "driver" and "wait". */
static bool fails(const char *name)
{
    bool waits = strstr(name, "Synchronize") != NULL;
    return failing_now("driver", 0) || (waits && failing_now("wait", 0));
}

#define FAIL_OR_CALL(name, parameters, arguments)                                                  \
    static CUresult fail_##name parameters                                                         \
    {                                                                                              \
        return fails(#name) ? failure : real->name arguments;                                      \
    }
CALLS(FAIL_OR_CALL)

static void use_failing_driver(gt_measure *measure)
{
    real = measure->driver;
    failing_driver = *real;
#define REPLACE(name, parameters, arguments) failing_driver.name = fail_##name;
    CALLS(REPLACE)
#undef REPLACE
    measure->driver = &failing_driver;
}

typedef struct job {
    gputune_objective objective;
    const char *reference;
    bool by_clocks; /* true to measure by events and by the host's clock, as on a GPU */
    gt_image image;
    gt_live_input inputs[2];
} job;

static gt_measure_setup *setup_of(job *j)
{
    static float sent[FEW], expected[FEW];
    gt_measure_setup *setup = make_setup(NULL);
    make_workload(&setup->workloads[0], FEW, j->reference);
    make_workload(&setup->workloads[1], FEW - 1, j->reference);
    setup->objective = j->objective;
    j->inputs[0] = (gt_live_input){.buffer = 1, .bytes = {sent, sizeof sent}};
    j->inputs[1] =
        (gt_live_input){.workload = 0, .buffer = 0, .bytes = {expected, sizeof expected}};
    setup->inputs = j->inputs;
    setup->input_count = 2;
    return setup;
}

static gputune_status verify_few(gt_measure *measure, const job *j)
{
    gt_verify_job request = {.id = 1, .image = j->image};
    gt_verified verified = {0};
    request.launches[0] = launch_of("axpy", FEW);
    request.launches[1] = launch_of("axpy", FEW - 1);
    return gt_measure_verify(measure, &request, &verified);
}

static gputune_status sample_few(gt_measure *measure, const job *j)
{
    const uint64_t id = 1;
    for (int quick = 1; quick >= 0; quick--) {
        gt_sampled sampled = {0};
        const gt_sample_job request = {.variants = &id,
                                       .count = 1,
                                       .objective = j->objective,
                                       .length = quick ? GT_SAMPLE_QUICK : GT_SAMPLE_FULL};
        gputune_status status = gt_measure_sample(measure, &request, &sampled);
        assert_true(status != GPUTUNE_OK || sampled.values[0] > 0);
        free(sampled.values);
        GT_TRY(status);
    }
    return GPUTUNE_OK;
}

static gputune_status measure_all(gt_measure *measure, job *j)
{
    gt_prepared prepared = {0};
    gt_verified verified = {0};
    const gt_recheck_job again = {.id = 1, .seed = 7, .share = 1};
    GT_TRY(gt_measure_attach(measure));
    GT_TRY(gt_measure_prepare(measure, setup_of(j), &prepared));
    GT_TRY(verify_few(measure, j));
    GT_TRY(sample_few(measure, j));
    GT_TRY(gt_measure_recheck(measure, &again, &verified));
    gt_measure_drop(measure, 1);
    return GPUTUNE_OK;
}

static gputune_status with_a_new_worker(void *user)
{
    const job *j = user;
    gt_measure *measure;
    failing_pause();
    must(gt_measure_open(&measure, driver_name(), 0));
    failing_resume();
    measure->device.l2_bytes = 1 << 16;
    measure->copy_bytes_per_s = 4e12; /* do not measure this rate, which would copy 32 MB */
    use_failing_driver(measure);
    if (j->by_clocks) {
        measure->device.emulated = false;
        failing_driver.EmuModelledTimeNs = NULL;
    }
    gputune_status status = measure_all(measure, user);
    gt_measure_close(measure);
    return status;
}

static void expect_right(void *user)
{
    must(with_a_new_worker(user));
}

/* Returns the device memory in use, after waiting for destroyed streams to release theirs. Host
 * allocations are not counted, because the emulator keeps destroyed handles for a while. */
static long device_memory(void)
{
    enum { TRIES = 2000 };
    static long least;
    const gt_driver *driver = world.measure->driver;
    size_t available, total;
    long used = 0;
    assert_int_equal(driver->CtxSetCurrent(world.measure->context), CUDA_SUCCESS);
    for (int tries = 0; tries < TRIES && (!used || used > least); tries++) {
        assert_int_equal(driver->MemGetInfo(&available, &total), CUDA_SUCCESS);
        used = (long)(total - available);
        least = least ? least : used;
        usleep(used > least ? 1000 : 0);
    }
    return used;
}

static void fail_each(job *j, long step)
{
    j->image = compile(RIGHT);
    count_held = device_memory;
    failure = CUDA_ERROR_OUT_OF_MEMORY;
    step = getenv("GPUTUNE_TEST_LONG") ? (step + 9) / 10 : step;
    assert_true(each_failure("driver", step, with_a_new_worker, expect_right, j) > 0);
    free(j->image.data);
}

TEST_ON_DEVICE(a_measurement_by_kernel_time)
{
    job j = {.objective = GPUTUNE_OBJECTIVE_KERNEL, .reference = "axpy_reference"};
    fail_each(&j, 5);
    j.by_clocks = true;
    fail_each(&j, 307);
}

TEST_ON_DEVICE(a_measurement_by_launches)
{
    job j = {.objective = GPUTUNE_OBJECTIVE_LAUNCH, .reference = "nearly", .by_clocks = true};
    fail_each(&j, 401);
    j.objective = GPUTUNE_OBJECTIVE_LATENCY;
    fail_each(&j, 307);
}

static gputune_status prove_winner(void *user)
{
    job *j = user;
    gt_measure *measure;
    gt_prepared prepared = {0};
    gt_verified verified = {0};
    const gt_recheck_job again = {.id = 1, .seed = 42, .share = 1};
    failing_pause();
    must(gt_measure_open(&measure, driver_name(), 0));
    use_failing_driver(measure);
    must(gt_measure_attach(measure));
    must(gt_measure_prepare(measure, setup_of(j), &prepared));
    must(verify_few(measure, j));
    failing_resume();
    gputune_status status = gt_measure_recheck(measure, &again, &verified);
    gt_measure_close(measure);
    return status;
}

static void expect_proved(void *user)
{
    must(prove_winner(user));
}

/* If waiting for a long launch fails, the launch continues and still needs its memory. */
TEST_ON_DEVICE(a_winner_that_still_runs)
{
    job j = {.objective = GPUTUNE_OBJECTIVE_KERNEL, .reference = "axpy_reference"};
    j.image = compile(VARIANT("unsigned long long start, now;"
                              "asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(start));"
                              "do asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(now));"
                              "while (now - start < 3000000);"
                              "if (i < n) y[i] += a * x[i];"));
    count_held = device_memory;
    failure = CUDA_ERROR_OUT_OF_MEMORY;
    assert_true(each_failure("wait", 1, prove_winner, expect_proved, &j) > 0);
    free(j.image.data);
}

TESTS_WITHIN(open_world, close_world)
