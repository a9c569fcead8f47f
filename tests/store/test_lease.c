/* Tests that only one process tunes a scenario, and that a dead process blocks no other process. */
#include "store_support.h"
#include "support/clock.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>

static gputune_status acquire(gt_lease *lease, gt_store *store, double timeout_s)
{
    gt_scenario scenario = scenario_at(1024);
    const gt_patience patience = gt_patience_for(timeout_s, NULL);
    return gt_store_lease_acquire(lease, store, &scenario, &patience);
}

static gputune_status renew(gt_lease *lease, gt_store *store)
{
    const gt_patience patience = gt_patience_for(60, NULL);
    return gt_store_lease_renew(lease, store, &patience);
}

TEST_OF(lease_has_one_holder, world *w, open_world, close_world)
{
    GT_SCOPED(close_store) gt_store *one = open_store(w), *other = open_store(w);
    gt_lease a = {0}, b = {0};
    char holder[32];
    ASSERT_OK(acquire(&a, one, 0));
    assert_int_equal(acquire(&b, other, 0), GPUTUNE_EBUSY);
    snprintf(holder, sizeof holder, "process %d", (int)getpid());
    assert_non_null(strstr(gt_message(), holder));
    assert_false(b.held);
    ASSERT_OK(renew(&a, one));
    gt_store_lease_release(&a, one, NULL);
    gt_store_lease_release(&a, one, NULL);
    ASSERT_OK(acquire(&b, other, 0));
    gt_store_lease_release(&b, other, NULL);
}

TEST_WITH_STORE(other_scenarios_are_free)
{
    gt_lease a = {0}, b = {0}, c = {0};
    gt_scenario other = scenario_at(2048);
    ASSERT_OK(acquire(&a, store, 0));
    ASSERT_OK(gt_store_lease_acquire(&b, store, &other, NULL));
    other.environment = "another";
    ASSERT_OK(gt_store_lease_acquire(&c, store, &other, NULL));
    gt_store_lease_release(&a, store, NULL);
    gt_store_lease_release(&b, store, NULL);
    gt_store_lease_release(&c, store, NULL);
}

/* Starts a child that takes the lease, reports that, and releases the lease after `seconds`. The
 * child also allocates 64 MB, because its growth must not make it look like another process. */
static pid_t hold_in_child(world *w, double seconds)
{
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        gt_store *store;
        gt_lease lease = {0};
        bool held = gt_store_open(&store, w->path, NULL, NULL, false) == GPUTUNE_OK &&
                    acquire(&lease, store, 0) == GPUTUNE_OK &&
                    mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                         0) != MAP_FAILED;
        if (write(ready[1], held ? "1" : "0", 1) != 1) {
            _exit(1);
        }
        usleep((useconds_t)(seconds * 1e6));
        gt_store_lease_release(&lease, store, NULL);
        _exit(0);
    }
    char answer;
    assert_int_equal(read(ready[0], &answer, 1), 1);
    assert_int_equal(answer, '1');
    close(ready[0]);
    close(ready[1]);
    return child;
}

TEST_OF(waits_for_its_turn, world *w, open_world, close_world)
{
    pid_t child = hold_in_child(w, 0.2);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    gt_lease lease = {0};
    ASSERT_OK(acquire(&lease, store, 30));
    gt_store_lease_release(&lease, store, NULL);
    waitpid(child, NULL, 0);
}

TEST_WITH_STORE(cancel_ends_the_wait)
{
    gt_lease a = {0}, b = {0};
    gt_scenario scenario = scenario_at(1024);
    volatile int cancel = 1;
    const gt_patience patience = gt_patience_for(60, &cancel);
    ASSERT_OK(acquire(&a, store, 0));
    assert_int_equal(gt_store_lease_acquire(&b, store, &scenario, &patience), GPUTUNE_ECANCELED);
    gt_store_lease_release(&a, store, NULL);
}

TEST_WITH_STORE(dead_owner_loses_it)
{
    for (int is_reaped = 0; is_reaped < 2; is_reaped++) {
        siginfo_t ended;
        pid_t child = hold_in_child(w, 30);
        gt_lease lease = {0};
        assert_int_equal(acquire(&lease, store, 0), GPUTUNE_EBUSY);
        kill(child, SIGKILL);
        const int how = WEXITED | (is_reaped ? 0 : WNOWAIT);
        assert_int_equal(waitid(P_PID, (id_t)child, &ended, how), 0);
        ASSERT_OK(acquire(&lease, store, 0));
        gt_store_lease_release(&lease, store, NULL);
        assert_int_equal(waitpid(child, NULL, 0), is_reaped ? -1 : child);
    }
}

