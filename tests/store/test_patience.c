/* Tests that a call waits for another process's lock no longer than the caller allows, and that a
 * loss of results is always reported. */
#include "store_support.h"

#include "base/clock.h"
#include "support/clock.h"

#include <sys/prctl.h>

static const double slack_s = 1; /* how much longer than its limit a wait may take */

/* Only sleeps advance the clock, so a busy machine does not affect the test. */
static int open_stopped(void **state)
{
    int code = open_world(state);
    clock_stand();
    return code;
}

static int close_stopped(void **state)
{
    clock_set_true();
    return close_world(state);
}

static void make_database(world *w)
{
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    put_size(store, 1024, 10);
}

/* Starts a process that locks the file. Call this before creating threads, because under ASan
 * fork() may then hang in malloc(). */
static pid_t lock_file(const world *w, const char *sql)
{
    int ready[2];
    char answer = 0;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* ends this process when the test's process ends */
        sqlite3 *raw;
        bool locked = sqlite3_open(w->path, &raw) == SQLITE_OK &&
                      sqlite3_exec(raw, sql, NULL, NULL, NULL) == SQLITE_OK;
        if (write(ready[1], locked ? "1" : "0", 1) != 1) {
            _exit(1);
        }
        pause();
        _exit(0);
    }
    assert_int_equal(read(ready[0], &answer, 1), 1);
    assert_int_equal(answer, '1');
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void unlock_file(pid_t holder)
{
    int status;
    kill(holder, SIGKILL);
    assert_int_equal(waitpid(holder, &status, 0), holder);
}

static const char exclusive[] = "BEGIN EXCLUSIVE";
static const char shared[] = "BEGIN; SELECT count(*) FROM trial";

static gputune_status winners_at(gt_store *store, int64_t n, const gt_patience *patience,
                                 size_t *count)
{
    gt_scenario scenario = scenario_at(n);
    gt_winner_list list = {0};
    gputune_status status = gt_store_winners(&list, store, &scenario, patience);
    *count = list.count;
    gt_winner_list_free(&list);
    return status;
}

/* "Not found" and "could not look" are different results. Neither logs anything, and the next
 * lookup works. */
TEST_OF(a_locked_file_is_not_taken_for_an_empty_one, world *w, open_stopped, close_stopped)
{
    size_t count;
    make_database(w);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    ASSERT_OK(winners_at(store, 2048, NULL, &count));
    assert_int_equal(count, 0);
    pid_t holder = lock_file(w, exclusive);
    gt_fail(GPUTUNE_EIO, "earlier");
    assert_int_equal(winners_at(store, 1024, NULL, &count), GPUTUNE_EBUSY);
    assert_string_equal(gt_message(), "earlier");
    ASSERT_FAILS(gt_store_check(store, false), GPUTUNE_EDATABASE, "another process has locked it");
    unlock_file(holder);
    ASSERT_OK(winners_at(store, 1024, NULL, &count));
    assert_int_equal(count, 1);
    ASSERT_OK(gt_store_check(store, true));
    assert_int_equal(w->warnings, 0);
}

TEST_OF(store_opened_under_a_lock_serves_later, world *w, open_stopped, close_stopped)
{
    make_database(w);
    pid_t holder = lock_file(w, exclusive);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    gt_store *reader;
    assert_true(time_at(store, 1024) == 0);
    ASSERT_FAILS(gt_store_open(&reader, w->path, NULL, &w->log, true), GPUTUNE_EDATABASE,
                 "another process has locked it");
    unlock_file(holder);
    assert_true(time_at(store, 1024) == 10);
    assert_int_equal(w->warnings, 0);
}

/* If many processes start at once, one creates the tables while others see an empty file. */
TEST_OF(file_that_another_process_makes_is_not_damaged, world *w, open_stopped, close_stopped)
{
    pid_t holder = lock_file(w, "BEGIN IMMEDIATE");
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    assert_true(time_at(store, 1024) == 0);
    unlock_file(holder);
    put_size(store, 1024, 10);
    gt_store_close(store);
    assert_int_equal(w->warnings, 0);
    store = open_store(w);
    assert_true(time_at(store, 1024) == 10);
}

TEST_OF(row_of_lookups_waits_once, world *w, open_stopped, close_stopped)
{
    make_database(w);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    pid_t holder = lock_file(w, exclusive);
    int64_t start = gt_now_ns();
    for (int i = 0; i < 100; i++) {
        assert_true(time_at(store, 1024) == 0);
    }
    assert_true(gt_seconds_since(start) < slack_s);
    unlock_file(holder);
    assert_true(time_at(store, 1024) == 10);
}

/* Results that cannot be written are kept in memory with a warning. The next write that succeeds
 * also writes them to the file. */
