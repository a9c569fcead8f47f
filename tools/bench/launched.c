/* Compares stored times with the times in an application. Launches the winner of each kernel with
 * gputune_launch(), in a graph and on a plain stream, and measures the time with events. Each
 * launch finds the L2 cache cold, because the sets of buffers are together more than twice as
 * large, or because the cache was overwritten. A winner for the objective `launch` is timed on a
 * plain stream, including the time of the host; a winner for `kernel` is timed in a graph.
 *
 *   launched [DRIVER] [KERNEL...]     default: cuda, all kernels; database: GPUTUNE_DB or memory */
#include "gpu/driver.h"
#include "program.h"
#include "scenarios.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ARGS_MAX = 6, COPIES_MAX = 64, REPEATS = 21, LAUNCHES_MIN = 20, LAUNCHES_MAX = 2000 };
static const double batch_ns = 2e6; /* minimum duration of a batch of launches */

static const gt_driver *cuda;
static int64_t l2_bytes;
static CUstream stream;
static CUevent begin, end;
static CUdeviceptr sweep;

/* A scenario's arguments, with enough sets of buffers to keep the L2 cache cold for each launch. */
typedef struct arguments {
    CUdeviceptr buffers[COPIES_MAX][ARGS_MAX];
    uint64_t bytes[ARGS_MAX];
    const void *items[COPIES_MAX][ARGS_MAX];
    size_t count, buffer_count, copies;
    float a;
    uint64_t n;
    uint32_t entries;
    int32_t *block; /* parameter block of paramsum, in host memory */
} arguments;

static void check(CUresult result, const char *call)
{
    if (gt_cuda_check(cuda, result, call) < 0) {
        fprintf(stderr, "%s\n", gputune_error());
        exit(1);
    }
}
#define CUDA(function, ...) check(cuda->function(__VA_ARGS__), #function)

/* --- arguments --- */

static uint32_t random_word(uint64_t *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(*state >> 33);
}

/* Allocates device memory, filled with random floats or, if `limit` is not 0, integers below it. */
static CUdeviceptr filled(uint64_t bytes, uint32_t limit)
{
    uint64_t state = bytes + limit, words = bytes / 4;
    uint32_t *host = malloc(bytes);
    CUdeviceptr device;
    if (!host) {
        exit(1);
    }
    for (uint64_t i = 0; i < words; i++) {
        float value = (float)random_word(&state) * 0x1p-31f;
        host[i] = limit ? random_word(&state) % limit : 0;
        if (!limit) {
            memcpy(&host[i], &value, sizeof value);
        }
    }
    CUDA(MemAlloc, &device, bytes);
    CUDA(MemcpyHtoD, device, host, bytes);
    free(host);
    return device;
}

static void add_buffer(arguments *at, uint64_t bytes, uint32_t limit)
{
    at->bytes[at->buffer_count] = bytes;
    at->buffers[0][at->buffer_count++] = filled(bytes, limit);
    at->count++;
}

static void add_scalar(arguments *at, const void *value)
{
    for (size_t i = 0; i < COPIES_MAX; i++) {
        at->items[i][at->count] = value;
    }
    at->count++;
}

static void make_axpy(arguments *at)
{
    at->a = 0.001f;
    add_buffer(at, 4 * at->n, 0);
    add_buffer(at, 4 * at->n, 0);
    add_scalar(at, &at->a);
    add_scalar(at, &at->n);
}

static void make_copy(arguments *at)
{
    add_buffer(at, 4 * at->n, 0);
    add_buffer(at, 4 * at->n, 0);
    add_scalar(at, &at->n);
}

static void make_gather(arguments *at)
{
    add_buffer(at, 4 * at->n, 0);
    add_buffer(at, 4 * at->n, at->entries);
    add_buffer(at, 4 * (uint64_t)at->entries, 0);
    add_scalar(at, &at->n);
    add_scalar(at, &at->entries);
}

static void make_histogram(arguments *at)
{
    add_buffer(at, 4 * (uint64_t)at->entries, 0);
    add_buffer(at, 4 * at->n, at->entries);
    add_scalar(at, &at->n);
    add_scalar(at, &at->entries);
}