/* Hides a process in /proc from this process and its children. */
static bool hide_process(pid_t pid)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    return (unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) &&
           mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", path, "tmpfs", 0, NULL) == 0;
}

/* With the mount option hidepid, /proc does not show the processes of other users. */
TEST_WITH_STORE(hidden_owner_keeps_it)
{
    enum { IS_BUSY, IS_FREE, CANNOT_HIDE };
    int status;
    pid_t holder = hold_in_child(w, 30), child = fork();
    if (child == 0) {
        gt_store *here;
        gt_lease lease = {0};
        _exit(!hide_process(holder) ? CANNOT_HIDE
              : gt_store_open(&here, w->path, NULL, NULL, false) == GPUTUNE_OK &&
                      acquire(&lease, here, 0) == GPUTUNE_EBUSY
                  ? IS_BUSY
                  : IS_FREE);
    }
    waitpid(child, &status, 0);
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
    SKIP_IF(WEXITSTATUS(status) == CANNOT_HIDE);
    assert_int_equal(WEXITSTATUS(status), IS_BUSY);
}

/* Holds the lease in a child whose main thread has ended. */
static void *hold_on(void *user)
{
    world *w = user;
    gt_store *store;
    gt_lease lease = {0};
    usleep(100000); /* the main thread ends during this pause */
    bool held = gt_store_open(&store, w->path, NULL, NULL, false) == GPUTUNE_OK &&
                acquire(&lease, store, 0) == GPUTUNE_OK;
    if (write(1, held ? "1" : "0", 1) != 1) {
        _exit(1);
    }
    for (;;) {
        pause();
    }
    return NULL;
}

TEST_OF(owner_without_its_main_thread_keeps_it, world *w, open_world, close_world)
{
    int ready[2], status;
    char answer;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        dup2(ready[1], 1);
        if (pthread_create(&thread, NULL, hold_on, w) == 0) {
            pthread_exit(NULL);
        }
        _exit(1);
    }
    assert_int_equal(read(ready[0], &answer, 1), 1);
    assert_int_equal(answer, '1');
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    gt_lease lease = {0};
    assert_int_equal(acquire(&lease, store, 0), GPUTUNE_EBUSY);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    ASSERT_OK(acquire(&lease, store, 0));
    gt_store_lease_release(&lease, store, NULL);
}

/* A stopped process is alive but does not renew its lease. */
TEST_OF(stopped_owner_loses_it, world *w, open_world, close_world)
{
    pid_t child = hold_in_child(w, 60);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    gt_lease lease = {0};
    kill(child, SIGSTOP);
    assert_int_equal(acquire(&lease, store, 0), GPUTUNE_EBUSY);
    sleeps_are_short = true;
    ASSERT_OK(acquire(&lease, store, 30));
    clock_set_true();
    gt_store_lease_release(&lease, store, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* Makes another machine the owner of the lease, so only the lease's time of expiry counts. */
static void set_machine(world *w, const char *expires)
{
    char sql[256];
    snprintf(sql, sizeof sql, "UPDATE lease SET machine = 'elsewhere', expires_ms = %s", expires);
    run_sql(w->path, sql);
}

TEST_WITH_STORE(lease_of_another_machine_runs_out)
{
    gt_lease a = {0}, b = {0};
    ASSERT_OK(acquire(&a, store, 0));
    set_machine(w, "(strftime('%s', 'now') + 4) * 1000");
    ASSERT_FAILS(acquire(&b, store, 0), GPUTUNE_EBUSY, "of another machine");
    set_machine(w, "(strftime('%s', 'now') - 1) * 1000");
    ASSERT_OK(acquire(&b, store, 0));
    assert_int_equal(renew(&a, store), GPUTUNE_EBUSY);
    assert_false(a.held);
    gt_store_lease_release(&b, store, NULL);
}

/* Changes the lease's time as if the clock had been set back by a day. */
TEST_WITH_STORE(lease_of_the_future_runs_out)
{
    gt_lease a = {0}, b = {0};
    ASSERT_OK(acquire(&a, store, 0));
    set_machine(w, "(strftime('%s', 'now') + 86400) * 1000");
    assert_int_equal(acquire(&b, store, 0), GPUTUNE_EBUSY);
    sleeps_are_short = true;
    ASSERT_OK(acquire(&b, store, 30));
    clock_set_true();
    gt_store_lease_release(&b, store, NULL);
}

static atomic_bool is_held;

/* Holds and renews a lease while the wall clock is set forward and back by a year. Another thread
 * waits for the lease longer than a lease lasts. */
static void *hold_while_the_clock_leaps(void *user)
{
    enum { RENEWALS = 7 };
    static const time_t year_s = 365 * 86400, leaps_s[RENEWALS] = {0, year_s, 0, -year_s, year_s};
    world *w = user;
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    gt_lease lease = {0};
    ASSERT_OK(acquire(&lease, store, 0));
    is_held = true;
    for (int i = 0; i < RENEWALS; i++) {
        clock_leap_s = leaps_s[i];
        for (int half = 0; half < 2; half++) {
            clock_skip(0.4);
            usleep(120000);
        }
        ASSERT_OK(renew(&lease, store));
    }
    gt_store_lease_release(&lease, store, NULL);
    return NULL;
}

TEST_WITH_STORE(a_clock_that_leaps_costs_no_lease)
{
    gt_lease lease = {0};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, hold_while_the_clock_leaps, w), 0);
    while (!is_held) {
        usleep(1000);
    }
    ASSERT_OK(acquire(&lease, store, 30));
    clock_set_true();
    gt_store_lease_release(&lease, store, NULL);
    pthread_join(thread, NULL);
}

