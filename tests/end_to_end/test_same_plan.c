/* Tests many threads that request the same plan at once. One thread makes the plan, and the others
 * wait for it until their own time limits. */
#include "support/folder.h"
#include "world.h"

#include <semaphore.h>

enum { THREADS = 64, LONGEST_S = 200 };

static char worker[96], started[96];

static int open_all(void **state)
{
    world_open("emu:h200");
    snprintf(worker, sizeof worker, "%s/worker", world.folder);
    snprintf(started, sizeof started, "%s/started", world.folder);
    file_write(worker, "#!/bin/sh\necho \"$@\" >>%s\nexec %s \"$@\"\n", started,
               getenv("GPUTUNE_WORKER"));
    assert_int_equal(chmod(worker, 0700), 0);
    return 0;
}

static int close_all(void **state)
{
    unlink(worker);
    unlink(started);
    return world_close(state);
}

static int workers_started(const char *role)
{
    char line[512];
    int count = 0;
    FILE *file = fopen(started, "r");
    while (file && fgets(line, sizeof line, file)) {
        count += strstr(line, role) != NULL;
    }
    if (file) {
        fclose(file);
    }
    return count;
}

static gputune *open_counting(void)
{
    gputune *tuner;
    SKIP_IF(!world.ready);
    world.log[0] = '\0';
    unlink(started);
    OK(gputune_open(&tuner, &OPEN_OPTIONS(.database = ":memory:", .worker = worker,
                                          .compile_workers = 1, .log = on_log)));
    return tuner;
}

typedef struct call {
    gputune *tuner;
    const char *kernel;
    gputune_options options;
    pthread_barrier_t *start; /* barrier at which threads wait before the call, or NULL */
    pthread_t thread;
    int status;
    gputune_plan *plan;
    char message[256];
} call;

static gputune_options few_with(gputune_effort effort)
{
    gputune_options options = few_variants();
    options.effort = effort;
    options.time_limit_s = LONGEST_S;
    return options;
}

static void *run(void *user)
{
    call *c = user;
    if (c->start) {
        pthread_barrier_wait(c->start);
    }
    c->status = tune_kernel(&c->plan, c->tuner, c->kernel, GPUTUNE_SIZES({"n", 4099}), &c->options);
    snprintf(c->message, sizeof c->message, "%s", c->status ? gputune_error() : "");
    return NULL;
}

static void begin(call *c)
{
    assert_int_equal(pthread_create(&c->thread, NULL, run, c), 0);
}

static void end(call *c)
{
    pthread_join(c->thread, NULL);
}

static void all_at_once(call calls[THREADS], const call *like)
{
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        calls[i] = *like;
        calls[i].start = &start;
        begin(&calls[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        end(&calls[i]);
    }
    pthread_barrier_destroy(&start);
}

static void expect_one_plan(call calls[THREADS], gputune_source source)
{
    for (int i = 0; i < THREADS; i++) {
        if (calls[i].status != GPUTUNE_OK) {
            fail_msg("status %d: %s", calls[i].status, calls[i].message);
        }
        assert_ptr_equal(calls[i].plan, calls[0].plan);
    }
    assert_int_equal(info_of(calls[0].plan).source, source);
    for (int i = 0; i < THREADS; i++) {
        gputune_plan_release(calls[i].plan);
    }
}

static void expect_one(gputune_effort effort, gputune_source source, int measure_workers)
{
    call calls[THREADS];
    const call like = {open_counting(), "axpy", .options = few_with(effort)};
    all_at_once(calls, &like);
    expect_one_plan(calls, source);
    assert_int_equal(workers_started("compile"), 1);
    assert_int_equal(workers_started("measure"), measure_workers);
    gputune_close(like.tuner);
}

TEST(threads_compile_and_measure_once)
{
    expect_one(GPUTUNE_CACHED_ONLY, GPUTUNE_SOURCE_DEFAULT, 0);
    expect_one(GPUTUNE_MEASURE, GPUTUNE_SOURCE_MEASURED, 1);
}

TEST(threads_share_a_failure)
{
    static const char text[] = "#pragma gputune kernel(odd)\n"
                               "#pragma gputune problem(n = 64)\n"
                               "#pragma gputune args(out float y[n])\n"
                               "#pragma gputune block(32)\n"
                               "#pragma gputune grid(2)\n"
                               "__global__ void odd(float *y) { y[0] = nobody; }\n";
    call calls[THREADS];
    call like = {open_counting(), "odd", .options = GPUTUNE_OPTIONS_INIT};
    like.options.effort = GPUTUNE_CACHED_ONLY;
    like.options.time_limit_s = LONGEST_S;
    OK(gputune_add_source(like.tuner, "odd.cu", text, NULL));
    all_at_once(calls, &like);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(calls[i].status, GPUTUNE_ECOMPILE);
        assert_non_null(strstr(calls[i].message, "nobody"));
    }
    /* the kernel may be compiled again for threads that call after the failure */
    assert_true(workers_started("compile") < THREADS / 2);
    gputune_close(like.tuner);
}

