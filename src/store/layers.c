/* The store's stack of databases: opening them, what is told of them, and lookups through them. */
#include "base/clock.h"
#include "base/condition.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "store/layers_parts.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    return store->file;
}

void gt_layers_turn_to(gt_store *store, int index)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    store->file.index = index;
    store->file.path = store->paths[index];
    store->file.is_damaged = false;
}

/* --- what the log is told --------------------------------------------------------------------- */

void gt_layers_note_read(gt_store *store, gt_trouble trouble, const char *why)
{
    const char *text = trouble == GT_TROUBLE_NONE     ? ""
                       : trouble == GT_TROUBLE_LOCKED ? locked_text
                                                      : why;
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    snprintf(store->unread, sizeof store->unread, "%s", text);
    if (trouble == GT_TROUBLE_NONE) {
        store->blind_since_ns = 0;
        store->blind_s = 0;
    }
}

void gt_layers_warn(gt_store *store, const char *format, ...)
{
    va_list values;
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    va_start(values, format);
    gt_vsnprintf(store->warning, sizeof store->warning, format, values);
    va_end(values);
}

/* Warns once if what the file holds is not trusted. Under `reading`. */
static void tell_distrust(gt_store *store)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    const char *why = store->reader->distrust;
    if (why && !store->distrust_told) {
        snprintf(store->warning, sizeof store->warning,
                 "the code in the database %s is not used, and its results are proved again: %s; "
                 "take its write permission from others (chmod go-w), or set GPUTUNE_DB to a file "
                 "of your own in a folder that only you may write",
                 store->file.path, why);
    }
    store->distrust_told |= why != NULL;
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
    bool taken = pthread_mutex_trylock(mutex) == 0;
    double left_s;
    while (!taken && (left_s = gt_patience_left_s(patience)) > 0) {
        taken = gt_mutex_wait(mutex, fmin(left_s, mutex_slice_s));
    }
    return taken;
}

void gt_layers_give_up(gt_store *store, const char *why, bool keep_reading)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    store->file.no_file = true;
    store->file.unreadable = !keep_reading;
    snprintf(store->unkept, sizeof store->unkept, "%s", why);
    if (!keep_reading) {
        snprintf(store->unread, sizeof store->unread, "%s", why);
    }
    snprintf(store->warning, sizeof store->warning,
             "the database %s cannot be written (%s): results are kept in memory only; "
             "set GPUTUNE_DB to a file that can",
             store->asked, why);
}

gputune_status gt_layers_open_memory(gt_database **database)
{
    gt_obstacle met = {0};
    if (*database) {
        return GPUTUNE_OK;
    }
    gputune_status status = gt_database_open(database, ":memory:", GT_DATABASE_MEMORY, NULL, &met);
    return status == GPUTUNE_EDATABASE ? gt_fail(status, "SQLite does not work here") : status;
}

/* Stops using the system's file. Under `reading`. */
static void drop_system(gt_store *store, const char *why)
{
    gt_layers_warn(store, "the system database %s is not used: %s", store->system_path, why);
    gt_database_close(&store->system);
}

gputune_status gt_store_check(gt_store *store, bool writing)
{
    if (writing) {
        gt_layers_bring(store, NULL);
    }
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    if (strcmp(store->asked, ":memory:") == 0) {
        return GPUTUNE_OK;
    }
    GT_REFUSE(store->unread[0], GPUTUNE_EDATABASE, "the database %s cannot be used: %s",
              store->asked, store->unread);
    GT_REFUSE(writing && store->file.index > 0, GPUTUNE_EDATABASE,
              "the database %s is damaged or another program's: results are kept in %s; move it "
              "away, or set GPUTUNE_DB to another file",
              store->asked, store->file.path);
    return writing && store->unkept[0]
               ? gt_fail(GPUTUNE_EDATABASE, "the database %s cannot be written: %s", store->asked,
                         store->unkept)
               : GPUTUNE_OK;
}

/* --- opening ---------------------------------------------------------------------------------- */

static gputune_status open_reader(gt_store *store, const gt_patience *patience, gt_obstacle *met)
{
    const gt_file_state now = gt_layers_state(store);
    bool fixed = store->only_read || now.no_file;
    store->reader_path = now.index;
    return gt_database_open(&store->reader, now.path, fixed ? GT_DATABASE_READ : GT_DATABASE_LOOKUP,
                            patience, met);
}

/* A command that only reads goes on with the file that it began with. */
static bool is_reader_of(const gt_store *store, const gt_file_state *now)
{
    return store->reader &&
           (now->no_file || (store->reader_path == now->index &&
                             (store->only_read || !gt_database_is_gone(store->reader))));
}

