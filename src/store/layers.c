/* The store's stack of databases: one in memory (if there is one), the user's file, the system's
 * file. Opens and closes them, and reports on them. */
#include "store/layers_parts.h"

#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static gputune_status check(const gt_store *store, bool writing)
{
    if (strcmp(store->asked, ":memory:") == 0) {
        return GPUTUNE_OK;
    }
    if (store->unread[0]) {
        return gt_fail(GPUTUNE_EDATABASE, "the database %s cannot be used: %s", store->asked,
                       store->unread);
    }
    if (writing && store->path > 0) {
        return gt_fail(GPUTUNE_EDATABASE,
                       "the database %s is damaged or another program's: results are kept in %s; "
                       "move it away, or set GPUTUNE_DB to another file",
                       store->asked, store->paths[store->path]);
    }
    if (writing && store->unkept[0]) {
        return gt_fail(GPUTUNE_EDATABASE, "the database %s cannot be written: %s", store->asked,
                       store->unkept);
    }
    return GPUTUNE_OK;
}

gputune_status gt_store_check(gt_store *store, bool writing)
{
    if (writing) {
        gt_layers_bring(store, NULL);
    }
    pthread_mutex_lock(&store->telling);
    gputune_status status = check(store, writing);
    pthread_mutex_unlock(&store->telling);
    return status;
}

/* --- opening ---------------------------------------------------------------------------------- */

static void open_system(gt_store *store)
{
    gt_trouble trouble;
    char why[GT_WHY_MAX] = "";
    gt_patience patience = gt_patience_for(GT_LOOKUP_WAIT_S, NULL);
    if (store->system_path && gt_file_exists(store->system_path) &&
        gt_database_open(&store->system, store->system_path, GT_DATABASE_READ, &patience, &trouble,
                         why, sizeof why) != GPUTUNE_OK) {
        gt_layers_drop_system(store, why);
    }
    if (store->system) {
        store->system->given = true;
    }
}

/* The file that the user or the program named; NULL: none. */
static const char *named_file(const char *path)
{
    const char *given = path ? path : gt_environment("GPUTUNE_DB");
    return given && given[0] ? given : NULL;
}

gputune_status gt_store_path(char **out, const char *path)
{
    const char *given = named_file(path);
    char *folder;
    if (given) {
        return gt_strdup(out, given);
    }
    GT_TRY(gt_file_cache_folder(&folder));
    gputune_status status = gt_path_format(out, "%s/gputune.db", folder);
    free(folder);
    return status;
}

/* Finds the path of the user's file. For ":memory:", and if no folder for it is known, there is no
 * file, and no_file is set. */
static gputune_status choose_file(gt_store *store, const char *path)
{
    gputune_status status = gt_store_path(&store->asked, path);
    if (status == GPUTUNE_ENOTFOUND) {
        GT_TRY(gt_strdup(&store->asked, "of this user"));
        gt_layers_give_up(store, gt_message(), false);
        return GPUTUNE_OK;
    }
    GT_TRY(status);
    if (strcmp(store->asked, ":memory:") == 0) {
        store->no_file = store->unreadable = true;
        return gt_layers_open_memory(&store->memory);
    }
    return gt_strdup(&store->paths[0], store->asked);
}

/* Makes the folders of the file in the cache. Those of a file that was named must be there: a
 * slip of the pen would leave folders behind. */
static gputune_status prepare_folder(const gt_store *store, const char *path)
{
    if (!named_file(path)) {
        return gt_file_make_parents(store->asked);
    }
    char *folder;
    GT_TRY(gt_strdup(&folder, store->asked));
    char *slash = strrchr(folder, '/');
    gputune_status status = GPUTUNE_OK;
    if (slash && slash != folder) {
        *slash = '\0';
        if (!gt_file_exists(folder)) {
            status = gt_fail(GPUTUNE_EIO, "there is no folder %s; make it first", folder);
        }
    }
    free(folder);
    return status;
}

static gputune_status open_files(gt_store *store, const char *path)
{
    GT_TRY(choose_file(store, path));
    if (store->no_file) {
        return GPUTUNE_OK;
    }
    if (prepare_folder(store, path) != GPUTUNE_OK) {
        gt_layers_give_up(store, gt_message(), false);
        return GPUTUNE_OK;
    }
    gt_trouble trouble;
    char why[GT_WHY_MAX];
    gt_patience patience = gt_patience_for(GT_LOOKUP_WAIT_S, NULL);
    gputune_status status = gt_layers_open_reader(store, &patience, &trouble, why);
    return status == GPUTUNE_EDATABASE ? GPUTUNE_OK
                                       : status; /* a locked file is opened when it is needed */
}

