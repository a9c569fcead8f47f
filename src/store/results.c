/* Reads and writes trials, winners and code of a scenario, and finds those of related scenarios. */
#include "base/array.h"
#include "base/hash_index.h"
#include "base/number.h"
#include "base/text.h"

#include "store/keys.h"
#include "store/layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- trials ---------------------------------------------------------------------------------- */

void gt_trial_list_free(gt_trial_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        gt_columns_free(&list->items[i], &gt_trial_columns);
    }
    gt_array_free(list);
}

void gt_trial_list_drop(gt_trial_list *list, size_t index)
{
    gt_columns_free(&list->items[index], &gt_trial_columns);
    list->items[index] = list->items[--list->count];
}

typedef struct trial_search {
    gt_trial_list found;
    size_t upper; /* number of trials that were found in upper layers */
    const gt_scenario *scenario;
    int driver_version;
} trial_search;

static bool is_known(const trial_search *search, gt_hash hash)
{
    for (size_t i = 0; i < search->upper; i++) {
        if (gt_hash_equal(search->found.items[i].hash, hash)) {
            return true;
        }
    }
    return false;
}

static gputune_status add_trial(void *context, gt_rows *rows)
{
    trial_search *search = context;
    GT_TRY(gt_array_reserve(&search->found));
    gt_trial *trial = &search->found.items[search->found.count];
    *trial = (gt_trial){0};
    gt_rows_integer(rows); /* skip the constant that comes before the trial's columns */
    gputune_status status = gt_columns_take(trial, rows, &gt_trial_columns);
    if (status == GPUTUNE_OK && rows->database->distrust && gt_trial_is_correct(trial->status)) {
        *(char *)trial->proved_at = '\0'; /* not trusted: others may have written it */
    }
    /* a trial that failed on the GPU counts only for the driver with which it failed */
    bool counts = gt_trial_is_correct(trial->status) || trial->status == GT_TRIAL_UNPROVED ||
                  trial->status == GT_TRIAL_COMPILE || !search->driver_version ||
                  trial->driver_version == search->driver_version;
    if (status == GPUTUNE_OK && counts && !is_known(search, trial->hash)) {
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
                               int driver_version, const gt_patience *patience)
{
    trial_search search = {.scenario = scenario, .driver_version = driver_version};
    gputune_status status = gt_store_read_all(store, read_trials, &search, patience);
    if (status != GPUTUNE_OK && status != GPUTUNE_EBUSY) {
        gt_trial_list_free(&search.found);
        return status;
    }
    *out = search.found;
    return GPUTUNE_OK;
}

gputune_status gt_store_put_trials(gt_store *store, const gt_scenario *scenario,
                                   const gt_trial *trials, size_t count,
                                   const gt_patience *patience)
{
    const gt_site site = {.scenario = *scenario};
    const gt_outcome outcome = {.site = &site, .trials = trials, .trial_count = count};
    return count ? gt_store_put_winner(store, &outcome, patience) : GPUTUNE_OK;
}

/* ---- trials elsewhere ------------------------------------------------------------------------ */

typedef struct group {
    int64_t gpu, scenario; /* valid only for the layer that is being read */
    gt_hash key;
    double distance; /* distance to the wanted sizes */
    bool other_gpu, other_values, other_objective;
    size_t order; /* number of groups that were found before this one */
    gt_related_list trials;
} group;

typedef struct related_search {
    GT_ARRAY(group) groups; /* groups of all layers read so far */
    const gt_device *device;
    const gt_scenario *wanted;
    char sizes[GT_SIZES_TEXT]; /* the wanted sizes */
    uint32_t layer;            /* number of the layer that is being read, from 1 */
    gt_hash_index layers; /* layer of each group; 0 for the scenario itself, which is skipped */
} related_search;

void gt_related_list_free(gt_related_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].config);
    }
    gt_array_free(list);
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

