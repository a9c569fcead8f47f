/* The whole library on the emulator: workers, a new database folder, buffers. */
#pragma once

#include "base/file.h"
#include "base/text.h"
#include "gpu/driver.h"
#include "support/test.h"

#include <gputune_tools.h>

#pragma GCC diagnostic ignored "-Wunused-function"

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) < 0) {                                                                          \
            fail_msg("%s: %s", #call, gputune_error());                                            \
        }                                                                                          \
    } while (0)
#define CU(call) OK(gt_cuda_check(world.driver, world.driver->call, #call))

/* Sets a time limit that is long enough on a busy machine, unless the test has set one. */
#undef OPTIONS
#define OPTIONS(...)                                                                               \
    (gputune_options)                                                                              \
    {                                                                                              \
        sizeof(gputune_options), GPUTUNE_MEASURE, .time_limit_s = 400, __VA_ARGS__                 \
    }

static struct {
    const gt_driver *driver;
    CUcontext context;
    char folder[64], database[96];
    bool ready;        /* true if NVRTC is available */
    unsigned warnings; /* number of warnings and errors since the tuner was opened */
    char log[8192];
} world;

static void set_default(const char *variable, const char *folder, const char *rest)
{
    GT_FREED char *path = NULL;
    OK(gt_format(&path, "%s/%s", folder, rest));
    setenv(variable, path, 0);
}

/* Sets the variables of tools/environment.sh, so tests can be started without that script. */
static void world_environment(void)
{
    GT_FREED char *folder = NULL;
    OK(gt_file_own_folder(&folder));
    set_default("GPUTUNE_EMULATOR", folder, "../../libgputune-emu.so");
    set_default("GPUTUNE_WORKER", folder, "../../gputune-worker");
    setenv("GPUTUNE_TEMPLATES", "templates", 0);
}

/* Returns the driver that GPUTUNE_TEST_DRIVER selects ("cuda"), by default the emulator, for tests
 * that can run on a GPU. */
static const char *world_driver(void)
{
    const char *driver = getenv("GPUTUNE_TEST_DRIVER");
    return driver ? driver : "emu:h200";
}

static int count_devices(void *user, const gputune_device *device)
{
    *(int *)user = device->nvrtc_version;
    return 0;
}

/* Opens the driver in this process, makes a context current, and creates the folder. */
static int world_open(const char *driver)
{
    int nvrtc = 0;
    world_environment();
    setenv("GPUTUNE_DRIVER", driver, 1);
    snprintf(world.folder, sizeof world.folder, "/tmp/gputune-test-XXXXXX");
    assert_non_null(mkdtemp(world.folder));
    snprintf(world.database, sizeof world.database, "%s/x.db", world.folder);
    OK(gt_driver_open(&world.driver, driver));
    CU(DevicePrimaryCtxRetain(&world.context, 0));
    CU(CtxSetCurrent(world.context));
    OK(gputune_devices(driver, count_devices, &nvrtc));
    world.ready = nvrtc > 0;
    return 0;
}

/* Setup functions for tests_run(), which open the emulator or world_driver(). */
static int open_h200(void **state)
{
    return world_open("emu:h200");
}

static int open_device(void **state)
{
    return world_open(world_driver());
}

static int world_close(void **state)
{
    const char *const names[] = {"", "-journal", ".lock", "-2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s%s", world.database, names[i]);
        unlink(path);
    }
    rmdir(world.folder);
    return 0;
}

/* Collects the lines of the log. Several threads may call it. */
static void on_log(void *user, gputune_log_level level, const char *line)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    size_t used = strlen(world.log);
    world.warnings += level <= GPUTUNE_LOG_WARNING;
    snprintf(world.log + used, sizeof world.log - used, "%d %s\n", (int)level, line);
    pthread_mutex_unlock(&lock);
}

static gputune *tuner_open(const char *database)
{
    gputune *tuner;
    SKIP_IF(!world.ready);
    world.warnings = 0;
    world.log[0] = '\0';
    OK(gputune_open(&tuner,
                    &OPEN_OPTIONS(.database = database, .keep_workers = true, .log = on_log)));
    return tuner;
}

