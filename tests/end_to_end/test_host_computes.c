/* Tests tuning while the host computes on its own stream and checks each result. Each test disturbs
 * the tuning in one way: it kills the measure worker at random moments, fills the GPU's memory, or
 * lets the GPU admit only one process. Each call must return a correct plan or a message, and must
 * leave nothing behind. Runs on a GPU with GPUTUNE_TEST_DRIVER=cuda. GPUTUNE_TEST_KILLS is the
 * number of kills. */
#include "victim.h"

#include "bad_variants.h"

#include "base/clock.h"
#include "base/random.h"

#include <stdatomic.h>

enum { KILLS = 5, ON_GPU = 1 << 20, LIMIT_S = 30 };

static gt_random chance = {11};

static bool on_gpu(void)
{
    return getenv("GPUTUNE_TEST_DRIVER") != NULL;
}

static size_t elements(void)
{
    return on_gpu() ? ON_GPU : N;
}

/* A plan for y = 1 + 2 x and its buffers. */
typedef struct work {
    gputune *tuner; /* NULL if another `work` owns the tuner */
    gputune_plan *plan;
    CUstream stream;
    CUdeviceptr x, y;
    float *values;
    size_t n;
    long launches;
    char why[256]; /* what went wrong */
} work;

static bool went_wrong(work *w, int code, const char *what)
{
    if (code != 0) {
        snprintf(w->why, sizeof w->why, "%s: %d: %s", what, code, gputune_error());
    }
    return code != 0;
}

static bool compute_once(work *w)
{
    const gt_driver *driver = world.driver;
    float a = 2;
    for (size_t i = 0; i < w->n; i++) {
        w->values[i] = 1;
    }
    if (went_wrong(w, (int)driver->MemcpyHtoD(w->y, w->values, w->n * sizeof a), "copying") ||
        went_wrong(w, (int)driver->CtxSynchronize(), "waiting") ||
        went_wrong(w, gputune_launch(w->plan, w->stream, GPUTUNE_ARGS(&w->y, &w->x, &a, &w->n)),
                   "launching") ||
        went_wrong(w, (int)driver->StreamSynchronize(w->stream), "computing") ||
        went_wrong(w, (int)driver->MemcpyDtoH(w->values, w->y, w->n * sizeof a), "reading")) {
        return false;
    }
    for (size_t i = 0; i < w->n; i++) {
        if (w->values[i] != 1 + 2 * (float)(i % 1000)) {
            snprintf(w->why, sizeof w->why, "element %zu is %g", i, (double)w->values[i]);
            return false;
        }
    }
    w->launches++;
    return true;
}

static work work_new(gputune_plan *plan)
{
    work w = {.plan = plan, .n = elements(), .stream = stream_new()};
    w.values = malloc(w.n * sizeof *w.values);
    assert_non_null(w.values);
    for (size_t i = 0; i < w.n; i++) {
        w.values[i] = (float)(i % 1000);
    }
    w.x = buffer_of(w.values, w.n * sizeof *w.values);
    w.y = buffer_of(w.values, w.n * sizeof *w.values);
    return w;
}

static void work_free(work *w)
{
    CU(MemFree(w->x));
    CU(MemFree(w->y));
    CU(StreamDestroy(w->stream));
    free(w->values);
    gputune_plan_release(w->plan);
    gputune_close(w->tuner);
}

static atomic_bool enough;

static void *compute(void *user)
{
    work *w = user;
    bool going_on =
        !went_wrong(w, (int)world.driver->CtxSetCurrent(world.context), "taking the context");
    while (going_on && !atomic_load(&enough)) {
        going_on = compute_once(w);
        usleep(on_gpu() ? 0 : 2000); /* on the emulator, leave the cores to the tuning */
    }
    return NULL;
}

static int tune(gputune_plan **out, gputune *tuner, size_t n)
{
    static const char *const only[] = {"VEC=1,2,4", "BLOCK=128,256", "UNROLL=1"};
    gputune_options options = OPTIONS(.only = only, .only_count = sizeof only / sizeof *only,
                                      .force = true, .time_limit_s = LIMIT_S);
    return tune_kernel(out, tuner, "axpy", GPUTUNE_SIZES({"n", n}), &options);
}

static work begin_work(void)
{
    gputune *tuner = tuner_open(world.database);
    gputune_plan *plan;
    OK(tune(&plan, tuner, elements()));
    work w = work_new(plan);
    w.tuner = tuner;
    return w;
}

/* Checks that a call either returned a correct plan or failed with a message. Returns true if the
 * plan was measured. */
static bool expect_plan_or_message(int status, gputune_plan *plan)
{
    if (status < 0) {
        print_message("no plan: %s\n", gputune_error());
        assert_true(gputune_error()[0] != '\0');
        return false;
    }
    bool measured = info_of(plan).source == GPUTUNE_SOURCE_MEASURED;
    work w = work_new(plan);
    if (!compute_once(&w)) {
        fail_msg("the plan of a call: %s", w.why);
    }
    work_free(&w);
    return measured;
}

static void while_computing(void (*act)(void))
{
    GT_SCOPED(work_free) work w = begin_work();
    pthread_t thread;
    atomic_store(&enough, false);
    assert_int_equal(pthread_create(&thread, NULL, compute, &w), 0);
    act();
    atomic_store(&enough, true);
    pthread_join(thread, NULL);
    if (w.why[0]) {
        fail_msg("the host, launch %ld: %s", w.launches, w.why);
    }
    assert_true(w.launches > 0);
    print_message("the host computed %ld times, all right\n", w.launches);
}

static atomic_bool tuning;
static double call_us = 1000;

