/* Rows of lease: who is tuning what. */
#include "store/keys.h"
#include "store/layers.h"

#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    MACHINE_MAX = 128,
    POLL_MS = 25,
    ALIVE_GRACE_MS = 3600000 /* a live owner on this machine is believed for so much longer */
};

/* --- who is who ---------------------------------------------------------------------------------
 */

/* Process numbers mean something only within one boot and one process namespace. */
static void read_machine(char out[MACHINE_MAX])
{
    char boot[64] = "", space[48] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file) {
        if (fgets(boot, sizeof boot, file)) {
            boot[strcspn(boot, "\n")] = '\0';
        }
        fclose(file);
    }
    ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    space[length > 0 ? length : 0] = '\0';
    snprintf(out, MACHINE_MAX, "%s %s", boot, space);
}

/* Start of a process in clock ticks since boot, 0 when there is none: field 22 of its stat, the
 * twentieth after the name, which may hold anything but ends with the last parenthesis. */
static int64_t start_of(int64_t pid)
{
    enum { FIELDS_AFTER_NAME = 20 };
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    FILE *file = fopen(path, "re");
    if (!file) {
        return 0;
    }
    const char *field = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    fclose(file);
    for (int i = 0; field && i < FIELDS_AFTER_NAME; i++) {
        field = strchr(field + 1, ' ');
    }
    return field ? strtoll(field, NULL, 10) : 0;
}

static bool is_alive(int64_t pid, int64_t start)
{
    if (kill((pid_t)pid, 0) != 0 && errno == ESRCH) {
        return false;
    }
    int64_t now = start_of(pid);
    return !start || !now || now == start; /* the number may belong to another process by now */
}

static int64_t unix_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static gt_hash new_owner(void)
{
    static atomic_uint_fast64_t counter;
    const uint64_t words[4] = {(uint64_t)getpid(), (uint64_t)unix_ms(), (uint64_t)gt_now_ns(),
                               atomic_fetch_add(&counter, 1)};
    return gt_hash_bytes(words, sizeof words);
}

/* --- taking -------------------------------------------------------------------------------------
 */

typedef struct lease_try {
    gt_hash key, owner;
    char machine[MACHINE_MAX];
    int64_t holder; /* process that holds it, when it is not granted */
} lease_try;

typedef struct lease_row {
    char machine[MACHINE_MAX];
    int64_t pid, start, expires_ms;
} lease_row;

static gputune_status read_lease(lease_row *out, gt_database *database, gt_hash key)
{
    gt_rows rows;
    GT_TRY(gt_rows_begin(&rows, database, GT_SQL_LEASE_GET, "h", key));
    gputune_status status = gt_rows_next(&rows);
    if (status == GPUTUNE_OK) {
        gt_rows_hash(&rows); /* the owner */
        snprintf(out->machine, sizeof out->machine, "%s", gt_rows_text(&rows));
        out->pid = gt_rows_integer(&rows);
        out->start = gt_rows_integer(&rows);
        out->expires_ms = gt_rows_integer(&rows);
    }
    gt_rows_end(&rows);
    return status;
}

static bool is_held(const lease_row *row, const lease_try *attempt)
{
    if (strcmp(row->machine, attempt->machine) != 0) {
        return unix_ms() < row->expires_ms;
    }
    return is_alive(row->pid, row->start) && unix_ms() < row->expires_ms + ALIVE_GRACE_MS;
}

static gputune_status peek_lease(gt_database *database, void *context)
{
    lease_try *attempt = context;
    lease_row row = {0};
    GT_TRY(read_lease(&row, database, attempt->key));
    attempt->holder = is_held(&row, attempt) ? row.pid : 0;
    return GPUTUNE_OK;
}

static gputune_status take_lease(gt_database *database, void *context)
{
    lease_try *attempt = context;
    gputune_status status = peek_lease(database, attempt);
    if (status != GPUTUNE_OK && status != GPUTUNE_ENOTFOUND) {
        return status;
    }
    if (status == GPUTUNE_OK && attempt->holder) {
        return GPUTUNE_EBUSY;
    }
    return gt_execute(database, GT_SQL_LEASE_SET, "hhtiii", attempt->key, attempt->owner,
                      attempt->machine, (int64_t)getpid(), start_of(getpid()),
                      unix_ms() + (int64_t)GT_LEASE_SECONDS * 1000);
}

/* Waiting only reads, so that those who wait do not lock out the one who works. */
static bool looks_free(gt_store *store, lease_try *attempt)
{
    attempt->holder = 0;
    return gt_store_read(store, peek_lease, attempt) != GPUTUNE_OK || !attempt->holder;
}

static gputune_status wait_for_lease(gt_store *store, lease_try *attempt, double timeout_s,
                                     const volatile int *cancel)
{
    int64_t start = gt_now_ns();
    for (;;) {
        gputune_status status =
            looks_free(store, attempt) ? gt_store_write(store, take_lease, attempt) : GPUTUNE_EBUSY;
        if (status != GPUTUNE_EBUSY) {
            return status;
        }
        if (cancel && *cancel) {
            return gt_fail(GPUTUNE_ECANCELED, "stopped while process %lld tuned the same kernel",
                           (long long)attempt->holder);
        }
        if (gt_seconds_since(start) >= timeout_s) {
            return gt_fail(GPUTUNE_EBUSY, "process %lld is tuning the same kernel",
                           (long long)attempt->holder);
        }
        usleep(POLL_MS * 1000);
    }
}

gputune_status gt_store_lease_acquire(gt_lease *out, gt_store *store, const char *environment,
                                      const gt_scenario *scenario, const gt_patience *patience)
{
    double timeout_s = gt_patience_left_s(patience);
    const volatile int *cancel = patience->cancel;
    lease_try attempt = {.key =
                             gt_hash_join(gt_hash_string(environment), gt_scenario_hash(scenario)),
                         .owner = new_owner()};
    read_machine(attempt.machine);
    GT_TRY(wait_for_lease(store, &attempt, timeout_s, cancel));
    *out = (gt_lease){attempt.key, attempt.owner, true};
    return GPUTUNE_OK;
}

/* --- keeping, giving back -----------------------------------------------------------------------
 */

static gputune_status renew_lease(gt_database *database, void *context)
{
    const gt_lease *lease = context;
    GT_TRY(gt_execute(database, GT_SQL_LEASE_RENEW, "hhi", lease->key, lease->owner,
                      unix_ms() + (int64_t)GT_LEASE_SECONDS * 1000));
    return sqlite3_changes(database->handle) ? GPUTUNE_OK : GPUTUNE_EBUSY;
}

gputune_status gt_store_lease_renew(gt_lease *lease, gt_store *store, const gt_patience *patience)
{
    (void)patience;
    gputune_status status = lease->held ? gt_store_write(store, renew_lease, lease) : GPUTUNE_EBUSY;
    if (status == GPUTUNE_EBUSY) {
        lease->held = false;
        return gt_fail(status, "another process took over the tuning of this kernel");
    }
    return status;
}

static gputune_status delete_lease(gt_database *database, void *context)
{
    const gt_lease *lease = context;
    return gt_execute(database, GT_SQL_LEASE_DELETE, "hh", lease->key, lease->owner);
}

void gt_store_lease_release(gt_lease *lease, gt_store *store, const gt_patience *patience)
{
    (void)patience;
    if (lease->held) {
        lease->held = false;
        gt_store_write(store, delete_lease, lease); /* what stays runs out by itself */
    }
}
