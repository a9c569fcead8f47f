/* What tuning in the background costs a program that launches the kernel without pause: batches of
 * launches are timed before, during and after the tuning, and the plan is asked for again after
 * each batch.
 *
 * background [-d DRIVER] [-k KERNEL] [-n SIZE] [-s SECONDS] */
#include "gpu/driver.h"
#include "program.h"

#include <gputune.h>

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LAUNCHES = 20, SAMPLES_MAX = 1000000 };

typedef struct batches {
    double ms[SAMPLES_MAX];
    size_t count;
} batches;

static gputune *tuner;
static const gt_driver *cuda;
static const char *kernel = "axpy";
static CUdeviceptr x, y;
static float a = 1.5F;
static size_t n = 1 << 24;

static void must_cuda(CUresult result, const char *what)
{
    must(gt_cuda_check(cuda, result, what), what);
}

static void launch_batch(batches *into, gputune_plan *plan)
{
    double start = now_s();
    for (int i = 0; i < LAUNCHES; i++) {
        must(gputune_launch(plan, NULL, GPUTUNE_ARGS(&y, &x, &a, &n)), "gputune_launch");
    }
    must_cuda(cuda->CtxSynchronize(), "cuCtxSynchronize");
    if (into->count < SAMPLES_MAX) {
        into->ms[into->count++] = (now_s() - start) * 1e3;
    }
}

/* The winner once it is known, else what is known without. */
static gputune_source ask(gputune_plan **plan, bool background)
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    gputune_info info = GPUTUNE_INFO_INIT;
    options.background = background;
    options.effort = background ? GPUTUNE_MEASURE : GPUTUNE_CACHED_ONLY;
    gputune_plan_release(*plan);
    must(tune_kernel(plan, tuner, kernel, GPUTUNE_SIZES({"n", (int64_t)n}), &options), kernel);
    must(gputune_plan_info(&info, *plan), "gputune_plan_info");
    return info.source;
}

static int by_value(const void *left, const void *right)
{
    double p = *(const double *)left, q = *(const double *)right;
    return (p > q) - (p < q);
}

static void say(const char *when, batches *b, const batches *base)
{
    double sum = 0, base_sum = 0;
    for (size_t i = 0; i < b->count; i++) {
        sum += b->ms[i];
    }
    for (size_t i = 0; i < base->count; i++) {
        base_sum += base->ms[i];
    }
    double mean = sum / (double)b->count, before = base_sum / (double)base->count;
    qsort(b->ms, b->count, sizeof *b->ms, by_value);
    printf("%-34s %6zu batches of %d, mean %.4f ms (%+.2f%%), median %.4f, 99%% %.4f, most %.4f\n",
           when, b->count, LAUNCHES, mean, (mean / before - 1) * 100, b->ms[b->count / 2],
           b->ms[b->count * 99 / 100], b->ms[b->count - 1]);
}

static void launch_for(batches *into, gputune_plan *plan, double seconds)
{
    for (double end = now_s() + seconds; now_s() < end;) {
        launch_batch(into, plan);
    }
}

static void open_all(const char *driver)
{
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    CUcontext context;
    options.driver = driver;
    options.database = ":memory:";
    must(gt_driver_open(&cuda, driver), driver);
    must_cuda(cuda->DevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
    must_cuda(cuda->CtxSetCurrent(context), "cuCtxSetCurrent");
    must(gputune_open(&tuner, &options), "gputune_open");
    must_cuda(cuda->MemAlloc(&x, n * sizeof(float)), "cuMemAlloc");
    must_cuda(cuda->MemAlloc(&y, n * sizeof(float)), "cuMemAlloc");
    must_cuda(cuda->MemsetD8(x, 0, n * sizeof(float)), "cuMemsetD8");
    must_cuda(cuda->MemsetD8(y, 0, n * sizeof(float)), "cuMemsetD8");
}

int main(int argc, char **argv)
{
    static batches before, during, after, alone;
    const char *driver = "cuda";
    double seconds = 3;
    gputune_plan *plan = NULL;
    int letter;
    while ((letter = getopt(argc, argv, "d:k:n:s:")) != -1) {
        if (letter == 'd') {
            driver = optarg;
        } else if (letter == 'k') {
            kernel = optarg;
        } else if (letter == 'n') {
            n = (size_t)strtoull(optarg, NULL, 10);
        } else if (letter == 's') {
            seconds = strtod(optarg, NULL);
        } else {
            return 2;
        }
    }
    open_all(driver);
    ask(&plan, false);
    launch_for(&before, plan, 0.2); /* warm */
    before.count = 0;
    launch_for(&before, plan, seconds);
    double start = now_s();
    gputune_source source = ask(&plan, true);
    while (source != GPUTUNE_SOURCE_MEASURED && source != GPUTUNE_SOURCE_CACHED) {
        launch_batch(&during, plan);
        source = ask(&plan, true);
    }
    double took = now_s() - start;
    must(gputune_wait(tuner, 60), "gputune_wait");
    launch_for(&after, plan, seconds);
    gputune_close(tuner);
    tuner = NULL;
    launch_for(&alone, plan, seconds);
    say("the default, before", &before, &before);
    say("the default, while tuning", &during, &before);
    say("the winner, the tuner closed", &alone, &alone);
    say("the winner, the tuner open", &after, &alone);
    printf("the winner took over after %.2f s\n", took);
    gputune_plan_release(plan);
    return 0;
}
