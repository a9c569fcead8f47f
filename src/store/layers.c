/* The store's databases: opens them, looks up, writes, logs warnings, and merges files. */
#include "store/layers.h"

#include "base/clock.h"
#include "base/condition.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/network.h"
#include "base/number.h"
#include "base/text.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GT_WARNING_MAX = 768 };
/* seconds to wait for the system's file; also the minimum wait of gt_store_bring() */
#define GT_LOOKUP_WAIT_S 0.1

/* The files use a rollback journal instead of a write-ahead log. Processes keep the index of a
 * write-ahead log in shared memory. On a network file system, where home folders often are, two
 * machines would therefore damage the file. Besides, a user could not read a file that only root
 * can write. Writes are rare and short, so a rollback journal is not too slow.
 *
 * A damaged file is not modified. It may belong to another program, or it may be intact again after
 * its file system has been repaired.
 *
 * All threads share one connection to the user's file, and no thread waits for a lock while it uses
 * the connection. If another process has locked the file, the thread releases the connection,
 * sleeps, and tries again. In this way, a thread that waits for another process does not block
 * other threads. The mutexes must be locked in this order:
 * - `using` protects the databases. It is held while the disk is accessed, but not while waiting
 * for another process, except briefly at the end of a commit.
 * - `telling` protects warnings and the times of waits, and is held only briefly. The state of the
 *   file changes only while both `using` and `telling` are held, so holding one of them is enough
 *   to read it. */
struct gt_store {
    pid_t owner;
    gt_log log;
    char *asked, *system_path; /* given paths of the user's and the system's file */
    char *title;               /* "database 'PATH'", for messages */
    char *path;                /* absolute path of `asked`: the program may chdir() */
    bool only_read;

    pthread_mutex_t using;
    gt_database *file; /* connection to the user's file; NULL if it is not open */
    gt_database *system;
    gt_database *wisdom; /* winners imported only for this store, or NULL */
    gt_database *memory; /* rows that could not be written to the file, or NULL */
    uint64_t memory_writes;

    pthread_mutex_t telling;
    bool no_file;            /* true if the user's file is not written any more */
    bool unreadable;         /* true if the user's file is not read any more */
    bool lags;               /* true if rows are in memory because the file was locked */
    int64_t locked_since_ns; /* last time a call gave up waiting for a lock; 0: read since then */
    bool distrust_logged;    /* true if the warning that the file is not trusted was logged */
    bool is_slow;            /* true if the last write took too long; false: the file was locked */
    bool delay_logged;       /* true if delayed writes have been reported since the last success */
    bool loss_logged;        /* true if gt_store_check() has reported that rows may be lost */
    char unkept[GT_WHY_MAX]; /* why some rows are in memory only, or "" */
    gt_obstacle unread;      /* why the last lookup could not read the file */
    char warning[GT_WARNING_MAX]; /* warning that is to be logged, or "" */
};

static const double mutex_slice_s = 0.05; /* interval for checking the cancel flag */
static const double longest_turn_s = 30;  /* time limit for waiting for other threads */
static const char still_locked[] = "the %s is still locked by another process: results "
                                   "that are in memory only are lost; "
                                   "end that process and tune again";

static bool layers_own(const gt_store *store)
{
    return store->owner == getpid();
}

/* --- logging ---------------------------------------------------------------------------------- */

/* Records whether the last lookup could read the user's file, and if not, why. After a write that
 * must be repeated, records only whether it took too long or the file was locked. */
static void note_try(gt_store *store, const gt_obstacle *obstacle, bool writes)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    if (writes && obstacle->trouble != GT_TROUBLE_NONE) {
        store->is_slow = obstacle->trouble == GT_TROUBLE_SLOW;
        return;
    }
    store->unread = *obstacle;
    if (obstacle->trouble == GT_TROUBLE_LOCKED) {
        snprintf(store->unread.why, sizeof store->unread.why, "%s",
                 "another process has locked it; wait until it ends");
    } else if (obstacle->trouble == GT_TROUBLE_NONE) {
        store->locked_since_ns = 0;
    }
}

/* Records a warning until layers_flush() logs it, because the log's callback may call the store. */
static void layers_warn(gt_store *store, const char *format, ...)
{
    va_list values;
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    va_start(values, format);
    gt_vsnprintf(store->warning, sizeof store->warning, format, values);
    va_end(values);
}