static atomic_bool is_locked, may_end;

static void *hold_file_until_signal(void *path)
{
    sqlite3 *file = lock_database(path);
    is_locked = true;
    for (int i = 0; i < 1000 && !may_end; i++) {
        usleep(10000);
    }
    assert_int_equal(sqlite3_exec(file, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(file);
    return NULL;
}

static void hold_file(pthread_t *out, world *w)
{
    is_locked = may_end = false;
    assert_int_equal(pthread_create(out, NULL, hold_file_until_signal, w->path), 0);
    while (!is_locked) {
        usleep(1000);
    }
}

static void *write_code(void *user)
{
    gt_code code = code_of(9, "x");
    ASSERT_OK(gt_store_put_cubins(user, &code, 1, NULL));
    return NULL;
}

/* A thread's write waits for a locked file. Another thread's call must end at its own time limit,
 * even if the wall clock is changed. */
TEST_WITH_STORE(a_clock_that_leaps_delays_nobody)
{
    gt_lease lease = {0};
    pthread_t holder, writer;
    ASSERT_OK(acquire(&lease, store, 0)); /* creates the file */
    gt_store_lease_release(&lease, store, NULL);
    clock_leap_s = 365 * 86400;
    hold_file(&holder, w);
    assert_int_equal(pthread_create(&writer, NULL, write_code, store), 0);
    usleep(300000);
    gputune_status status = acquire(&lease, store, 0.2);
    may_end = true;
    clock_set_true();
    pthread_join(holder, NULL);
    pthread_join(writer, NULL);
    assert_true(status == GPUTUNE_EBUSY || !lease.held);
    gt_store_lease_release(&lease, store, NULL);
}

static void *free_file_soon(void *unused)
{
    usleep(300000);
    may_end = true;
    return NULL;
}

/* Renewing a lease after half of its duration waits as long as other processes lock the file.
 * Otherwise the lease might be lost. */
TEST_OF(late_renewal_waits_for_its_turn, world *w, open_world, close_world)
{
    GT_SCOPED(close_store) gt_store *store = open_store(w), *other = open_store(w);
    gt_lease a = {0}, b = {0};
    pthread_t holder, freer;
    ASSERT_OK(acquire(&a, store, 0));
    clock_skip(3);
    hold_file(&holder, w);
    assert_int_equal(pthread_create(&freer, NULL, free_file_soon, NULL), 0);
    ASSERT_OK(renew(&a, store));
    assert_true(may_end);
    pthread_join(holder, NULL);
    pthread_join(freer, NULL);
    clock_skip(2.5);
    run_sql(w->path, "UPDATE lease SET machine = 'elsewhere'");
    assert_int_equal(acquire(&b, other, 0), GPUTUNE_EBUSY);
    ASSERT_OK(renew(&a, store));
    clock_set_true();
    gt_store_lease_release(&a, store, NULL);
}

/* A process does not wait for its own leases, even if it could not release them. */
TEST_WITH_STORE(leases_that_were_not_released_are_free_here)
{
    enum { COUNT = 3 };
    gt_lease leases[COUNT];
    pthread_t holder;
    const gt_patience none = gt_patience_for(0, NULL);
    for (int i = 0; i < COUNT; i++) {
        const gt_scenario scenario = scenario_at(1024 << i);
        ASSERT_OK(gt_store_lease_acquire(&leases[i], store, &scenario, &none));
    }
    hold_file(&holder, w);
    for (int i = 0; i < COUNT; i++) {
        gt_store_lease_release(&leases[i], store, &none);
    }
    may_end = true;
    pthread_join(holder, NULL);
    for (int i = 0; i < COUNT; i++) {
        const gt_scenario scenario = scenario_at(1024 << i);
        ASSERT_OK(gt_store_lease_acquire(&leases[i], store, &scenario, &none));
        gt_store_lease_release(&leases[i], store, NULL);
    }
}
