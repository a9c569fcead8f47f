/* Exports winners, and takes them over. */
#include "store/wisdom.h"

#include "base/array.h"
#include "base/asked_for.h"
#include "base/hash_index.h"
#include "base/text.h"
#include "store/keys.h"
#include "store/layers.h"
#include "store/wisdom_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- exporting ------------------------------------------------------------------------------- */

/* Trials that a search at another size begins with: as many as one takes up at once. */
enum { MOST_OTHERS = 16 };

typedef struct export_search {
    const gt_wisdom_filter *filter;
    gt_text *out;
    gt_hash_index done; /* which entry was the first one of a place and a space */
    uint32_t count;
} export_search;

static bool is_of_environments(const gt_wisdom_filter *filter, const char *environment)
{
    const size_t count = filter->environment_count;
    return !filter->environments || gt_index_of(environment, filter->environments, count) < count;
}

static bool is_of_kernels(const gt_wisdom_filter *filter, const char *kernel)
{
    const size_t count = filter->kernel_count;
    return !filter->kernels || gt_index_of(kernel, filter->kernels, count) < count;
}

static bool is_wanted(const gt_wisdom_filter *filter, const gt_wisdom_place *place)
{
    return is_of_kernels(filter, place->kernel) && is_of_environments(filter, place->environment) &&
           (!filter->gpu || gt_gpu_matches(place->gpu, place->environment, filter->gpu)) &&
           (!filter->sizes || gt_sizes_match(place->problem, filter->sizes));
}

static gputune_status take_entry(gt_wisdom_entry *entry, gt_rows *rows)
{
    GT_TRY(gt_columns_take(&entry->place, rows, &gt_wisdom_columns));
    gt_rows_integer(rows); /* precedes the columns of the winner */
    GT_TRY(gt_columns_take(&entry->winner, rows, &gt_winner_columns));
    GT_TRY(gt_columns_take(&entry->trial, rows, &gt_trial_columns));
    return gt_columns_take(&entry->standard, rows, &gt_trial_columns);
}

/* The fastest trials beside those that every entry has. */
static gputune_status take_other(void *context, gt_rows *row)
{
    gt_wisdom_entry *entry = context;
    gt_trial trial = {.config = NULL};
    gt_rows_integer(row); /* precedes the columns of the trial */
    gputune_status status = gt_columns_take(&trial, row, &gt_trial_columns);
    bool other = !gt_hash_equal(trial.hash, entry->trial.hash) &&
                 !gt_hash_equal(trial.hash, entry->standard.hash);
    if (status == GPUTUNE_OK && other) {
        status = gt_array_push(&entry->also, trial);
    }
    if (status != GPUTUNE_OK || !other) {
        gt_columns_free(&trial, &gt_trial_columns);
    }
    return status;
}

static gputune_status take_whole(gt_wisdom_entry *entry, gt_database *database)
{
    GT_TRY(gt_query_each(database, take_other, entry, GT_SQL_FASTEST_TRIALS, "thn",
                         entry->place.environment, entry->place.scenario, MOST_OTHERS));
    return gt_winner_load_codes(&entry->winner, database);
}

/* A winner of the same space that came before, in an upper layer, hides an entry. */
static gputune_status export_entry(export_search *search, gt_wisdom_entry *entry,
                                   gt_database *database)
{
    uint32_t first;
    if (!is_wanted(search->filter, &entry->place) || !gt_trial_is_right(entry->trial.status)) {
        return GPUTUNE_OK;
    }
    const gt_hash place =
        gt_hash_join(gt_hash_string(entry->place.environment), entry->place.scenario);
    GT_TRY(gt_hash_index_intern(&search->done, gt_hash_join(place, entry->winner.terms.space),
                                search->count, &first));
    if (first == search->count) {
        GT_TRY(search->filter->whole ? take_whole(entry, database) : GPUTUNE_OK);
        gt_wisdom_write(search->out, entry);
        search->count++;
    }
    return GPUTUNE_OK;
}

static gputune_status export_row(void *context, gt_rows *row)
{
    GT_SCOPED(gt_wisdom_entry_free) gt_wisdom_entry entry = {0};
    GT_TRY(take_entry(&entry, row));
    return export_entry(context, &entry, row->database);
}

static gputune_status export_rows(gt_database *database, void *context)
{
    return gt_query_each(database, export_row, context, GT_SQL_WISDOM, "");
}

