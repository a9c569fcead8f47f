/* Measures how long a new process takes until the first launch of a kernel with a stored winner: it
 * opens the tuner, gets the plan and launches the kernel. The context is created beforehand, as in
 * most applications. Each repetition is a new process. If no winner is stored, another process
 * tunes first.
 *
 *   first_launch [-d DRIVER] [-r REPEATS]
 *   first_launch [-d DRIVER] -a     time of tune_kernel() for each scenario stored for this GPU */
#include "gpu/driver.h"
#include "program.h"

#include <getopt.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPEATS_MAX = 1000, STEPS = 4, SIZE = 1 << 20 };
static const char *const step_names[STEPS] = {"gputune_open", "tune_kernel", "gputune_launch",
                                              "all three"};

static void cuda(const gt_driver *driver, CUresult result, const char *what)
{
    must(gt_cuda_check(driver, result, what), what);
}

/* Measures each step in this process, in milliseconds. */
static void start(double ms[STEPS], const char *driver_name, gputune_effort effort)
{
    const gt_driver *driver;
    CUcontext context;
    CUdeviceptr x, y;
    float a = 2;
    size_t n = SIZE;
    gputune *tuner;
    gputune_plan *plan;
    gputune_open_options open_options = GPUTUNE_OPEN_OPTIONS_INIT;
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    open_options.driver = driver_name;
    options.effort = effort;
    must(gt_driver_open(&driver, driver_name), driver_name);
    cuda(driver, driver->DevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
    cuda(driver, driver->CtxSetCurrent(context), "cuCtxSetCurrent");
    cuda(driver, driver->MemAlloc(&x, SIZE * sizeof(float)), "cuMemAlloc");
    cuda(driver, driver->MemAlloc(&y, SIZE * sizeof(float)), "cuMemAlloc");
    double at[STEPS] = {now_s()};
    must(gputune_open(&tuner, &open_options), "gputune_open");
    at[1] = now_s();
    must(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", SIZE}), &options), "axpy");
    at[2] = now_s();
    must(gputune_launch(plan, NULL, GPUTUNE_ARGS(&y, &x, &a, &n)), "gputune_launch");
    at[3] = now_s();
    cuda(driver, driver->CtxSynchronize(), "cuCtxSynchronize");
    for (int i = 0; i < STEPS - 1; i++) {
        ms[i] = (at[i + 1] - at[i]) * 1e3;
    }
    ms[STEPS - 1] = (at[3] - at[0]) * 1e3;
    gputune_plan_release(plan);
    gputune_close(tuner);
}

/* Measures each step in a new process, in milliseconds. */
static void start_elsewhere(double ms[STEPS], const char *driver_name, gputune_effort effort)
{
    int ends[2], status;
    if (pipe(ends)) {
        exit(1);
    }
    pid_t child = fork();
    if (child == 0) {
        start(ms, driver_name, effort);
        _exit(write(ends[1], ms, STEPS * sizeof *ms) < 0);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], ms, STEPS * sizeof *ms) != STEPS * (ssize_t)sizeof *ms ||
        waitpid(child, &status, 0) < 0 || status) {
        fprintf(stderr, "first_launch: a process failed\n");
        exit(1);
    }
    close(ends[0]);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- all stored scenarios ---- */

enum { ASKED_MAX = 4096, SIZES_MAX = 16 };
typedef struct asked {
    char kernel[64], text[256];
    gputune_size sizes[SIZES_MAX];
    size_t size_count;
} asked;
typedef struct all {
    asked items[ASKED_MAX];
    size_t count;
} all;

/* Adds a stored scenario to the list. Its sizes are a text such as "n=1024 T=half". */
static int take(void *user, const gputune_record *record)
{
    all *to = user;
    asked *one = &to->items[to->count++];
    char *save = NULL;
    snprintf(one->kernel, sizeof one->kernel, "%s", record->kernel);
    snprintf(one->text, sizeof one->text, "%s", record->sizes);
    for (char *word = strtok_r(one->text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *equals = strchr(word, '='), *end;
        long long value = strtoll(equals + 1, &end, 10);
        bool is_number = end != equals + 1 && !*end;
        *equals = is_number ? '\0' : '=';
        one->sizes[one->size_count++] = (gputune_size){word, is_number ? value : 0};
    }
    return to->count == ASKED_MAX;
}

static int ask_for_all(const char *driver)
{
    static all stored;
    static double ms[ASKED_MAX];
    size_t slowest = 0;
    gputune *tuner;
    gputune_open_options open_options = GPUTUNE_OPEN_OPTIONS_INIT;
    const gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    open_options.driver = driver;
    must(gputune_open(&tuner, &open_options), "gputune_open");
    must(gputune_records(tuner, &filter, take, &stored), "gputune_records");
    for (size_t i = 0; i < stored.count; i++) {
        const asked *one = &stored.items[i];
        gputune_plan *plan;
        gputune_info info = GPUTUNE_INFO_INIT;
        double started = now_s();
        must(tune_kernel(&plan, tuner, one->kernel, (gputune_sizes){one->size_count, one->sizes},
                         NULL),
             one->kernel);
        ms[i] = (now_s() - started) * 1e3;
        must(gputune_plan_info(&info, plan), one->kernel);
        if (info.source != GPUTUNE_SOURCE_CACHED) {
            printf("%s was not answered: source %d\n", one->kernel, (int)info.source);
        }
        gputune_plan_release(plan);
        slowest = ms[i] > ms[slowest] ? i : slowest;
    }
    const asked *most = &stored.items[slowest];
    qsort(ms, stored.count, sizeof *ms, by_value);
    if (stored.count) {
        printf("tune_kernel, %zu scenarios: median %.3f ms, 90%% within %.3f, most %.3f (%s "
               "%s=%lld)\n",
               stored.count, ms[stored.count / 2], ms[stored.count * 9 / 10], ms[stored.count - 1],
               most->kernel, most->sizes[0].name, (long long)most->sizes[0].value);
    }
    gputune_close(tuner);
    return 0;
}

int main(int argc, char **argv)
{
    static double ms[STEPS][REPEATS_MAX];
    double one[STEPS];
    const char *driver = "cuda";
    int letter;
    long repeats = 40;
    bool every = false;
    while ((letter = getopt(argc, argv, "d:r:a")) != -1) {
        if (letter == 'd') {
            driver = optarg;
        } else if (letter == 'a') {
            every = true;
        } else if (letter == 'r') {
            repeats = strtol(optarg, NULL, 10);
        } else {
            return 2;
        }
    }
    if (every) {
        return ask_for_all(driver);
    }
    if (repeats < 1 || repeats > REPEATS_MAX) {
        fprintf(stderr, "first_launch: expected 1 to %d repetitions\n", REPEATS_MAX);
        return 2;
    }
    start_elsewhere(one, driver, GPUTUNE_MEASURE);
    for (long i = 0; i < repeats; i++) {
        start_elsewhere(one, driver, GPUTUNE_CACHED_ONLY);
        for (int s = 0; s < STEPS; s++) {
            ms[s][i] = one[s];
        }
    }
    for (int s = 0; s < STEPS; s++) {
        qsort(ms[s], (size_t)repeats, sizeof **ms, by_value);
        printf("%-16s %6.3f ms (median of %ld processes; least %.3f)\n", step_names[s],
               ms[s][repeats / 2], repeats, ms[s][0]);
    }
    return 0;
}