static void make_paramsum(arguments *at)
{
    at->block = calloc(at->n, sizeof *at->block);
    add_scalar(at, at->block);
    add_buffer(at, 4, 0);
}

static const struct maker {
    const char *kernel;
    void (*make)(arguments *at);
} makers[] = {{"axpy", make_axpy},
              {"copy", make_copy},
              {"gather", make_gather},
              {"histogram", make_histogram},
              {"paramsum", make_paramsum}};

/* Makes sets of buffers that together exceed twice the size of L2, but at most COPIES_MAX sets. */
static void copy_sets(arguments *at)
{
    uint64_t all = 0;
    for (size_t i = 0; i < at->buffer_count; i++) {
        all += at->bytes[i];
    }
    uint64_t copies = all ? 2 * (uint64_t)l2_bytes / all + 1 : 1;
    at->copies = copies > COPIES_MAX ? COPIES_MAX : (size_t)copies;
    for (size_t c = 1; c < at->copies; c++) {
        for (size_t i = 0; i < at->buffer_count; i++) {
            CUDA(MemAlloc, &at->buffers[c][i], at->bytes[i]);
            CUDA(MemcpyDtoDAsync, at->buffers[c][i], at->buffers[0][i], at->bytes[i], NULL);
            CUDA(StreamSynchronize, NULL);
        }
    }
    for (size_t c = 0; c < at->copies; c++) {
        for (size_t i = 0, b = 0; i < at->count; i++) {
            if (!at->items[c][i]) {
                at->items[c][i] = &at->buffers[c][b++];
            }
        }
    }
}

static arguments *make_arguments(const bench_scenario *scenario)
{
    arguments *at = calloc(1, sizeof *at);
    if (!at) {
        exit(1);
    }
    at->n = (uint64_t)scenario->sizes[0].value;
    at->entries = (uint32_t)scenario->sizes[1].value;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        if (strcmp(makers[i].kernel, scenario->kernel) == 0) {
            makers[i].make(at);
        }
    }
    copy_sets(at);
    return at;
}

static void free_arguments(arguments *at)
{
    for (size_t c = 0; c < at->copies; c++) {
        for (size_t i = 0; i < at->buffer_count; i++) {
            CUDA(MemFree, at->buffers[c][i]);
        }
    }
    free(at->block);
    free(at);
}

/* --- timing --- */

static void launch_all(gputune_plan *plan, const arguments *at, size_t launches)
{
    for (size_t i = 0; i < launches; i++) {
        gputune_args args = {at->count, at->items[i % at->copies]};
        must(gputune_launch(plan, stream, args), "launch");
    }
}