gputune_status gt_store_export(gt_text *out, uint32_t *count, gt_store *store,
                               const gt_wisdom_filter *filter, const gt_patience *patience)
{
    export_search search = {.filter = filter, .out = out};
    gt_text_printf(out, "%s\n", gt_wisdom_heading);
    gputune_status status = gt_store_read_all(store, export_rows, &search, patience);
    *count = search.count;
    gt_hash_index_free(&search.done);
    return status == GPUTUNE_EBUSY
               ? gt_fail(status, "the database is locked by another process; try again")
           : out->failed ? gt_fail_memory()
                         : status;
}

/* ---- importing ------------------------------------------------------------------------------- */

typedef GT_ARRAY(gt_wisdom_entry) entry_list;

typedef struct import_work {
    const entry_list *entries;
    const gt_wisdom_import *import;
} import_work;

/* The place's scenario; its sizes go to `sizes`, its texts stay the place's. */
static gt_scenario scenario_of(const gt_wisdom_place *place, int64_t sizes[GT_SCENARIO_SIZES])
{
    uint32_t count = gt_sizes_parse(sizes, place->sizes ? place->sizes : "");
    return (gt_scenario){.kernel = place->kernel,
                         .problem = place->problem,
                         .bucket = place->bucket,
                         .fixed = place->fixed,
                         .sizes = sizes,
                         .size_count = count,
                         .objective = (gputune_objective)place->objective,
                         .cache = (gputune_cache)place->cache,
                         .alignment = place->alignment,
                         .inputs = place->inputs,
                         .identity = place->identity,
                         .work_bytes = place->work_bytes,
                         .work_flops = place->work_flops,
                         .unreferenced = place->unreferenced};
}

static bool is_one_of(int value, int first, int last)
{
    return value >= first && value <= last;
}

/* Whether an entry is one that a tuning could have stored. */
static bool is_sound(const gt_wisdom_entry *entry)
{
    const gt_wisdom_place *place = &entry->place;
    const gt_winner *winner = &entry->winner;
    int64_t sizes[GT_SCENARIO_SIZES];
    if (!place->environment || !place->kernel || !place->problem || !winner->config ||
        !entry->trial.config || strlen(place->environment) >= GT_ENVIRONMENT_MAX ||
        !is_one_of(place->objective, 1, GPUTUNE_OBJECTIVE_COUNT - 1) ||
        !is_one_of(place->cache, GPUTUNE_CACHE_COLD, GPUTUNE_CACHE_HOT) ||
        !is_one_of((int)winner->terms.effort, GPUTUNE_CACHED_ONLY, GPUTUNE_EXHAUSTIVE) ||
        !is_one_of((int)winner->terms.isolation, 0, GPUTUNE_ISOLATION_THREAD) ||
        !gt_trial_is_right(entry->trial.status) ||
        !is_one_of((int)entry->standard.status, GT_TRIAL_OK, GT_TRIAL_LAUNCH)) {
        return false;
    }
    const gt_scenario scenario = scenario_of(place, sizes);
    return strcmp(winner->config, entry->trial.config) == 0 &&
           gt_hash_equal(winner->trial, entry->trial.hash) && entry->trial.time.median >= 0 &&
           gt_hash_equal(gt_scenario_hash(&scenario), place->scenario);
}

/* An environment that is not known yet is described as in the text. */
static gputune_status add_gpu(gt_database *database, const gt_wisdom_place *place)
{
    int64_t row;
    gputune_status known = gt_query_integer(&row, database, GT_SQL_GPU_ID, "t", place->environment);
    if (known != GPUTUNE_ENOTFOUND) {
        return known;
    }
    GT_TRY(gt_gpu_row(&row, database, place->environment));
    return gt_execute(database, GT_SQL_GPU_DESCRIBE, "c", &gt_wisdom_columns, place);
}

typedef GT_ARRAY(gt_trial) trial_list;

/* Adds a trial unless one of that hash is stored: what was found out here counts more. What came
 * without trust is right nowhere until it is proved here. */
static gputune_status offer_trial(trial_list *out, gt_database *database,
                                  const gt_wisdom_place *place, const gt_trial *trial, bool proved)
{
    int64_t known;
    if (!trial->config || !(trial->hash.high || trial->hash.low)) {
        return GPUTUNE_OK;
    }
    gputune_status status = gt_query_integer(&known, database, GT_SQL_TRIAL_KNOWN, "thh",
                                             place->environment, place->scenario, trial->hash);
    if (status != GPUTUNE_ENOTFOUND) {
        return status;
    }
    gt_trial offered = *trial;
    offered.proved_at = proved || !gt_trial_is_right(trial->status) ? trial->proved_at : NULL;
    return gt_array_push(out, offered);
}

