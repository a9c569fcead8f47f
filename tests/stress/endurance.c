/* An application that goes on for long: four threads tune and launch SCENARIOS (10000) scenarios,
 * each of another size, of one kernel on one tuner, on the emulator. With TUNED=n only n of them
 * are tuned; for the others the database has a copy of the first one's result, so that they take
 * milliseconds. Prints, ten times, what it holds: memory, descriptors, processes, the database's
 * bytes per scenario, and how long asking again for the first scenario takes. At the end: how long
 * a new process takes to list all winners. With KEEP=FILE the database stays there. Fails where a
 * launch computes something else, or descriptors or processes have become more. */
#include "base/clock.h"
#include "gpu/device.h"
#include "gpu/driver.h"
#include "tuner/request.h"

#include <gputune.h>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, LINES = 10, FIRST = 64, ASKED = 2000 };

static struct {
    const gt_driver *driver;
    CUcontext context;
    gputune *tuner;
    char folder[64], database[96];
    long wanted, tuned, line_after;
    atomic_long begun, done;
    atomic_int failures;
    pthread_mutex_t lock; /* of what follows */
    int descriptors, processes;
} run = {.wanted = 10000, .lock = PTHREAD_MUTEX_INITIALIZER};

static void fail(const char *what, int status)
{
    fprintf(stderr, "%s: %d: %s\n", what, status, gputune_error());
    run.failures++;
}

static gputune_options options_of_all(void)
{
    static const char *const only[] = {"VEC=1", "BLOCK=64", "UNROLL=1,2"};
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    options.only = only;
    options.only_count = sizeof only / sizeof *only;
    options.time_limit_s = 120;
    return options;
}

static int plan_of(gputune_plan **out, size_t n)
{
    const gputune_options options = options_of_all();
    return tune_kernel(out, run.tuner, "axpy", GPUTUNE_SIZES({"n", n}), &options);
}

/* ---- what the application does --------------------------------------------------------------- */

static void launch(gputune_plan *plan, CUdeviceptr y, CUdeviceptr x, size_t n)
{
    float a = 2, last = 0, one = 1;
    CUdeviceptr at = y + (n - 1) * sizeof a;
    bool ok = run.driver->MemcpyHtoD(at, &one, sizeof one) == CUDA_SUCCESS &&
              gputune_launch(plan, NULL, GPUTUNE_ARGS(&y, &x, &a, &n)) == GPUTUNE_OK &&
              run.driver->MemcpyDtoH(&last, at, sizeof last) == CUDA_SUCCESS;
    if (!ok || last != 1 + 2 * (float)(n % 128)) {
        fail("a launch", (int)n);
    }
}

/* ---- what it holds --------------------------------------------------------------------------- */

static int entries(const char *folder)
{
    int count = -3; /* ".", ".." and the folder itself */
    DIR *open = opendir(folder);
    while (open && readdir(open)) {
        count++;
    }
    if (open) {
        closedir(open);
    }
    return count;
}

static int processes(void)
{
    char word[32];
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
        char path[300];
        snprintf(path, sizeof path, "/proc/self/task/%s/children", entry->d_name);
        FILE *file = fopen(path, "r");
        while (file && fscanf(file, "%31s", word) == 1) {
            count++;
        }
        if (file) {
            fclose(file);
        }
    }
    if (tasks) {
        closedir(tasks);
    }
    return count;
}

static double resident_mb(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*s %ld", &pages) != 1) {
        pages = 0;
    }
    if (file) {
        fclose(file);
    }
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

/* Of asking again for the first scenario. */
static double hit_ns(void)
{
    int64_t began = gt_now_ns();
    for (int i = 0; i < ASKED; i++) {
        gputune_plan *plan = NULL;
        if (plan_of(&plan, FIRST) < 0) {
            fail("a hit", 0);
        }
        gputune_plan_release(plan);
    }
    return gt_seconds_since(began) / ASKED * 1e9;
}

static void tell(long done)
{
    struct stat file = {0};
    int descriptors = entries("/proc/self/fd"), children = processes();
    stat(run.database, &file);
    printf("%9ld  %8.1f  %11d  %9d  %14.0f  %6.0f\n", done, resident_mb(), descriptors, children,
           (double)file.st_size / (double)done, hit_ns());
    fflush(stdout);
    if (run.descriptors && (descriptors > run.descriptors + THREADS || children > run.processes)) {
        fail("more descriptors or processes than before", descriptors);
    }
    run.descriptors = run.descriptors ? run.descriptors : descriptors;
    run.processes = children > run.processes ? children : run.processes;
}

static void *work(void *unused)
{
    CUdeviceptr x, y;
    size_t most = FIRST + (size_t)run.wanted;
    float *values = malloc(most * sizeof *values);
    (void)unused;
    for (size_t i = 0; values && i < most; i++) {
        values[i] = (float)((i + 1) % 128);
    }
    if (!values || run.driver->CtxSetCurrent(run.context) != CUDA_SUCCESS ||
        run.driver->MemAlloc(&x, most * sizeof *values) != CUDA_SUCCESS ||
        run.driver->MemAlloc(&y, most * sizeof *values) != CUDA_SUCCESS ||
        run.driver->MemcpyHtoD(x, values, most * sizeof *values) != CUDA_SUCCESS) {
        fail("the buffers", 0);
        return NULL;
    }
    for (long i; !run.failures && (i = run.begun++) < run.wanted;) {
        size_t n = FIRST + (size_t)i;
        gputune_plan *plan = NULL;
        int status = plan_of(&plan, n);
        if (status < 0) {
            fail("tune_kernel", status);
            break;
        }
        launch(plan, y, x, n);
        gputune_plan_release(plan);
        long done = ++run.done;
        if (done % run.line_after == 0) {
            pthread_mutex_lock(&run.lock);
            tell(done);
            pthread_mutex_unlock(&run.lock);
        }
    }
    free(values);
    return NULL;
}