/* If the file is not trusted, warns once. The caller must hold the mutex `using`. */
static void warn_of_distrust(gt_store *store)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    const char *why = store->file->distrust;
    if (why && !store->distrust_logged) {
        snprintf(store->warning, sizeof store->warning,
                 "the code in the %s is not used, and its results are verified again: %s; "
                 "remove the write permission of others (chmod go-w), or set GPUTUNE_DB to a file "
                 "of your own in a folder that only you may write",
                 store->title, why);
    }
    store->distrust_logged |= why != NULL;
}

static void layers_flush(gt_store *store)
{
    char line[GT_WARNING_MAX];
    pthread_mutex_lock(&store->telling);
    memcpy(line, store->warning, sizeof line);
    store->warning[0] = '\0';
    pthread_mutex_unlock(&store->telling);
    if (line[0]) {
        gt_log_line(&store->log, GPUTUNE_LOG_WARNING, "%s", line);
    }
}

/* --- waiting ---------------------------------------------------------------------------------- */

/* Stops writing the user's file; also stops reading unless `keep_reading` is true. The caller must
 * hold the mutex `using`. */
static void give_up(gt_store *store, const gt_obstacle *obstacle, bool keep_reading)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    store->no_file = true;
    store->unreadable = !keep_reading;
    memcpy(store->unkept, obstacle->why, sizeof store->unkept);
    if (!keep_reading) {
        store->unread = *obstacle;
    }
    const bool is_unusable = obstacle->trouble == GT_TROUBLE_UNUSABLE;
    if (!store->only_read) { /* a read-only store does not warn, because opening or reading fails */
        snprintf(store->warning, sizeof store->warning,
                 "the %s cannot be %s (%s): results are kept in memory only%s", store->title,
                 is_unusable ? "used" : "written", obstacle->why,
                 strstr(obstacle->why, "GPUTUNE_DB") ? ""
                 : is_unusable ? "; move it away, or set GPUTUNE_DB to another file"
                               : "; set GPUTUNE_DB to a writable file");
    }
}

/* Stops using the user's file because there is no folder for it. gt_message() has the reason. */
static void give_up_folder(gt_store *store)
{
    gt_obstacle obstacle = {.trouble = GT_TROUBLE_FAILED};
    snprintf(obstacle.why, sizeof obstacle.why, "%s", gt_message());
    give_up(store, &obstacle, false);
}

/* Creates a database in memory if there is none yet. The caller must hold its mutex. */
static gputune_status layers_open_memory(gt_database **database)
{
    gt_obstacle obstacle = {0};
    if (*database) {
        return GPUTUNE_OK;
    }
    gputune_status status =
        gt_database_open(database, ":memory:", GT_DATABASE_MEMORY, NULL, &obstacle);
    return status == GPUTUNE_EDATABASE ? gt_fail(status, "SQLite cannot be initialised") : status;
}

/* Stops using the system's file. The caller must hold the mutex `using`. */
static void drop_system(gt_store *store, const char *why)
{
    layers_warn(store, "the system database %s is not used: %s", store->system_path, why);
    gt_database_close(&store->system);
}

/* --- the user's file -------------------------------------------------------------------------- */

/* Returns true if the file, or the file of a link, does not exist but can probably be created. */
static bool is_creatable(const char *path)
{
    char folder[PATH_MAX];
    struct stat facts;
    gt_folder_of(folder, sizeof folder, path);
    const bool is_link = lstat(path, &facts) == 0;
    return stat(path, &facts) != 0 && errno == ENOENT && (is_link || access(folder, W_OK) == 0);
}

bool gt_store_is_missing(const gt_store *store)
{
    return store->path && is_creatable(store->path);
}

/* Opens the user's file if it is not open. Only a write creates a missing file; a lookup returns
 * ENOTFOUND if the file could be created. On EDATABASE, *obstacle has the reason. Warns if a new
 * file is on a network file system. */
static gputune_status open_file(gt_store *store, bool writes, gt_obstacle *obstacle)
{
    const gt_patience at_once = gt_patience_for(0, NULL);
    const char *path = store->path;
    /* if the store no longer writes the file, keep it open even if it was replaced */
    bool fixed = store->only_read || store->no_file;
    if (store->file && (fixed || !gt_database_is_gone(store->file))) {
        return GPUTUNE_OK;
    }
    gt_database_close(&store->file);
    if (!writes && !fixed && is_creatable(path)) {
        return GPUTUNE_ENOTFOUND;
    }
    GT_TRY(gt_database_open(&store->file, path, fixed ? GT_DATABASE_READ : GT_DATABASE_WRITE,
                            &at_once, obstacle));
    const char *network = store->file->made ? gt_network_of(path) : NULL;
    if (network) {
        layers_warn(store,
                    "the database '%s' is on a network file system, %s, whose locks may not hold "
                    "between machines: set GPUTUNE_DB to a file on a local disk",
                    path, network);
    }
    if (!store->only_read) {
        warn_of_distrust(store);
    }
    return GPUTUNE_OK;
}