static gputune_status offer_trials(trial_list *out, gt_database *database,
                                   const gt_wisdom_entry *entry, bool proved)
{
    GT_TRY(offer_trial(out, database, &entry->place, &entry->trial, proved));
    if (!gt_hash_equal(entry->standard.hash, entry->trial.hash)) {
        GT_TRY(offer_trial(out, database, &entry->place, &entry->standard, proved));
    }
    for (size_t i = 0; i < entry->also.count; i++) {
        GT_TRY(offer_trial(out, database, &entry->place, &entry->also.items[i], proved));
    }
    return GPUTUNE_OK;
}

static gputune_status import_entry(gt_database *database, const gt_wisdom_entry *entry,
                                   const gt_wisdom_import *import)
{
    const gt_wisdom_place *place = &entry->place;
    int64_t sizes[GT_SCENARIO_SIZES];
    const gt_scenario scenario = scenario_of(place, sizes);
    GT_FREED trial_list trials = {0};
    gt_winner winner = entry->winner;
    winner.terms.proved =
        import->trusted &&
        (import->driver_version == 0 || winner.terms.driver_version == import->driver_version);
    if (!winner.terms.proved) {
        winner.code.image = winner.fallback.image = (gt_image){0};
    }
    gputune_status status = add_gpu(database, place);
    GT_THEN(status, offer_trials(&trials, database, entry, winner.terms.proved));
    const gt_outcome outcome = {.environment = place->environment,
                                .scenario = &scenario,
                                .trials = trials.items,
                                .trial_count = trials.count,
                                .winner = &winner,
                                .created = winner.created};
    GT_THEN(status, gt_winner_put(database, &outcome));
    return status;
}

static gputune_status import_entries(gt_database *database, void *context)
{
    const import_work *work = context;
    for (size_t i = 0; i < work->entries->count; i++) {
        GT_TRY(import_entry(database, &work->entries->items[i], work->import));
    }
    return GPUTUNE_OK;
}

/* Damaged entries are left out; the first is told. */
static gputune_status read_entries(entry_list *out, gt_wisdom_import *import, const char *text)
{
    gt_wisdom_entry entry;
    gputune_status status;
    while ((status = gt_wisdom_read(&entry, &text)) != GPUTUNE_ENOTFOUND) {
        bool read = status == GPUTUNE_OK;
        if (status == GPUTUNE_ENOMEM) {
            return status;
        }
        if (read && is_sound(&entry)) {
            status = gt_array_push(out, entry);
            if (status == GPUTUNE_OK) {
                continue;
            }
            gt_wisdom_entry_free(&entry);
            return status;
        }
        if (!import->left_out++) {
            gt_log_line(import->log, GPUTUNE_LOG_WARNING, "%s: left out: %s", import->from,
                        read ? "an entry contradicts itself, or is of another version of gputune"
                             : gt_message());
        }
        if (read) {
            gt_wisdom_entry_free(&entry);
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_store_import(gt_wisdom_import *import, gt_store *store, const char *text,
                               const gt_patience *patience)
{
    entry_list entries = {0};
    import_work work = {&entries, import};
    import->taken = import->left_out = 0;
    size_t length = strlen(gt_wisdom_heading);
    if (strncmp(text, gt_wisdom_heading, length) != 0 || (text[length] && text[length] != '\n')) {
        return gt_fail(GPUTUNE_ERECORDED,
                       "%s is no wisdom that this version reads; expected a first line '%s'",
                       import->from, gt_wisdom_heading);
    }
    gputune_status status = read_entries(&entries, import, text);
    if (status == GPUTUNE_OK && entries.count) {
        status = import->keep ? gt_store_write(store, import_entries, &work, patience)
                              : gt_store_write_wisdom(store, import_entries, &work);
    }
    import->taken = status == GPUTUNE_OK ? (uint32_t)entries.count : 0;
    for (size_t i = 0; i < entries.count; i++) {
        gt_wisdom_entry_free(&entries.items[i]);
    }
    gt_array_free(&entries);
    return status;
}