static void write_under_a_lock(world *w, const char *sql)
{
    make_database(w);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    pid_t holder = lock_file(w, sql);
    gt_patience patience = gt_patience_for(0.2, NULL);
    int64_t start = gt_now_ns();
    put_size_within(store, 2048, 20, &patience);
    assert_true(gt_seconds_since(start) < 0.2 + slack_s);
    assert_true(time_at(store, 2048) == 20);
    assert_int_equal(w->warnings, 1);
    ASSERT_FAILS(gt_store_check(store, true), GPUTUNE_EDATABASE, "locked");
    assert_true(gt_store_lags(store));
    patience = gt_patience_for(0.01, NULL);
    put_size_within(store, 3072, 30, &patience);
    assert_int_equal(gt_store_check(store, true), GPUTUNE_EDATABASE);
    unlock_file(holder);
    put_size(store, 4096, 40);
    assert_false(gt_store_lags(store));
    assert_true(time_at(store, 1024) == 10);
    ASSERT_OK(gt_store_check(store, true));
    assert_int_equal(w->warnings, 1); /* warned only once */
    GT_SCOPED(close_store) gt_store *other = open_store(w);
    assert_true(time_at(other, 2048) == 20);
    assert_true(time_at(other, 3072) == 30);
    assert_true(time_at(other, 4096) == 40);
    assert_true(time_at(store, 2048) == 20);
    holder = lock_file(w, sql);
    put_size_within(store, 5120, 50, &patience);
    unlock_file(holder);
    put_size(store, 6144, 60);
    assert_true(time_at(other, 5120) == 50);
}

TEST_OF(short_patience_does_not_end_the_file, world *w, open_stopped, close_stopped)
{
    write_under_a_lock(w, exclusive);
}

TEST_OF(foreign_reader_does_not_hold_up_writes, world *w, open_stopped, close_stopped)
{
    write_under_a_lock(w, shared);
}

/* Closing the store writes results in memory, and keeps the results of other processes. */
TEST_OF(closing_writes_results_in_memory, world *w, open_stopped, close_stopped)
{
    make_database(w);
    gt_store *store = open_store(w);
    GT_SCOPED(close_store) gt_store *other = open_store(w);
    gt_patience patience = gt_patience_for(0.1, NULL);
    pid_t holder = lock_file(w, exclusive);
    put_size_within(store, 2048, 20, &patience);
    put_size_within(store, 3072, 30, &patience);
    unlock_file(holder);
    put_size(other, 4096, 40);
    assert_true(time_at(other, 2048) == 0);
    gt_store_close(store);
    assert_true(time_at(other, 1024) == 10);
    assert_true(time_at(other, 2048) == 20);
    assert_true(time_at(other, 3072) == 30);
    assert_true(time_at(other, 4096) == 40);
}

TEST_OF(winner_in_memory_of_a_trial_in_the_file_is_written, world *w, open_stopped, close_stopped)
{
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    const gt_patience patience = gt_patience_for(0.1, NULL);
    const gt_scenario scenario = scenario_at(1024);
    const gt_trial trial = trial_of(2, "VEC=4", 10);
    const gt_winner winner = {.config = (char *)"VEC=4",
                              .default_config = (char *)"VEC=1",
                              .trial = trial.hash,
                              .terms = terms_of(GPUTUNE_MEASURE)};
    const gt_site site = {.scenario = scenario};
    const gt_outcome outcome = {.site = &site, .winner = &winner};
    ASSERT_OK(gt_store_put_trials(store, &scenario, &trial, 1, NULL));
    pid_t holder = lock_file(w, exclusive);
    ASSERT_OK(gt_store_put_winner(store, &outcome, &patience));
    unlock_file(holder);
    gt_store_close(store);
    store = open_store(w);
    assert_true(time_at(store, 1024) == 10);
}

static void unlock_now(void *holder)
{
    unlock_file(*(pid_t *)holder);
}

TEST_OF(a_lock_that_is_soon_over_costs_nothing, world *w, open_stopped, close_stopped)
{
    make_database(w);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    const gt_patience patience = gt_patience_for(0.05, NULL);
    pid_t holder = lock_file(w, exclusive);
    clock_set_alarm(0.3, unlock_now, &holder);
    put_size_within(store, 2048, 20, &patience);
    gt_store_close(store);
    assert_int_equal(w->warnings, 1);
    store = open_store(w);
    assert_true(time_at(store, 2048) == 20);
}

/* Closing a store waits only briefly for a lock. It warns about lost results, unless the caller has
 * already asked whether results were lost. */
