/* Writes to the user's file and to memory; brings to the file what stayed in memory because another
 * process had locked the file, and what other files have. */
#include "base/clock.h"
#include "base/condition.h"
#include "base/file.h"
#include "base/number.h"
#include "store/layers_parts.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

static const double write_wait_s = 30;         /* in all, for a file that stays locked */
static const double write_hopeless_wait_s = 1; /* then for each write */

/* --- a damaged file --------------------------------------------------------------------------- */

/* Opens the file that is in use. Warns if a file was made on a network file system. */
static gputune_status open_writer(gt_store *store, const gt_patience *patience, gt_obstacle *met)
{
    const char *path = gt_layers_state(store).path;
    GT_TRY(gt_database_open(&store->writer, path, GT_DATABASE_WRITE, patience, met));
    const char *network = store->writer->made ? gt_network_of(path) : NULL;
    if (network) {
        gt_layers_warn(store,
                       "the database %s is on a network file system, %s, whose locks may not hold "
                       "between machines: set GPUTUNE_DB to a file on a local disk",
                       path, network);
    }
    return GPUTUNE_OK;
}

static gputune_status open_next(gt_store *store, const gt_patience *patience, gt_obstacle *met)
{
    gputune_status status = GPUTUNE_EDATABASE;
    int index = gt_layers_state(store).index;
    while (status == GPUTUNE_EDATABASE && met->trouble == GT_TROUBLE_DAMAGED &&
           ++index <= GT_BESIDE_MAX) {
        if (!store->paths[index]) {
            GT_TRY(gt_path_format(&store->paths[index], "%s.%d", store->asked, index));
        }
        gt_layers_turn_to(store, index);
        status = open_writer(store, patience, met);
    }
    return status;
}

/* Leaves the damaged file as it is, and tries ".1", ".2" and so on until one is sound or new. Other
 * processes do the same, and find the same file: one of them makes it, and its tables in one
 * transaction. OK also if none can be written. EDATABASE: it is locked. */
static gputune_status begin_beside(gt_store *store, const gt_patience *patience, const char *why)
{
    gt_obstacle next = {.trouble = GT_TROUBLE_DAMAGED};
    const char *damaged = gt_layers_state(store).path;
    gt_database_close(&store->writer);
    gputune_status status = open_next(store, patience, &next);
    if (status == GPUTUNE_OK ||
        (status == GPUTUNE_EDATABASE && next.trouble == GT_TROUBLE_LOCKED)) {
        gt_layers_warn(
            store, "the database %s is damaged (%s): it stays as it is, and %s is used from now on",
            damaged, why, gt_layers_state(store).path);
        gt_layers_note_read(store, GT_TROUBLE_NONE, "");
    } else if (status == GPUTUNE_EDATABASE) {
        gt_layers_give_up(store, why, false);
        return GPUTUNE_OK;
    }
    return status;
}

/* What a failure to open or write the file means for all that follows. OK: there is a writer, or
 * nothing is written any more. EDATABASE: the file is locked. Under `writing`. */
static gputune_status handle_trouble(gt_store *store, const gt_patience *patience,
                                     gt_trouble trouble, const char *why)
{
    if (trouble == GT_TROUBLE_LOCKED) {
        return GPUTUNE_EDATABASE;
    }
    if (trouble == GT_TROUBLE_DAMAGED) {
        return begin_beside(store, patience, why);
    }
    bool served = store->writer != NULL;
    gt_database_close(&store->writer);
    gt_layers_give_up(store, why,
                      served || trouble == GT_TROUBLE_NEWER || trouble == GT_TROUBLE_READ_ONLY);
    return GPUTUNE_OK;
}