static group take_group(const related_search *search, gt_rows *rows)
{
    group one = {.gpu = gt_rows_integer(rows), .order = search->groups.count};
    one.scenario = gt_rows_integer(rows); /* must be read after gpu, the column to its left */
    const char *fixed = search->wanted->fixed ? search->wanted->fixed : "";
    const char *environment = gt_rows_text(rows);
    one.key = gt_site_key(environment, gt_rows_hash(rows));
    one.distance = gt_sizes_distance(search->sizes, gt_rows_text(rows));
    one.other_values = strcmp(gt_rows_text(rows), fixed) != 0;
    one.other_objective = gt_rows_integer(rows) != (int64_t)search->wanted->objective;
    one.other_gpu = !gt_rows_integer(rows);
    return one;
}

/* Adds a group, unless a layer above has it. */
static gputune_status add_group(void *context, gt_rows *row)
{
    related_search *search = context;
    const group one = take_group(search, row);
    uint32_t layer;
    GT_TRY(gt_hash_index_intern(&search->layers, one.key, search->layer, &layer));
    return layer == search->layer ? gt_array_push(&search->groups, one) : GPUTUNE_OK;
}

static gputune_status add_related(void *context, gt_rows *row)
{
    gt_related_list *list = context;
    GT_TRY(gt_array_reserve(list));
    gt_related_trial *trial = &list->items[list->count];
    GT_TRY(gt_strdup(&trial->config, gt_rows_text(row)));
    trial->time_ns = gt_rows_real(row);
    trial->compile_ns = gt_rows_real(row);
    list->count++;
    return GPUTUNE_OK;
}

static void drop_groups(related_search *search, size_t from)
{
    for (size_t i = from; i < search->groups.count; i++) {
        gt_related_list_free(&search->groups.items[i].trials);
    }
    search->groups.count = from;
}

/* Adds the trials of the nearest groups in a layer. Groups of this layer may be nearer than those
 * of upper layers, so up to GT_RELATED_MAX trials are added for each layer. */
static gputune_status read_groups(related_search *search, gt_database *database, size_t at)
{
    const gt_device *device = search->device;
    const gt_scenario *wanted = search->wanted;
    size_t found = 0;
    GT_TRY(gt_query_each(database, add_group, search, GT_SQL_RELATED_SCENARIOS, "thttnt",
                         wanted->kernel ? wanted->kernel : "", wanted->identity, device->name,
                         device->origin, (int)device->emulated, device->mig_profile));
    if (search->groups.count > at) {
        qsort(&search->groups.items[at], search->groups.count - at, sizeof(group), nearest_first);
    }
    for (; at < search->groups.count && found < GT_RELATED_MAX; at++) {
        group *one = &search->groups.items[at];
        GT_TRY(gt_query_each(database, add_related, &one->trials, GT_SQL_RELATED_TRIALS, "iinn",
                             one->gpu, one->scenario, GT_RELATED_OF_ONE, GT_RELATED_FASTEST));
        found += one->trials.count;
    }
    drop_groups(search, at); /* no more groups: GT_RELATED_MAX trials were found */
    return GPUTUNE_OK;
}

static gputune_status read_related(gt_database *database, void *context)
{
    related_search *search = context;
    const size_t upper = search->groups.count;
    gputune_status status = read_groups(search, database, upper);
    if (status != GPUTUNE_OK) {
        drop_groups(search, upper); /* another attempt may read the layer again */
    }
    search->layer += status == GPUTUNE_OK;
    return status;
}

