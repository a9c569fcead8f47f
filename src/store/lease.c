/* Leases record which process is tuning which scenario.
 *
 * A lease is a row in the database with the process that holds it and the time at which it expires.
 * The holder renews it every second. Other processes read the row until the lease is free. Then
 * they try to acquire it in a transaction, so only one of them succeeds. A lease is not a lock; it
 * only avoids duplicate work. If a lease is lost, two processes may tune the same scenario, and the
 * results of both are valid.
 *
 * A lease is free in any of these cases:
 * - There is no row.
 * - The holder is a process of this machine that has ended. Its pid may belong to another process
 *   now.
 * - The holder is this process, which was unable to release the lease.
 * - The holder is on another machine, and the lease has expired according to the wall clock.
 * - This thread has not seen a renewal for GT_LEASE_SECONDS. This does not depend on the clock of
 *   another machine.
 *
 * If no file can be written, or if it stays locked for a quarter of the patience, there is no
 * lease. While waiting, a process only reads the file, so the holder can write it. */
#include "store/keys.h"
#include "store/layers.h"

#include "base/clock.h"
#include "base/condition.h"
#include "base/file.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MACHINE_MAX = 128, LEASE_MS = GT_LEASE_SECONDS * 1000 };
static const double longest_wait_s = 30; /* time limit of a wait without a patience */
static const double brief_wait_s = 0.1;  /* time limit of a renewal; another one will follow */

/* --- processes -------------------------------------------------------------------------------- */

static const char *skip_fields(const char *at, int count)
{
    for (int i = 0; at && i < count; i++) {
        at = strchr(at + 1, ' ');
    }
    return at;
}

/* Returns the time at which a process was started, in clock ticks since boot; -1 if it is a zombie;
 * 0 if /proc does not show it. /proc/PID/stat contains the name of the process, which ends at the
 * last parenthesis, then the state of its main thread, the number of threads and the start time. */
static int64_t start_of(int64_t pid)
{
    enum { FIELDS_TO_THREADS = 18, FIELDS_TO_START = 2 };
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    const char *state = strrchr(gt_file_peek(line, sizeof line, path), ')');
    const char *threads = skip_fields(state, FIELDS_TO_THREADS);
    const char *start = skip_fields(threads, FIELDS_TO_START);
    if (!state || !threads || !start) {
        return 0;
    }
    bool ended = strncmp(state, ") Z", 3) == 0 || strncmp(state, ") X", 3) == 0;
    return ended && strtol(threads, NULL, 10) <= 1 ? -1 : strtoll(start, NULL, 10);
}

/* Returns true if the process that was started at `start` (0: unknown) has ended. /proc may hide
 * the processes of other users (hidepid); then only the pid is known. */
static bool has_ended(int64_t pid, int64_t start)
{
    const int64_t found = start_of(pid);
    return found ? start && found != start : kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

static int64_t unix_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* --- taking ----------------------------------------------------------------------------------- */

/* The most recent leases that this process could not release. */
static struct {
    pthread_mutex_t mutex;
    gt_hash owners[64];
    unsigned count; /* number of unreleased leases so far; only the last 64 are kept */
} left = {.mutex = PTHREAD_MUTEX_INITIALIZER};
enum { LEFT_MAX = sizeof left.owners / sizeof *left.owners };

static bool was_left(gt_hash owner)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&left.mutex);
    for (unsigned i = 0; i < left.count && i < LEFT_MAX; i++) {
        if (gt_hash_equal(left.owners[i], owner)) {
            return true;
        }
    }
    return false;
}

typedef struct lease_try {
    gt_lease lease;
    char machine[MACHINE_MAX];
    int64_t holder; /* process that holds the lease; 0 if there is none */
    int64_t seen;   /* process that held the lease when it was last read */
    bool is_far;    /* true if `seen` is a process of another machine or container */
} lease_try;

typedef struct lease_row {
    char machine[MACHINE_MAX];
    int64_t pid, start, expires_ms;
    gt_hash owner;
} lease_row;

static gputune_status take_row(void *context, gt_rows *row)
{
    lease_row *out = context;
    snprintf(out->machine, sizeof out->machine, "%s", gt_rows_text(row));
    out->pid = gt_rows_integer(row);
    out->start = gt_rows_integer(row);
    out->expires_ms = gt_rows_integer(row);
    out->owner = gt_rows_hash(row);
    return GPUTUNE_OK;
}