static void tuner_end(gputune **tuner)
{
    gputune_close(*tuner);
}

/* A test with a tuner on this database: TEST_WITH_TUNER(name, ":memory:") { … }. */
#define TEST_WITH_TUNER(name, database)                                                            \
    static void name##_with(gputune *tuner);                                                       \
    TEST(name)                                                                                     \
    {                                                                                              \
        GT_SCOPED(tuner_end) gputune *tuner = tuner_open(database);                                \
        name##_with(tuner);                                                                        \
    }                                                                                              \
    static void name##_with(gputune *tuner)

/* The last record that gputune_run() passed to note_record(). */
typedef struct noted {
    char status[16], message[512];
} noted;

static int note_record(void *user, const gputune_record *record)
{
    noted *s = user;
    snprintf(s->status, sizeof s->status, "%s", record->status);
    snprintf(s->message, sizeof s->message, "%s", record->message);
    return 0;
}

static void plan_end(gputune_plan **plan)
{
    gputune_plan_release(*plan);
}

static gputune_info info_of(const gputune_plan *plan)
{
    gputune_info info = GPUTUNE_INFO_INIT;
    OK(gputune_plan_info(&info, plan));
    return info;
}

/* Returns a new buffer with these values. Waits until the copy has ended, because streams that do
 * not synchronise with the default stream could read old data. */
static CUdeviceptr buffer_of(const void *values, size_t bytes)
{
    CUdeviceptr address;
    CU(MemAlloc(&address, bytes));
    CU(MemcpyHtoD(address, values, bytes));
    CU(CtxSynchronize());
    return address;
}

static CUstream stream_new(void)
{
    CUstream stream;
    CU(StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    return stream;
}

/* Returns options that restrict axpy to few variants. */
static gputune_options few_variants(void)
{
    static const char *const only[] = {"VEC=1,4", "BLOCK=64", "UNROLL=1"};
    return OPTIONS(.only = only, .only_count = 3);
}

/* Tunes a kernel and returns the plan, which must have been measured. */
static gputune_plan *plan_measured(gputune *tuner, const char *kernel, gputune_sizes sizes)
{
    gputune_plan *plan;
    OK(tune_kernel(&plan, tuner, kernel, sizes, &OPTIONS()));
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_MEASURED);
    return plan;
}

static gputune_plan *plan_untuned(gputune *tuner, const char *kernel, gputune_sizes sizes)
{
    gputune_plan *plan;
    OK(tune_kernel(&plan, tuner, kernel, sizes, &OPTIONS(.effort = GPUTUNE_CACHED_ONLY)));
    return plan;
}

/* Launches axpy's plan for `n` on new buffers, and fails if the result is wrong. Returns the
 * launch's status. */
static int launch_axpy(gputune_plan *plan, size_t n)
{
    const size_t bytes = n * sizeof(float);
    const float a = 2;
    GT_FREED float *values = malloc(bytes);
    assert_non_null(values);
    for (size_t i = 0; i < n; i++) {
        values[i] = (float)(i % 1000);
    }
    CUdeviceptr x = buffer_of(values, bytes), y = buffer_of(values, bytes);
    int status = gputune_launch(plan, NULL, GPUTUNE_ARGS(&y, &x, &a, &n));
    if (status == GPUTUNE_OK) {
        CU(MemcpyDtoH(values, y, bytes));
    }
    for (size_t i = 0; i < n && status == GPUTUNE_OK; i++) {
        assert_true(values[i] == 3 * (float)(i % 1000));
    }
    CU(MemFree(x));
    CU(MemFree(y));
    return status;
}

static CUgraphExec capture_end(CUstream stream)
{
    CUgraph graph;
    CUgraphExec exec;
    CU(StreamEndCapture(stream, &graph));
    CU(GraphInstantiateWithFlags(&exec, graph, 0));
    CU(GraphDestroy(graph));
    return exec;
}
