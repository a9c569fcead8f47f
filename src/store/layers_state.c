/* The state of the store's layers: which file is used, what is told of it, and its mutexes. */
#include "store/layers_parts.h"

#include "base/condition.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double mutex_slice_s = 0.05; /* between two looks at the cancel flag */
static const char locked_text[] = "another process has locked it; wait until it ends";

bool gt_layers_own(const gt_store *store)
{
    return store->owner == getpid();
}

gt_file_state gt_layers_state(gt_store *store)
{
    pthread_mutex_lock(&store->telling);
    const gt_file_state now = {.path = store->paths[store->path],
                               .index = store->path,
                               .is_damaged = store->damaged == store->path,
                               .no_file = store->no_file,
                               .unreadable = store->unreadable,
                               .unbrought = store->unbrought};
    pthread_mutex_unlock(&store->telling);
    return now;
}

/* --- what the log is told --------------------------------------------------------------------- */

void gt_layers_note_read(gt_store *store, gt_trouble trouble, const char *why)
{
    const char *text = trouble == GT_TROUBLE_NONE     ? ""
                       : trouble == GT_TROUBLE_LOCKED ? locked_text
                                                      : why;
    pthread_mutex_lock(&store->telling);
    snprintf(store->unread, sizeof store->unread, "%s", text);
    if (trouble == GT_TROUBLE_NONE) {
        store->blind_since_ns = 0;
        store->blind_s = 0;
    }
    pthread_mutex_unlock(&store->telling);
}

void gt_layers_warn(gt_store *store, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    pthread_mutex_lock(&store->telling);
    gt_vsnprintf(store->warning, sizeof store->warning, format, values);
    pthread_mutex_unlock(&store->telling);
    va_end(values);
}

void gt_layers_tell_distrust(gt_store *store, const gt_database *database)
{
    const char *path = gt_layers_state(store).path;
    pthread_mutex_lock(&store->telling);
    bool told = store->distrust_told;
    store->distrust_told |= database && database->distrust;
    pthread_mutex_unlock(&store->telling);
    if (database && database->distrust && !told) {
        gt_layers_warn(store,
                       "the code in the database %s is not used, and its results are proved again: "
                       "%s; take its write permission from others (chmod go-w), or set GPUTUNE_DB "
                       "to a file of your own in a folder that only you may write",
                       path, database->distrust);
    }
}

void gt_layers_flush(gt_store *store)
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

bool gt_layers_lock(pthread_mutex_t *mutex, const gt_patience *patience)
{
    while (pthread_mutex_trylock(mutex) != 0) {
        double left_s = gt_patience_left_s(patience);
        if (left_s <= 0) {
            return false;
        }
        if (gt_mutex_wait(mutex, fmin(left_s, mutex_slice_s))) {
            return true;
        }
    }
    return true;
}

void gt_layers_give_up(gt_store *store, const char *why, bool keep_reading)
{
    pthread_mutex_lock(&store->telling);
    store->no_file = true;
    store->unreadable = !keep_reading;
    snprintf(store->unkept, sizeof store->unkept, "%s", why);
    if (!keep_reading) {
        snprintf(store->unread, sizeof store->unread, "%s", why);
    }
    snprintf(store->warning, sizeof store->warning,
             "the database %s cannot be written (%s): results are kept in memory only; "
             "set GPUTUNE_DB to a file that can",
             store->asked, why);
    pthread_mutex_unlock(&store->telling);
}

gputune_status gt_layers_open_memory(gt_database **database)
{
    gt_trouble trouble;
    char ignored[GT_WHY_MAX];
    if (*database) {
        return GPUTUNE_OK;
    }
    gputune_status status = gt_database_open(database, ":memory:", GT_DATABASE_MEMORY, NULL,
                                             &trouble, ignored, sizeof ignored);
    return status == GPUTUNE_EDATABASE ? gt_fail(status, "SQLite does not work here") : status;
}

void gt_layers_drop_system(gt_store *store, const char *why)
{
    gt_layers_warn(store, "the system database %s is not used: %s", store->system_path, why);
    gt_database_close(store->system);
    store->system = NULL;
}