typedef struct lease_sight {
    gt_hash key, owner;
    int64_t expires_ms, seen_ns;
    double same_s;
} lease_sight;

/* Returns for how many seconds this thread has seen the lease unchanged. Counts at most 0.5 s
 * between two checks: if this thread was suspended, perhaps the holder was too. */
static double watched_s(const lease_row *row, gt_hash key)
{
    static _Thread_local lease_sight last;
    static const double longest_step_s = 0.5;
    const int64_t now_ns = gt_now_ns();
    if (!gt_hash_equal(last.key, key) || !gt_hash_equal(last.owner, row->owner) ||
        last.expires_ms != row->expires_ms) {
        last = (lease_sight){key, row->owner, row->expires_ms, now_ns, 0};
    }
    last.same_s += fmin(1e-9 * (double)(now_ns - last.seen_ns), longest_step_s);
    last.seen_ns = now_ns;
    return last.same_s;
}

/* Returns false if the lease is free (see the top of this file). The only effect of a wrong wall
 * clock is that a lease of another machine may seem free too early. */
static bool is_held(const lease_row *row, const lease_try *attempt)
{
    bool is_of_here = strcmp(row->machine, attempt->machine) == 0;
    bool is_dead = was_left(row->owner) || (is_of_here && has_ended(row->pid, row->start));
    return !is_dead && watched_s(row, attempt->lease.key) < GT_LEASE_SECONDS &&
           (is_of_here || unix_ms() < row->expires_ms);
}

/* Sets attempt->holder. ENOTFOUND if there is no row. */
static gputune_status peek_lease(gt_database *database, void *context)
{
    lease_try *attempt = context;
    lease_row row = {0};
    attempt->holder = 0;
    GT_TRY(gt_query_one(database, take_row, &row, GT_SQL_LEASE_GET, "h", attempt->lease.key));
    if (is_held(&row, attempt)) {
        attempt->holder = attempt->seen = row.pid;
        attempt->is_far = strcmp(row.machine, attempt->machine) != 0;
    }
    return GPUTUNE_OK;
}

/* Takes the lease if it is free. Otherwise sets attempt->holder. */
static gputune_status take_lease(gt_database *database, void *context)
{
    const lease_try *attempt = context;
    gputune_status status = peek_lease(database, context);
    if (attempt->holder || (status != GPUTUNE_OK && status != GPUTUNE_ENOTFOUND)) {
        return status;
    }
    return gt_execute(database, GT_SQL_LEASE_SET, "hhtiii", attempt->lease.key,
                      attempt->lease.owner, attempt->machine, (int64_t)getpid(), start_of(getpid()),
                      unix_ms() + LEASE_MS);
}

/* Takes the lease, or does without one if the file stays locked for gt_layers_file_patience().
 * EBUSY if another process has the lease, or if the patience ends while the file is locked. */
static gputune_status try_lease(gt_store *store, lease_try *attempt, const gt_patience *patience)
{
    attempt->holder = 0;
    if (gt_store_read(store, peek_lease, attempt, patience) == GPUTUNE_OK && attempt->holder) {
        return GPUTUNE_EBUSY;
    }
    const gt_patience brief = gt_layers_file_patience(patience);
    gputune_status status = gt_store_write_file(store, take_lease, attempt, &brief, &brief);
    bool stays_locked = status == GPUTUNE_EBUSY && gt_patience_left_s(patience) > 0;
    if (status == GPUTUNE_EDATABASE || stays_locked) {
        return GPUTUNE_OK;
    }
    attempt->lease.held = status == GPUTUNE_OK && !attempt->holder;
    return status == GPUTUNE_OK && attempt->holder ? GPUTUNE_EBUSY : status;
}

