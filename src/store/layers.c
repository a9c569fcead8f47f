#include "store/layers.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum {
    LAYERS = 3, /* written; the user's file when something in memory took its place; system */
    BESIDE_MAX = 9,
    LOOKUP_WAIT_MS = 100,
    WRITE_WAIT_MS = 30000,
    LOCK_TRIES = 50,
    WARNING_MAX = 768
};
static const int64_t quiet_ns = 1000000000; /* no lookups for so long after one met a lock */
static const char locked_text[] = "another process has locked it; wait for that one to end";

struct gt_store {
    pthread_mutex_t mutex;
    pid_t owner;
    gt_log log;
    char *asked, *system; /* NULL: none */
    char *paths[1 + BESIDE_MAX];
    int path; /* index of the one in use */
    gt_database *layers[LAYERS];
    bool writable, in_memory, only_read;
    int write_wait_ms;
    int64_t quiet_until_ns;
    char why[256], warning[WARNING_MAX];
    char unread[256]; /* why the file did not answer the last lookup; "": it did */
};

/* --- degrading ----------------------------------------------------------------------------------
 */

static gputune_status go_to_memory(gt_store *store, const char *why, bool keep_reading)
{
    gt_database *memory;
    gt_trouble trouble;
    char ignored[128];
    gputune_status status = gt_database_open(&memory, ":memory:", GT_DATABASE_MEMORY, &trouble,
                                             ignored, sizeof ignored);
    if (status != GPUTUNE_OK) {
        return status == GPUTUNE_ENOMEM ? status : gt_fail(status, "SQLite does not work here");
    }
    if (keep_reading) {
        gt_database_close(store->layers[1]);
        store->layers[1] = store->layers[0];
    } else {
        gt_database_close(store->layers[0]);
        snprintf(store->unread, sizeof store->unread, "%s", why);
    }
    store->layers[0] = memory;
    store->in_memory = true;
    store->writable = false;
    snprintf(store->why, sizeof store->why, "%s", why);
    return GPUTUNE_OK;
}

static gputune_status give_up_writing(gt_store *store, const char *why, bool keep_reading)
{
    snprintf(store->warning, sizeof store->warning,
             "the database %s cannot be written (%s): results are kept in memory only; "
             "set GPUTUNE_DB to a file that can",
             store->asked, why);
    return go_to_memory(store, why, keep_reading);
}

/* Only one process at a time decides that a file is damaged and begins another. */
static int lock_beside(const gt_store *store)
{
    char *path;
    if (gt_path_format(&path, "%s.lock", store->asked) != GPUTUNE_OK) {
        return -1;
    }
    int file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    free(path);
    for (int i = 0; file >= 0 && i < LOCK_TRIES && flock(file, LOCK_EX | LOCK_NB) != 0; i++) {
        usleep(20000);
    }
    return file;
}

static gputune_status open_next(gt_store *store, gt_trouble *trouble, char *why, size_t bytes)
{
    gputune_status status = GPUTUNE_EDATABASE;
    while (status == GPUTUNE_EDATABASE && *trouble == GT_TROUBLE_DAMAGED &&
           store->path < BESIDE_MAX) {
        int next = store->path + 1;
        if (!store->paths[next]) {
            GT_TRY(gt_path_format(&store->paths[next], "%s.%d", store->asked, next));
        }
        store->path = next;
        status = gt_database_open(&store->layers[0], store->paths[next], GT_DATABASE_WRITE, trouble,
                                  why, bytes);
    }
    return status;
}

/* The damaged file stays; its number goes up until one is sound or new. */
static gputune_status begin_beside(gt_store *store, const char *why)
{
    gt_trouble trouble = GT_TROUBLE_DAMAGED;
    char next_why[256] = "";
    const char *damaged = store->paths[store->path];
    gt_database_close(store->layers[0]);
    store->layers[0] = NULL;
    int lock = lock_beside(store);
    gputune_status status = open_next(store, &trouble, next_why, sizeof next_why);
    if (lock >= 0) {
        close(lock);
    }
    if (status == GPUTUNE_OK) {
        store->unread[0] = '\0';
        snprintf(store->warning, sizeof store->warning,
                 "the database %s is damaged (%s): it stays as it is, and %s is used from now on",
                 damaged, why, store->paths[store->path]);
        return GPUTUNE_OK;
    }
    return status == GPUTUNE_EDATABASE ? give_up_writing(store, why, false) : status;
}

static gputune_status replace_top(gt_store *store, gt_trouble trouble, const char *why,
                                  bool keep_reading)
{
    if (trouble == GT_TROUBLE_DAMAGED) {
        return begin_beside(store, why);
    }
    return give_up_writing(store, why, store->layers[0] && keep_reading);
}