/* Calls `work`, and interrupts its statements when the patience `call` ends (NULL: never).
 * Statements may run for at least one second, so a late or canceled call can still get an answer or
 * store its results, unless the file is locked. */
static gputune_status work_within(gt_database *database, gt_store_fn work, void *context,
                                  const gt_patience *call)
{
    static const double least_s = 1;
    const gt_patience endless = gt_patience_for(INFINITY, NULL);
    bool is_late = call && gt_patience_left_s(call) < least_s;
    database->limit = is_late ? gt_patience_for(least_s, NULL) : call ? *call : endless;
    gputune_status status = work(database, context);
    database->limit = endless; /* the limit's cancel flag may be invalid after this call */
    return status;
}

/* Opens the file and calls `work`, without waiting. On EDATABASE, *obstacle has the reason. */
static gputune_status try_once(gt_store *store, gt_store_fn work, void *context, bool writes,
                               const gt_patience *call, gt_obstacle *obstacle)
{
    GT_TRY(open_file(store, writes, obstacle));
    store->file->patience = gt_patience_for(0, NULL);
    gputune_status status = work_within(store->file, work, context, call);
    obstacle->trouble = gt_database_trouble(store->file);
    snprintf(obstacle->why, sizeof obstacle->why, "%s", gt_database_why(store->file));
    if (status != GPUTUNE_EDATABASE && !sqlite3_get_autocommit(store->file->handle)) {
        /* release the lock, because others may be waiting for it */
        gt_database_close(&store->file);
    }
    return status;
}

/* Calls `work` on the user's file without waiting for locks. The caller must hold the mutex
 * `using`. */
static gputune_status try_file(gt_store *store, gt_store_fn work, void *context, bool writes,
                               const gt_patience *call)
{
    while (writes ? !store->no_file : !store->unreadable) {
        gt_obstacle obstacle = {.trouble = GT_TROUBLE_NONE};
        gputune_status status = try_once(store, work, context, writes, call, &obstacle);
        if (status != GPUTUNE_EDATABASE) {
            note_try(store, &(gt_obstacle){.trouble = GT_TROUBLE_NONE}, writes);
            return status;
        }
        bool locked = obstacle.trouble == GT_TROUBLE_LOCKED || obstacle.trouble == GT_TROUBLE_SLOW;
        bool opened = store->file;
        /* report why the file was given up, not why it fails now */
        if (!opened && !locked && store->no_file) {
            memcpy(obstacle.why, store->unkept, sizeof obstacle.why);
        }
        note_try(store, &obstacle, writes);
        if (locked) {
            return GPUTUNE_EBUSY;
        }
        if (store->only_read || store->no_file ||
            (!writes && opened && obstacle.trouble != GT_TROUBLE_UNUSABLE)) {
            break;
        }
        bool is_sound = obstacle.trouble != GT_TROUBLE_UNUSABLE &&
                        (store->file || obstacle.trouble == GT_TROUBLE_NEWER ||
                         obstacle.trouble == GT_TROUBLE_READ_ONLY);
        gt_database_close(&store->file);
        give_up(store, &obstacle, is_sound);
    }
    return writes ? GPUTUNE_EDATABASE : GPUTUNE_ENOTFOUND;
}

/* Calls `work` on the user's file. While the file is locked by another process, tries again until
 * `limit`, and then returns EBUSY without a message. Statements are interrupted when `call` ends
 * (NULL: never); an interrupted statement is treated like a locked file. If other threads use the
 * connection, a lookup waits for them until `call` ends, and a write until `limit` ends. Returns
 * ENOTFOUND if the file cannot be read. Returns EDATABASE if the file cannot be written. Later
 * calls do not write such a file, and do not read it if it is damaged. */
static gputune_status layers_use_file(gt_store *store, gt_store_fn work, void *context, bool writes,
                                      const gt_patience *call, const gt_patience *limit)
{
    const gt_patience turn = writes ? *limit : call ? *call : gt_patience_for(longest_turn_s, NULL);
    gputune_status status;
    int tries = 0;
    do {
        bool taken = pthread_mutex_trylock(&store->using) == 0;
        double left_s;
        while (!taken && (left_s = gt_patience_left_s(&turn)) > 0) {
            taken = gt_mutex_wait(&store->using, fmin(left_s, mutex_slice_s));
        }
        if (!taken) {
            return GPUTUNE_EBUSY;
        }
        status = try_file(store, work, context, writes, call);
        pthread_mutex_unlock(&store->using);
    } while (status == GPUTUNE_EBUSY && gt_wait_step(limit, tries++, GT_SHORT_STEP_S));
    return status;
}

