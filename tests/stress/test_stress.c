/* Makes random valid and invalid calls from several threads, on tuners that are closed and reopened
 * and in contexts that are reset, and forks at random moments. Each call may return only certain
 * statuses. A crash, a hang or a sanitizer's finding is a failure. STRESS_OPERATIONS and
 * STRESS_THREADS ("1,8,64") are the numbers of operations and threads. STRESS_SEED selects the
 * sequence. */
#include "base/random.h"
#include "gpu/driver.h"
#include "support/test.h"

#include <gputune_tools.h>

#include <stdatomic.h>

enum { TUNERS = 3, SIZES = 6, KERNELS = 4, CHILD_S = 60, LONGEST_S = 300 };

static gputune *_Atomic tuners[TUNERS];
static const gt_driver *driver;
static CUcontext context;
static atomic_long begun, answered, refused, forks, closes, resets;
static long wanted;
static char folder[] = "/tmp/gputune-stress-XXXXXX", database[64];
static atomic_int failures;
/* Resetting a context that another thread uses is undefined in CUDA. */
static pthread_rwlock_t context_lock = PTHREAD_RWLOCK_INITIALIZER;

static const char *const kernels[KERNELS] = {"axpy", "copy", "no-such-kernel", NULL};

static void fail_with(const char *what, int status)
{
    fprintf(stderr, "%s: status %d: %s\n", what, status, gputune_error());
    failures++;
}

/* Accepts only statuses that a caller's mistake or closing a tuner can cause. */
static void expect(const char *what, int status)
{
    bool expected = status == GPUTUNE_OK || status == GPUTUNE_EINVAL ||
                    status == GPUTUNE_ENOTFOUND || status == GPUTUNE_ECANCELED;
    answered += status == GPUTUNE_OK;
    refused += status != GPUTUNE_OK;
    if (!expected) {
        fail_with(what, status);
    }
}

static unsigned below(gt_random *random, unsigned limit)
{
    return (unsigned)gt_random_below(random, limit);
}

/* Stores results, so later calls find them and cost little. */
static void store_all(gputune *tuner)
{
    for (int i = 0; i < 2 * SIZES; i++) {
        gputune_plan *plan = NULL;
        gputune_options options = OPTIONS(.max_variants = 1, .time_limit_s = LONGEST_S);
        int status =
            tune_kernel(&plan, tuner, kernels[i % 2], GPUTUNE_SIZES({"n", 1000 + i / 2}), &options);
        if (status < 0) {
            fail_with("tune_kernel", status);
        }
        gputune_plan_release(plan);
    }
}

static gputune *open_one(void)
{
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    gputune *tuner = NULL;
    options.driver = "emu:h200";
    options.database = database;
    options.compile_workers = 1;
    options.keep_workers = true;
    options.max_plans = 3 * SIZES; /* fewer than the 4 * SIZES plans that are requested */
    int status = gputune_open(&tuner, &options);
    if (status < 0) {
        fail_with("gputune_open", status);
    }
    return tuner;
}

static gputune *any_tuner(gt_random *random)
{
    return below(random, 100) ? atomic_load(&tuners[below(random, TUNERS)]) : NULL;
}

static gputune_options any_options(gt_random *random)
{
    gputune_options options = OPTIONS(.effort = GPUTUNE_CACHED_ONLY, .time_limit_s = LONGEST_S);
    switch (below(random, 56)) {
    case 0:
        options.size = 0;
        break;
    case 1:
        options.size = 0xffffffff;
        break;
    case 2:
        options.size = 4096; /* the size of the struct in a later version of the header */
        break;
    case 3:
        options.effort = (gputune_effort)99;
        break;
    case 4:
        options.objective = (gputune_objective)99;
        break;
    case 5:
        options.alignment_count = 1;
        break;
    case 6:
        options.only_count = 3;
        break;
    default:
        break;
    }
    return options;
}