static void drop_layer(gt_store *store, int layer)
{
    if (layer == LAYERS - 1) {
        snprintf(store->warning, sizeof store->warning, "the system database %s is not used: %s",
                 store->system, gt_database_why(store->layers[layer]));
    }
    gt_database_close(store->layers[layer]);
    store->layers[layer] = NULL;
}

/* Remembers whether the user's file answers. */
static void note_read(gt_store *store, gt_trouble trouble, const char *why)
{
    const char *text = trouble == GT_TROUBLE_NONE     ? ""
                       : trouble == GT_TROUBLE_LOCKED ? locked_text
                                                      : why;
    snprintf(store->unread, sizeof store->unread, "%s", text);
}

/* --- opening ------------------------------------------------------------------------------------
 */

/* Opens the user's file unless that is done. A locked one stays to be opened later. */
static gputune_status ensure_open(gt_store *store, bool writing)
{
    gt_trouble trouble = GT_TROUBLE_FAILED;
    char why[256] = "";
    if (store->layers[0]) {
        return GPUTUNE_OK;
    }
    int64_t deadline = gt_now_ns() + (writing ? (int64_t)store->write_wait_ms * 1000000 : 0);
    gputune_status status;
    do {
        status = gt_database_open(&store->layers[0], store->paths[store->path], GT_DATABASE_WRITE,
                                  &trouble, why, sizeof why);
        note_read(store, status == GPUTUNE_OK ? GT_TROUBLE_NONE : trouble, why);
    } while (status == GPUTUNE_EDATABASE && trouble == GT_TROUBLE_LOCKED && gt_now_ns() < deadline);
    if (status != GPUTUNE_EDATABASE || (trouble == GT_TROUBLE_LOCKED && !writing)) {
        return status;
    }
    if (trouble == GT_TROUBLE_NEWER || trouble == GT_TROUBLE_READ_ONLY) {
        gt_trouble ignored_trouble;
        char ignored[128];
        status = gt_database_open(&store->layers[0], store->paths[store->path], GT_DATABASE_READ,
                                  &ignored_trouble, ignored, sizeof ignored);
        if (status == GPUTUNE_ENOMEM) {
            return status;
        }
        note_read(store, status == GPUTUNE_OK ? GT_TROUBLE_NONE : trouble, why);
    }
    return replace_top(store, trouble, why, true);
}

static void open_system(gt_store *store)
{
    gt_trouble trouble;
    char why[256] = "";
    if (!store->system || !gt_file_exists(store->system)) {
        return;
    }
    if (gt_database_open(&store->layers[LAYERS - 1], store->system, GT_DATABASE_READ, &trouble, why,
                         sizeof why) != GPUTUNE_OK &&
        !store->warning[0]) {
        snprintf(store->warning, sizeof store->warning, "the system database %s is not used: %s",
                 store->system, why);
    }
}

static gputune_status choose_path(char **out, const char *path)
{
    const char *given = path ? path : getenv("GPUTUNE_DB");
    char *folder;
    if (given && given[0]) {
        return gt_strdup(out, given);
    }
    GT_TRY(gt_file_cache_folder(&folder));
    gputune_status status = gt_path_format(out, "%s/gputune.db", folder);
    free(folder);
    return status;
}

static gputune_status open_layers(gt_store *store, const char *path)
{
    gputune_status status = choose_path(&store->asked, path);
    if (status == GPUTUNE_ENOTFOUND) {
        GT_TRY(gt_strdup(&store->asked, "of this user"));
        return give_up_writing(store, gt_message(), false);
    }
    GT_TRY(status);
    if (strcmp(store->asked, ":memory:") == 0) {
        return go_to_memory(store, "kept in memory only, as asked", false);
    }
    GT_TRY(gt_strdup(&store->paths[0], store->asked));
    if (gt_file_make_parents(store->asked) != GPUTUNE_OK) {
        return give_up_writing(store, gt_message(), false);
    }
    status = ensure_open(store, false);
    return status == GPUTUNE_EDATABASE ? GPUTUNE_OK : status; /* locked: opened when it is needed */
}

static void flush_warning(gt_store *store, char *line)
{
    if (line[0]) {
        gt_log_line(&store->log, GPUTUNE_LOG_WARNING, "%s", line);
    }
}

static gt_store *new_store(const gt_log *log)
{
    gt_store *store = calloc(1, sizeof *store);
    if (!store) {
        gt_fail_memory();
        return NULL;
    }
    pthread_mutex_init(&store->mutex, NULL);
    store->owner = getpid();
    store->log = log ? *log : (gt_log){0};
    store->write_wait_ms = WRITE_WAIT_MS;
    return store;
}

