/* Tests calls during a tuning: from its callbacks, from other threads, other tunings, and other
 * processes on the same database. */
#include "world.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <time.h>

enum { N = 4099, LONGEST_S = 120 };

typedef struct reply {
    int status;
    gputune_source source;
    char reason[256]; /* the reason of the plan, or the error message */
} reply;

static reply ask(gputune *tuner, int64_t n, gputune_effort effort)
{
    gputune_options options = few_variants();
    gputune_plan *plan;
    options.effort = effort;
    reply got = {.status = tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", n}), &options)};
    if (got.status != GPUTUNE_OK) {
        snprintf(got.reason, sizeof got.reason, "%s", gputune_error());
        return got;
    }
    gputune_info info = info_of(plan);
    got.source = info.source;
    snprintf(got.reason, sizeof got.reason, "%s", info.stop_reason);
    gputune_plan_release(plan);
    return got;
}

static void expect(reply got, gputune_source source)
{
    if (got.status != GPUTUNE_OK || got.source != source) {
        fail_msg("status %d, source '%s' instead of '%s': %s", got.status,
                 gputune_source_name(got.source), gputune_source_name(source), got.reason);
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- from a callback ---- */

typedef struct caller {
    gputune *tuner;
    bool called;
    reply cached, measured, same;
} caller;

static void call_back(void *user, const gputune_progress *progress)
{
    caller *c = user;
    if (c->called || !progress->compiled) {
        return;
    }
    c->called = true;
    c->same = ask(c->tuner, N, GPUTUNE_MEASURE); /* the tuning of this callback */
    c->cached = ask(c->tuner, N, GPUTUNE_CACHED_ONLY);
    c->measured = ask(c->tuner, 2 * N, GPUTUNE_MEASURE);
}

TEST(callback_may_call_its_tuner)
{
    caller c = {.tuner = tuner_open(":memory:")};
    gputune_options options = few_variants();
    gputune_plan *plan;
    options.progress = call_back;
    options.user = &c;
    OK(tune_kernel(&plan, c.tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_MEASURED);
    assert_true(c.called);
    expect(c.cached, GPUTUNE_SOURCE_DEFAULT);
    expect(c.measured, GPUTUNE_SOURCE_DEFAULT);
    assert_non_null(strstr(c.measured.reason, "callback"));
    expect(c.same, GPUTUNE_SOURCE_DEFAULT);
    assert_non_null(strstr(c.same.reason, "callback"));
    assert_null(strstr(world.log, "taken over")); /* the callback did not wait for its own thread */
    gputune_plan_release(plan);
    expect(ask(c.tuner, 2 * N, GPUTUNE_MEASURE), GPUTUNE_SOURCE_MEASURED); /* afterwards it is */
    gputune_close(c.tuner);
}

/* ---- from another thread ---- */

typedef struct held_tuning {
    gputune *tuner;
    sem_t begun, release;
    bool is_held, was_released;
    reply reply;
    pthread_t thread;
} held_tuning;

static bool wait_for(sem_t *what)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LONGEST_S;
    while (sem_timedwait(what, &until) != 0) {
        if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* Pauses the tuning until it is released. */
static void hold(void *user, const gputune_progress *progress)
{
    held_tuning *held = user;
    if (held->is_held || !progress->verified) {
        return;
    }
    held->is_held = true;
    sem_post(&held->begun);
    held->was_released = wait_for(&held->release);
}

static void *tune_held(void *user)
{
    held_tuning *held = user;
    gputune_options options = few_variants();
    gputune_plan *plan;
    options.progress = hold;
    options.user = held;
    options.time_limit_s = 3 * LONGEST_S;
    held->reply.status = tune_kernel(&plan, held->tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options);
    if (held->reply.status == GPUTUNE_OK) {
        held->reply.source = info_of(plan).source;
        gputune_plan_release(plan);
    }
    return NULL;
}

static int count_records(void *user, const gputune_record *record)
{
    (void)record;
    ++*(int *)user;
    return 0;
}

TEST(lookups_do_not_wait_for_a_tuning)
{
    held_tuning held = {.tuner = tuner_open(world.database)};
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    int records = 0;
    sem_init(&held.begun, 0, 0);
    sem_init(&held.release, 0, 0);
    assert_int_equal(pthread_create(&held.thread, NULL, tune_held, &held), 0);
    assert_true(wait_for(&held.begun));
    expect(ask(held.tuner, N, GPUTUNE_CACHED_ONLY), GPUTUNE_SOURCE_DEFAULT);
    OK(gputune_records(held.tuner, &filter, count_records, &records));
    assert_int_equal(records, 0);
    expect(ask(held.tuner, 3 * N, GPUTUNE_ESTIMATE), GPUTUNE_SOURCE_ESTIMATED);
    sem_post(&held.release);
    pthread_join(held.thread, NULL);
    assert_true(held.was_released); /* fails if the calls above have waited for the tuning */
    expect(held.reply, GPUTUNE_SOURCE_MEASURED);
    gputune_close(held.tuner);
}

TEST(canceled_thread_ends_after_its_call)
{
    held_tuning held = {.tuner = tuner_open(":memory:")};
    sem_init(&held.begun, 0, 0);
    sem_init(&held.release, 0, 0);
    assert_int_equal(pthread_create(&held.thread, NULL, tune_held, &held), 0);
    assert_true(wait_for(&held.begun));
    assert_int_equal(pthread_cancel(held.thread), 0);
    sem_post(&held.release);
    pthread_join(held.thread, NULL);
    expect(held.reply, GPUTUNE_SOURCE_MEASURED);
    gputune_close(held.tuner); /* does not wait for a call that never ends */
}

typedef struct one_of_two {
    gputune *tuner;
    int64_t n;
    reply reply;
} one_of_two;

static void *tune_one(void *user)
{
    one_of_two *one = user;
    one->reply = ask(one->tuner, one->n, GPUTUNE_MEASURE);
    return NULL;
}

TEST(two_scenarios_are_tuned_at_once)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(":memory:");
    one_of_two two[2] = {{.tuner = tuner, .n = N}, {.tuner = tuner, .n = 5 * N}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, tune_one, &two[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    expect(two[0].reply, GPUTUNE_SOURCE_MEASURED);
    expect(two[1].reply, GPUTUNE_SOURCE_MEASURED);
}

/* ---- a database that another process has locked ---- */

typedef struct locker {
    pid_t id;
    int commands[2], answers[2];
} locker;

/* Runs in the other process: locks and unlocks on command. */
static void lock_as_told(const locker *l, const char *path)
{
    sqlite3 *database = NULL;
    char command;
    while (read(l->commands[0], &command, 1) == 1 && command != 'q') {
        const char *sql = command == 'l' ? "BEGIN EXCLUSIVE" : "ROLLBACK";
        bool good = (database || sqlite3_open(path, &database) == SQLITE_OK) &&
                    sqlite3_busy_timeout(database, 10000) == SQLITE_OK &&
                    sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK;
        command = good ? 'y' : 'n';
        if (write(l->answers[1], &command, 1) != 1) {
            break;
        }
    }
    _exit(0);
}

/* Must be called before this process opens a database. */
static void locker_start(locker *l, const char *path)
{
    assert_int_equal(pipe(l->commands), 0);
    assert_int_equal(pipe(l->answers), 0);
    l->id = fork();
    assert_true(l->id >= 0);
    if (l->id == 0) {
        close(l->commands[1]); /* the child ends with this test */
        close(l->answers[0]);
        lock_as_told(l, path);
    }
}

static void locker_do(const locker *l, char command)
{
    char answer = 'y';
    assert_int_equal(write(l->commands[1], &command, 1), 1);
    assert_true(command == 'q' || read(l->answers[0], &answer, 1) == 1);
    assert_int_equal(answer, 'y');
}

static void locker_end(locker *l)
{
    locker_do(l, 'q');
    assert_int_equal(waitpid(l->id, NULL, 0), l->id);
    for (int i = 0; i < 2; i++) {
        close(l->commands[i]);
        close(l->answers[i]);
    }
}

/* A write waits at most this long for a lock if nothing else ends it. */
static const double longest_write_s = 30;

TEST(wait_for_a_locked_database_ends_with_the_time_limit)
{
    gputune_options options = few_variants();
    gputune_plan *plan;
    char path[128];
    locker l;
    snprintf(path, sizeof path, "%s/locked.db", world.folder);
    locker_start(&l, path);
    gputune *tuner = tuner_open(path);
    locker_do(&l, 'l');
    double start = seconds();
    options.time_limit_s = 12; /* long enough to compile the default on a busy machine */
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    assert_true(seconds() - start < longest_write_s);
    gputune_plan_release(plan);
    locker_do(&l, 'u');
    options.time_limit_s = LONGEST_S;
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    assert_int_equal(info_of(plan).source, GPUTUNE_SOURCE_MEASURED);
    gputune_plan_release(plan);
    locker_end(&l);
    gputune_close(tuner);
    unlink(path);
}

static volatile int cancel;

static void *cancel_soon(void *user)
{
    (void)user;
    usleep(500000);
    __atomic_store_n(&cancel, 1, __ATOMIC_RELAXED);
    return NULL;
}

TEST(wait_for_a_locked_database_ends_with_a_cancel)
{
    gputune_options options = few_variants();
    gputune_plan *plan;
    pthread_t thread;
    char path[128];
    locker l;
    snprintf(path, sizeof path, "%s/locked.db", world.folder);
    locker_start(&l, path);
    gputune *tuner = tuner_open(path);
    locker_do(&l, 'l');
    double start = seconds();
    cancel = 0;
    options.cancel = &cancel;
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, NULL), 0);
    int status = tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options);
    assert_true(seconds() - start < longest_write_s);
    assert_true(__atomic_load_n(&cancel, __ATOMIC_RELAXED));
    pthread_join(thread, NULL);
    if (status == GPUTUNE_OK) {
        gputune_plan_release(plan);
    } else { /* there was no time left to compile the default */
        assert_int_equal(status, GPUTUNE_ECANCELED);
    }
    locker_end(&l);
    gputune_close(tuner);
    unlink(path);
}

/* ---- another user of the same database ---- */

TEST(refresh_finds_results_of_other_tuners)
{
    char path[128];
    gputune_options options = few_variants();
    gputune_plan *before, *still, *after, *again;
    snprintf(path, sizeof path, "%s/shared.db", world.folder);
    gputune *tuner = tuner_open(path), *other = tuner_open(path);
    options.effort = GPUTUNE_CACHED_ONLY;
    OK(tune_kernel(&before, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    assert_int_equal(info_of(before).source, GPUTUNE_SOURCE_DEFAULT);
    expect(ask(other, N, GPUTUNE_MEASURE), GPUTUNE_SOURCE_MEASURED);
    OK(tune_kernel(&still, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    assert_ptr_equal(still, before); /* a hit does not read the database */
    gputune_refresh(tuner);
    OK(tune_kernel(&after, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    assert_int_equal(info_of(after).source, GPUTUNE_SOURCE_CACHED);
    OK(tune_kernel(&again, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    assert_ptr_equal(again, after);
    options.effort = GPUTUNE_MEASURE;
    gputune_plan_release(again);
    OK(tune_kernel(&again, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    assert_ptr_equal(again,
                     after); /* the other process's result counts like a result of this one */
    gputune_plan *const plans[] = {before, still, after, again};
    for (int i = 0; i < 4; i++) {
        gputune_plan_release(plans[i]);
    }
    gputune_close(other);
    gputune_close(tuner);
    unlink(path);
}

TESTS_WITHIN(open_h200, world_close)