gputune_status gt_layers_open_writer(gt_store *store, const gt_patience *patience)
{
    gt_obstacle met = {.trouble = GT_TROUBLE_FAILED};
    const gt_file_state now = gt_layers_state(store);
    if (store->only_read || now.no_file) {
        return GPUTUNE_OK;
    }
    if (now.is_damaged) {
        return begin_beside(store, patience, "a lookup found the damage");
    }
    if (store->writer && !gt_database_is_gone(store->writer)) {
        return GPUTUNE_OK;
    }
    gt_database_close(&store->writer);
    gputune_status status = open_writer(store, patience, &met);
    return status == GPUTUNE_EDATABASE ? handle_trouble(store, patience, met.trouble, met.why)
                                       : status;
}

/* --- the file --------------------------------------------------------------------------------- */

static bool is_writable(const gt_store *store)
{
    return gt_layers_own(store) && !store->only_read;
}

static void roll_back(gt_database *database)
{
    int code = database->code; /* the cause, not what rolling back says */
    if (!sqlite3_get_autocommit(database->handle)) {
        gt_execute(database, GT_SQL_ROLLBACK, "");
        database->code = code;
    }
}

/* Begins a transaction and calls `work` in it. If an earlier transaction could not be rolled back
 * for want of memory, it is rolled back first. */
static gputune_status begin(gt_database *database, gt_store_fn work, void *context)
{
    roll_back(database);
    gputune_status status = gt_execute(database, GT_SQL_BEGIN, "");
    return status == GPUTUNE_OK ? work(database, context) : status;
}

/* Keeps this process's lookups away from the file while it is changed, so that they wait for the
 * disk only. Lookups go on while this waits for a reader of another process. */
static gputune_status commit(gt_store *store, const gt_patience *patience)
{
    const gt_patience at_once = gt_patience_for(0, NULL);
    gputune_status status;
    int tries = 0;
    do {
        pthread_mutex_lock(&store->reading);
        store->writer->patience = at_once;
        status = gt_execute(store->writer, GT_SQL_COMMIT, "");
        pthread_mutex_unlock(&store->reading);
    } while (status == GPUTUNE_EDATABASE &&
             gt_database_trouble(store->writer) == GT_TROUBLE_LOCKED &&
             gt_wait_step(patience, tries++, GT_SHORT_STEP_S));
    return status;
}

/* EDATABASE: the file is locked, or nothing is written to it any more. Under `writing`. */
static gputune_status write_open(gt_store *store, gt_store_fn work, void *context,
                                 const gt_patience *patience)
{
    GT_TRY(gt_layers_open_writer(store, patience));
    while (store->writer) {
        store->writer->patience = *patience;
        gputune_status status = begin(store->writer, work, context);
        GT_THEN(status, commit(store, patience));
        if (status == GPUTUNE_OK) {
            return status;
        }
        roll_back(store->writer);
        if (status != GPUTUNE_EDATABASE) {
            if (!sqlite3_get_autocommit(store->writer->handle)) {
                gt_database_close(&store->writer); /* which ends its lock: others may go on */
            }
            return status;
        }
        gt_trouble trouble = gt_database_trouble(store->writer);
        GT_TRY(handle_trouble(store, patience, trouble, gt_database_why(store->writer)));
    }
    return GPUTUNE_EDATABASE;
}

static void note_written(gt_store *store)
{
    store->waited_s = 0;
    gt_layers_note_read(store, GT_TROUBLE_NONE, "");
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    store->lock_told = false;
    store->closing_s = 0;
}

gputune_status gt_store_write_file(gt_store *store, gt_store_fn work, void *context,
                                   const gt_patience *patience)
{
    if (!is_writable(store)) {
        return GPUTUNE_OK;
    }
    int64_t start_ns = gt_now_ns();
    gt_patience limit = patience ? gt_patience_at_most(patience, write_wait_s)
                                 : gt_patience_for(write_wait_s, NULL);
    if (!gt_layers_lock(&store->writing, &limit)) {
        return GPUTUNE_EBUSY;
    }
    limit =
        gt_patience_at_most(&limit, fmax(write_wait_s - store->waited_s, write_hopeless_wait_s));
    gputune_status status = write_open(store, work, context, &limit);
    if (status == GPUTUNE_EDATABASE && !gt_layers_state(store).no_file) {
        store->waited_s += gt_seconds_since(start_ns);
        status = GPUTUNE_EBUSY;
    } else if (status != GPUTUNE_EDATABASE) {
        note_written(store);
    }
    pthread_mutex_unlock(&store->writing);
    gt_layers_flush(store);
    return status;
}