/* Collects the trials of the nearest groups of all layers. Groups are numbered from the nearest. */
static gputune_status gather_related(gt_related_list *out, related_search *search)
{
    gt_array_sort(&search->groups, nearest_first);
    for (size_t i = 0; i < search->groups.count; i++) {
        gt_related_list *from = &search->groups.items[i].trials;
        for (size_t t = 0; t < from->count && out->count < GT_RELATED_MAX; t++) {
            from->items[t].group = (uint32_t)i;
            GT_TRY(gt_array_push(out, from->items[t]));
            from->items[t].config = NULL; /* the text now belongs to `out` */
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_store_related_trials(gt_related_list *out, gt_store *store,
                                       const gt_device *device, const gt_scenario *scenario,
                                       const gt_patience *patience)
{
    GT_SCOPED(gt_related_list_free) gt_related_list found = {0};
    related_search search = {.device = device, .wanted = scenario, .layer = 1};
    uint32_t layer;
    gt_sizes_of(search.sizes, scenario);
    GT_TRY(gt_hash_index_intern(
        &search.layers, gt_site_key(scenario->environment, gt_scenario_hash(scenario)), 0, &layer));
    gputune_status status = gt_store_read_all(store, read_related, &search, patience);
    status = status == GPUTUNE_EBUSY ? GPUTUNE_OK : status;
    GT_THEN(status, gather_related(&found, &search));
    drop_groups(&search, 0);
    gt_array_free(&search.groups);
    gt_hash_index_free(&search.layers);
    GT_TRY(status);
    *out = gt_take(&found);
    return GPUTUNE_OK;
}

/* ---- code and winners ------------------------------------------------------------------------ */

void gt_code_free(gt_code *code)
{
    free(code->image.data);
    code->image = (gt_image){0};
}

gputune_status gt_codes_put(gt_database *database, const gt_code *codes, size_t count)
{
    for (const gt_code *code = codes; code < codes + count; code++) {
        int64_t cubin;
        if (!code->image.bytes || !(code->source.high || code->source.low)) {
            continue;
        }
        gt_hash content = gt_hash_bytes(code->image.data, code->image.bytes);
        GT_TRY(gt_execute(database, GT_SQL_CUBIN_ADD, "hb", content, (const void *)code->image.data,
                          code->image.bytes));
        GT_TRY(gt_query_integer(&cubin, database, GT_SQL_CUBIN_ID, "h", content));
        GT_TRY(gt_execute(database, GT_SQL_CODE_SET, "ic", cubin, &gt_code_columns, code));
    }
    return GPUTUNE_OK;
}

static gputune_status take_code(void *code, gt_rows *row)
{
    size_t bytes;
    const void *blob = gt_rows_blob(row, &bytes);
    GT_TRY(gt_image_copy(&((gt_code *)code)->image, blob, bytes));
    return gt_columns_take(code, row, &gt_code_columns);
}

/* Finds code with the source, arch, ptx and NVRTC version (0: the newest) of *context. ENOTFOUND if
 * there is none or it is not trusted. */
static gputune_status find_code(gt_database *database, void *context)
{
    gt_code *code = context;
    if (database->distrust) {
        return GPUTUNE_ENOTFOUND;
    }
    gputune_status status =
        gt_query_one(database, take_code, code, GT_SQL_CODE, "htnn", code->source, code->arch,
                     (int)code->ptx, code->nvrtc_version);
    if (status != GPUTUNE_OK) {
        gt_code_free(code);
    }
    return status;
}

gputune_status gt_store_find_cubin(gt_code *out, gt_store *store, gt_hash source, const char *arch,
                                   bool ptx, const gt_patience *patience)
{
    gt_code code = {.source = source, .ptx = ptx};
    gt_snprintf(code.arch, sizeof code.arch, "%s", arch);
    GT_TRY(gt_store_read(store, find_code, &code, patience));
    *out = code;
    return GPUTUNE_OK;
}

gputune_status gt_store_put_cubins(gt_store *store, const gt_code *codes, size_t count,
                                   const gt_patience *patience)
{
    const gt_outcome outcome = {.codes = codes, .code_count = count};
    return count ? gt_store_put_winner(store, &outcome, patience) : GPUTUNE_OK;
}

void gt_winner_free(gt_winner *winner)
{
    gt_columns_free(winner, &gt_winner_columns);
    gt_code_free(&winner->code);
    gt_code_free(&winner->fallback);
    free(winner->proved_at);
    *winner = (gt_winner){0};
}

void gt_winner_list_free(gt_winner_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        gt_winner_free(&list->items[i]);
    }
    gt_array_free(list);
}

static gputune_status take_winner(gt_winner *out, gt_rows *rows)
{
    GT_SCOPED(gt_winner_free) gt_winner winner = {0};
    GT_TRY(gt_strdup(&winner.proved_at, gt_rows_text(rows)));
    winner.median_ns = gt_rows_real(rows);
    winner.default_ns = gt_rows_real(rows);
    GT_TRY(gt_columns_take(&winner, rows, &gt_winner_columns));
    winner.terms.proved &= !rows->database->distrust;
    winner.terms.final |= rows->database->given;
    *out = gt_take(&winner);
    return GPUTUNE_OK;
}

/* Loads the code of a source. If it is missing or damaged, the image stays empty. */
static gputune_status load_code(gt_code *code, gt_database *database)
{
    bool has_source = code->source.high || code->source.low;
    gputune_status status = has_source ? find_code(database, code) : GPUTUNE_OK;
    return status == GPUTUNE_ENOTFOUND ? GPUTUNE_OK : status;
}

gputune_status gt_winner_load_codes(gt_winner *winner, gt_database *database)
{
    GT_TRY(load_code(&winner->code, database));
    return load_code(&winner->fallback, database);
}

typedef struct winner_search {
    gt_winner_list found;
    size_t upper; /* number of winners that were found in upper layers */
    const gt_scenario *scenario;
} winner_search;

/* Called for a winner `given` of the system's database, which is final. Makes a winner of an upper
 * layer final if it is at least as fast as `given` and makes `given` unnecessary
 * (gt_answers_for()). */
static void decide_faster(winner_search *search, const gt_winner *given)
{
    for (size_t i = 0; i < search->upper; i++) {
        gt_winner *one = &search->found.items[i];
        gt_terms decided = one->terms;
        decided.final = true;
        if (gt_answers_for(&decided, &given->terms) && one->median_ns > 0 &&
            one->median_ns <= given->median_ns) {
            one->terms.final = true;
        }
    }
}

static gputune_status add_winner(void *context, gt_rows *row)
{
    winner_search *search = context;
    GT_TRY(gt_array_reserve(&search->found));
    gt_winner *winner = &search->found.items[search->found.count];
    GT_TRY(take_winner(winner, row));
    if (row->database->given) {
        decide_faster(search, winner);
    }
    for (size_t i = 0; i < search->upper; i++) {
        if (gt_answers_for(&search->found.items[i].terms, &winner->terms)) {
            gt_winner_free(winner);
            return GPUTUNE_OK;
        }
    }
    search->found.count++;
    return gt_winner_load_codes(winner, row->database);
}

static gputune_status read_winners(gt_database *database, void *context)
{
    winner_search *search = context;
    search->upper = search->found.count;
    return gt_query_each(database, add_winner, search, GT_SQL_WINNERS, "th",
                         search->scenario->environment, gt_scenario_hash(search->scenario));
}

gputune_status gt_store_winners(gt_winner_list *out, gt_store *store, const gt_scenario *scenario,
                                const gt_patience *patience)
{
    winner_search search = {.scenario = scenario};
    gputune_status status = gt_store_read_all(store, read_winners, &search, patience);
    if (status != GPUTUNE_OK && !(status == GPUTUNE_EBUSY && search.found.count)) {
        gt_winner_list_free(&search.found);
        return status;
    }
    *out = search.found;
    return GPUTUNE_OK;
}

typedef struct near_sizes {
    double distance;
    char text[GT_SIZES_TEXT];
} near_sizes;

typedef struct nearest_search {
    gt_winner best; /* best.config is NULL if none was found yet */
    double distance;
    const gt_scenario *wanted;
    const gt_hash *other; /* trials whose winners must not be returned */
    size_t other_count;
    char sizes[GT_SIZES_TEXT]; /* the wanted sizes */
    GT_ARRAY(near_sizes) list; /* sizes in the current layer, nearest first */
    const near_sizes *at;
} nearest_search;

static int by_distance(const void *left, const void *right)
{
    const near_sizes *a = left, *b = right;
    return a->distance != b->distance ? (a->distance > b->distance) - (a->distance < b->distance)
                                      : strcmp(a->text, b->text);
}

static gputune_status list_sizes(void *context, gt_rows *row)
{
    nearest_search *search = context;
    near_sizes near;
    (void)gt_snprintf(near.text, sizeof near.text, "%s", gt_rows_text(row));
    near.distance = gt_sizes_distance(search->sizes, near.text);
    return near.distance < INFINITY ? gt_array_push(&search->list, near) : GPUTUNE_OK;
}

/* Returns the rank of a winner among those with the same distance. A winner of the whole space
 * ranks above all others, and then a final winner above an unfinished one. */
static int rank_of(const gt_winner *winner)
{
    return 2 * !winner->only[0] + winner->terms.final;
}

static gputune_status consider_winner(void *context, gt_rows *row)
{
    nearest_search *search = context;
    gt_winner winner;
    GT_TRY(take_winner(&winner, row));
    bool better = !search->best.config || search->at->distance < search->distance ||
                  rank_of(&winner) > rank_of(&search->best);
    for (size_t i = 0; i < search->other_count; i++) {
        better = better && !gt_hash_equal(search->other[i], winner.trial);
    }
    gputune_status status = better ? gt_winner_load_codes(&winner, row->database) : GPUTUNE_OK;
    if (!better || status != GPUTUNE_OK) {
        gt_winner_free(&winner);
        return status;
    }
    gt_winner_free(&search->best);
    search->best = winner;
    search->distance = search->at->distance;
    return GPUTUNE_OK;
}

static gputune_status read_family(gt_database *database, void *context)
{
    nearest_search *search = context;
    const char *environment = search->wanted->environment;
    const gt_hash family = gt_family_hash(search->wanted);
    search->list.count = 0;
    gputune_status status = gt_query_each(database, list_sizes, search, GT_SQL_SIZES_OF_FAMILY,
                                          "th", environment, family);
    gt_array_sort(&search->list, by_distance);
    for (size_t i = 0; i < search->list.count && status == GPUTUNE_OK; i++) {
        search->at = &search->list.items[i];
        if (search->best.config && search->at->distance > search->distance) {
            break;
        }
        status = gt_query_each(database, consider_winner, search, GT_SQL_WINNERS_OF_SIZES, "tht",
                               environment, family, search->at->text);
    }
    return status;
}

gputune_status gt_store_find_nearest(gt_winner *out, gt_store *store, const gt_scenario *scenario,
                                     const gt_hash *other, size_t count,
                                     const gt_patience *patience)
{
    nearest_search search = {.wanted = scenario, .other = other, .other_count = count};
    gt_sizes_of(search.sizes, scenario);
    gputune_status status = gt_store_read_all(store, read_family, &search, patience);
    gt_array_free(&search.list);
    if (status != GPUTUNE_OK && status != GPUTUNE_EBUSY) {
        gt_winner_free(&search.best);
        return status;
    }
    *out = search.best;
    return search.best.config ? GPUTUNE_OK : GPUTUNE_ENOTFOUND;
}

typedef struct answering {
    gt_terms terms;
    bool offered, found;
} answering;

static gputune_status note_answer(void *context, gt_rows *row)
{
    answering *search = context;
    GT_SCOPED(gt_winner_free) gt_winner stored = {0};
    gt_terms terms = search->terms;
    GT_TRY(take_winner(&stored, row));
    if (search->offered && terms.driver_version < stored.terms.driver_version) {
        terms.driver_version = stored.terms.driver_version; /* keep the result of a newer driver */
    }
    search->found |= stored.terms.final && gt_answers_for(&stored.terms, &terms);
    return GPUTUNE_OK;
}

static gputune_status set_winner(gt_database *database, int64_t gpu, int64_t scenario,
                                 const gt_outcome *outcome, const char *created)
{
    const gt_scenario *s = &outcome->site->scenario;
    gt_winner winner = *outcome->winner;
    char sizes[GT_SIZES_TEXT];
    if (!winner.problem) {
        winner.problem = (char *)s->problem;
    }
    gt_snprintf(winner.created, sizeof winner.created, "%s", created);
    return gt_execute(database, GT_SQL_WINNER_SET, "iitc", gpu, scenario, gt_sizes_of(sizes, s),
                      &gt_winner_columns, &winner);
}

/* Deletes trials up to row `last` if their configuration was tried again later with other code or
 * another launch. Also deletes their winners and their code. */
static gputune_status drop_replaced(gt_database *database, int64_t gpu, int64_t scenario,
                                    int64_t last)
{
    static const gt_sql steps[] = {GT_SQL_REPLACED_WINNERS, GT_SQL_REPLACED_CODE,
                                   GT_SQL_REPLACED_TRIALS};
    int64_t count;
    GT_TRY(gt_query_integer(&count, database, GT_SQL_REPLACED, "iii", gpu, scenario, last));
    for (size_t i = 0; count > 0 && i < sizeof steps / sizeof *steps; i++) {
        GT_TRY(gt_execute(database, steps[i], "iii", gpu, scenario, last));
    }
    return count > 0 ? gt_execute(database, GT_SQL_DROP_IMAGES, "") : GPUTUNE_OK;
}

/* Stores trials. If the same tuning has stored a trial before, the date of that trial is kept. */
static gputune_status put_trials(gt_database *database, int64_t gpu, int64_t scenario,
                                 const gt_outcome *outcome, const char *created)
{
    char since[GT_TIMESTAMP];
    int64_t last;
    gt_timestamp(since, outcome->elapsed_s + 1);
    GT_TRY(gt_query_integer(&last, database, GT_SQL_LAST_TRIAL, ""));
    for (size_t i = 0; i < outcome->trial_count; i++) {
        const gt_trial *trial = &outcome->trials[i];
        GT_TRY(gt_execute(database, outcome->offered ? GT_SQL_TRIAL_OFFER : GT_SQL_TRIAL_SET,
                          "iitthc", gpu, scenario, created, outcome->elapsed_s > 0 ? since : NULL,
                          trial->hash, &gt_trial_columns, trial));
    }
    return outcome->offered || !outcome->trial_count ? GPUTUNE_OK
                                                     : drop_replaced(database, gpu, scenario, last);
}

gputune_status gt_winner_put(gt_database *database, void *context)
{
    const gt_outcome *outcome = context;
    int64_t gpu, scenario;
    answering known = {.offered = outcome->offered};
    char now[GT_TIMESTAMP];
    const char *created =
        outcome->created && *outcome->created ? outcome->created : gt_timestamp(now, 0);
    if (outcome->site) {
        GT_TRY(gt_site_rows(&gpu, &scenario, database, outcome->site, outcome->offered));
        GT_TRY(put_trials(database, gpu, scenario, outcome, created));
    }
    GT_TRY(gt_codes_put(database, outcome->codes, outcome->code_count));
    if (!outcome->winner) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_codes_put(database, &outcome->winner->code, 1));
    GT_TRY(gt_codes_put(database, &outcome->winner->fallback, 1));
    known.terms = outcome->winner->terms;
    if (!outcome->force) {
        const gt_scenario *of = &outcome->site->scenario;
        GT_TRY(gt_query_each(database, note_answer, &known, GT_SQL_WINNERS, "th", of->environment,
                             gt_scenario_hash(of)));
    }
    if (!known.found) {
        GT_TRY(set_winner(database, gpu, scenario, outcome, created));
    }
    return GPUTUNE_OK;
}

gputune_status gt_store_put_winner(gt_store *store, const gt_outcome *outcome,
                                   const gt_patience *patience)
{
    return gt_store_write(store, gt_winner_put, (void *)outcome, patience);
}