static gputune_status open_for_reading(gt_store *store, const char *path)
{
    gt_trouble trouble;
    char why[256] = "";
    GT_TRY(choose_path(&store->asked, path));
    GT_TRY(gt_strdup(&store->paths[0], store->asked));
    gputune_status status = gt_database_open(&store->layers[0], store->asked, GT_DATABASE_READ,
                                             &trouble, why, sizeof why);
    if (status == GPUTUNE_EDATABASE && trouble == GT_TROUBLE_DAMAGED) {
        return gt_fail(status, "'%s' is not a gputune database: %s", store->asked, why);
    }
    if (status == GPUTUNE_EDATABASE) {
        note_read(store, trouble, why);
        return gt_store_check(store, false);
    }
    return status;
}

gputune_status gt_store_open_read(gt_store **out, const char *path, const gt_log *log)
{
    gt_store *store = new_store(log);
    if (!store) {
        return GPUTUNE_ENOMEM;
    }
    store->only_read = true;
    snprintf(store->why, sizeof store->why, "it was opened to be read");
    gputune_status status = open_for_reading(store, path);
    if (status != GPUTUNE_OK) {
        gt_store_close(store);
        return status;
    }
    *out = store;
    return GPUTUNE_OK;
}

gputune_status gt_store_open(gt_store **out, const char *path, const char *system_path,
                             const gt_log *log)
{
    gt_store *store = new_store(log);
    if (!store) {
        return GPUTUNE_ENOMEM;
    }
    store->writable = true;
    gputune_status status = system_path ? gt_strdup(&store->system, system_path) : GPUTUNE_OK;
    if (status == GPUTUNE_OK) {
        status = open_layers(store, path);
    }
    if (status != GPUTUNE_OK) {
        gt_store_close(store);
        return status;
    }
    open_system(store);
    flush_warning(store, store->warning);
    store->warning[0] = '\0';
    *out = store;
    return GPUTUNE_OK;
}

void gt_store_close(gt_store *store)
{
    if (!store || store->owner != getpid()) {
        return; /* closing an inherited connection would drop the parent's locks */
    }
    for (int i = 0; i < LAYERS; i++) {
        gt_database_close(store->layers[i]);
    }
    for (int i = 0; i <= BESIDE_MAX; i++) {
        free(store->paths[i]);
    }
    free(store->asked);
    free(store->system);
    pthread_mutex_destroy(&store->mutex);
    free(store);
}

/* --- using --------------------------------------------------------------------------------------
 */

static void leave(gt_store *store)
{
    char warning[WARNING_MAX];
    memcpy(warning, store->warning, sizeof warning);
    store->warning[0] = '\0';
    pthread_mutex_unlock(&store->mutex);
    flush_warning(store, warning); /* the callback may call the store again */
}

/* Where the user's file is in the stack. */
static int file_layer(const gt_store *store)
{
    return store->in_memory ? 1 : 0;
}

/* What a failed read of a layer means: whether to ask this place of the stack again. */
static gputune_status settle_read(gt_store *store, int layer, bool *again)
{
    gt_database *database = store->layers[layer];
    gt_trouble trouble = gt_database_trouble(database);
    *again = false;
    if (layer == file_layer(store)) {
        note_read(store, trouble, gt_database_why(database));
    }
    if (store->only_read) {
        return GPUTUNE_OK; /* nothing is put in its place */
    }
    if (trouble == GT_TROUBLE_LOCKED) {
        store->quiet_until_ns = gt_now_ns() + quiet_ns;
        return GPUTUNE_OK;
    }
    if (layer > 0) {
        drop_layer(store, layer);
        return GPUTUNE_OK;
    }
    if (store->in_memory) {
        return GPUTUNE_OK;
    }
    *again = true;
    return replace_top(store, trouble, gt_database_why(database), false);
}

static gputune_status read_layer(gt_store *store, int layer, gt_store_fn work, void *context)
{
    bool again = true;
    gputune_status status = GPUTUNE_ENOTFOUND;
    while (again && store->layers[layer]) {
        again = false;
        gt_database_wait(store->layers[layer], LOOKUP_WAIT_MS);
        status = work(store->layers[layer], context);
        if (status == GPUTUNE_EDATABASE) {
            status = GPUTUNE_ENOTFOUND;
            GT_TRY(settle_read(store, layer, &again));
        } else if (layer == file_layer(store)) {
            note_read(store, GT_TROUBLE_NONE, "");
        }
    }
    return status;
}