/* ---- the end --------------------------------------------------------------------------------- */

static int count_record(void *user, const gputune_record *record)
{
    *(long *)user += record->is_winner;
    return 0;
}

/* A new tuner, as the command line has. */
static void list(void)
{
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    gputune *tuner = NULL;
    long winners = 0;
    int64_t began = gt_now_ns();
    options.driver = "emu:h200";
    options.database = run.database;
    options.read_only = true;
    int status = gputune_open(&tuner, &options);
    status = status < 0 ? status : gputune_records(tuner, &filter, count_record, &winners);
    printf("listing %ld winners: %.3f s\n", winners, gt_seconds_since(began));
    if (status < 0 || winners != run.wanted) {
        fail("listing", status);
    }
    gputune_close(tuner);
}

/* ---- the beginning --------------------------------------------------------------------------- */

/* What the first tuning stored. */
typedef struct stored {
    gt_services services;
    gt_device device;
    gt_winner_list winners;
    gt_trial_list trials;
} stored;

static gputune_status request_of(gt_request **out, const stored *from, long scenario)
{
    const gputune_options options = options_of_all();
    return gt_request_make(out, &from->services, &from->device, "axpy",
                           GPUTUNE_SIZES({"n", FIRST + scenario}), &options);
}

static gputune_status read_first(stored *out)
{
    gt_request *request;
    GT_TRY(request_of(&request, out, 0));
    gt_store *store = out->services.store;
    gputune_status status = gt_store_winners(&out->winners, store, &request->scenario, NULL);
    if (status == GPUTUNE_OK) {
        status = gt_store_trials(&out->trials, store, &request->scenario,
                                 out->device.driver_version, NULL);
    }
    gt_request_free(request);
    return status;
}

static gputune_status put_copy(const stored *from, long scenario)
{
    gt_request *request;
    GT_TRY(request_of(&request, from, scenario));
    gt_winner winner = from->winners.items[0];
    winner.terms.space = request->terms.space;
    const gt_site site = {.scenario = request->scenario};
    const gt_outcome outcome = {.site = &site,
                                .trials = from->trials.items,
                                .trial_count = from->trials.count,
                                .winner = &winner};
    gputune_status status = gt_store_put_winner(from->services.store, &outcome, NULL);
    gt_request_free(request);
    return status;
}

/* Tunes the first scenario, and gives those that shall not be tuned its result. */
static gputune_status put_copies(void)
{
    stored from = {.services = {.device = &from.device}};
    gputune_plan *first;
    GT_TRY(plan_of(&first, FIRST));
    gputune_plan_release(first);
    GT_TRY(gt_device_query(&from.device, run.driver, 0));
    GT_TRY(gt_catalog_open(&from.services.catalog, NULL, NULL));
    GT_TRY(gt_store_open(&from.services.store, run.database, NULL, NULL, false));
    gputune_status status = read_first(&from);
    for (long i = run.tuned; i < run.wanted && status == GPUTUNE_OK; i++) {
        status = put_copy(&from, i);
    }
    gt_winner_list_free(&from.winners);
    gt_trial_list_free(&from.trials);
    gt_store_close(from.services.store);
    gt_catalog_close(from.services.catalog);
    return status;
}

static long number(const char *variable, long otherwise)
{
    const char *text = getenv(variable);
    return text ? strtol(text, NULL, 10) : otherwise;
}

static int begin(void)
{
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    run.wanted = number("SCENARIOS", run.wanted);
    run.wanted = run.wanted < LINES ? LINES : run.wanted;
    run.tuned = number("TUNED", run.wanted);
    run.line_after = run.wanted / LINES;
    snprintf(run.folder, sizeof run.folder, "/tmp/gputune-endurance-XXXXXX");
    if (!mkdtemp(run.folder)) {
        perror(run.folder);
        return -1;
    }
    snprintf(run.database, sizeof run.database, "%s/x.db", run.folder);
    if (gt_driver_open(&run.driver, "emu:h200") < 0 ||
        run.driver->DevicePrimaryCtxRetain(&run.context, 0) != CUDA_SUCCESS ||
        run.driver->CtxSetCurrent(run.context) != CUDA_SUCCESS) {
        return -1;
    }
    options.driver = "emu:h200";
    options.database = run.database;
    options.compile_workers = 1;
    options.keep_workers = true;
    GT_TRY(gputune_open(&run.tuner, &options));
    return run.tuned < run.wanted ? put_copies() : GPUTUNE_OK;
}

int main(void)
{
    pthread_t threads[THREADS];
    int count = 0;
    if (begin() < 0) {
        fprintf(stderr, "%s\n", gputune_error());
        return 1;
    }
    int64_t began = gt_now_ns();
    printf("scenarios  memory MB  descriptors  processes  bytes/scenario  hit ns\n");
    while (count < THREADS && pthread_create(&threads[count], NULL, work, NULL) == 0) {
        count++;
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
    printf("%ld scenarios in %.0f s\n", (long)run.done, gt_seconds_since(began));
    list();
    gputune_close(run.tuner);
    if (getenv("KEEP") && rename(run.database, getenv("KEEP")) != 0) {
        perror(getenv("KEEP"));
    }
    unlink(run.database);
    rmdir(run.folder);
    return run.failures != 0;
}