static CUgraphExec capture(gputune_plan *plan, const arguments *at, size_t launches)
{
    CUgraph graph;
    CUgraphExec exec;
    CUDA(StreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    launch_all(plan, at, launches);
    CUDA(StreamEndCapture, stream, &graph);
    CUDA(GraphInstantiateWithFlags, &exec, graph, 0);
    CUDA(GraphDestroy, graph);
    return exec;
}

static int ascending(const void *a, const void *b)
{
    float left = *(const float *)a, right = *(const float *)b;
    return (left > right) - (left < right);
}

/* Returns the median nanoseconds of a launch. Replays the graph `exec`, unless it is NULL. */
static double time_batches(gputune_plan *plan, const arguments *at, size_t launches,
                           CUgraphExec exec)
{
    float values[REPEATS];
    for (int i = -2; i < REPEATS; i++) {
        float milliseconds = 0;
        CUDA(MemsetD8Async, sweep, (unsigned char)i, (size_t)(2 * l2_bytes), stream);
        CUDA(EventRecord, begin, stream);
        if (exec) {
            CUDA(GraphLaunch, exec, stream);
        } else {
            launch_all(plan, at, launches);
        }
        CUDA(EventRecord, end, stream);
        CUDA(EventSynchronize, end);
        CUDA(EventElapsedTime, &milliseconds, begin, end);
        if (i >= 0) {
            values[i] = milliseconds;
        }
    }
    qsort(values, REPEATS, sizeof *values, ascending);
    return (double)values[REPEATS / 2] * 1e6 / (double)launches;
}

static const char *explain(double stored_ns, double graph, double plain, bool host_counts)
{
    bool near = fabs(plain) <= 0.03 && fabs(graph) <= 0.03;
    if (stored_ns <= 0) {
        return "not tuned";
    }
    if (stored_ns < 20e3) {
        return plain > 0.03 ? "short: the host's launch cost shows on a plain stream" : "short";
    }
    if (!near && host_counts && fabs(plain) <= 0.03) {
        return "within 3% by the stream; MORE by the graph, which does without the host";
    }
    return near ? "within 3%" : "MORE THAN 3% APART";
}

static void show(gputune *tuner, const bench_scenario *scenario, gputune_objective objective)
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    gputune_plan *plan;
    gputune_info info = GPUTUNE_INFO_INIT;
    options.objective = objective;
    options.time_limit_s = 60;
    must(tune_kernel(&plan, tuner, scenario->kernel, bench_sizes(scenario), &options), "tune");
    must(gputune_plan_info(&info, plan), "plan");
    arguments *at = make_arguments(scenario);
    launch_all(plan, at, at->copies);
    CUDA(StreamSynchronize, stream);
    double wanted = info.time_ns > 0 ? ceil(batch_ns / info.time_ns) : LAUNCHES_MIN;
    size_t launches = (size_t)fmin(fmax(wanted, LAUNCHES_MIN), LAUNCHES_MAX);
    CUgraphExec exec = capture(plan, at, launches);
    double graph = time_batches(plan, at, launches, exec);
    double plain = time_batches(plan, at, launches, NULL);
    CUDA(GraphExecDestroy, exec);
    double graph_off = graph / info.time_ns - 1, plain_off = plain / info.time_ns - 1;
    printf("%-10s %9lld  %-7s %-52s %9.2f %9.2f %+6.1f%% %9.2f %+6.1f%%  %s\n", scenario->kernel,
           (long long)scenario->sizes[0].value, gputune_objective_name(info.objective),
           info.configuration, info.time_ns * 1e-3, graph * 1e-3, 100 * graph_off, plain * 1e-3,
           100 * plain_off,
           explain(info.time_ns, graph_off, plain_off, info.objective == GPUTUNE_OBJECTIVE_LAUNCH));
    fflush(stdout);
    free_arguments(at);
    gputune_plan_release(plan);
}

static void open_device(const char *driver)
{
    CUdevice device;
    CUcontext context;
    int l2 = 0;
    must(gt_driver_open(&cuda, driver), "driver");
    CUDA(DeviceGet, &device, 0);
    CUDA(DevicePrimaryCtxRetain, &context, device);
    CUDA(CtxSetCurrent, context);
    CUDA(DeviceGetAttribute, &l2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device);
    l2_bytes = l2;
    CUDA(StreamCreate, &stream, CU_STREAM_NON_BLOCKING);
    CUDA(EventCreate, &begin, CU_EVENT_DEFAULT);
    CUDA(EventCreate, &end, CU_EVENT_DEFAULT);
    CUDA(MemAlloc, &sweep, (size_t)(2 * l2_bytes));
}

int main(int argc, char **argv)
{
    gputune_open_options open = GPUTUNE_OPEN_OPTIONS_INIT;
    open.driver = argc > 1 ? argv[1] : "cuda";
    open.database = getenv("GPUTUNE_DB") ? NULL : ":memory:";
    gputune *tuner;
    open_device(open.driver);
    must(gputune_open(&tuner, &open), "open");
    printf("%-10s %9s  %-7s %-52s %9s %9s %7s %9s %7s\n", "kernel", "size", "for", "configuration",
           "stored us", "graph us", "", "stream us", "");
    for (int i = 0; i < BENCH_SCENARIOS; i++) {
        if (!bench_wanted(&bench_scenarios[i], argc > 2 ? argc - 2 : 0, argv + 2)) {
            continue;
        }
        show(tuner, &bench_scenarios[i], bench_scenarios[i].objective);
        if (bench_scenarios[i].objective != GPUTUNE_OBJECTIVE_KERNEL) {
            show(tuner, &bench_scenarios[i], GPUTUNE_OBJECTIVE_KERNEL);
        }
    }
    gputune_close(tuner);
    return 0;
}
