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

static const double longest_wait_s = 5; /* for a file that stays locked */

/* --- transactions ----------------------------------------------------------------------------- */

static bool is_writable(const gt_store *store)
{
    return gt_layers_own(store) && !store->only_read;
}

static void roll_back(gt_database *database)
{
    const int code = database->code; /* the cause, not what rolling back says */
    const gt_patience limit = database->limit;
    if (!sqlite3_get_autocommit(database->handle)) {
        database->limit = gt_patience_for(INFINITY, NULL);
        gt_execute(database, GT_SQL_ROLLBACK, "");
        database->code = code;
        database->limit = limit;
    }
}

typedef struct transaction {
    gt_store_fn work;
    void *context;
} transaction;

/* Calls the work in a transaction. If an earlier one could not be rolled back for want of memory,
 * it is rolled back first. The commit waits a moment for readers of other processes, while nobody
 * else can begin to read; where one goes on, everything is done again later. */
static gputune_status in_transaction(gt_database *database, void *context)
{
    const transaction *what = context;
    roll_back(database);
    gputune_status status = gt_execute(database, GT_SQL_BEGIN, "");
    GT_THEN(status, what->work(database, what->context));
    database->patience = gt_patience_for(GT_SHORT_STEP_S, NULL);
    GT_THEN(status, gt_execute(database, GT_SQL_COMMIT, ""));
    if (status != GPUTUNE_OK) {
        roll_back(database);
    }
    return status;
}

/* --- the file --------------------------------------------------------------------------------- */

/* `call`: how long the statements run. */
static gputune_status write_file(gt_store *store, gt_store_fn work, void *context,
                                 const gt_patience *call, const gt_patience *patience)
{
    if (!is_writable(store)) {
        return GPUTUNE_OK;
    }
    const gt_patience limit = patience ? gt_patience_at_most(patience, longest_wait_s)
                                       : gt_patience_for(longest_wait_s, NULL);
    gputune_status status = gt_layers_use_file(store, in_transaction, &(transaction){work, context},
                                               true, call, &limit);
    if (status != GPUTUNE_EBUSY && status != GPUTUNE_EDATABASE) {
        GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
        store->lock_told = false;
    }
    gt_layers_flush(store);
    return status;
}

gputune_status gt_store_write_file(gt_store *store, gt_store_fn work, void *context,
                                   const gt_patience *patience)
{
    return write_file(store, work, context, patience, patience);
}

void gt_store_compact(gt_store *store)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->using);
    if (store->file && !store->no_file) {
        store->file->patience = gt_patience_for(0, NULL);
        (void)gt_execute(store->file, GT_SQL_VACUUM, "");
    }
}

/* --- memory ----------------------------------------------------------------------------------- */

static gputune_status write_memory(gt_database **database, gt_store_fn work, void *context)
{
    GT_TRY(gt_layers_open_memory(database));
    gputune_status status = in_transaction(*database, &(transaction){work, context});
    return status == GPUTUNE_EDATABASE
               ? gt_fail(status, "the database in memory failed: %s", gt_database_why(*database))
               : status;
}

gputune_status gt_store_write_wisdom(gt_store *store, gt_store_fn work, void *context)
{
    if (!gt_layers_own(store)) {
        return GPUTUNE_OK;
    }
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->using);
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

/* Behind the transaction. */
static void detach(gt_store *store)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->using);
    if (store->file && sqlite3_db_readonly(store->file->handle, "kept") >= 0) {
        (void)gt_execute(store->file, GT_SQL_BRING_END, "");
    }
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
    if (all) {
        store->lags_since_ns = 0;
    }
    if (all && !store->no_file) {
        store->unkept[0] = '\0';
    }
    pthread_mutex_unlock(&store->telling);
}

bool gt_store_lags(gt_store *store)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    return store->lags_since_ns && !store->no_file;
}

void gt_layers_bring(gt_store *store, const gt_patience *patience)
{
    bringing what = {.store = store};
    if (!gt_layers_own(store) || !gt_store_lags(store)) {
        return;
    }
    gputune_status status = write_file(store, bring_rows, &what, NULL, patience);
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
                 "the database %s is locked by another process: what is found out is in memory "
                 "until the file can be written; end the process that locks it, or set GPUTUNE_DB "
                 "to another file",
                 store->asked);
    }
    store->lock_told = true;
    store->lags_since_ns = gt_now_ns();
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
    gputune_merged *merged = what->merged;
    merged->taken_trials = merged->taken_winners = merged->taken_codes = 0; /* of a try before */
    GT_TRY(attach_kept(database));
    GT_TRY(copy_kept(database, what->all->handle));
    for (size_t i = 0; i < STEPS; i++) {
        GT_TRY(gt_execute(database, steps[i], ""));
        uint64_t rows = (uint64_t)sqlite3_changes(database->handle);
        merged->taken_codes += steps[i] == GT_SQL_BRING_CODE ? rows : 0;
        merged->taken_trials += steps[i] == GT_SQL_BRING_TRIAL ? rows : 0;
        merged->taken_winners += steps[i] == GT_SQL_BRING_WINNER ? rows : 0;
    }
    return GPUTUNE_OK;
}

static gputune_status add_counts(void *context, gt_rows *row)
{
    gputune_merged *merged = context;
    merged->winners += (uint64_t)gt_rows_integer(row);
    merged->trials += (uint64_t)gt_rows_integer(row);
    merged->codes += (uint64_t)gt_rows_integer(row);
    return GPUTUNE_OK;
}

static gputune_status gather(merging *what, gt_database *file)
{
    static const gt_sql sound[] = {GT_SQL_KEPT_WINNERS, GT_SQL_KEPT_TRIALS, GT_SQL_KEPT_CODE};
    GT_TRY(attach_kept(what->all));
    GT_TRY(copy_kept(what->all, file->handle));
    GT_TRY(execute_all(what->all, sound, sizeof sound / sizeof *sound));
    GT_TRY(gt_query_one(what->all, add_counts, what->merged, GT_SQL_KEPT_COUNTS, ""));
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
    static const double each_s = 5; /* for a file that is locked */
    merging what = {NULL, merged};
    *merged = (gputune_merged)GPUTUNE_MERGED_INIT;
    gputune_status status = gt_layers_open_memory(&what.all);
    for (size_t i = 0; i < count && status == GPUTUNE_OK; i++) {
        const gt_patience patience = gt_patience_for(each_s, NULL);
        status = gather_file(&what, paths[i], &patience);
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