TEST_OF(loss_by_a_lock_is_reported_once, world *w, open_stopped, close_stopped)
{
    make_database(w);
    const gt_patience patience = gt_patience_for(0.1, NULL);
    pid_t holder = lock_file(w, exclusive);
    for (int asks = 0; asks < 2; asks++) {
        gt_store *store = open_store(w);
        put_size_within(store, 2048, 20, &patience);
        assert_true(!asks || gt_store_check(store, true) == GPUTUNE_EDATABASE);
        const int64_t start_ns = gt_now_ns();
        gt_store_close(store);
        assert_true(gt_seconds_since(start_ns) < slack_s);
        assert_int_equal(w->warnings, asks ? 3 : 2);
        assert_non_null(strstr(asks ? gt_message() : w->warning, "in memory only are lost"));
    }
    unlock_file(holder);
}

static int count_record(void *user, const gputune_record *record)
{
    ++*(size_t *)user;
    return 0;
}

TEST_OF(memory_is_never_older_than_the_file, world *w, open_stopped, close_stopped)
{
    make_database(w);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    gt_patience patience = gt_patience_for(0, NULL);
    int64_t n = 2048;
    size_t count = 0;
    gt_scenario scenario = scenario_at(n);
    pid_t holder = lock_file(w, exclusive);
    put_size_within(store, n, 30, &patience);
    unlock_file(holder);
    ASSERT_OK(put_outcome(store, &scenario, 20, GPUTUNE_MEASURE, true));
    assert_true(time_at(store, n) == 20);
    holder = lock_file(w, exclusive);
    put_size_within(store, n + 1, 30, &patience);
    unlock_file(holder);
    ASSERT_OK(gt_store_forget(store, &(gt_records_filter){.failures = true},
                              &(gputune_forget_options){.size = 0}, count_record, &count, NULL));
    assert_true(time_at(store, n) == 0 && time_at(store, n + 1) == 0);
}

/* A lookup without time to wait fails if the file is locked. The next lookup still waits for the
 * lock. After a write has waited for the lock until its time limit, lookups do not wait for it
 * again. */
TEST_OF(lookup_without_time_spoils_no_other, world *w, open_stopped, close_stopped)
{
    make_database(w);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    const gt_patience none = gt_patience_for(0, NULL), patience = gt_patience_for(2, NULL);
    size_t count;
    pid_t holder = lock_file(w, exclusive);
    assert_int_equal(winners_at(store, 1024, &none, &count), GPUTUNE_EBUSY);
    for (int i = 0; i < 2; i++) {
        const int64_t start_ns = gt_now_ns();
        assert_int_equal(winners_at(store, 1024, NULL, &count), GPUTUNE_EBUSY);
        assert_int_equal(gt_seconds_since(start_ns) < 0.1, i);
        put_size_within(store, 2048, 20, &patience);
    }
    unlock_file(holder);
}

/* On a busy machine, a tuning of another process may lock the file for longer than a moment. */
TEST_OF(records_wait_for_a_lock_of_another_process, world *w, open_stopped, close_stopped)
{
    make_database(w);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    const gt_records_filter all = {0};
    size_t count = 0;
    pid_t holder = lock_file(w, exclusive);
    clock_set_alarm(0.4, unlock_now, &holder);
    ASSERT_OK(gt_store_records(store, &all, count_record, &count));
    assert_int_equal(count, 1);
}

/* Opening a store does not wait for a lock. Each later call waits within its time limit. */
TEST_OF(opening_leaves_the_wait_to_the_calls, world *w, open_stopped, close_stopped)
{
    make_database(w);
    pid_t holder = lock_file(w, exclusive);
    const int64_t start_ns = gt_now_ns();
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    assert_true(gt_seconds_since(start_ns) < 0.1);
    gt_patience patience = gt_patience_for(4, NULL);
    size_t count;
    clock_set_alarm(0.4, unlock_now, &holder);
    ASSERT_OK(winners_at(store, 1024, &patience, &count));
    assert_int_equal(count, 1);
}

static volatile int cancel;

static void raise_flag(void *user)
{
    cancel = 1;
}

TEST_OF(cancel_ends_waits, world *w, open_stopped, close_stopped)
{
    make_database(w);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    gt_patience patience = gt_patience_for(60, &cancel);
    cancel = 1;
    put_size_within(store, 4096, 20, &patience); /* needs no wait */
    assert_int_equal(w->warnings, 0);
    pid_t holder = lock_file(w, exclusive);
    int64_t start = gt_now_ns();
    gt_scenario scenario = scenario_at(1024);
    gt_lease lease = {0};
    cancel = 0;
    clock_set_alarm(0.1, raise_flag, NULL);
    put_size_within(store, 2048, 20, &patience);
    ASSERT_FAILS(gt_store_lease_acquire(&lease, store, &scenario, &patience), GPUTUNE_ECANCELED,
                 "the database is locked");
    assert_true(gt_seconds_since(start) < 0.1 + slack_s);
    unlock_file(holder);
}

