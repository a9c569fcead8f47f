/* Lookups through the layers. */
#include "store/layers_parts.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double patient_wait_s = 5;   /* in all, of those who can wait, for a file that stays
                                             locked: a disk may take seconds to end a write */
static const double patient_share = 0.25; /* of what is left to them: they have more to do */
static const double longest_turn_s = 30;  /* behind this process's own commits and lookups */
static const double blind_share = 0.1;    /* of the time, while lookups wait without success */

gt_patience gt_layers_file_patience(const gt_patience *patience)
{
    double share_s = patient_share * gt_patience_left_s(patience);
    return gt_patience_at_most(patience, fmin(patient_wait_s, share_s));
}

/* How long this lookup waits. While the file stays locked, lookups wait for at most a tenth of the
 * time; but those who can wait do so until they have waited for patient_wait_s together, as what
 * they do not find is measured again. Each lookup tries once, so that the file is used as soon as
 * it is free. */
static gt_patience lookup_patience(gt_store *store, const gt_patience *patience)
{
    pthread_mutex_lock(&store->telling);
    double share_s = store->blind_since_ns ? blind_share * gt_seconds_since(store->blind_since_ns)
                                           : (double)INFINITY;
    double left_s = patient_wait_s - store->blind_s;
    pthread_mutex_unlock(&store->telling);
    if (!patience) {
        return gt_patience_for(fmin(GT_LOOKUP_WAIT_S, share_s), NULL);
    }
    const gt_patience most = gt_layers_file_patience(patience);
    return gt_patience_at_most(&most, fmax(left_s, share_s));
}

/* A lookup waited for so long, and the file stayed locked. */
static void note_blind(gt_store *store, double waited_s)
{
    pthread_mutex_lock(&store->telling);
    store->blind_since_ns = gt_now_ns();
    store->blind_s += waited_s;
    pthread_mutex_unlock(&store->telling);
}

/* --- opening ---------------------------------------------------------------------------------- */

static gputune_status open_reader(gt_store *store, const gt_patience *patience, gt_trouble *trouble,
                                  char why[GT_WHY_MAX])
{
    const gt_file_state now = gt_layers_state(store);
    bool fixed = store->only_read || now.no_file;
    store->reader_path = now.index;
    return gt_database_open(&store->reader, now.path, fixed ? GT_DATABASE_READ : GT_DATABASE_LOOKUP,
                            patience, trouble, why, GT_WHY_MAX);
}

static void close_reader(gt_store *store)
{
    gt_database_close(store->reader);
    store->reader = NULL;
}

/* The file is there, and needs no write connection before it is read: most processes only look up.
 */
static gputune_status open_current(gt_store *store)
{
    const gt_patience at_once = gt_patience_for(0, NULL);
    gt_trouble trouble;
    char why[GT_WHY_MAX];
    gputune_status status = open_reader(store, &at_once, &trouble, why);
    if (status == GPUTUNE_OK && !store->reader->current) {
        close_reader(store);
    }
    return status == GPUTUNE_EDATABASE ? GPUTUNE_OK : status;
}

/* If nothing is being written now, a write connection makes the file or brings it up to date. */
static gputune_status open_prepared(gt_store *store, const gt_patience *patience,
                                    gt_trouble *trouble, char why[GT_WHY_MAX])
{
    if (!store->only_read && pthread_mutex_trylock(&store->writing) == 0) {
        gputune_status status = gt_layers_open_writer(store, patience);
        pthread_mutex_unlock(&store->writing);
        GT_TRY(status == GPUTUNE_EDATABASE ? GPUTUNE_OK : status);
    }
    return open_reader(store, patience, trouble, why);
}

gputune_status gt_layers_open_reader(gt_store *store, const gt_patience *patience,
                                     gt_trouble *trouble, char why[GT_WHY_MAX])
{
    const gt_file_state now = gt_layers_state(store);
    if (store->reader && (store->reader_path == now.index || now.no_file)) {
        return GPUTUNE_OK;
    }
    close_reader(store);
    if (!store->only_read && !now.no_file && !now.is_damaged) {
        GT_TRY(open_current(store));
    }
    gputune_status status =
        store->reader ? GPUTUNE_OK : open_prepared(store, patience, trouble, why);
    if (status == GPUTUNE_OK && !store->only_read) {
        gt_layers_tell_distrust(store, store->reader);
    }
    return status;
}

/* --- layers ----------------------------------------------------------------------------------- */

static void note_damage(gt_store *store)
{
    if (store->only_read || gt_layers_state(store).no_file) {
        return;
    }
    pthread_mutex_lock(&store->telling);
    store->damaged = store->reader_path;
    pthread_mutex_unlock(&store->telling);
    close_reader(store);
}

/* A file that could not be written cannot be read either, for the same reason. The next lookup
 * tries again. */