static gputune_status wait_for_lease(gt_store *store, lease_try *attempt,
                                     const gt_patience *patience)
{
    for (int tries = 0;; tries++) {
        gputune_status status = try_lease(store, attempt, patience);
        if (status != GPUTUNE_EBUSY) {
            return status;
        }
        if (!gt_wait_step(patience, tries, GT_LONG_STEP_S)) {
            bool canceled = gt_patience_canceled(patience);
            status = canceled ? GPUTUNE_ECANCELED : GPUTUNE_EBUSY;
            GT_REFUSE(!attempt->seen, status, "the database is locked%s",
                      canceled ? "; stopped waiting for it" : "");
            return gt_fail(status,
                           canceled ? "stopped while process %lld%s tuned the same kernel"
                                    : "process %lld%s is tuning the same kernel",
                           (long long)attempt->seen,
                           attempt->is_far ? " of another machine or container" : "");
        }
    }
}

static lease_try begin_attempt(const gt_scenario *scenario)
{
    static atomic_uint_fast64_t counter;
    const uint64_t words[4] = {(uint64_t)getpid(), (uint64_t)unix_ms(), (uint64_t)gt_now_ns(),
                               atomic_fetch_add(&counter, 1)};
    gt_hash key = gt_site_key(scenario->environment, gt_scenario_hash(scenario));
    lease_try attempt = {.lease = {.key = key, .owner = gt_hash_bytes(words, sizeof words)}};
    char boot[64], space[48] = ""; /* the PID namespace */
    gt_file_peek(boot, sizeof boot, "/proc/sys/kernel/random/boot_id");
    boot[strcspn(boot, "\n")] = '\0';
    ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    space[length > 0 ? length : 0] = '\0';
    snprintf(attempt.machine, MACHINE_MAX, "%s %s", boot, space);
    return attempt;
}

gputune_status gt_store_lease_acquire(gt_lease *out, gt_store *store, const gt_scenario *scenario,
                                      const gt_patience *patience)
{
    lease_try attempt = begin_attempt(scenario);
    gt_patience longest = gt_patience_for(longest_wait_s, NULL);
    GT_TRY(wait_for_lease(store, &attempt, patience ? patience : &longest));
    *out = attempt.lease;
    out->renewed_ns = gt_now_ns();
    return GPUTUNE_OK;
}

/* --- keeping, giving back --------------------------------------------------------------------- */

static gputune_status renew_lease(gt_database *database, void *context)
{
    const gt_lease *lease = context;
    GT_TRY(gt_execute(database, GT_SQL_LEASE_RENEW, "hhi", lease->key, lease->owner,
                      unix_ms() + LEASE_MS));
    return sqlite3_changes(database->handle) ? GPUTUNE_OK : GPUTUNE_ENOTFOUND;
}

gputune_status gt_store_lease_renew(gt_lease *lease, gt_store *store, const gt_patience *patience)
{
    /* in the second half of the lease, wait for the file until the lease expires */
    double left_s = GT_LEASE_SECONDS - gt_seconds_since(lease->renewed_ns);
    bool is_old = left_s < GT_LEASE_SECONDS / 2.0 && left_s > brief_wait_s;
    const gt_patience brief = gt_patience_at_most(patience, is_old ? left_s : brief_wait_s);
    const int64_t began_ns = gt_now_ns();
    gputune_status status =
        lease->held ? gt_store_write_file(store, renew_lease, lease, &brief, &brief) : GPUTUNE_OK;
    if (status == GPUTUNE_OK) {
        lease->renewed_ns = began_ns;
    }
    if (status == GPUTUNE_ENOTFOUND) {
        lease->held = false;
        return gt_fail(GPUTUNE_EBUSY, "another process took over the tuning of this kernel");
    }
    return status == GPUTUNE_EBUSY || status == GPUTUNE_EDATABASE ? GPUTUNE_OK : status;
}

static gputune_status delete_lease(gt_database *database, void *context)
{
    const gt_lease *lease = context;
    return gt_execute(database, GT_SQL_LEASE_DELETE, "hh", lease->key, lease->owner);
}

void gt_store_lease_release(gt_lease *lease, gt_store *store, const gt_patience *patience)
{
    bool held = lease->held;
    lease->held = false;
    if (held && gt_store_write_file(store, delete_lease, lease, patience, patience) != GPUTUNE_OK) {
        /* other processes must wait until the lease expires, but this process need not */
        GT_SCOPED(gt_unlock) pthread_mutex_t *locked = gt_lock(&left.mutex);
        left.owners[left.count++ % LEFT_MAX] = lease->owner;
    }
}