/* The file is there, and needs no write connection before it is read: most processes only look up.
 */
static gputune_status open_current(gt_store *store)
{
    const gt_patience at_once = gt_patience_for(0, NULL);
    gt_obstacle met = {0};
    gputune_status status = open_reader(store, &at_once, &met);
    if (status == GPUTUNE_OK && !store->reader->current) {
        gt_database_close(&store->reader);
    }
    return status == GPUTUNE_EDATABASE ? GPUTUNE_OK : status;
}

/* If nothing is being written now, a write connection makes the file or brings it up to date. */
static gputune_status open_prepared(gt_store *store, const gt_patience *patience, gt_obstacle *met)
{
    if (!store->only_read && pthread_mutex_trylock(&store->writing) == 0) {
        gputune_status status = gt_layers_open_writer(store, patience);
        pthread_mutex_unlock(&store->writing);
        GT_TRY(status == GPUTUNE_EDATABASE ? GPUTUNE_OK : status);
    }
    return open_reader(store, patience, met);
}

/* Opens the file for lookups. Where it is missing, or made by another gputune, or cannot be
 * written, the writer is opened first, which makes it, brings it up to date, or gives it up.
 * EDATABASE: it cannot be read now. Under `reading`. */
static gputune_status open_for_lookups(gt_store *store, const gt_patience *patience,
                                       gt_obstacle *met)
{
    const gt_file_state now = gt_layers_state(store);
    if (is_reader_of(store, &now)) {
        return GPUTUNE_OK;
    }
    gt_database_close(&store->reader);
    if (!store->only_read && !now.no_file && !now.is_damaged) {
        GT_TRY(open_current(store));
    }
    gputune_status status = store->reader ? GPUTUNE_OK : open_prepared(store, patience, met);
    if (status == GPUTUNE_OK && !store->only_read) {
        tell_distrust(store);
    }
    return status;
}

static void open_system(gt_store *store)
{
    gt_obstacle met = {0};
    gt_patience patience = gt_patience_for(GT_LOOKUP_WAIT_S, NULL);
    if (store->system_path && gt_file_exists(store->system_path) &&
        gt_database_open(&store->system, store->system_path, GT_DATABASE_READ, &patience, &met) !=
            GPUTUNE_OK) {
        drop_system(store, met.why);
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
    GT_FREED char *folder = NULL;
    if (given) {
        return gt_strdup(out, given);
    }
    GT_TRY(gt_file_cache_folder(&folder));
    return gt_path_format(out, "%s/gputune.db", folder);
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
        store->file.no_file = store->file.unreadable = true;
        return gt_layers_open_memory(&store->memory);
    }
    GT_TRY(gt_strdup(&store->paths[0], store->asked));
    gt_layers_turn_to(store, 0);
    return GPUTUNE_OK;
}

/* Makes the folders of the file in the cache. Those of a file that was named must be there: a
 * slip of the pen would leave folders behind. */
static gputune_status prepare_folder(const gt_store *store, const char *path)
{
    if (!named_file(path)) {
        return gt_file_make_parents(store->asked);
    }
    char folder[PATH_MAX];
    gt_folder_of(folder, sizeof folder, store->asked);
    GT_REFUSE(!gt_file_exists(folder), GPUTUNE_EIO, "there is no folder %s; make it first", folder);
    return GPUTUNE_OK;
}

/* Makes the file that was begun beside a damaged one the file in use, and warns of it. False: there
 * is no such file. */
static bool turn_to_beside(gt_store *store, const char *why)
{
    int next = store->file.index + 1;
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
    gt_layers_turn_to(store, next);
    return true;
}

/* Opens the user's file for lookups. A file that may be written is made or brought up to date; if
 * it is locked, it is opened when it is needed. A store that is only read goes on with the file
 * beside a damaged one, and fails where it can read none. */