/* --- waiting in lookups ----------------------------------------------------------------------- */

static const double longest_wait_s = 5; /* a write to a slow disk may take seconds */
static const double listing_s = 0.5;    /* wait of a lookup without a time limit */
static const double share = 0.25; /* part of the patience that a lookup may spend on waiting */
/* after a call did not get the lock in time, lookups do not wait for this number of seconds */
static const double pause_s = 1;

gt_patience gt_layers_file_patience(const gt_patience *patience)
{
    return gt_patience_at_most(patience,
                               fmin(longest_wait_s, share * gt_patience_left_s(patience)));
}

/* Returns how long a lookup may wait for the file. Even with 0 s, the lookup tries once. */
static gt_patience lookup_patience(gt_store *store, const gt_patience *patience)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    if (store->locked_since_ns && gt_seconds_since(store->locked_since_ns) < pause_s) {
        return gt_patience_for(0, NULL);
    }
    return patience ? gt_layers_file_patience(patience) : gt_patience_for(listing_s, NULL);
}

/* Reads the file. While it is locked, tries again until the patience ends; then returns EBUSY. */
static gputune_status read_file(gt_store *store, gt_store_fn work, void *context,
                                const gt_patience *patience)
{
    const gt_patience limit = lookup_patience(store, patience);
    const bool waits = gt_patience_left_s(&limit) > 0;
    gputune_status status = layers_use_file(store, work, context, false, patience, &limit);
    if (status == GPUTUNE_EBUSY && waits) {
        GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
        store->locked_since_ns = gt_now_ns();
    }
    return status;
}

/* --- opening ---------------------------------------------------------------------------------- */

static void open_system(gt_store *store)
{
    gt_obstacle obstacle = {0};
    gt_patience patience = gt_patience_for(GT_LOOKUP_WAIT_S, NULL);
    if (store->system_path && gt_file_exists(store->system_path) &&
        gt_database_open(&store->system, store->system_path, GT_DATABASE_READ, &patience,
                         &obstacle) != GPUTUNE_OK) {
        drop_system(store, obstacle.why);
    }
    if (store->system) {
        store->system->given = true;
    }
}

const char *gt_store_named_path(const char *path)
{
    const char *given = path ? path : gt_environment("GPUTUNE_DB");
    return given && given[0] ? given : NULL;
}

gputune_status gt_store_path(char **out, const char *path)
{
    const char *given = gt_store_named_path(path);
    GT_FREED char *folder = NULL;
    if (given) {
        return gt_strdup(out, given);
    }
    GT_TRY(gt_file_cache_folder(&folder));
    return gt_format(out, "%s/gputune.db", folder);
}

/* Determines the path of the user's file. There is no path if there is no cache folder, or if the
 * database is ":memory:". */
static gputune_status choose_file(gt_store *store, const char *path)
{
    gputune_status status = gt_store_path(&store->asked, path);
    if (status == GPUTUNE_ENOTFOUND) {
        GT_TRY(gt_strdup(&store->asked, ""));
        GT_TRY(gt_strdup(&store->title, "default database"));
        give_up_folder(store);
        return GPUTUNE_OK;
    }
    GT_TRY(status);
    GT_TRY(gt_format(&store->title, "database '%s'", store->asked));
    if (strcmp(store->asked, ":memory:") == 0) {
        store->no_file = store->unreadable = true;
        return layers_open_memory(&store->memory);
    }
    return gt_path_absolute(&store->path, store->asked);
}

/* Creates the folders of the default file. The folder of a file that the user named must exist. */
static gputune_status prepare_folder(const gt_store *store, const char *path)
{
    if (!gt_store_named_path(path)) {
        return gt_file_make_parents(store->asked);
    }
    char folder[PATH_MAX];
    gt_folder_of(folder, sizeof folder, store->asked);
    GT_REFUSE(!gt_file_exists(folder), GPUTUNE_EIO,
              "the folder '%s' does not exist; create it first", folder);
    return GPUTUNE_OK;
}

static gputune_status find_nothing(gt_database *database, void *context)
{
    (void)database;
    (void)context;
    return GPUTUNE_OK;
}

