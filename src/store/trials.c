/* Rows of trial: those of a scenario, and those of a kernel elsewhere: at other sizes, for other
 * objectives, on other GPUs. */
#include "base/array.h"
#include "base/text.h"
#include "store/keys.h"
#include "store/layers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gt_trial_list_free(gt_trial_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        gt_columns_free(&list->items[i], &gt_trial_columns);
    }
    gt_array_free(list);
}

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct trial_search {
    gt_trial_list found;
    size_t upper; /* so many are of the layers above the one at hand */
    const gt_scenario *scenario;
    int driver_version, nvrtc_version;
} trial_search;

static bool known(const trial_search *search, gt_hash hash)
{
    for (size_t i = 0; i < search->upper; i++) {
        if (gt_hash_equal(search->found.items[i].hash, hash)) {
            return true;
        }
    }
    return false;
}

/* Whether a trial counts. A failure counts only with the driver and NVRTC that it was met with; 0
 * stands for any. */
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

static gputune_status add_trial(void *context, gt_rows *rows)
{
    trial_search *search = context;
    GT_TRY(gt_array_reserve(&search->found));
    gt_trial *trial = &search->found.items[search->found.count];
    *trial = (gt_trial){0};
    gt_rows_integer(rows); /* what the list of columns follows */
    gputune_status status = gt_columns_take(trial, rows, &gt_trial_columns);
    if (status == GPUTUNE_OK && rows->database->distrust && gt_trial_is_right(trial->status)) {
        *(char *)trial->proved_at = '\0'; /* other users can write the file */
    }
    if (status == GPUTUNE_OK && counts(search, trial) && !known(search, trial->hash)) {
        search->found.count++;
        return GPUTUNE_OK;
    }
    gt_columns_free(trial, &gt_trial_columns);
    return status;
}

static gputune_status read_trials(gt_database *database, void *context)
{
    trial_search *search = context;
    search->upper = search->found.count;
    return gt_query_each(database, add_trial, search, GT_SQL_TRIALS, "th",
                         search->scenario->environment, gt_scenario_hash(search->scenario));
}

gputune_status gt_store_trials(gt_trial_list *out, gt_store *store, const gt_scenario *scenario,
                               int driver_version, int nvrtc_version, const gt_patience *patience)
{
    trial_search search = {
        .scenario = scenario, .driver_version = driver_version, .nvrtc_version = nvrtc_version};
    gputune_status status = gt_store_read_all(store, read_trials, &search, patience);
    status = status == GPUTUNE_EBUSY ? GPUTUNE_OK : status;
    return GT_GIVE(status, out, search.found, gt_trial_list_free(&search.found));
}

/* --- writing ---------------------------------------------------------------------------------- */

gputune_status gt_trial_rows(gt_database *database, int64_t gpu, int64_t scenario, const char *now,
                             const char *since, const gt_trial *trials, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        GT_TRY(gt_execute(database, GT_SQL_TRIAL_SET, "iitthc", gpu, scenario, now, since,
                          trials[i].hash, &gt_trial_columns, &trials[i]));
        GT_TRY(gt_execute(database, GT_SQL_TRIAL_SEAL, ""));
    }
    return GPUTUNE_OK;
}

gputune_status gt_store_put_trials(gt_store *store, const gt_scenario *scenario,
                                   const gt_trial *trials, size_t count,
                                   const gt_patience *patience)
{
    const gt_outcome outcome = {.scenario = scenario, .trials = trials, .trial_count = count};
    return count ? gt_store_put_winner(store, &outcome, patience) : GPUTUNE_OK;
}

/* One scenario on one GPU. */
typedef struct group {
    int64_t gpu, scenario; /* rows of the layer at hand */
    gt_hash key;
    double distance; /* of the sizes */
    bool other_gpu, other_values, other_objective;
    uint32_t order; /* in which it was found */
} group;
typedef GT_ARRAY(group) group_list;

typedef struct related_search {
    group_list groups; /* of all layers; trials name them by index */
    group_list here;   /* of the layer at hand */
    gt_related_list found;
    const gt_device *device;
    const gt_scenario *wanted;
    gt_hash own;
} related_search;

void gt_related_list_free(gt_related_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].config);
    }
    gt_array_free(list);
}

static gt_hash group_key(const char *environment, gt_hash scenario)
{
    return gt_hash_join(gt_hash_string(environment), scenario);
}

static int nearest_first(const void *left, const void *right)
{
    const group *a = left, *b = right;
    int order = a->other_gpu - b->other_gpu;
    order = order ? order : a->other_values - b->other_values;
    order = order ? order : (a->distance > b->distance) - (a->distance < b->distance);
    order = order ? order : a->other_objective - b->other_objective;
    return order ? order : (a->order > b->order) - (a->order < b->order);
}

/* --- reading ---------------------------------------------------------------------------------- */