static gputune_status read_layers(gt_store *store, gt_store_fn work, void *context, bool all)
{
    bool quiet = gt_now_ns() < store->quiet_until_ns;
    GT_TRY(!quiet && ensure_open(store, false) == GPUTUNE_ENOMEM ? GPUTUNE_ENOMEM : GPUTUNE_OK);
    if (!store->layers[0] && !quiet) {
        store->quiet_until_ns = gt_now_ns() + quiet_ns;
    }
    gputune_status status = GPUTUNE_ENOTFOUND;
    for (int i = 0; i < LAYERS; i++) {
        if (quiet && !(i == 0 && store->in_memory)) {
            continue; /* waiting for a lock at every lookup would add up */
        }
        status = read_layer(store, i, work, context);
        if (all ? status != GPUTUNE_OK && status != GPUTUNE_ENOTFOUND
                : status != GPUTUNE_ENOTFOUND) {
            break;
        }
    }
    return status;
}

static gputune_status read_locked(gt_store *store, gt_store_fn work, void *context, bool all)
{
    if (store->owner != getpid()) {
        return GPUTUNE_ENOTFOUND;
    }
    pthread_mutex_lock(&store->mutex);
    gputune_status status = read_layers(store, work, context, all);
    leave(store);
    return status;
}

gputune_status gt_store_read(gt_store *store, gt_store_fn work, void *context)
{
    return read_locked(store, work, context, false);
}

gputune_status gt_store_read_all(gt_store *store, gt_store_fn work, void *context)
{
    gputune_status status = read_locked(store, work, context, true);
    return status == GPUTUNE_ENOTFOUND ? GPUTUNE_OK : status;
}

static gputune_status transact(gt_database *database, gt_store_fn work, void *context)
{
    gputune_status status = gt_execute(database, GT_SQL_BEGIN, "");
    if (status != GPUTUNE_OK) {
        return status;
    }
    status = work(database, context);
    if (status == GPUTUNE_OK) {
        status = gt_execute(database, GT_SQL_COMMIT, "");
    }
    if (status != GPUTUNE_OK && !sqlite3_get_autocommit(database->handle)) {
        int code = database->code; /* the cause, not what rolling back says */
        gt_execute(database, GT_SQL_ROLLBACK, "");
        database->code = code;
    }
    return status;
}

static gputune_status write_top(gt_store *store, gt_store_fn work, void *context)
{
    GT_TRY(ensure_open(store, true));
    for (;;) {
        gt_database *top = store->layers[0];
        gt_database_wait(top, store->write_wait_ms);
        gputune_status status = transact(top, work, context);
        if (status != GPUTUNE_EDATABASE) {
            if (!store->in_memory) {
                store->unread[0] = '\0';
            }
            return status;
        }
        if (store->in_memory) {
            return gt_fail(status, "the database in memory failed: %s", gt_database_why(top));
        }
        GT_TRY(replace_top(store, gt_database_trouble(top), gt_database_why(top), true));
    }
}

gputune_status gt_store_write(gt_store *store, gt_store_fn work, void *context)
{
    if (store->owner != getpid() || store->only_read) {
        return GPUTUNE_OK;
    }
    pthread_mutex_lock(&store->mutex);
    gputune_status status = write_top(store, work, context);
    leave(store);
    return status;
}

/* --- what is told of it -------------------------------------------------------------------------
 */

static gputune_status check(const gt_store *store, bool writing)
{
    if (strcmp(store->asked, ":memory:") == 0) {
        return GPUTUNE_OK;
    }
    if (store->unread[0]) {
        return gt_fail(GPUTUNE_EDATABASE, "the database %s cannot be used: %s", store->asked,
                       store->unread);
    }
    if (writing && !store->writable) {
        return gt_fail(GPUTUNE_EDATABASE, "the database %s cannot be written: %s", store->asked,
                       store->why);
    }
    return GPUTUNE_OK;
}

gputune_status gt_store_check(gt_store *store, bool writing)
{
    pthread_mutex_lock(&store->mutex);
    gputune_status status = check(store, writing);
    pthread_mutex_unlock(&store->mutex);
    return status;
}

bool gt_store_is_writable(gt_store *store)
{
    pthread_mutex_lock(&store->mutex);
    bool writable = store->writable;
    pthread_mutex_unlock(&store->mutex);
    return writable;
}

const char *gt_store_path(gt_store *store)
{
    pthread_mutex_lock(&store->mutex);
    const char *path = store->in_memory ? ":memory:" : store->paths[store->path];
    pthread_mutex_unlock(&store->mutex);
    return path;
}

const char *gt_store_why(gt_store *store, char *out, size_t bytes)
{
    pthread_mutex_lock(&store->mutex);
    snprintf(out, bytes, "%s", store->why);
    pthread_mutex_unlock(&store->mutex);
    return out;
}

void gt_store_set_write_wait(gt_store *store, int milliseconds)
{
    store->write_wait_ms = milliseconds;
}