/* Opens the user's file. If it is locked, a later call opens it; a read-only store fails. */
static gputune_status open_user(gt_store *store, const char *path)
{
    const gt_patience none = gt_patience_for(0, NULL);
    gputune_status status;
    GT_TRY(choose_file(store, path));
    if (store->only_read && !path && !store->no_file && !gt_file_exists(store->asked)) {
        store->no_file = store->unreadable = true;
    }
    if (store->no_file) {
        return GPUTUNE_OK;
    }
    if (!store->only_read && prepare_folder(store, path) != GPUTUNE_OK) {
        give_up_folder(store);
        return GPUTUNE_OK;
    }
    /* if the file is locked, do not wait; later calls will wait as long as their patience allows */
    status = read_file(store, find_nothing, NULL, store->only_read ? NULL : &none);
    if (!store->only_read || status == GPUTUNE_ENOMEM) {
        return status == GPUTUNE_ENOMEM ? status : GPUTUNE_OK;
    }
    GT_REFUSE(store->unread.trouble == GT_TROUBLE_UNUSABLE, GPUTUNE_EDATABASE,
              "'%s' is not a gputune database: %s", store->asked, store->unread.why);
    return gt_store_check(store, false);
}

static void drop_store(gt_store **store)
{
    gt_store_close(*store);
}

gputune_status gt_store_open(gt_store **out, const char *path, const char *system_path,
                             const gt_log *log, bool only_read)
{
    GT_SCOPED(drop_store) gt_store *store = calloc(1, sizeof *store);
    GT_TRY(gt_allocated(store));
    pthread_mutex_init(&store->using, NULL);
    pthread_mutex_init(&store->telling, NULL);
    store->owner = getpid();
    store->log = log ? *log : (gt_log){0};
    store->only_read = only_read;
    snprintf(store->unkept, sizeof store->unkept, "%s",
             only_read ? "it was opened for reading only" : "");
    if (system_path) {
        GT_TRY(gt_strdup(&store->system_path, system_path));
    }
    GT_TRY(open_user(store, path));
    open_system(store);
    layers_flush(store);
    *out = gt_take(&store);
    return GPUTUNE_OK;
}

/* Calls `work` on a database. EDATABASE or a NULL database becomes ENOTFOUND. */
static gputune_status ask_database(gt_database *database, gt_store_fn work, void *context)
{
    gputune_status status = database ? work(database, context) : GPUTUNE_ENOTFOUND;
    return status == GPUTUNE_EDATABASE ? GPUTUNE_ENOTFOUND : status;
}

static bool searches_lower(gputune_status status, bool all)
{
    return status == GPUTUNE_ENOTFOUND || (all && status == GPUTUNE_OK);
}

/* Calls `work` on the layers below the user's file: imported winners, then the system's file. */
static gputune_status read_below(gt_store *store, gt_store_fn work, void *context,
                                 const gt_patience *patience, bool all)
{
    const gt_patience brief = gt_patience_for(GT_LOOKUP_WAIT_S, NULL);
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->using);
    gputune_status status = ask_database(store->wisdom, work, context);
    if (!searches_lower(status, all) || !store->system) {
        return status;
    }
    store->system->patience = brief;
    status = work_within(store->system, work, context, patience);
    const gt_trouble trouble = gt_database_trouble(store->system);
    if (status == GPUTUNE_EDATABASE && trouble != GT_TROUBLE_LOCKED && trouble != GT_TROUBLE_SLOW) {
        drop_system(store, gt_database_why(store->system));
    }
    return status == GPUTUNE_EDATABASE ? GPUTUNE_ENOTFOUND : status;
}

static gputune_status read_layers(gt_store *store, gt_store_fn work, void *context,
                                  const gt_patience *patience, bool all)
{
    if (!layers_own(store)) {
        return GPUTUNE_ENOTFOUND;
    }
    pthread_mutex_lock(&store->using);
    gputune_status status = ask_database(store->memory, work, context);
    pthread_mutex_unlock(&store->using);
    if (!searches_lower(status, all)) {
        return status;
    }
    gputune_status file = read_file(store, work, context, patience);
    if (file == GPUTUNE_EBUSY || searches_lower(file, all)) {
        status = read_below(store, work, context, patience, all);
        file = file == GPUTUNE_EBUSY && searches_lower(status, all) ? GPUTUNE_EBUSY : status;
    }
    layers_flush(store);
    return file;
}

