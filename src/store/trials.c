/* Rows of trial. */
#include "base/array.h"
#include "base/text.h"
#include "store/keys.h"
#include "store/layers.h"

#include <stdio.h>
#include <stdlib.h>

void gt_trial_list_free(gt_trial_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        gt_columns_free(&list->items[i], &gt_trial_columns);
    }
    free(list->items);
    *list = (gt_trial_list){0};
}

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct trial_search {
    GT_ARRAY(gt_trial) found;
    const char *environment;
    gt_hash scenario;
    int driver_version, nvrtc_version;
} trial_search;

static bool known(const trial_search *search, gt_hash hash, size_t upper)
{
    for (size_t i = 0; i < upper; i++) {
        if (gt_hash_equal(search->found.items[i].hash, hash)) {
            return true;
        }
    }
    return false;
}

/* Of a file that others can write no result is proved. */
static gputune_status distrust(gt_trial *trial)
{
    if (!gt_trial_is_right(trial->status)) {
        return GPUTUNE_OK;
    }
    free((char *)trial->proved_at);
    trial->proved_at = NULL;
    return gt_strdup((char **)&trial->proved_at, "");
}

/* A failure counts only with the tools that it was met with; 0 stands for any. */
static bool counts(const trial_search *search, const gt_trial *trial)
{
    bool same_driver = !search->driver_version || trial->driver_version == search->driver_version;
    bool same_nvrtc = !search->nvrtc_version || trial->nvrtc_version == search->nvrtc_version;
    switch (trial->status) {
    case GT_TRIAL_OK:
    case GT_TRIAL_ELIMINATED:
    case GT_TRIAL_UNPROVED:
    case GT_TRIAL_PROVED:
        return true;
    case GT_TRIAL_COMPILE:
        return same_nvrtc;
    default:
        return same_driver && same_nvrtc;
    }
}

static gputune_status add_trial(trial_search *search, gt_rows *rows, size_t upper)
{
    GT_TRY(gt_array_reserve(&search->found));
    gt_trial *trial = &search->found.items[search->found.count];
    *trial = (gt_trial){0};
    gt_rows_integer(rows); /* what the list of columns follows */
    gputune_status status = gt_columns_take(trial, rows, &gt_trial_columns);
    if (status == GPUTUNE_OK && rows->database->distrust) {
        status = distrust(trial);
    }
    if (status == GPUTUNE_OK && counts(search, trial) && !known(search, trial->hash, upper)) {
        search->found.count++;
        return GPUTUNE_OK;
    }
    gt_columns_free(trial, &gt_trial_columns);
    return status;
}

static gputune_status read_trials(gt_database *database, void *context)
{
    trial_search *search = context;
    size_t upper = search->found.count;
    gt_rows rows;
    GT_TRY(
        gt_rows_begin(&rows, database, GT_SQL_TRIALS, "th", search->environment, search->scenario));
    gputune_status status;
    while ((status = gt_rows_next(&rows)) == GPUTUNE_OK) {
        status = add_trial(search, &rows, upper);
        if (status != GPUTUNE_OK) {
            break;
        }
    }
    gt_rows_end(&rows);
    return status;
}

gputune_status gt_store_trials(gt_trial_list *out, gt_store *store, const char *environment,
                               const gt_scenario *scenario, int driver_version, int nvrtc_version,
                               const gt_patience *patience)
{
    trial_search search = {.environment = environment,
                           .scenario = gt_scenario_hash(scenario),
                           .driver_version = driver_version,
                           .nvrtc_version = nvrtc_version};
    gputune_status status = gt_store_read_all(store, read_trials, &search, patience);
    gt_trial_list list = {search.found.items, search.found.count};
    if (status != GPUTUNE_OK && status != GPUTUNE_EBUSY) {
        gt_trial_list_free(&list);
        return status;
    }
    *out = list;
    return GPUTUNE_OK;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* When the tuning that began at `since` first stored the trial; `now` if it has not. */
static gputune_status find_created(char out[GT_TIMESTAMP], gt_database *database, int64_t gpu,
                                   int64_t scenario, gt_hash trial, const char *now,
                                   const char *since)
{
    gt_rows rows;
    (void)snprintf(out, GT_TIMESTAMP, "%s", now);
    if (!since) {
        return GPUTUNE_OK;
    }
    GT_TRY(
        gt_rows_begin(&rows, database, GT_SQL_TRIAL_CREATED, "iiht", gpu, scenario, trial, since));
    gputune_status status = gt_rows_next(&rows);
    if (status == GPUTUNE_OK) {
        (void)snprintf(out, GT_TIMESTAMP, "%s", gt_rows_text(&rows));
    }
    gt_rows_end(&rows);
    return status == GPUTUNE_ENOTFOUND ? GPUTUNE_OK : status;
}

gputune_status gt_trial_rows(gt_database *database, int64_t gpu, int64_t scenario, const char *now,
                             const char *since, const gt_trial *trials, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char created[GT_TIMESTAMP];
        GT_TRY(find_created(created, database, gpu, scenario, trials[i].hash, now, since));
        GT_TRY(gt_execute(database, GT_SQL_TRIAL_SET, "iitc", gpu, scenario, created,
                          &gt_trial_columns, &trials[i]));
        GT_TRY(gt_execute(database, GT_SQL_TRIAL_SEAL, ""));
    }
    return GPUTUNE_OK;
}

typedef struct trial_batch {
    const char *environment;
    const gt_scenario *scenario;
    const gt_trial *trials;
    size_t count;
} trial_batch;

static gputune_status put_batch(gt_database *database, void *context)
{
    const trial_batch *batch = context;
    int64_t gpu, scenario;
    char now[GT_TIMESTAMP];
    GT_TRY(gt_gpu_row(&gpu, database, batch->environment));
    GT_TRY(gt_scenario_row(&scenario, database, batch->scenario));
    return gt_trial_rows(database, gpu, scenario, gt_timestamp(now, 0), NULL, batch->trials,
                         batch->count);
}

gputune_status gt_store_put_trials(gt_store *store, const char *environment,
                                   const gt_scenario *scenario, const gt_trial *trials,
                                   size_t count, const gt_patience *patience)
{
    trial_batch batch = {environment, scenario, trials, count};
    return count ? gt_store_write(store, put_batch, &batch, patience) : GPUTUNE_OK;
}
