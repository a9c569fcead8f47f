/* Measures the overhead of gputune in an application whose results are stored, with one thread and
 * with several. Measures tune_kernel() with a plan that is already in the tuner's table, and the
 * release of the plan. Compares the time of a launch with that of the driver's call.
 *
 * hit_cost [-t THREADS] [-n CALLS] [-d DRIVER] */
#include "gpu/driver.h"
#include "program.h"

#include <gputune_tools.h>

#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS_MAX = 256, REPEATS = 7, LAUNCHES = 200, SIZE = 4096 };

static gputune *tuner;
static long calls = 2000000;
static gputune_options cached_only = GPUTUNE_OPTIONS_INIT;
static pthread_barrier_t barrier;

/* ---- cores ---- */

/* One CPU of each available core, because two CPUs of the same core slow each other down. */
static cpu_set_t cores;

static bool is_first_of_core(int cpu)
{
    char path[96];
    int first = cpu;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    FILE *file = fopen(path, "re");
    if (file) {
        if (fscanf(file, "%d", &first) != 1) {
            first = cpu;
        }
        fclose(file);
    }
    return first == cpu || !CPU_ISSET(first, &cores);
}

static void find_cores(void)
{
    must(sched_getaffinity(0, sizeof cores, &cores), "sched_getaffinity");
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
        if (CPU_ISSET(cpu, &cores) && !is_first_of_core(cpu)) {
            CPU_CLR(cpu, &cores);
        }
    }
}

/* Pins each thread to a separate core, if there are enough cores. */
static void pin(pthread_t thread, int index, int threads)
{
    cpu_set_t own;
    int cpu = 0;
    if (threads > CPU_COUNT(&cores)) {
        return;
    }
    for (int before = -1; before < index; cpu++) {
        before += CPU_ISSET(cpu, &cores) != 0;
    }
    CPU_ZERO(&own);
    CPU_SET(cpu - 1, &own);
    pthread_setaffinity_np(thread, sizeof own, &own);
}

/* ---- hits ---- */

typedef struct asker {
    pthread_t thread;
    double seconds;
} asker;

static void request_known(void)
{
    gputune_plan *plan;
    must(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", SIZE}), &cached_only),
         "tune_kernel");
    gputune_plan_release(plan);
}

static void *ask_often(void *user)
{
    asker *at = user;
    request_known();
    pthread_barrier_wait(&barrier);
    double start = now_s();
    for (long i = 0; i < calls; i++) {
        request_known();
    }
    at->seconds = now_s() - start;
    return NULL;
}

/* Returns how many nanoseconds a call takes in the slowest thread. */
static double one_cost(int threads)
{
    static asker askers[THREADS_MAX];
    double slowest = 0;
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        if (pthread_create(&askers[i].thread, NULL, ask_often, &askers[i])) {
            exit(1);
        }
        pin(askers[i].thread, i, threads);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(askers[i].thread, NULL);
        slowest = askers[i].seconds > slowest ? askers[i].seconds : slowest;
    }
    pthread_barrier_destroy(&barrier);
    return slowest / (double)calls * 1e9;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2];
}

static void measure_hits(int threads)
{
    double one[REPEATS], many[REPEATS];
    for (int i = 0; i < REPEATS; i++) { /* measure both at the same clock rates */
        one[i] = one_cost(1);
        many[i] = one_cost(threads);
    }
    double a = median(one, REPEATS), b = median(many, REPEATS);
    printf("a known plan, one thread: %.1f ns a call (least %.1f)\n", a, one[0]);
    printf("a known plan, %d threads: %.1f ns a call each (least %.1f), %.2f of one thread's\n",
           threads, b, many[0], b / a);
}

/* ---- launches ---- */

typedef struct target {
    const gt_driver *driver;
    gputune_plan *plan;
    CUlaunchConfig config;
    CUfunction function;
    CUdeviceptr x, y;
    float a;
    size_t n;
} target;

static void cuda(const gt_driver *driver, CUresult result, const char *what)
{
    must(gt_cuda_check(driver, result, what), what);
}