static void note_unreadable(gt_store *store)
{
    pthread_mutex_lock(&store->telling);
    memcpy(store->unread, store->unkept, sizeof store->unread);
    pthread_mutex_unlock(&store->telling);
}

/* Looks at the file once. EBUSY: it is locked. Other trouble counts as nothing there. Under
 * `reading`. */
static gputune_status try_file(gt_store *store, gt_store_fn work, void *context)
{
    const gt_patience at_once = gt_patience_for(0, NULL);
    gt_trouble trouble = GT_TROUBLE_FAILED;
    char why[GT_WHY_MAX] = "";
    if (gt_layers_state(store).unreadable) {
        return GPUTUNE_ENOTFOUND;
    }
    gputune_status status = gt_layers_open_reader(store, &at_once, &trouble, why);
    if (status == GPUTUNE_EDATABASE && trouble != GT_TROUBLE_LOCKED &&
        gt_layers_state(store).no_file) {
        note_unreadable(store);
        return GPUTUNE_ENOTFOUND;
    }
    if (status == GPUTUNE_OK) {
        gt_database_wait(store->reader, &at_once);
        status = work(store->reader, context);
        trouble = gt_database_trouble(store->reader);
        snprintf(why, sizeof why, "%s", gt_database_why(store->reader));
    }
    if (status != GPUTUNE_EDATABASE) {
        gt_layers_note_read(store, GT_TROUBLE_NONE, "");
        return status;
    }
    gt_layers_note_read(store, trouble, why);
    if (trouble == GT_TROUBLE_DAMAGED) {
        note_damage(store);
    }
    return trouble == GT_TROUBLE_LOCKED ? GPUTUNE_EBUSY : GPUTUNE_ENOTFOUND;
}

/* Looks until the file is not locked, or the patience is over: EBUSY. It never waits for the lock
 * under `reading`: this process's own commit, which takes that mutex, may be what locks the file.
 */
static gputune_status read_file(gt_store *store, gt_store_fn work, void *context,
                                const gt_patience *patience)
{
    gt_patience turn = patience ? *patience : gt_patience_for(longest_turn_s, NULL);
    gt_patience limit = lookup_patience(store, patience);
    int64_t start_ns = gt_now_ns();
    gputune_status status;
    int tries = 0;
    do {
        if (!gt_layers_lock(&store->reading, &turn)) {
            return GPUTUNE_EBUSY;
        }
        status = try_file(store, work, context);
        pthread_mutex_unlock(&store->reading);
    } while (status == GPUTUNE_EBUSY && gt_wait_a_little(&limit, tries++));
    if (status == GPUTUNE_EBUSY) {
        note_blind(store, gt_seconds_since(start_ns));
    }
    return status;
}

static gputune_status read_system(gt_store *store, gt_store_fn work, void *context,
                                  const gt_patience *patience)
{
    if (!store->system) {
        return GPUTUNE_ENOTFOUND;
    }
    gt_database_wait(store->system, patience);
    gputune_status status = work(store->system, context);
    if (status != GPUTUNE_EDATABASE) {
        return status;
    }
    if (gt_database_trouble(store->system) != GT_TROUBLE_LOCKED) {
        gt_layers_drop_system(store, gt_database_why(store->system));
    }
    return GPUTUNE_ENOTFOUND;
}

static gputune_status read_memory(gt_store *store, gt_store_fn work, void *context)
{
    pthread_mutex_lock(&store->remembering);
    gputune_status status = store->memory ? work(store->memory, context) : GPUTUNE_ENOTFOUND;
    pthread_mutex_unlock(&store->remembering);
    return status == GPUTUNE_EDATABASE ? GPUTUNE_ENOTFOUND : status;
}

/* Whether the lower layers are asked too. */
static bool goes_on(gputune_status status, bool all)
{
    return status == GPUTUNE_ENOTFOUND || (all && status == GPUTUNE_OK);
}

static gputune_status read_wisdom(gt_store *store, gt_store_fn work, void *context)
{
    gputune_status status = store->wisdom ? work(store->wisdom, context) : GPUTUNE_ENOTFOUND;
    return status == GPUTUNE_EDATABASE ? GPUTUNE_ENOTFOUND : status;
}

/* What lies below the file: wisdom, and the system's file. */
static gputune_status read_below(gt_store *store, gt_store_fn work, void *context, bool all)
{
    const gt_patience brief = gt_patience_for(GT_LOOKUP_WAIT_S, NULL);
    pthread_mutex_lock(&store->reading);
    gputune_status status = read_wisdom(store, work, context);
    if (goes_on(status, all)) {
        status = read_system(store, work, context, &brief);
    }
    pthread_mutex_unlock(&store->reading);
    return status;
}

static gputune_status read_layers(gt_store *store, gt_store_fn work, void *context,
                                  const gt_patience *patience, bool all)
{
    if (!gt_layers_own(store)) {
        return GPUTUNE_ENOTFOUND;
    }
    gputune_status status = read_memory(store, work, context);
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