typedef struct gate {
    sem_t reached, open;
    bool passed;
} gate;

/* Delays the tuning. */
static void stop_at_gate(void *user, const gputune_progress *progress)
{
    gate *g = user;
    if (!g->passed && progress->compiled) {
        g->passed = true;
        sem_post(&g->reached);
        sem_wait(&g->open);
    }
}

static void begin_first(call *first, gate *g)
{
    sem_init(&g->reached, 0, 0);
    sem_init(&g->open, 0, 0);
    g->passed = false;
    first->options.progress = stop_at_gate;
    first->options.user = g;
    begin(first);
    sem_wait(&g->reached);
}

/* Compiles the default in advance, so later calls need no time for that. */
static void compile_default(const call *like)
{
    call one = *like;
    one.options.effort = GPUTUNE_CACHED_ONLY;
    run(&one);
    OK(one.status);
    gputune_plan_release(one.plan);
}

TEST(wait_for_another_thread_ends_with_the_own_limit)
{
    gate g;
    call first = {open_counting(), "axpy", .options = few_with(GPUTUNE_MEASURE)}, second = first;
    compile_default(&first);
    begin_first(&first, &g);
    second.options.time_limit_s = 3;
    begin(&second);
    end(&second);
    OK(second.status);
    assert_int_equal(info_of(second.plan).source, GPUTUNE_SOURCE_DEFAULT);
    assert_non_null(strstr(info_of(second.plan).stop_reason, "another tuning in this process"));
    sem_post(&g.open);
    end(&first);
    OK(first.status);
    assert_int_equal(info_of(first.plan).source, GPUTUNE_SOURCE_MEASURED);
    gputune_plan_release(first.plan);
    gputune_plan_release(second.plan);
    gputune_close(first.tuner);
}

TEST(wait_for_another_thread_ends_with_the_own_cancel)
{
    gate g;
    volatile int cancel = 0;
    call first = {open_counting(), "axpy", .options = few_with(GPUTUNE_MEASURE)}, second = first;
    begin_first(&first, &g);
    second.options.cancel = &cancel;
    begin(&second);
    usleep(50000);
    __atomic_store_n(&cancel, 1, __ATOMIC_RELAXED);
    end(&second);
    assert_true(second.status == GPUTUNE_OK || second.status == GPUTUNE_ECANCELED);
    gputune_plan_release(second.plan);
    sem_post(&g.open);
    end(&first);
    OK(first.status);
    gputune_plan_release(first.plan);
    gputune_close(first.tuner);
}

TEST(cancel_of_one_thread_does_not_cancel_another)
{
    gate g;
    volatile int cancel = 0;
    call first = {open_counting(), "axpy", .options = few_with(GPUTUNE_MEASURE)}, second = first;
    first.options.cancel = &cancel;
    begin_first(&first, &g);
    begin(&second);
    usleep(50000);
    __atomic_store_n(&cancel, 1, __ATOMIC_RELAXED);
    sem_post(&g.open);
    end(&first);
    end(&second);
    assert_true(first.status == GPUTUNE_OK || first.status == GPUTUNE_ECANCELED);
    OK(second.status);
    assert_int_equal(info_of(second.plan).source, GPUTUNE_SOURCE_MEASURED);
    gputune_plan_release(first.plan);
    gputune_plan_release(second.plan);
    gputune_close(first.tuner);
}

TEST(replaced_template_is_not_waited_for)
{
    gate g;
    call first = {open_counting(), "axpy", .options = few_with(GPUTUNE_MEASURE)}, second = first;
    begin_first(&first, &g);
    OK(gputune_add_template(first.tuner, "templates/axpy.cu"));
    compile_default(&second);
    second.options.time_limit_s = 3;
    begin(&second);
    end(&second);
    OK(second.status);
    sem_post(&g.open);
    end(&first);
    OK(first.status);
    assert_ptr_not_equal(first.plan, second.plan);
    gputune_plan_release(first.plan);
    gputune_plan_release(second.plan);
    gputune_close(first.tuner);
}

TESTS_WITHIN(open_all, close_all)