typedef struct locking {
    const world *w;
    pid_t holder;
} locking;

static void lock_then_cancel(void *user)
{
    locking *next = user;
    next->holder = lock_file(next->w, exclusive);
    clock_set_alarm(0.4, raise_flag, NULL);
}

/* The message names the process that tunes, even if the wait ends while the file is locked. */
TEST_OF(the_holder_of_a_lease_is_named, world *w, open_stopped, close_stopped)
{
    make_database(w);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    GT_SCOPED(close_store) gt_store *other = open_store(w);
    const gt_patience patience = gt_patience_for(60, &cancel);
    gt_scenario scenario = scenario_at(1024);
    gt_lease held = {0}, lease = {0};
    locking next = {.w = w};
    cancel = 0;
    ASSERT_OK(gt_store_lease_acquire(&held, store, &scenario, NULL));
    clock_set_alarm(0.15, lock_then_cancel, &next);
    ASSERT_FAILS(gt_store_lease_acquire(&lease, other, &scenario, &patience), GPUTUNE_ECANCELED,
                 "tuned the same kernel");
    unlock_file(next.holder);
    gt_store_lease_release(&held, store, NULL);
}

TEST_OF(a_locked_file_leaves_time_to_tune_without_it, world *w, open_stopped, close_stopped)
{
    make_database(w);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    gt_scenario scenario = scenario_at(1024);
    gt_patience patience = gt_patience_for(8, NULL), later = gt_patience_for(60, NULL);
    gt_lease lease = {0};
    size_t count;
    pid_t holder = lock_file(w, exclusive);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(winners_at(store, 1024, &patience, &count), GPUTUNE_EBUSY);
    }
    ASSERT_OK(gt_store_lease_acquire(&lease, store, &scenario, &patience));
    assert_false(lease.held);
    /* the lookups and the lease together waited for about 4 of the 8 s */
    assert_true(gt_patience_left_s(&patience) > 3.5);
    unlock_file(holder);
    gt_store_lease_release(&lease, store, NULL);
    ASSERT_OK(gt_store_lease_acquire(&lease, store, &scenario, &later));
    holder = lock_file(w, exclusive);
    patience = gt_patience_for(0.1, NULL);
    ASSERT_OK(gt_store_lease_renew(&lease, store, &patience));
    assert_true(lease.held);
    unlock_file(holder);
    gt_store_lease_release(&lease, store, NULL);
}

typedef struct long_write {
    gt_store *store;
    atomic_int begun;
} long_write;

static void *write_long(void *user)
{
    long_write *job = user;
    job->begun = 1;
    put_size(job->store, 2048, 20);
    return NULL;
}

/* A write of one thread waits for another process. Until this write ends, lookups do not wait, and
 * other writes wait no longer than their callers allow. */
TEST_OF(lookups_go_past_a_waiting_write, world *w, open_world, close_world)
{
    make_database(w);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    pid_t holder = lock_file(w, "BEGIN IMMEDIATE");
    long_write job = {.store = store};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_long, &job), 0);
    while (!job.begun) {
        usleep(1000);
    }
    usleep(100000);
    for (int i = 0; i < 50; i++) {
        assert_true(time_at(store, 1024) == 10);
    }
    gt_patience patience = gt_patience_for(0.1, NULL);
    put_size_within(store, 4096, 40, &patience);
    unlock_file(holder);
    pthread_join(thread, NULL);
    assert_true(time_at(store, 2048) == 20);
}

static void *look_long(void *user)
{
    long_write *job = user;
    const gt_patience patience = gt_patience_for(60, NULL);
    size_t count = 0;
    job->begun = 1;
    winners_at(job->store, 1024, &patience, &count);
    return count ? job : NULL;
}

/* While a commit waits for a reader of another process, SQLite lets no new reader start. */
TEST_OF(a_waiting_lookup_does_not_hold_up_the_commit_that_it_waits_for, world *w, open_world,
        close_world)
{
    make_database(w);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    assert_true(time_at(store, 1024) == 10);
    pid_t holder = lock_file(w, shared);
    long_write write = {.store = store}, look = {.store = store};
    pthread_t writer, reader;
    void *found;
    assert_int_equal(pthread_create(&writer, NULL, write_long, &write), 0);
    usleep(200000); /* wait until the commit has begun */
    assert_int_equal(pthread_create(&reader, NULL, look_long, &look), 0);
    usleep(200000); /* wait until the lookup has begun */
    unlock_file(holder);
    assert_int_equal(pthread_join(reader, &found), 0);
    assert_int_equal(pthread_join(writer, NULL), 0);
    assert_non_null(found);
}