gputune_status gt_store_read(gt_store *store, gt_store_fn work, void *context,
                             const gt_patience *patience)
{
    gputune_status status = read_layers(store, work, context, patience, false);
    return status == GPUTUNE_EBUSY ? GPUTUNE_ENOTFOUND : status;
}

gputune_status gt_store_read_all(gt_store *store, gt_store_fn work, void *context,
                                 const gt_patience *patience)
{
    gputune_status status = read_layers(store, work, context, patience, true);
    return status == GPUTUNE_ENOTFOUND ? GPUTUNE_OK : status;
}

static const double longest_write_s = 5; /* seconds that a write waits for a lock */

/* --- transactions ----------------------------------------------------------------------------- */

bool gt_store_is_writable(const gt_store *store)
{
    return layers_own(store) && !store->only_read;
}

static void roll_back(gt_database *database)
{
    const int code = database->code; /* the rollback may set another code */
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

/* Calls `work` in a transaction. If an earlier transaction could not be rolled back because memory
 * had run out, rolls it back first. The commit waits briefly until readers in other processes end;
 * new readers cannot begin. If a reader takes longer, the caller must repeat the transaction. */
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

gputune_status gt_store_write_file(gt_store *store, gt_store_fn work, void *context,
                                   const gt_patience *call, const gt_patience *patience)
{
    if (!gt_store_is_writable(store)) {
        return GPUTUNE_OK;
    }
    const gt_patience limit = patience ? gt_patience_at_most(patience, longest_write_s)
                                       : gt_patience_for(longest_write_s, NULL);
    gputune_status status =
        layers_use_file(store, in_transaction, &(transaction){work, context}, true, call, &limit);
    if (status != GPUTUNE_EBUSY && status != GPUTUNE_EDATABASE) {
        GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
        store->delay_logged = false;
    }
    layers_flush(store);
    return status;
}

/* --- memory ----------------------------------------------------------------------------------- */

static gputune_status write_memory(gt_database **database, gt_store_fn work, void *context)
{
    GT_TRY(layers_open_memory(database));
    gputune_status status = in_transaction(*database, &(transaction){work, context});
    return status == GPUTUNE_EDATABASE
               ? gt_fail(status, "the database in memory failed: %s", gt_database_why(*database))
               : status;
}

gputune_status gt_store_write_wisdom(gt_store *store, gt_store_fn work, void *context)
{
    if (!layers_own(store)) {
        return GPUTUNE_OK;
    }
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->using);
    return write_memory(&store->wisdom, work, context);
}

static gputune_status keep_rows(gt_store *store, gt_store_fn work, void *context)
{
    if (!gt_store_is_writable(store)) {
        return GPUTUNE_OK;
    }
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->using);
    store->memory_writes++;
    return write_memory(&store->memory, work, context);
}

/* Statements that copy the rows of `kept` to the file. A row comes after those that it refers
 * to. */
static const gt_sql steps[] = {GT_SQL_BRING_GPU,    GT_SQL_BRING_KERNEL, GT_SQL_BRING_SCENARIO,
                               GT_SQL_BRING_CUBIN,  GT_SQL_BRING_CODE,   GT_SQL_BRING_TRIAL,
                               GT_SQL_BRING_WINNER, GT_SQL_BRING_RULE};
enum { STEPS = sizeof steps / sizeof *steps };

typedef struct bringing {
    gt_store *store;
    uint64_t writes; /* value of memory_writes when memory was read */
} bringing;

/* Copies the database `from` to `kept`, a database attached to the connection of the writer. */
static gputune_status copy_kept(gt_database *database, sqlite3 *from)
{
    if (sqlite3_db_readonly(database->handle, "kept") < 0) { /* `kept` is not attached yet */
        GT_TRY(gt_execute(database, GT_SQL_BRING_BEGIN, ""));
    }
    sqlite3_backup *backup = sqlite3_backup_init(database->handle, "kept", from, "main");
    int code =
        backup ? sqlite3_backup_step(backup, -1) : sqlite3_extended_errcode(database->handle);
    sqlite3_backup_finish(backup);
    return code == SQLITE_DONE ? GPUTUNE_OK : gt_database_failed(database, code);
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
    what->writes = what->store->memory_writes;
    if (!what->store->memory) {
        return GPUTUNE_OK; /* there was too little memory to keep the rows */
    }
    GT_TRY(copy_kept(database, what->store->memory->handle));
    return execute_all(database, steps, STEPS);
}

/* Detaches `kept`, which is not possible within a transaction. If the rows in memory are in the
 * file now, and none were added after that, closes the database in memory. */