static double batch_ns(target *at, bool bare)
{
    void *parameters[] = {&at->y, &at->x, &at->a, &at->n};
    double start = now_s();
    for (int i = 0; i < LAUNCHES; i++) {
        if (bare) {
            cuda(at->driver,
                 at->driver->LaunchKernelEx(&at->config, at->function, parameters, NULL), "launch");
        } else {
            must(gputune_launch(at->plan, NULL, GPUTUNE_ARGS(&at->y, &at->x, &at->a, &at->n)),
                 "gputune_launch");
        }
    }
    double ns = (now_s() - start) / LAUNCHES * 1e9;
    cuda(at->driver, at->driver->CtxSynchronize(), "cuCtxSynchronize");
    return ns;
}

static void open_target(target *at)
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    gputune_function function = GPUTUNE_FUNCTION_INIT;
    options.effort = GPUTUNE_CACHED_ONLY;
    must(tune_kernel(&at->plan, tuner, "axpy", GPUTUNE_SIZES({"n", SIZE}), &options), "axpy");
    must(gputune_plan_function(&function, at->plan, 0), "gputune_plan_function");
    at->config = (CUlaunchConfig){.gridDimX = function.grid[0],
                                  .gridDimY = function.grid[1],
                                  .gridDimZ = function.grid[2],
                                  .blockDimX = function.block[0],
                                  .blockDimY = function.block[1],
                                  .blockDimZ = function.block[2],
                                  .sharedMemBytes = function.shared_bytes};
    at->function = function.function;
    at->n = SIZE;
    cuda(at->driver, at->driver->MemAlloc(&at->x, SIZE * sizeof(float)), "cuMemAlloc");
    cuda(at->driver, at->driver->MemAlloc(&at->y, SIZE * sizeof(float)), "cuMemAlloc");
}

static void compare_launches(const gt_driver *driver)
{
    enum { BATCHES = 1000 };
    static double bare[BATCHES], ours[BATCHES], over[BATCHES];
    target at = {.driver = driver};
    open_target(&at);
    batch_ns(&at, true);
    batch_ns(&at, false);
    for (int i = 0; i < BATCHES; i++) { /* alternate the order within a pair */
        bool bare_first = i % 2;
        double first = batch_ns(&at, bare_first), second = batch_ns(&at, !bare_first);
        bare[i] = bare_first ? first : second;
        ours[i] = bare_first ? second : first;
        over[i] = ours[i] - bare[i];
    }
    printf(
        "a launch: %.1f ns, bare cuLaunchKernelEx: %.1f ns, over it (median of pairs): %.1f ns\n",
        median(ours, BATCHES), median(bare, BATCHES), median(over, BATCHES));
    gputune_plan_release(at.plan);
}

static const gt_driver *enter_context(const char *name)
{
    const gt_driver *driver;
    CUcontext context;
    must(gt_driver_open(&driver, name), name);
    cuda(driver, driver->DevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
    cuda(driver, driver->CtxSetCurrent(context), "cuCtxSetCurrent");
    return driver;
}

int main(int argc, char **argv)
{
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    int threads = 8, letter;
    cached_only.effort = GPUTUNE_CACHED_ONLY;
    options.driver = "cuda"; /* not meaningful on the emulator, whose calls have other costs */
    options.database = ":memory:";
    while ((letter = getopt(argc, argv, "t:n:d:")) != -1) {
        switch (letter) {
        case 't':
            threads = (int)strtol(optarg, NULL, 10);
            break;
        case 'n':
            calls = strtol(optarg, NULL, 10);
            break;
        case 'd':
            options.driver = optarg;
            break;
        default:
            return 2;
        }
    }
    if (threads < 1 || threads > THREADS_MAX || calls < 1) {
        fprintf(stderr, "hit_cost: expected 1 to %d threads, and calls\n", THREADS_MAX);
        return 2;
    }
    const gt_driver *driver = enter_context(options.driver);
    must(gputune_open(&tuner, &options), "gputune_open");
    gputune_device device = GPUTUNE_DEVICE_INIT;
    must(gputune_tuner_device(&device, tuner), "gputune_tuner_device");
    find_cores();
    printf("%s, %d cores\n", device.name, CPU_COUNT(&cores));
    measure_hits(threads);
    compare_launches(driver);
    gputune_close(tuner);
    return 0;
}