static void launch(gputune_plan *plan, gt_random *random)
{
    float a = 2;
    size_t n = 0;
    CUdeviceptr x = 0, y = 0;
    gputune_info info = GPUTUNE_INFO_INIT;
    expect("gputune_plan_info", gputune_plan_info(&info, plan));
    if (!info.kernel || strcmp(info.kernel, "axpy") != 0 || sscanf(info.sizes, "n=%zu", &n) != 1) {
        expect("gputune_launch", gputune_launch(plan, NULL, GPUTUNE_ARGS(&x)));
        return;
    }
    bool ready = driver->MemAlloc(&x, n * sizeof a) == CUDA_SUCCESS &&
                 driver->MemAlloc(&y, n * sizeof a) == CUDA_SUCCESS;
    if (ready) {
        n += !below(random, 16);
        expect("gputune_launch", gputune_launch(plan, NULL, GPUTUNE_ARGS(&y, &x, &a, &n)));
        ready = driver->CtxSynchronize() == CUDA_SUCCESS;
    }
    if (!ready) {
        fail_with("the driver", 0);
    }
    driver->MemFree(x);
    driver->MemFree(y);
}

/* Makes the context current until leave_context(). No other thread resets it in between. */
static void enter_context(void)
{
    pthread_rwlock_rdlock(&context_lock);
    if (driver->CtxSetCurrent(context) != CUDA_SUCCESS) {
        fail_with("the driver", 0);
    }
}

static void leave_context(void)
{
    driver->CtxSetCurrent(NULL);
    pthread_rwlock_unlock(&context_lock);
}

static void request_plan(gt_random *random, bool in_context)
{
    gputune_plan *plan = NULL, *again;
    const gputune_options options = any_options(random);
    gputune_sizes sizes = GPUTUNE_SIZES({"n", 1000 + below(random, SIZES)});
    sizes.items = below(random, 50) ? sizes.items : NULL;
    gputune_plan **out = below(random, 50) ? &plan : NULL;
    const char *kernel = kernels[below(random, 20) ? below(random, 2) : below(random, KERNELS)];
    int status = tune_kernel(out, any_tuner(random), kernel, sizes, &options);
    expect("tune_kernel", status);
    if (status != GPUTUNE_OK) {
        return;
    }
    again = gputune_plan_retain(plan);
    if (in_context && !below(random, 4)) {
        launch(plan, random);
    }
    gputune_plan_release(plan);
    gputune_plan_release(again);
}

static int see_record(void *user, const gputune_record *record)
{
    return 0;
}

static void ask_about(gt_random *random)
{
    gputune *tuner = any_tuner(random);
    gputune_device device = GPUTUNE_DEVICE_INIT;
    device.size = 4 * below(random, 4);
    switch (below(random, 7)) {
    case 0:
        expect("gputune_tuner_device", gputune_tuner_device(&device, tuner));
        break;
    case 1:
        expect("gputune_tuner_device", gputune_tuner_device(NULL, tuner));
        break;
    case 2:
        expect("gputune_records",
               gputune_records(tuner, &FILTER(.size = 4 * below(random, 4)), see_record, NULL));
        break;
    case 3:
        expect("gputune_records", gputune_records(tuner, NULL, NULL, NULL));
        break;
    case 4:
        expect("gputune_check_database", gputune_check_database(tuner));
        break;
    case 5: /* rarely, because all plans must be looked up again after a refresh */
        gputune_refresh(below(random, 20) ? NULL : tuner);
        break;
    default:
        expect("gputune_add_template",
               gputune_add_template(tuner, below(random, 20) ? NULL : "templates/copy.cu"));
        break;
    }
}

static void close_one(gt_random *random)
{
    unsigned which = below(random, TUNERS);
    gputune *before = atomic_exchange(&tuners[which], open_one());
    /* a tuner is closed only after the last launch of its plans */
    pthread_rwlock_wrlock(&context_lock);
    gputune_close(before);
    pthread_rwlock_unlock(&context_lock);
    if (below(random, 2)) {
        gputune_close(before);
    }
    closes++;
}

static void reset(void)
{
    pthread_rwlock_wrlock(&context_lock);
    if (driver->DevicePrimaryCtxReset(0) != CUDA_SUCCESS ||
        driver->DevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS) {
        fail_with("the driver", 0);
    }
    pthread_rwlock_unlock(&context_lock);
    resets++;
}

