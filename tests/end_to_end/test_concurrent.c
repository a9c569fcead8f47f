/* Tests calls that are made during a tuning: from its callbacks, from other threads, and by another
 * tuner of the same database. */
#include "world.h"

#include <errno.h>
#include <semaphore.h>
#include <time.h>

enum { N = 4099, LONGEST_S = 120 };

typedef struct reply {
    int status;
    gputune_source source;
    char reason[256];
} reply;

static reply get_plan(gputune *tuner, int64_t n, gputune_effort effort)
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
    c->same = get_plan(c->tuner, N, GPUTUNE_MEASURE); /* requests the plan that is being tuned */
    c->cached = get_plan(c->tuner, N, GPUTUNE_CACHED_ONLY);
    c->measured = get_plan(c->tuner, 2 * N, GPUTUNE_MEASURE);
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
    assert_null(strstr(world.log, "taken over"));
    gputune_plan_release(plan);
    expect(get_plan(c.tuner, 2 * N, GPUTUNE_MEASURE), GPUTUNE_SOURCE_MEASURED);
    gputune_close(c.tuner);
}

typedef struct held_tuning {
    gputune *tuner;
    sem_t begun, release;
    bool is_held, was_released;
    bool is_closed; /* true if another thread closes the tuner, so the plan cannot be used */
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

/* Pauses the tuning until the test releases it. */
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
    if (held->reply.status == GPUTUNE_OK && !held->is_closed) {
        held->reply.source = info_of(plan).source;
        gputune_plan_release(plan);
    }
    return NULL;
}

static int count_records(void *user, const gputune_record *record)
{
    ++*(int *)user;
    return 0;
}

TEST(lookups_do_not_wait_for_a_tuning)
{
    held_tuning held = {.tuner = tuner_open(world.database)};
    int records = 0;
    sem_init(&held.begun, 0, 0);
    sem_init(&held.release, 0, 0);
    assert_int_equal(pthread_create(&held.thread, NULL, tune_held, &held), 0);
    assert_true(wait_for(&held.begun));
    expect(get_plan(held.tuner, N, GPUTUNE_CACHED_ONLY), GPUTUNE_SOURCE_DEFAULT);
    OK(gputune_records(held.tuner, &FILTER(.kernel = NULL), count_records, &records));
    assert_int_equal(records, 0);
    expect(get_plan(held.tuner, 3 * N, GPUTUNE_ESTIMATE), GPUTUNE_SOURCE_ESTIMATED);
    sem_post(&held.release);
    pthread_join(held.thread, NULL);
    assert_true(held.was_released);
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
    gputune_close(held.tuner);
}

static void *close_canceled(void *tuner)
{
    pthread_cancel(pthread_self());
    gputune_close(tuner);
    return tuner; /* thread was canceled, but no later call ends it */
}

TEST(canceled_thread_ends_after_closing)
{
    held_tuning held = {.tuner = tuner_open(":memory:"), .is_closed = true};
    gputune_background_state state = GPUTUNE_BACKGROUND_STATE_INIT;
    pthread_t closer;
    void *result;
    sem_init(&held.begun, 0, 0);
    sem_init(&held.release, 0, 0);
    assert_int_equal(pthread_create(&held.thread, NULL, tune_held, &held), 0);
    assert_true(wait_for(&held.begun));
    assert_int_equal(pthread_create(&closer, NULL, close_canceled, held.tuner), 0);
    while (gputune_background(&state, held.tuner) == GPUTUNE_OK) { /* wait for closing to begin */
        usleep(1000);
    }
    usleep(10000);
    sem_post(&held.release);
    pthread_join(closer, &result);
    pthread_join(held.thread, NULL);
    assert_ptr_equal(result, held.tuner);
}

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
    expect(get_plan(other, N, GPUTUNE_MEASURE), GPUTUNE_SOURCE_MEASURED);
    OK(tune_kernel(&still, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    assert_ptr_equal(still, before);
    gputune_refresh(tuner);
    OK(tune_kernel(&after, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    assert_int_equal(info_of(after).source, GPUTUNE_SOURCE_CACHED);
    OK(tune_kernel(&again, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    assert_ptr_equal(again, after);
    options.effort = GPUTUNE_MEASURE;
    gputune_plan_release(again);
    OK(tune_kernel(&again, tuner, "axpy", GPUTUNE_SIZES({"n", N}), &options));
    assert_ptr_equal(again, after);
    gputune_plan *const plans[] = {before, still, after, again};
    for (int i = 0; i < 4; i++) {
        gputune_plan_release(plans[i]);
    }
    gputune_close(other);
    gputune_close(tuner);
    unlink(path);
}

TESTS_WITHIN(open_h200, world_close)