static void end_bringing(const bringing *what, bool is_done)
{
    gt_store *store = what->store;
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->using);
    if (store->file && sqlite3_db_readonly(store->file->handle, "kept") >= 0) {
        (void)gt_execute(store->file, GT_SQL_BRING_END, "");
    }
    if (!is_done || store->memory_writes != what->writes) {
        return;
    }
    gt_database_close(&store->memory);
    GT_SCOPED(gt_unlock) pthread_mutex_t *also = gt_lock(&store->telling);
    if (!store->no_file) {
        store->lags = false;
        store->loss_logged = false;
        store->unkept[0] = '\0';
    }
}

bool gt_store_is_locked(gt_store *store)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    return store->unread.trouble == GT_TROUBLE_LOCKED;
}

bool gt_store_lags(gt_store *store)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    return store->lags && !store->no_file;
}

/* Writes to the file the rows that are in memory because of a lock. The caller must not hold a
 * mutex. */
static void layers_bring(gt_store *store, const gt_patience *patience)
{
    bringing what = {.store = store};
    if (layers_own(store) && gt_store_lags(store)) {
        gputune_status status = gt_store_write_file(store, bring_rows, &what, NULL, patience);
        end_bringing(&what, status == GPUTUNE_OK);
    }
}

void gt_store_bring(gt_store *store)
{
    static const double most_s = 0.3;
    pthread_mutex_lock(&store->telling);
    const double left_s = most_s - gt_seconds_since(store->locked_since_ns);
    pthread_mutex_unlock(&store->telling);
    const gt_patience patience = gt_patience_for(fmax(left_s, GT_LOOKUP_WAIT_S), NULL);
    layers_bring(store, &patience);
}

gputune_status gt_store_check(gt_store *store, bool writing)
{
    if (writing) {
        gt_store_bring(store);
    }
    const bool loses = writing && gt_store_lags(store);
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    if (strcmp(store->asked, ":memory:") == 0) {
        return GPUTUNE_OK;
    }
    store->loss_logged |= loses;
    GT_REFUSE(loses, GPUTUNE_EDATABASE, still_locked, store->title);
    GT_REFUSE(store->unread.trouble != GT_TROUBLE_NONE, GPUTUNE_EDATABASE,
              "the %s cannot be used: %s", store->title, store->unread.why);
    return writing && store->unkept[0] ? gt_fail(GPUTUNE_EDATABASE, "the %s cannot be written: %s",
                                                 store->title, store->unkept)
                                       : GPUTUNE_OK;
}

void gt_store_close(gt_store *store)
{
    if (!store || !layers_own(store)) {
        return; /* closing a connection in a forked child would release the locks of its parent */
    }
    gt_store_bring(store);
    if (gt_store_lags(store) && !store->loss_logged) {
        layers_warn(store, still_locked, store->title);
        layers_flush(store);
    }
    gt_database_close(&store->file);
    gt_database_close(&store->wisdom);
    gt_database_close(&store->system);
    gt_database_close(&store->memory);
    pthread_mutex_destroy(&store->using);
    pthread_mutex_destroy(&store->telling);
    free(store->asked);
    free(store->title);
    free(store->path);
    free(store->system_path);
    free(store);
}

/* Records a warning that the file cannot be written yet, unless one was logged since the last
 * successful write. The next write tries again. */
static void warn_of_delay(gt_store *store)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    if (!store->delay_logged) {
        snprintf(store->warning, sizeof store->warning,
                 "the %s %s: results are kept in memory until it can be written; %s, or "
                 "set GPUTUNE_DB to another file",
                 store->title,
                 store->is_slow ? "was not written within the call's time limit"
                                : "is locked by another process",
                 store->is_slow ? "raise the limit" : "end the process that locks it");
    }
    store->delay_logged = true;
    store->lags = true;
    store->locked_since_ns = gt_now_ns();
    snprintf(store->unkept, sizeof store->unkept, "%s, and some results were lost",
             store->is_slow ? "a write did not end within its call's time limit"
                            : "another process had locked it");
}

/* Rows in memory are written to the file first, because lookups prefer them to rows of the file. If
 * this is not possible yet, the new rows are kept in memory, too. */
gputune_status gt_store_write(gt_store *store, gt_store_fn work, void *context,
                              const gt_patience *patience)
{
    if (!layers_own(store)) {
        return GPUTUNE_OK;
    }
    layers_bring(store, patience);
    gputune_status status = gt_store_lags(store)
                                ? GPUTUNE_EBUSY
                                : gt_store_write_file(store, work, context, patience, patience);
    if (status == GPUTUNE_EBUSY) {
        warn_of_delay(store);
        layers_flush(store);
    }
    return status == GPUTUNE_EBUSY || status == GPUTUNE_EDATABASE ? keep_rows(store, work, context)
                                                                  : status;
}