static gt_store *new_store(const gt_log *log)
{
    gt_store *store = calloc(1, sizeof *store);
    if (!store) {
        gt_fail_memory();
        return NULL;
    }
    pthread_mutex_init(&store->writing, NULL);
    pthread_mutex_init(&store->reading, NULL);
    pthread_mutex_init(&store->remembering, NULL);
    pthread_mutex_init(&store->telling, NULL);
    store->owner = getpid();
    store->log = log ? *log : (gt_log){0};
    store->damaged = -1;
    return store;
}

/* Goes on to the file that was begun beside a damaged one, and says so. False: there is none. */
static bool turn_to_beside(gt_store *store, const char *why)
{
    int next = store->path + 1;
    char *path;
    if (next > GT_BESIDE_MAX || gt_path_format(&path, "%s.%d", store->asked, next) != GPUTUNE_OK) {
        return false;
    }
    if (!gt_file_exists(path)) {
        free(path);
        return false;
    }
    gt_layers_warn(store, "the database %s is damaged (%s): %s is read instead", store->asked, why,
                   path);
    store->paths[next] = path;
    store->path = next;
    return true;
}

static gputune_status open_for_reading(gt_store *store, const char *path)
{
    gt_trouble trouble;
    char why[GT_WHY_MAX];
    gt_patience patience = gt_patience_for(GT_LOOKUP_WAIT_S, NULL);
    GT_TRY(choose_file(store, path));
    if (!store->no_file && !path && !gt_file_exists(store->asked)) {
        store->no_file = store->unreadable = true;
    }
    if (store->no_file) {
        return GPUTUNE_OK;
    }
    gputune_status status;
    do {
        why[0] = '\0';
        status = gt_layers_open_reader(store, &patience, &trouble, why);
    } while (status == GPUTUNE_EDATABASE && trouble == GT_TROUBLE_DAMAGED &&
             turn_to_beside(store, why));
    if (status == GPUTUNE_EDATABASE && trouble == GT_TROUBLE_DAMAGED) {
        return gt_fail(status, "'%s' is not a gputune database: %s", store->asked, why);
    }
    if (status == GPUTUNE_EDATABASE) {
        gt_layers_note_read(store, trouble, why);
        return gt_store_check(store, false);
    }
    return status;
}

static gputune_status open_store(gt_store **out, const char *path, const char *system_path,
                                 const gt_log *log, bool only_read)
{
    gt_store *store = new_store(log);
    if (!store) {
        return GPUTUNE_ENOMEM;
    }
    store->only_read = only_read;
    snprintf(store->unkept, sizeof store->unkept, "%s",
             only_read ? "it was opened for reading only" : "");
    gputune_status status = system_path ? gt_strdup(&store->system_path, system_path) : GPUTUNE_OK;
    GT_THEN(status, only_read ? open_for_reading(store, path) : open_files(store, path));
    if (status != GPUTUNE_OK) {
        gt_store_close(store);
        return status;
    }
    open_system(store);
    gt_layers_flush(store);
    *out = store;
    return GPUTUNE_OK;
}

gputune_status gt_store_open_read(gt_store **out, const char *path, const char *system_path,
                                  const gt_log *log)
{
    return open_store(out, path, system_path, log, true);
}

gputune_status gt_store_open(gt_store **out, const char *path, const char *system_path,
                             const gt_log *log)
{
    return open_store(out, path, system_path, log, false);
}

void gt_store_close(gt_store *store)
{
    if (!store || !gt_layers_own(store)) {
        return; /* closing an inherited connection would drop the parent's locks */
    }
    gt_layers_bring(store, NULL);
    gt_database *const databases[] = {store->writer, store->reader, store->wisdom, store->system,
                                      store->memory};
    for (size_t i = 0; i < sizeof databases / sizeof *databases; i++) {
        gt_database_close(databases[i]);
    }
    for (int i = 0; i <= GT_BESIDE_MAX; i++) {
        free(store->paths[i]);
    }
    pthread_mutex_t *const mutexes[] = {&store->writing, &store->reading, &store->remembering,
                                        &store->telling};
    for (size_t i = 0; i < sizeof mutexes / sizeof *mutexes; i++) {
        pthread_mutex_destroy(mutexes[i]);
    }
    free(store->asked);
    free(store->system_path);
    free(store);
}