static gputune_status open_file(gt_store *store, const char *path)
{
    gt_obstacle met;
    const gt_patience patience = gt_patience_for(GT_LOOKUP_WAIT_S, NULL);
    gputune_status status;
    GT_TRY(choose_file(store, path));
    if (store->only_read && !path && !store->file.no_file && !gt_file_exists(store->asked)) {
        store->file.no_file = store->file.unreadable = true;
    }
    if (store->file.no_file) {
        return GPUTUNE_OK;
    }
    if (!store->only_read && prepare_folder(store, path) != GPUTUNE_OK) {
        gt_layers_give_up(store, gt_message(), false);
        return GPUTUNE_OK;
    }
    do {
        met = (gt_obstacle){0};
        status = open_for_lookups(store, &patience, &met);
    } while (store->only_read && status == GPUTUNE_EDATABASE && met.trouble == GT_TROUBLE_DAMAGED &&
             turn_to_beside(store, met.why));
    if (status != GPUTUNE_EDATABASE || !store->only_read) {
        return status == GPUTUNE_EDATABASE ? GPUTUNE_OK : status;
    }
    GT_REFUSE(met.trouble == GT_TROUBLE_DAMAGED, status, "'%s' is not a gputune database: %s",
              store->asked, met.why);
    gt_layers_note_read(store, met.trouble, met.why);
    return gt_store_check(store, false);
}

gputune_status gt_store_open(gt_store **out, const char *path, const char *system_path,
                             const gt_log *log, bool only_read)
{
    gt_store *store = calloc(1, sizeof *store);
    GT_TRY(gt_allocated(store));
    pthread_mutex_init(&store->writing, NULL);
    pthread_mutex_init(&store->reading, NULL);
    pthread_mutex_init(&store->remembering, NULL);
    pthread_mutex_init(&store->telling, NULL);
    store->owner = getpid();
    store->log = log ? *log : (gt_log){0};
    store->only_read = only_read;
    snprintf(store->unkept, sizeof store->unkept, "%s",
             only_read ? "it was opened for reading only" : "");
    gputune_status status = system_path ? gt_strdup(&store->system_path, system_path) : GPUTUNE_OK;
    GT_THEN(status, open_file(store, path));
    if (status == GPUTUNE_OK) {
        open_system(store);
        gt_layers_flush(store);
    }
    return GT_GIVE(status, out, store, gt_store_close(store));
}

void gt_store_close(gt_store *store)
{
    if (!store || !gt_layers_own(store)) {
        return; /* closing an inherited connection would drop the parent's locks */
    }
    gt_layers_bring(store, NULL);
    gt_database **const databases[] = {&store->writer, &store->reader, &store->wisdom,
                                       &store->system, &store->memory};
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

static const double patient_wait_s = 5;   /* in all, of those who can wait, for a file that stays
                                             locked: a disk may take seconds to end a write */
static const double patient_share = 0.25; /* of their time: they have more to do */
static const double longest_turn_s = 30;  /* behind this process's own commits and lookups */
static const double blind_share = 0.1;    /* of the time, while lookups wait without success */

/* Seconds that a call with that patience may still wait. Its earlier waits in vain count. */
static double patient_s(gt_store *store, const gt_patience *patience)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
    double all_s = patient_share * (gt_patience_left_s(patience) + store->blind_s);
    return fmax(fmin(patient_wait_s, all_s) - store->blind_s, 0);
}

gt_patience gt_layers_file_patience(gt_store *store, const gt_patience *patience)
{
    return gt_patience_at_most(patience, patient_s(store, patience));
}

/* How long this lookup waits. While the file stays locked, lookups wait for at most a tenth of the
 * time; but those who can wait do so until they have waited for their share together, as what they
 * do not find is measured again. Each lookup tries once, so that the file is used as soon as it is
 * free. */
static gt_patience lookup_patience(gt_store *store, const gt_patience *patience)
{
    pthread_mutex_lock(&store->telling);
    double share_s = store->blind_since_ns ? blind_share * gt_seconds_since(store->blind_since_ns)
                                           : (double)INFINITY;
    pthread_mutex_unlock(&store->telling);
    if (!patience) {
        return gt_patience_for(fmin(GT_LOOKUP_WAIT_S, share_s), NULL);
    }
    share_s = fmin(share_s, fmin(patient_wait_s, patient_share * gt_patience_left_s(patience)));
    return gt_patience_at_most(patience, fmax(patient_s(store, patience), share_s));
}

/* --- layers ----------------------------------------------------------------------------------- */

static void note_damage(gt_store *store)
{
    if (store->only_read || gt_layers_state(store).no_file) {
        return;
    }
    pthread_mutex_lock(&store->telling);
    store->file.is_damaged |= store->reader_path == store->file.index;
    pthread_mutex_unlock(&store->telling);
    gt_database_close(&store->reader);
}

/* Looks at the file once. EBUSY: it is locked. Other trouble counts as nothing there. Under
 * `reading`. */