/* In a forked child, calls return plans of known sizes or fail, and no call hangs. */
static void be_a_child(void)
{
    alarm(CHILD_S);
    for (int i = 0; i < TUNERS; i++) {
        gputune *tuner = atomic_load(&tuners[i]);
        gputune_plan *plan = NULL;
        const gputune_sizes sizes = GPUTUNE_SIZES({"n", 1000 + i});
        gputune_device device = GPUTUNE_DEVICE_INIT;
        int status =
            tune_kernel(&plan, tuner, "axpy", sizes, &OPTIONS(.effort = GPUTUNE_CACHED_ONLY));
        if (status != GPUTUNE_OK && status != GPUTUNE_EUNSUPPORTED && status != GPUTUNE_EINVAL) {
            _exit(1);
        }
        gputune_plan_release(plan);
        if (gputune_tuner_device(&device, tuner) != GPUTUNE_EUNSUPPORTED) {
            _exit(2);
        }
        gputune_close(tuner);
    }
    _exit(0);
}

static void fork_one(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        be_a_child();
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status) {
        fail_with("a forked child", child < 0 ? 0 : status);
    }
    forks++;
}

static void operate(gt_random *random)
{
    unsigned choice = below(random, 20000);
    if (choice < 12) {
        fork_one();
    } else if (choice < 24) {
        close_one(random);
    } else if (choice < 48) {
        reset();
    } else if (choice < 1000) {
        ask_about(random);
    } else if (choice % 4) {
        request_plan(random, false);
    } else {
        enter_context();
        request_plan(random, true);
        leave_context();
    }
}

static void *work(void *user)
{
    gt_random random = *(gt_random *)user;
    while (!failures && atomic_fetch_add(&begun, 1) < wanted) {
        operate(&random);
    }
    return NULL;
}

static void stress(int threads, uint64_t seed)
{
    pthread_t *ids = calloc((size_t)threads, sizeof *ids);
    gt_random *randoms = calloc((size_t)threads, sizeof *randoms);
    assert_true(ids && randoms);
    begun = answered = refused = forks = closes = resets = 0;
    for (int i = 0; i < TUNERS; i++) {
        tuners[i] = open_one();
    }
    for (int i = 0; i < threads; i++) {
        randoms[i].state = seed + (uint64_t)i;
        assert_int_equal(pthread_create(&ids[i], NULL, work, &randoms[i]), 0);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
    }
    for (int i = 0; i < TUNERS; i++) {
        gputune_close(atomic_exchange(&tuners[i], NULL));
    }
    print_message(
        "%d threads: %ld operations, %ld calls answered, %ld refused, %ld forks, %ld tuners "
        "closed, %ld resets\n",
        threads, wanted, answered, refused, forks, closes, resets);
    free(ids);
    free(randoms);
    assert_int_equal(failures, 0);
}

static long number_of(const char *variable, long otherwise)
{
    const char *value = getenv(variable);
    return value ? strtol(value, NULL, 10) : otherwise;
}

static int note_nvrtc(void *user, const gputune_device *device)
{
    *(int *)user = device->nvrtc_version;
    return 0;
}

TEST(test_random_calls)
{
    const char *threads = getenv("STRESS_THREADS");
    uint64_t seed = (uint64_t)number_of("STRESS_SEED", 1);
    int nvrtc = 0;
    ASSERT_OK(gputune_devices("emu:h200", note_nvrtc, &nvrtc));
    SKIP_IF(!nvrtc);
    assert_non_null(mkdtemp(folder));
    snprintf(database, sizeof database, "%s/x.db", folder);
    wanted = number_of("STRESS_OPERATIONS", 2000);
    ASSERT_OK(gt_driver_open(&driver, "emu:h200"));
    assert_int_equal(driver->DevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    gputune *first = open_one();
    store_all(first);
    gputune_close(first);
    for (const char *at = threads ? threads : "1,8,64"; *at; at += *at == ',') {
        char *end;
        stress((int)strtol(at, &end, 10), seed);
        assert_true(end > at);
        at = end;
    }
    unlink(database);
    snprintf(database, sizeof database, "%s/x.db.lock", folder);
    unlink(database);
    rmdir(folder);
}