/* Kills a measure worker of this process after a random time. Sets *killed if that succeeded. */
static void *kill_soon(void *killed)
{
    pid_t victim = 0;
    useconds_t wait_us = (useconds_t)(gt_random_unit(&chance) * call_us);
    while (!victim && atomic_load(&tuning)) {
        usleep(1000);
        victim = worker_of(getpid(), "--role measure");
    }
    usleep(wait_us);
    *(bool *)killed = atomic_load(&tuning) && victim > 0 && kill(victim, SIGKILL) == 0;
    return NULL;
}

static void kill_again_and_again(void)
{
    const char *asked = getenv("GPUTUNE_TEST_KILLS");
    int wanted = asked ? (int)strtol(asked, NULL, 10) : KILLS, kills = 0, measured = 0, calls = 0;
    gputune *tuner = tuner_open(world.database);
    while (kills < wanted && calls < 4 * wanted) {
        gputune_plan *plan = NULL;
        pthread_t killer;
        bool killed = false;
        atomic_store(&tuning, true);
        assert_int_equal(pthread_create(&killer, NULL, kill_soon, &killed), 0);
        const int64_t began_ns = gt_now_ns();
        int status = tune(&plan, tuner, elements());
        atomic_store(&tuning, false);
        pthread_join(killer, NULL);
        call_us = 1e6 * gt_seconds_since(began_ns);
        measured += expect_plan_or_message(status, plan);
        kills += killed;
        calls++;
    }
    gputune_close(tuner);
    print_message("%d kills of the measure worker in %d calls, of which %d measured\n", kills,
                  calls, measured);
    assert_int_equal(kills, wanted);
    assert_true(measured > 0);
}

/* Checks that memory is free again after the workers have ended. Each worker's context takes
 * hundreds of megabytes; the driver may keep a few megabytes. */
static void expect_free(size_t before)
{
    const size_t wanted = before - ((size_t)32 << 20);
    size_t free_bytes = 0, total;
    for (int i = 0; i < 100 && free_bytes < wanted; i++) {
        CU(MemGetInfo(&free_bytes, &total));
        usleep(free_bytes < wanted ? 100000 : 0);
    }
    if (free_bytes < wanted) {
        fail_msg("%zu bytes of the GPU are free, %zu were", free_bytes, wanted);
    }
}

TEST(host_computes_on_while_workers_are_killed)
{
    size_t free_bytes, total;
    work warm = begin_work(); /* the driver allocates memory in the first run and keeps it */
    assert_true(compute_once(&warm));
    work_free(&warm);
    traces before = traces_now();
    CU(MemGetInfo(&free_bytes, &total));
    while_computing(kill_again_and_again);
    expect_no_traces(before);
    expect_free(free_bytes);
}

static bool tune_again(void)
{
    gputune_plan *plan = NULL;
    gputune *tuner = tuner_open(world.database);
    int64_t began = gt_now_ns();
    int status = tune(&plan, tuner, elements());
    assert_true(gt_seconds_since(began) < 2 * LIMIT_S);
    bool measured = expect_plan_or_message(status, plan);
    gputune_close(tuner);
    return measured;
}

enum { BLOCKS_MAX = 256 };
static const size_t left_bytes = 100 << 20;

/* Allocates all but about 100 MB, in smaller and smaller blocks. */
static int fill_memory(CUdeviceptr blocks[BLOCKS_MAX])
{
    size_t free_bytes, total, size = (size_t)1 << 40;
    int count = 0;
    CU(MemGetInfo(&free_bytes, &total));
    while (count < BLOCKS_MAX && size > 1 << 20 && free_bytes > left_bytes) {
        if (size + left_bytes > free_bytes || world.driver->MemAlloc(&blocks[count], size)) {
            size /= 2;
        } else {
            count++;
        }
        CU(MemGetInfo(&free_bytes, &total));
    }
    print_message("%zu of %zu MB of the GPU are free\n", free_bytes >> 20, total >> 20);
    return count;
}

static void tune_in_full_memory(void)
{
    CUdeviceptr blocks[BLOCKS_MAX];
    int count = fill_memory(blocks);
    print_message("measured: %d\n", tune_again());
    while (count > 0) {
        CU(MemFree(blocks[--count]));
    }
    assert_true(tune_again());
}

/* Makes the worker's allocations fail: this process cannot fill the worker's emulated memory. */
static void tune_where_allocations_fail(void)
{
    static const char *const faults[] = {"cuMemAlloc:*1=2", "cuMemAlloc:*6=2",
                                         "cuDevicePrimaryCtxRetain:*1=2"};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        setenv("GPUTUNE_EMU_FAULTS", faults[i], 1);
        assert_false(tune_again());
        unsetenv("GPUTUNE_EMU_FAULTS");
        assert_non_null(strstr(world.log, "memory"));
    }
    assert_true(tune_again());
}

TEST(host_survives_full_memory_of_the_gpu)
{
    while_computing(on_gpu() ? tune_in_full_memory : tune_where_allocations_fail);
}

static void tune_in_exclusive_mode(void)
{
    setenv("GPUTUNE_EMU_FAULTS", "cuDevicePrimaryCtxRetain:*1=46", 1);
    assert_false(tune_again());
    assert_non_null(strstr(world.log, "may be used by one process only"));
    assert_non_null(strstr(world.log, "gputune warm"));
    assert_int_equal(world.warnings, 1);
    unsetenv("GPUTUNE_EMU_FAULTS");
}

TEST(exclusive_mode_is_reported)
{
    if (on_gpu()) {
        skip(); /* only root can set the compute mode */
    }
    while_computing(tune_in_exclusive_mode);
}

TESTS_WITHIN(open_bad, world_close)