static gputune_status try_file(gt_store *store, gt_store_fn work, void *context)
{
    const gt_patience at_once = gt_patience_for(0, NULL);
    gt_obstacle met = {.trouble = GT_TROUBLE_FAILED};
    if (gt_layers_state(store).unreadable) {
        return GPUTUNE_ENOTFOUND;
    }
    gputune_status status = open_for_lookups(store, &at_once, &met);
    if (status == GPUTUNE_EDATABASE && met.trouble != GT_TROUBLE_LOCKED &&
        gt_layers_state(store).no_file) {
        /* what cannot be written cannot be read either, for the same reason; the next lookup tries
         * again */
        GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
        memcpy(store->unread, store->unkept, sizeof store->unread);
        return GPUTUNE_ENOTFOUND;
    }
    if (status == GPUTUNE_OK) {
        store->reader->patience = at_once;
        status = work(store->reader, context);
        met.trouble = gt_database_trouble(store->reader);
        snprintf(met.why, sizeof met.why, "%s", gt_database_why(store->reader));
    }
    if (status != GPUTUNE_EDATABASE) {
        gt_layers_note_read(store, GT_TROUBLE_NONE, "");
        return status;
    }
    gt_layers_note_read(store, met.trouble, met.why);
    if (met.trouble == GT_TROUBLE_DAMAGED) {
        note_damage(store);
    }
    return met.trouble == GT_TROUBLE_LOCKED ? GPUTUNE_EBUSY : GPUTUNE_ENOTFOUND;
}

/* Looks until the file is not locked, or the patience is over: EBUSY. It never waits for the lock
 * under `reading`: this process's own commit, which takes that mutex, may be what locks the file.
 */
static gputune_status read_file(gt_store *store, gt_store_fn work, void *context,
                                const gt_patience *patience)
{
    gt_patience turn = patience ? *patience : gt_patience_for(longest_turn_s, NULL);
    gt_patience limit = lookup_patience(store, patience);
    const bool waits = gt_patience_left_s(&limit) > 0;
    int64_t start_ns = gt_now_ns();
    gputune_status status;
    int tries = 0;
    do {
        if (!gt_layers_lock(&store->reading, &turn)) {
            return GPUTUNE_EBUSY;
        }
        status = try_file(store, work, context);
        pthread_mutex_unlock(&store->reading);
    } while (status == GPUTUNE_EBUSY && gt_wait_step(&limit, tries++, GT_SHORT_STEP_S));
    if (status == GPUTUNE_EBUSY && waits) { /* the lookup waited in vain */
        GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->telling);
        store->blind_since_ns = gt_now_ns();
        store->blind_s += gt_seconds_since(start_ns);
    }
    return status;
}

/* Calls `work` on a database, if there is one. What fails there counts as nothing. */
static gputune_status ask(gt_database *database, gt_store_fn work, void *context)
{
    gputune_status status = database ? work(database, context) : GPUTUNE_ENOTFOUND;
    return status == GPUTUNE_EDATABASE ? GPUTUNE_ENOTFOUND : status;
}

/* Whether the lower layers are asked too. */
static bool goes_on(gputune_status status, bool all)
{
    return status == GPUTUNE_ENOTFOUND || (all && status == GPUTUNE_OK);
}

/* Calls `work` on the layers below the user's file: wisdom, and the system's file. */
static gputune_status read_below(gt_store *store, gt_store_fn work, void *context, bool all)
{
    const gt_patience brief = gt_patience_for(GT_LOOKUP_WAIT_S, NULL);
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&store->reading);
    gputune_status status = ask(store->wisdom, work, context);
    if (!goes_on(status, all) || !store->system) {
        return status;
    }
    store->system->patience = brief;
    status = work(store->system, context);
    if (status == GPUTUNE_EDATABASE && gt_database_trouble(store->system) != GT_TROUBLE_LOCKED) {
        drop_system(store, gt_database_why(store->system));
    }
    return status == GPUTUNE_EDATABASE ? GPUTUNE_ENOTFOUND : status;
}

static gputune_status read_layers(gt_store *store, gt_store_fn work, void *context,
                                  const gt_patience *patience, bool all)
{
    if (!gt_layers_own(store)) {
        return GPUTUNE_ENOTFOUND;
    }
    pthread_mutex_lock(&store->remembering);
    gputune_status status = ask(store->memory, work, context);
    pthread_mutex_unlock(&store->remembering);
    if (!goes_on(status, all)) {
        return status;
    }
    gputune_status file = read_file(store, work, context, patience);
    if (file == GPUTUNE_EBUSY || goes_on(file, all)) {
        status = read_below(store, work, context, all);
        file = file == GPUTUNE_EBUSY && goes_on(status, all) ? GPUTUNE_EBUSY : status;
    }
    gt_layers_flush(store);
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