void gt_store_compact(gt_store *store)
{
    const gt_patience at_once = gt_patience_for(0, NULL);
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->writing);
    if (store->writer) {
        store->writer->patience = at_once;
        (void)gt_execute(store->writer, GT_SQL_VACUUM, "");
    }
}

/* --- memory ----------------------------------------------------------------------------------- */

static gputune_status write_memory(gt_database **database, gt_store_fn work, void *context)
{
    GT_TRY(gt_layers_open_memory(database));
    gputune_status status = begin(*database, work, context);
    GT_THEN(status, gt_execute(*database, GT_SQL_COMMIT, ""));
    if (status != GPUTUNE_OK) {
        roll_back(*database);
    }
    return status == GPUTUNE_EDATABASE
               ? gt_fail(status, "the database in memory failed: %s", gt_database_why(*database))
               : status;
}

gputune_status gt_store_write_wisdom(gt_store *store, gt_store_fn work, void *context)
{
    if (!gt_layers_own(store)) {
        return GPUTUNE_OK;
    }
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->reading);
    return write_memory(&store->wisdom, work, context);
}

gputune_status gt_store_write_memory(gt_store *store, gt_store_fn work, void *context)
{
    if (!is_writable(store)) {
        return GPUTUNE_OK;
    }
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->remembering);
    gputune_status status = write_memory(&store->memory, work, context);
    store->memory_writes++;
    return status;
}

static const double closing_wait_s = 5;

/* The statements that copy rows from memory to the file, in the order in which rows refer to each
 * other. */
static const gt_sql steps[] = {GT_SQL_BRING_GPU,   GT_SQL_BRING_KERNEL, GT_SQL_BRING_SCENARIO,
                               GT_SQL_BRING_CUBIN, GT_SQL_BRING_CODE,   GT_SQL_BRING_TRIAL,
                               GT_SQL_BRING_WINNER};
enum { STEPS = sizeof steps / sizeof *steps };

typedef struct bringing {
    gt_store *store;
    uint64_t writes; /* to memory, when it was copied */
} bringing;

/* `from` once more, as `kept` of the writer's connection. */
static gputune_status copy_kept(gt_database *database, sqlite3 *from)
{
    sqlite3_backup *backup = sqlite3_backup_init(database->handle, "kept", from, "main");
    int code =
        backup ? sqlite3_backup_step(backup, -1) : sqlite3_extended_errcode(database->handle);
    sqlite3_backup_finish(backup);
    return code == SQLITE_DONE ? GPUTUNE_OK : gt_database_failed(database, code);
}

static gputune_status attach_kept(gt_database *database)
{
    bool attached = sqlite3_db_readonly(database->handle, "kept") >= 0;
    return attached ? GPUTUNE_OK : gt_execute(database, GT_SQL_BRING_BEGIN, "");
}

static gputune_status execute_all(gt_database *database, const gt_sql *statements, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        GT_TRY(gt_execute(database, statements[i], ""));
    }
    return GPUTUNE_OK;
}

static gputune_status bring_rows(gt_database *database, void *context)
{
    bringing *what = context;
    gt_store *store = what->store;
    GT_TRY(attach_kept(database));
    pthread_mutex_lock(&store->remembering);
    gputune_status status =
        store->memory ? copy_kept(database, store->memory->handle) : gt_fail_memory();
    what->writes = store->memory_writes;
    pthread_mutex_unlock(&store->remembering);
    return status == GPUTUNE_OK ? execute_all(database, steps, STEPS) : status;
}

/* Behind the transaction. Where another thread writes, the copy stays for the next time. */
static void detach(gt_store *store)
{
    if (pthread_mutex_trylock(&store->writing) != 0) {
        return;
    }
    if (store->writer && sqlite3_db_readonly(store->writer->handle, "kept") >= 0) {
        (void)gt_execute(store->writer, GT_SQL_BRING_END, "");
    }
    pthread_mutex_unlock(&store->writing);
}