/* ---- from other files ---- */

typedef struct merging {
    gt_database *all; /* database in memory that contains the rows of all files */
    gputune_merged *merged;
} merging;

/* Copies the rows of all merged files to the user's file, and counts the rows that were new. */
static gputune_status bring_all(gt_database *database, void *context)
{
    merging *what = context;
    gputune_merged *merged = what->merged;
    merged->taken_trials = merged->taken_winners = merged->taken_codes = merged->taken_rules =
        0; /* a first attempt may have counted rows */
    GT_TRY(copy_kept(database, what->all->handle));
    for (size_t i = 0; i < STEPS; i++) {
        GT_TRY(gt_execute(database, steps[i], ""));
        uint64_t rows = (uint64_t)sqlite3_changes(database->handle);
        merged->taken_codes += steps[i] == GT_SQL_BRING_CODE ? rows : 0;
        merged->taken_trials += steps[i] == GT_SQL_BRING_TRIAL ? rows : 0;
        merged->taken_winners += steps[i] == GT_SQL_BRING_WINNER ? rows : 0;
        merged->taken_rules += steps[i] == GT_SQL_BRING_RULE ? rows : 0;
    }
    return GPUTUNE_OK;
}

static gputune_status add_counts(void *context, gt_rows *row)
{
    gputune_merged *merged = context;
    merged->winners += (uint64_t)gt_rows_integer(row);
    merged->trials += (uint64_t)gt_rows_integer(row);
    merged->codes += (uint64_t)gt_rows_integer(row);
    merged->rules += (uint64_t)gt_rows_integer(row);
    return GPUTUNE_OK;
}

static gputune_status gather_file(merging *what, const char *path, const gt_patience *patience)
{
    static const char cannot[] = "the database '%s' cannot be merged: %s";
    static const gt_sql sound[] = {GT_SQL_KEPT_WINNERS, GT_SQL_KEPT_TRIALS, GT_SQL_KEPT_CODE,
                                   GT_SQL_KEPT_RULES};
    GT_SCOPED(gt_database_close) gt_database *file = NULL;
    gt_obstacle obstacle = {0};
    gputune_status status = gt_database_open(&file, path, GT_DATABASE_READ, patience, &obstacle);
    GT_REFUSE(status == GPUTUNE_EDATABASE, status, cannot, path, obstacle.why);
    GT_TRY(status);
    GT_REFUSE(
        file->distrust, GPUTUNE_EDATABASE,
        "the database '%s' cannot be merged: %s; transfer its winners with 'gputune wisdom', which "
        "verifies them again",
        path, file->distrust);
    status = copy_kept(what->all, file->handle);
    GT_THEN(status, execute_all(what->all, sound, sizeof sound / sizeof *sound));
    GT_THEN(status, gt_query_one(what->all, add_counts, what->merged, GT_SQL_KEPT_COUNTS, ""));
    GT_THEN(status, execute_all(what->all, steps, STEPS));
    GT_REFUSE(status == GPUTUNE_EDATABASE, status, cannot, path,
              sqlite3_errstr(what->all->code ? what->all->code : file->code));
    return status;
}

gputune_status gt_store_merge(gputune_merged *merged, gt_store *store, const char *const *paths,
                              size_t count)
{
    static const double each_s = 5; /* seconds to wait for the lock of each file */
    GT_SCOPED(gt_database_close) gt_database *all = NULL;
    *merged = (gputune_merged)GPUTUNE_MERGED_INIT;
    GT_REFUSE(!gt_store_is_writable(store), GPUTUNE_EDATABASE,
              "the database was opened for reading only; nothing was merged");
    gt_store_bring(store);
    GT_TRY(layers_open_memory(&all));
    merging what = {all, merged};
    for (size_t i = 0; i < count; i++) {
        const gt_patience patience = gt_patience_for(each_s, NULL);
        GT_TRY(gather_file(&what, paths[i], &patience));
    }
    gputune_status status = gt_store_write_file(store, bring_all, &what, NULL, NULL);
    end_bringing(&(bringing){.store = store}, false);
    GT_REFUSE(status == GPUTUNE_EBUSY, status,
              "another process has locked the database; nothing was merged, try again later");
    GT_REFUSE(status == GPUTUNE_EDATABASE, status,
              "there is no database file that can be written; nothing was merged");
    return status;
}
