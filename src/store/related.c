/* Trials of a kernel elsewhere: at other sizes, for other objectives, on other GPUs. */
#include "base/array.h"
#include "base/text.h"
#include "store/keys.h"
#include "store/layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    GT_ARRAY(gt_related_trial) found;
    const gt_device *device;
    const gt_scenario *wanted;
    gt_hash own;
} related_search;

void gt_related_list_free(gt_related_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].config);
    }
    free(list->items);
    *list = (gt_related_list){0};
}

static gt_hash group_key(const char *environment, gt_hash scenario)
{
    return gt_hash_join(gt_hash_string(environment), scenario);
}

static int nearest_first(const void *left, const void *right)
{
    const group *a = left, *b = right;
    if (a->other_gpu != b->other_gpu) {
        return a->other_gpu ? 1 : -1;
    }
    if (a->other_values != b->other_values) {
        return a->other_values ? 1 : -1;
    }
    if (a->distance != b->distance) {
        return a->distance > b->distance ? 1 : -1;
    }
    if (a->other_objective != b->other_objective) {
        return a->other_objective ? 1 : -1;
    }
    return (a->order > b->order) - (a->order < b->order);
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
static bool is_known(const related_search *search, size_t upper, gt_hash key)
{
    for (size_t i = 0; i < upper; i++) {
        if (gt_hash_equal(search->groups.items[i].key, key)) {
            return true;
        }
    }
    return gt_hash_equal(key, search->own);
}

static gputune_status list_groups(group_list *out, gt_database *database,
                                  const related_search *search)
{
    const gt_device *device = search->device;
    const gt_scenario *wanted = search->wanted;
    size_t upper = search->groups.count;
    gputune_status status;
    gt_rows rows;
    GT_TRY(gt_rows_begin(&rows, database, GT_SQL_RELATED_SCENARIOS, "thttnt",
                         wanted->kernel ? wanted->kernel : "", wanted->identity, device->name,
                         device->origin, (int)device->emulated, device->mig_profile));
    while ((status = gt_rows_next(&rows)) == GPUTUNE_OK) {
        group one = take_group(search, &rows);
        one.order = (uint32_t)(upper + out->count);
        if (!is_known(search, upper, one.key) && (status = gt_array_push(out, one)) != GPUTUNE_OK) {
            break;
        }
    }
    gt_rows_end(&rows);
    if (out->count) {
        qsort(out->items, out->count, sizeof *out->items, nearest_first);
    }
    return status == GPUTUNE_ENOTFOUND ? GPUTUNE_OK : status;
}

static gputune_status read_group(related_search *search, gt_database *database, const group *one)
{
    uint32_t index = (uint32_t)search->groups.count;
    gputune_status status;
    gt_rows rows;
    GT_TRY(gt_array_push(&search->groups, *one));
    GT_TRY(gt_rows_begin(&rows, database, GT_SQL_RELATED_TRIALS, "iinn", one->gpu, one->scenario,
                         GT_RELATED_OF_ONE, GT_RELATED_FASTEST));
    while ((status = gt_rows_next(&rows)) == GPUTUNE_OK) {
        gt_related_trial trial = {.group = index};
        status = gt_strdup(&trial.config, gt_rows_text(&rows));
        trial.time_ns = gt_rows_real(&rows);
        trial.compile_ns = gt_rows_real(&rows);
        if (status != GPUTUNE_OK || (status = gt_array_push(&search->found, trial)) != GPUTUNE_OK) {
            free(trial.config);
            break;
        }
    }
    gt_rows_end(&rows);
    return status == GPUTUNE_ENOTFOUND ? GPUTUNE_OK : status;
}

/* Each layer may fill the list, since its groups may be nearer than those of the layers above. */
static gputune_status read_related(gt_database *database, void *context)
{
    related_search *search = context;
    size_t before = search->found.count;
    group_list groups = {0};
    gputune_status status = list_groups(&groups, database, search);
    for (size_t i = 0; i < groups.count && status == GPUTUNE_OK; i++) {
        if (search->found.count - before >= GT_RELATED_MAX) {
            break;
        }
        status = read_group(search, database, &groups.items[i]);
    }
    gt_array_free(&groups);
    return status;
}

/* --- the nearest of all layers ---------------------------------------------------------------- */

static int by_group_and_time(const void *left, const void *right)
{
    const gt_related_trial *a = left, *b = right;
    if (a->group != b->group) {
        return a->group < b->group ? -1 : 1;
    }
    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

/* Numbers the groups by nearness, and cuts off what is beyond the limit. */
static gputune_status put_in_order(related_search *search)
{
    if (!search->found.count) {
        return GPUTUNE_OK;
    }
    size_t count = search->groups.count;
    uint32_t *place = calloc(count, sizeof *place);
    GT_TRY(gt_allocated(place));
    for (size_t i = 0; i < count; i++) {
        search->groups.items[i].order = (uint32_t)i;
    }
    qsort(search->groups.items, count, sizeof *search->groups.items, nearest_first);
    for (size_t i = 0; i < count; i++) {
        place[search->groups.items[i].order] = (uint32_t)i;
    }
    for (size_t i = 0; i < search->found.count; i++) {
        search->found.items[i].group = place[search->found.items[i].group];
    }
    free(place);
    qsort(search->found.items, search->found.count, sizeof *search->found.items, by_group_and_time);
    while (search->found.count > GT_RELATED_MAX) {
        free(search->found.items[--search->found.count].config);
    }
    return GPUTUNE_OK;
}

gputune_status gt_store_related_trials(gt_related_list *out, gt_store *store,
                                       const gt_device *device, const char *environment,
                                       const gt_scenario *scenario, const gt_patience *patience)
{
    related_search search = {.device = device,
                             .wanted = scenario,
                             .own = group_key(environment, gt_scenario_hash(scenario))};
    gputune_status status = gt_store_read_all(store, read_related, &search, patience);
    status = status == GPUTUNE_EBUSY ? GPUTUNE_OK : status;
    GT_THEN(status, put_in_order(&search));
    gt_array_free(&search.groups);
    gt_related_list list = {search.found.items, search.found.count};
    if (status != GPUTUNE_OK) {
        gt_related_list_free(&list);
        return status;
    }
    *out = list;
    return GPUTUNE_OK;
}