static group take_group(const related_search *search, gt_rows *rows)
{
    group one = {.gpu = gt_rows_integer(rows)};
    one.scenario = gt_rows_integer(rows); /* columns are read in their order */
    int64_t sizes[GT_SCENARIO_SIZES];
    const char *fixed = search->wanted->fixed ? search->wanted->fixed : "";
    const char *environment = gt_rows_text(rows);
    one.key = group_key(environment, gt_rows_hash(rows));
    uint32_t count = gt_sizes_parse(sizes, gt_rows_text(rows));
    one.distance = gt_sizes_distance(search->wanted, sizes, count);
    one.other_values = strcmp(gt_rows_text(rows), fixed) != 0;
    one.other_objective = gt_rows_integer(rows) != (int64_t)search->wanted->objective;
    one.other_gpu = !gt_rows_integer(rows);
    return one;
}

/* What an upper layer answered for is not asked again. */
static bool is_known(const related_search *search, gt_hash key)
{
    for (size_t i = 0; i < search->groups.count; i++) {
        if (gt_hash_equal(search->groups.items[i].key, key)) {
            return true;
        }
    }
    return gt_hash_equal(key, search->own);
}

static gputune_status add_group(void *context, gt_rows *row)
{
    related_search *search = context;
    group one = take_group(search, row);
    one.order = (uint32_t)(search->groups.count + search->here.count);
    return is_known(search, one.key) ? GPUTUNE_OK : gt_array_push(&search->here, one);
}

static gputune_status add_related(void *context, gt_rows *row)
{
    related_search *search = context;
    GT_TRY(gt_array_reserve(&search->found));
    gt_related_trial *trial = &search->found.items[search->found.count];
    GT_TRY(gt_strdup(&trial->config, gt_rows_text(row)));
    trial->time_ns = gt_rows_real(row);
    trial->compile_ns = gt_rows_real(row);
    trial->group = (uint32_t)search->groups.count - 1;
    search->found.count++;
    return GPUTUNE_OK;
}

/* Each layer may fill the list, since its groups may be nearer than those of the layers above. */
static gputune_status read_related(gt_database *database, void *context)
{
    related_search *search = context;
    const gt_device *device = search->device;
    const gt_scenario *wanted = search->wanted;
    size_t before = search->found.count;
    search->here.count = 0;
    gputune_status status =
        gt_query_each(database, add_group, search, GT_SQL_RELATED_SCENARIOS, "thttnt",
                      wanted->kernel ? wanted->kernel : "", wanted->identity, device->name,
                      device->origin, (int)device->emulated, device->mig_profile);
    gt_array_sort(&search->here, nearest_first);
    for (size_t i = 0; i < search->here.count && status == GPUTUNE_OK; i++) {
        const group *one = &search->here.items[i];
        if (search->found.count - before >= GT_RELATED_MAX) {
            break;
        }
        status = gt_array_push(&search->groups, *one);
        GT_THEN(status,
                gt_query_each(database, add_related, search, GT_SQL_RELATED_TRIALS, "iinn",
                              one->gpu, one->scenario, GT_RELATED_OF_ONE, GT_RELATED_FASTEST));
    }
    return status;
}

/* --- the nearest of all layers ---------------------------------------------------------------- */

static int by_group_and_time(const void *left, const void *right)
{
    const gt_related_trial *a = left, *b = right;
    int order = (a->group > b->group) - (a->group < b->group);
    return order ? order : (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

/* Numbers the groups by nearness, and cuts off what is beyond the limit. */
static gputune_status put_in_order(related_search *search)
{
    if (!search->found.count) {
        return GPUTUNE_OK;
    }
    size_t count = search->groups.count;
    GT_FREED uint32_t *place = calloc(count, sizeof *place);
    GT_TRY(gt_allocated(place));
    for (size_t i = 0; i < count; i++) {
        search->groups.items[i].order = (uint32_t)i;
    }
    gt_array_sort(&search->groups, nearest_first);
    for (size_t i = 0; i < count; i++) {
        place[search->groups.items[i].order] = (uint32_t)i;
    }
    for (size_t i = 0; i < search->found.count; i++) {
        search->found.items[i].group = place[search->found.items[i].group];
    }
    gt_array_sort(&search->found, by_group_and_time);
    while (search->found.count > GT_RELATED_MAX) {
        free(search->found.items[--search->found.count].config);
    }
    return GPUTUNE_OK;
}

gputune_status gt_store_related_trials(gt_related_list *out, gt_store *store,
                                       const gt_device *device, const gt_scenario *scenario,
                                       const gt_patience *patience)
{
    related_search search = {.device = device,
                             .wanted = scenario,
                             .own = group_key(scenario->environment, gt_scenario_hash(scenario))};
    gputune_status status = gt_store_read_all(store, read_related, &search, patience);
    status = status == GPUTUNE_EBUSY ? GPUTUNE_OK : status;
    GT_THEN(status, put_in_order(&search));
    gt_array_free(&search.groups);
    gt_array_free(&search.here);
    return GT_GIVE(status, out, search.found, gt_related_list_free(&search.found));
}