/* Forgets the rows in memory that were brought to the file. Rows that were added since then are
 * brought the next time; leases stay in memory. */
static void forget_memory(gt_store *store, const bringing *what)
{
    int64_t leases = 1;
    pthread_mutex_lock(&store->remembering);
    bool all = store->memory && store->memory_writes == what->writes;
    bool empty = all && gt_query_integer(&leases, store->memory, GT_SQL_LEASES, "") == GPUTUNE_OK &&
                 leases == 0;
    if (empty) {
        gt_database_close(&store->memory);
    }
    pthread_mutex_unlock(&store->remembering);
    pthread_mutex_lock(&store->telling);
    store->file.unbrought = store->file.unbrought && !all;
    if (all && !store->file.no_file) {
        store->unkept[0] = '\0';
    }
    pthread_mutex_unlock(&store->telling);
}

/* How long closing may still wait for the lock; says so. */
static gt_patience closing_patience(gt_store *store)
{
    pthread_mutex_lock(&store->telling);
    const double left_s = closing_wait_s - store->closing_s;
    pthread_mutex_unlock(&store->telling);
    if (left_s > 0) {
        gt_layers_warn(store,
                       "the database %s is locked by another process: waiting %.2g s at most to "
                       "write what is in memory",
                       store->asked, left_s);
        gt_layers_flush(store);
    }
    return gt_patience_for(left_s, NULL);
}

/* Waits long only where the file stays locked. */
static gputune_status bring_when_closing(gt_store *store, bringing *what)
{
    const gt_patience brief = gt_patience_for(GT_LOOKUP_WAIT_S, NULL);
    gputune_status status = gt_store_write_file(store, bring_rows, what, &brief);
    if (status == GPUTUNE_EBUSY) {
        const gt_patience closing = closing_patience(store);
        const int64_t start_ns = gt_now_ns();
        status = gt_store_write_file(store, bring_rows, what, &closing);
        GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
        store->closing_s += status == GPUTUNE_EBUSY ? gt_seconds_since(start_ns) : 0;
    }
    return status;
}

void gt_layers_bring(gt_store *store, const gt_patience *patience)
{
    bringing what = {.store = store};
    if (!gt_layers_own(store)) {
        return;
    }
    const gt_file_state now = gt_layers_state(store);
    if (!now.unbrought || now.no_file) {
        return;
    }
    gputune_status status = patience ? gt_store_write_file(store, bring_rows, &what, patience)
                                     : bring_when_closing(store, &what);
    detach(store);
    if (status == GPUTUNE_OK) {
        forget_memory(store, &what);
    }
}

/* ---- file and memory ---- */

static bool has_memory(gt_store *store)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->remembering);
    return store->memory != NULL;
}

/* If the file is only locked, the next write tries it again. */
static void tell_lock(gt_store *store)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    if (!store->lock_told) {
        snprintf(store->warning, sizeof store->warning,
                 "the database %s stayed locked for as long as a call could wait: what it found "
                 "out is in memory until the file can be written; end the process that locks it, "
                 "or set GPUTUNE_DB to another file",
                 store->asked);
    }
    store->lock_told = store->file.unbrought = true;
    snprintf(store->unkept, sizeof store->unkept,
             "another process had locked it, and not all results were kept");
}

/* A write to the file also goes to the database in memory, if there is one: that is asked first,
 * and must never be older than the file. */
gputune_status gt_store_write(gt_store *store, gt_store_fn work, void *context,
                              const gt_patience *patience)
{
    if (!gt_layers_own(store)) {
        return GPUTUNE_OK;
    }
    gputune_status status = gt_store_write_file(store, work, context, patience);
    if (status == GPUTUNE_EBUSY) {
        tell_lock(store);
        gt_layers_flush(store);
    }
    bool kept = status == GPUTUNE_OK;
    bool lost = status == GPUTUNE_EBUSY || status == GPUTUNE_EDATABASE;
    if (lost || (kept && has_memory(store))) {
        status = gt_store_write_memory(store, work, context);
    }
    if (kept) {
        gt_layers_bring(store, patience);
    }
    return status;
}

