/* Writes to the user's file; to a file beside it if it is damaged; to memory if it is locked or
 * cannot be written. */
#include "store/layers_parts.h"
#include "store/trust.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

static const double write_wait_s = 30;         /* in all, for a file that stays locked */
static const double write_hopeless_wait_s = 1; /* then for each write */

/* --- a damaged file --------------------------------------------------------------------------- */

/* Only one process at a time decides that a file is damaged and begins another. */
static int lock_beside(const gt_store *store, const gt_patience *patience)
{
    char *path;
    int tries = 0;
    if (gt_path_format(&path, "%s.lock", store->asked) != GPUTUNE_OK) {
        return -1;
    }
    int file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    free(path);
    while (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0 &&
           gt_wait_a_little(patience, tries++)) {
    }
    return file;
}

/* Once for a file: when it is made. */
static void tell_network(gt_store *store, const char *path)
{
    const char *network = store->writer->made ? gt_network_of(path) : NULL;
    if (network) {
        gt_layers_warn(store,
                       "the database %s is on a network file system, %s, whose locks may not hold "
                       "between machines: set GPUTUNE_DB to a file on a local disk",
                       path, network);
    }
}

static gputune_status open_writer(gt_store *store, const gt_patience *patience, gt_trouble *trouble,
                                  char why[GT_WHY_MAX])
{
    const char *path = gt_layers_state(store).path;
    gputune_status status = gt_database_open(&store->writer, path, GT_DATABASE_WRITE, patience,
                                             trouble, why, GT_WHY_MAX);
    if (status == GPUTUNE_OK) {
        tell_network(store, path);
    }
    return status;
}

static gputune_status open_next(gt_store *store, const gt_patience *patience, gt_trouble *trouble,
                                char why[GT_WHY_MAX])
{
    gputune_status status = GPUTUNE_EDATABASE;
    int index = gt_layers_state(store).index;
    while (status == GPUTUNE_EDATABASE && *trouble == GT_TROUBLE_DAMAGED &&
           ++index <= GT_BESIDE_MAX) {
        if (!store->paths[index]) {
            GT_TRY(gt_path_format(&store->paths[index], "%s.%d", store->asked, index));
        }
        pthread_mutex_lock(&store->telling);
        store->path = index;
        pthread_mutex_unlock(&store->telling);
        status = open_writer(store, patience, trouble, why);
    }
    return status;
}

/* Leaves the damaged file as it is, and tries ".1", ".2" and so on until one is sound or new. OK
 * also if none can be written. EDATABASE: it is locked. */
static gputune_status begin_beside(gt_store *store, const gt_patience *patience, const char *why)
{
    gt_trouble trouble = GT_TROUBLE_DAMAGED;
    char next_why[GT_WHY_MAX] = "";
    const char *damaged = gt_layers_state(store).path;
    gt_database_close(store->writer);
    store->writer = NULL;
    int lock = lock_beside(store, patience);
    gputune_status status = open_next(store, patience, &trouble, next_why);
    if (lock >= 0) {
        close(lock);
    }
    if (status == GPUTUNE_OK || (status == GPUTUNE_EDATABASE && trouble == GT_TROUBLE_LOCKED)) {
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
    switch (trouble) {
    case GT_TROUBLE_LOCKED:
        return GPUTUNE_EDATABASE;
    case GT_TROUBLE_DAMAGED:
        return begin_beside(store, patience, why);
    default: {
        bool served = store->writer != NULL;
        gt_database_close(store->writer);
        store->writer = NULL;
        gt_layers_give_up(store, why,
                          served || trouble == GT_TROUBLE_NEWER || trouble == GT_TROUBLE_READ_ONLY);
        return GPUTUNE_OK;
    }
    }
}

gputune_status gt_layers_open_writer(gt_store *store, const gt_patience *patience)
{
    gt_trouble trouble = GT_TROUBLE_FAILED;
    char why[GT_WHY_MAX] = "";
    const gt_file_state now = gt_layers_state(store);
    if (store->only_read || now.no_file) {
        return GPUTUNE_OK;
    }
    if (now.is_damaged) {
        return begin_beside(store, patience, "a lookup found the damage");
    }
    if (store->writer) {
        return GPUTUNE_OK;
    }
    gputune_status status = open_writer(store, patience, &trouble, why);
    return status == GPUTUNE_EDATABASE ? handle_trouble(store, patience, trouble, why) : status;
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

/* A transaction that memory was too short to roll back is rolled back first. */
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
        gt_database_wait(store->writer, &at_once);
        status = gt_execute(store->writer, GT_SQL_COMMIT, "");
        pthread_mutex_unlock(&store->reading);
    } while (status == GPUTUNE_EDATABASE &&
             gt_database_trouble(store->writer) == GT_TROUBLE_LOCKED &&
             gt_wait_a_little(patience, tries++));
    return status;
}

/* A file that could not be rolled back is closed, which ends its lock: others may go on. The next
 * write opens it again. */
static void release_file(gt_store *store)
{
    if (!sqlite3_get_autocommit(store->writer->handle)) {
        gt_database_close(store->writer);
        store->writer = NULL;
    }
}

/* EDATABASE: the file is locked, or nothing is written to it any more. Under `writing`. */
static gputune_status write_open(gt_store *store, gt_store_fn work, void *context,
                                 const gt_patience *patience)
{
    GT_TRY(gt_layers_open_writer(store, patience));
    while (store->writer) {
        gt_database_wait(store->writer, patience);
        gputune_status status = begin(store->writer, work, context);
        GT_THEN(status, commit(store, patience));
        if (status == GPUTUNE_OK) {
            return status;
        }
        roll_back(store->writer);
        if (status != GPUTUNE_EDATABASE) {
            release_file(store);
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
    pthread_mutex_lock(&store->telling);
    store->lock_told = false;
    pthread_mutex_unlock(&store->telling);
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
    pthread_mutex_lock(&store->writing);
    if (store->writer) {
        gt_database_wait(store->writer, &at_once);
        (void)gt_execute(store->writer, GT_SQL_VACUUM, "");
    }
    pthread_mutex_unlock(&store->writing);
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
    pthread_mutex_lock(&store->reading);
    gputune_status status = write_memory(&store->wisdom, work, context);
    pthread_mutex_unlock(&store->reading);
    return status;
}

gputune_status gt_store_write_memory(gt_store *store, gt_store_fn work, void *context)
{
    if (!is_writable(store)) {
        return GPUTUNE_OK;
    }
    pthread_mutex_lock(&store->remembering);
    gputune_status status = write_memory(&store->memory, work, context);
    store->memory_writes++;
    pthread_mutex_unlock(&store->remembering);
    return status;
}