/* ---- from other files ---- */

typedef struct merging {
    gt_database *all; /* what the files have, in memory */
    gputune_merged *merged;
} merging;

/* Copies the rows of `kept` and counts those that changed something: a row that the file has
 * already does not count. */
static gputune_status bring_all(gt_database *database, void *context)
{
    merging *what = context;
    what->merged->taken_trials = what->merged->taken_winners = 0; /* of a try before */
    GT_TRY(attach_kept(database));
    GT_TRY(copy_kept(database, what->all->handle));
    for (size_t i = 0; i < STEPS; i++) {
        GT_TRY(gt_execute(database, steps[i], ""));
        uint64_t rows = (uint64_t)sqlite3_changes(database->handle);
        what->merged->taken_trials += steps[i] == GT_SQL_BRING_TRIAL ? rows : 0;
        what->merged->taken_winners += steps[i] == GT_SQL_BRING_WINNER ? rows : 0;
    }
    return GPUTUNE_OK;
}

static gputune_status gather(merging *what, gt_database *file)
{
    static const gt_sql sound[] = {GT_SQL_KEPT_WINNERS, GT_SQL_KEPT_TRIALS, GT_SQL_KEPT_CODE};
    int64_t trials, winners;
    GT_TRY(attach_kept(what->all));
    GT_TRY(copy_kept(what->all, file->handle));
    GT_TRY(execute_all(what->all, sound, sizeof sound / sizeof *sound));
    GT_TRY(gt_query_integer(&trials, what->all, GT_SQL_KEPT_TRIAL_COUNT, ""));
    GT_TRY(gt_query_integer(&winners, what->all, GT_SQL_KEPT_WINNER_COUNT, ""));
    what->merged->trials += (uint64_t)trials;
    what->merged->winners += (uint64_t)winners;
    return execute_all(what->all, steps, STEPS);
}

static gputune_status gather_file(merging *what, const char *path, const gt_patience *patience)
{
    GT_SCOPED(gt_database_close) gt_database *file = NULL;
    gt_obstacle met = {0};
    gputune_status status = gt_database_open(&file, path, GT_DATABASE_READ, patience, &met);
    if (status == GPUTUNE_OK && file->distrust) {
        (void)gt_snprintf(met.why, sizeof met.why,
                          "%s; 'gputune wisdom' carries results without trust", file->distrust);
        status = GPUTUNE_EDATABASE;
    } else if (status == GPUTUNE_OK) {
        status = gather(what, file);
        int code = what->all->code ? what->all->code : file->code;
        (void)gt_snprintf(met.why, sizeof met.why, "%s", sqlite3_errstr(code));
    }
    return status == GPUTUNE_EDATABASE
               ? gt_fail(status, "the database %s cannot be merged: %s", path, met.why)
               : status;
}

gputune_status gt_store_merge(gputune_merged *merged, gt_store *store, const char *const *paths,
                              size_t count)
{
    merging what = {NULL, merged};
    gt_patience closing = gt_patience_for(closing_wait_s, NULL);
    *merged = (gputune_merged)GPUTUNE_MERGED_INIT;
    gputune_status status = gt_layers_open_memory(&what.all);
    for (size_t i = 0; i < count && status == GPUTUNE_OK; i++) {
        status = gather_file(&what, paths[i], &closing);
    }
    if (status == GPUTUNE_OK) {
        status = gt_store_write_file(store, bring_all, &what, NULL);
        detach(store);
        status = status == GPUTUNE_EBUSY
                     ? gt_fail(status, "another process has locked the database; nothing was "
                                       "merged, try again later")
                 : status == GPUTUNE_EDATABASE
                     ? gt_fail(status,
                               "there is no database file that can be written; nothing was merged")
                     : status;
    }
    gt_database_close(&what.all);
    return status;
}
