/* Lists and deletes winners and trials, and everything stored about them. */
#include "base/array.h"
#include "base/hash_index.h"
#include "store/keys.h"
#include "store/layers.h"

#include <stdlib.h>
#include <string.h>

typedef struct record_search {
    GT_ARRAY(gt_record_row) found;
    gt_hash_index trials, spaces; /* first row of each trial; first row of each winner's space */
    const gt_records_filter *filter;
    bool all_trials;
    size_t upper; /* number of rows that were found in upper layers */
} record_search;

static void free_row(gt_record_row *row)
{
    gt_columns_free(row, &gt_record_columns);
    gt_columns_free(&row->site, &gt_site_columns);
    gt_columns_free(&row->trial, &gt_trial_columns);
    gt_columns_free(&row->winner, &gt_winner_columns);
}

static void free_rows(record_search *search)
{
    for (size_t i = 0; i < search->found.count; i++) {
        free_row(&search->found.items[i]);
    }
    gt_array_free(&search->found);
    gt_hash_index_free(&search->trials);
    gt_hash_index_free(&search->spaces);
}

void gt_trial_show(gputune_record *record, const gt_trial *trial)
{
    gt_columns_show(record, &gt_trial_columns, trial);
    record->shared_bytes += trial->resources.static_shared_bytes;
}

void gt_launch_show(gputune_record *record, gt_shapes *texts, const gt_launch *launch)
{
    gt_launch_grids(texts->grids, launch);
    gt_launch_blocks(texts->blocks, launch);
    memcpy(record->grid, launch->steps[0].grid, sizeof record->grid);
    memcpy(record->block, launch->steps[0].block, sizeof record->block);
    record->grids = texts->grids;
    record->blocks = texts->blocks;
}

static void show_record(gt_record_row *row)
{
    gputune_record *r = &row->record;
    r->size = sizeof(gputune_record);
    gt_site_show(r, &row->site);
    gt_trial_show(r, &row->trial);
    r->only = r->stop_reason = "";
    r->default_status = r->grids = r->blocks = r->default_configuration = "";
    if (r->is_winner) {
        gt_columns_show(r, &gt_winner_columns, &row->winner);
        r->default_status =
            (int)row->default_status < 0 ? "" : gt_trial_status_name(row->default_status);
        r->noisy = r->noisy || row->winner.verdict.noisy;
        r->unfinished = !row->winner.terms.final;
        r->unproved = !row->winner.terms.proved;
    } else {
        r->default_ns = 0;
    }
}

/* Adds a row to an index under its site and `hash`. Sets *above to true if the index already has
 * such a row of an upper layer (one of the first `upper` rows). */
static gputune_status find_above(bool *above, gt_hash_index *index, const gt_record_row *row,
                                 gt_hash hash, size_t next, size_t upper)
{
    uint32_t first;
    gt_hash site = gt_site_key(row->site.scenario.environment, row->site.hash);
    GT_TRY(gt_hash_index_intern(index, gt_hash_join(site, hash), (uint32_t)next, &first));
    *above = first < upper;
    return GPUTUNE_OK;
}

/* Sets *keep to false for a row that an upper layer hides. A winner hides winners of the same space
 * below it. If all trials are listed, a trial hides the same trial below it. Otherwise any row
 * hides failed trials of the same scenario below it. */
static gputune_status settle_layers(bool *keep, record_search *search, gt_record_row *row)
{
    bool known, hidden = false, all = search->all_trials;
    size_t next = search->found.count, upper = search->upper;
    gt_hash known_by = all ? row->trial.hash : (gt_hash){0};
    GT_TRY(find_above(&known, &search->trials, row, known_by, next, upper));
    if (row->record.is_winner) {
        GT_TRY(find_above(&hidden, &search->spaces, row, row->winner.terms.space, next, upper));
    }
    row->record.is_winner = row->record.is_winner && !hidden;
    bool failed = search->filter->failures && !gt_trial_is_correct(row->trial.status) &&
                  row->trial.status != GT_TRIAL_UNPROVED;
    *keep = row->record.is_winner || ((all || failed) && !known);
    return GPUTUNE_OK;
}

static gputune_status add_record(void *context, gt_rows *rows)
{
    record_search *search = context;
    bool keep = false;
    GT_TRY(gt_array_reserve(&search->found));
    gt_record_row *row = &search->found.items[search->found.count];
    *row = (gt_record_row){.volume = 0};
    gputune_status status = gt_columns_take(&row->site, rows, &gt_site_columns);
    GT_THEN(status, gt_columns_take(row, rows, &gt_record_columns));
    gt_rows_integer(rows); /* skip the constant that comes before the trial's columns */
    GT_THEN(status, gt_columns_take(&row->trial, rows, &gt_trial_columns));
    GT_THEN(status, gt_columns_take(&row->winner, rows, &gt_winner_columns));
    if (status == GPUTUNE_OK && gt_is_wanted(&search->filter->wanted, &row->site)) {
        status = settle_layers(&keep, search, row);
    }
    if (status == GPUTUNE_OK && keep) {
        show_record(row);
        search->found.count++;
        return GPUTUNE_OK;
    }
    free_row(row);
    return status;
}

static gputune_status read_records(gt_database *database, void *context)
{
    record_search *search = context;
    const gt_wanted *wanted = &search->filter->wanted;
    const char *only = wanted->kernel_count == 1 ? wanted->kernels[0] : NULL;
    search->upper = search->found.count;
    return gt_query_each(database, add_record, search, GT_SQL_RECORDS, "tnnt", only,
                         (int)search->all_trials, (int)search->filter->failures, wanted->sizes);
}

/* --- template versions ------------------------------------------------------------------------ */

static int by_kernel(const void *left, const void *right)
{
    const gputune_record *a = &((const gt_record_row *)left)->record;
    const gputune_record *b = &((const gt_record_row *)right)->record;
    int order = strcmp(a->kernel, b->kernel);
    return order ? order : strcmp(a->environment, b->environment);
}

static bool is_newer(const gputune_record *a, const gputune_record *b)
{
    int later = strcmp(a->created, b->created);
    return later ? later > 0 : a->order > b->order;
}

/* Marks the outdated rows of one kernel on one kind of GPU. With one_version, keeps only the rows
 * of the current version or, if there are none, of the newest version. */
static void settle_kernel(gt_record_row *rows, size_t count, const gt_records_filter *filter)
{
    gt_hash hand = {0};
    bool at_hand = filter->at_hand && filter->at_hand(filter->user, rows->record.kernel, &hand);
    bool found = false;
    const gt_record_row *newest = rows;
    for (size_t i = 0; i < count; i++) {
        newest = is_newer(&rows[i].record, &newest->record) ? &rows[i] : newest;
        found |= at_hand && gt_hash_equal(hand, rows[i].site.scenario.identity);
    }
    const gt_hash last = newest->site.scenario.identity;
    for (size_t i = 0; i < count; i++) {
        gt_record_row *row = &rows[i];
        const gt_hash own = row->site.scenario.identity;
        row->record.outdated = !gt_hash_equal(own, at_hand ? hand : last);
        row->superseded = !gt_hash_equal(own, found ? hand : last);
        row->left_out = filter->one_version && row->superseded;
    }
}

/* --- replaced rows of one version ---------------------------------------------------------------
 *
 * Editing clauses does not change a template's identity. So if a configuration has trials with
 * different code, only those with the latest code count. If a restriction has winners of different
 * spaces, only those of the latest space count. */

/* Returns a key that is equal for rows that can replace each other: trials of the same
 * configuration, or winners with the same restriction. */
static gt_hash replacing_key(const gt_record_row *row, bool winners)
{
    const gt_hash site = gt_site_key(row->site.scenario.environment, row->site.hash);
    const gt_hash what = gt_hash_string(winners ? row->winner.only : row->trial.config);
    return gt_hash_join(site,
                        gt_hash_join(what, gt_hash_string(winners ? row->winner.problem : "")));
}

/* Returns the version of a row: the hash of a trial or the space of a winner. */
static gt_hash version_of(const gt_record_row *row, bool winners)
{
    return winners ? row->winner.terms.space : row->trial.hash;
}

static bool is_later(const gt_record_row *a, const gt_record_row *b, bool winners)
{
    int later = winners ? strcmp(a->winner.created, b->winner.created) : 0;
    return later     ? later > 0
           : winners ? a->winner_order > b->winner_order
                     : is_newer(&a->record, &b->record);
}

static gputune_status settle_replaced(record_search *search, bool winners)
{
    gt_record_row *rows = search->found.items;
    const size_t count = search->found.count;
    GT_SCOPED(gt_hash_index_free) gt_hash_index first = {0};
    GT_FREED uint32_t *last = calloc(count + 1, sizeof *last);
    uint32_t at;
    GT_TRY(gt_allocated(last));
    for (uint32_t i = 0; i < count; i++) {
        if (!winners || rows[i].record.is_winner) {
            GT_TRY(gt_hash_index_intern(&first, replacing_key(&rows[i], winners), i, &at));
            last[at] = at == i || is_later(&rows[i], &rows[last[at]], winners) ? i : last[at];
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        gt_record_row *row = &rows[i];
        if ((!winners || row->record.is_winner) &&
            gt_hash_index_find(&at, &first, replacing_key(row, winners)) &&
            !gt_hash_equal(version_of(row, winners), version_of(&rows[last[at]], winners))) {
            /* with all_trials, the row is still listed as a trial, unless the latest winner has the
             * same trial */
            bool stays = winners && search->all_trials &&
                         !gt_hash_equal(row->trial.hash, rows[last[at]].trial.hash);
            row->record.outdated = true;
            row->left_out |= search->filter->one_version && !stays;
        }
    }
    return GPUTUNE_OK;
}

static gputune_status settle_versions(record_search *search)
{
    gt_record_row *rows = search->found.items;
    gt_array_sort(&search->found, by_kernel);
    for (size_t i = 0, next; i < search->found.count; i = next) {
        for (next = i + 1; next < search->found.count && !by_kernel(&rows[i], &rows[next]);) {
            next++;
        }
        settle_kernel(&rows[i], next - i, search->filter);
    }
    GT_TRY(settle_replaced(search, false));
    return settle_replaced(search, true);
}

/* --- in order --------------------------------------------------------------------------------- */

static int by_number(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_rows(const void *left, const void *right)
{
    const gt_record_row *a = left, *b = right;
    const gt_scenario *x = &a->site.scenario, *y = &b->site.scenario;
    int order = strcmp(x->kernel, y->kernel);
    order = order ? order : strcmp(x->fixed, y->fixed);
    order = order ? order : by_number(a->volume, b->volume);
    order = order ? order : strcmp(a->record.sizes, b->record.sizes);
    order = order ? order : by_number(a->record.objective, b->record.objective);
    order = order ? order : by_number(a->record.cache, b->record.cache);
    order = order ? order : strcmp(a->record.environment, b->record.environment);
    order = order ? order : by_number(a->record.outdated, b->record.outdated);
    order = order ? order : memcmp(&x->identity, &y->identity, sizeof x->identity);
    order = order ? order : memcmp(&a->site.hash, &b->site.hash, sizeof a->site.hash);
    order = order ? order : by_number(a->record.median_ns <= 0, b->record.median_ns <= 0);
    order = order ? order : by_number(a->record.median_ns, b->record.median_ns);
    return order ? order : strcmp(a->record.configuration, b->record.configuration);
}

/* Calls `each` for all records in order, until it returns a value other than 0. Returns this value,
 * or 0. If `answer` is not 0, returns `answer` and calls nothing. */
static int give_records(record_search *search, int answer, gt_record_fn each, void *user)
{
    gt_array_sort(&search->found, compare_rows);
    for (size_t i = 0; i < search->found.count && answer == 0; i++) {
        gt_record_row *row = &search->found.items[i];
        if (row->left_out) {
            continue;
        }
        row->record.scenario = gt_hash_hex(row->scenario_hex, row->site.hash);
        row->record.identity = gt_hash_hex(row->identity_hex, row->site.scenario.identity);
        answer = each(user, &row->record);
    }
    return answer;
}

int gt_store_records(gt_store *store, const gt_records_filter *filter, gt_record_fn each,
                     void *user)
{
    record_search search = {.filter = filter, .all_trials = filter->all_trials};
    int answer = gt_store_read_all(store, read_records, &search, NULL);
    /* ignore that the file is locked, because gt_store_check() reports it */
    answer = answer == GPUTUNE_EBUSY ? GPUTUNE_OK : answer;
    if (answer == GPUTUNE_OK) {
        answer = settle_versions(&search);
    }
    answer = give_records(&search, answer, each, user);
    free_rows(&search);
    return answer;
}

/* --- forgetting ------------------------------------------------------------------------------- */

typedef struct forgetting {
    record_search search;
    bool outdated; /* true: select only versions that were superseded */
} forgetting;

/* Adds a record for a rule. The scenario of a rule has no trials or winners. */
static gputune_status add_rule(void *context, gt_rows *rows)
{
    record_search *search = context;
    gt_listed_rule one = {.rule = {0}};
    GT_TRY(gt_array_reserve(&search->found));
    gt_record_row *row = &search->found.items[search->found.count];
    *row = (gt_record_row){.volume = 0};
    gputune_status status = gt_listed_rule_take(&one, rows);
    row->site = one.site;
    GT_THEN(status, gt_strdup((char **)&row->record.created, one.rule.created));
    GT_THEN(status, gt_strdup((char **)&row->trial.config, ""));
    row->trial.driver_version = one.rule.driver_version;
    gt_stored_rule_free(&one.rule);
    if (status != GPUTUNE_OK || !gt_is_wanted(&search->filter->wanted, &row->site)) {
        free_row(row);
        return status;
    }
    show_record(row);
    row->record.status = "rule";
    search->found.count++;
    return GPUTUNE_OK;
}

/* Finds the rows to delete. For a scenario on a kind of GPU, these are all rows or none. */
static gputune_status find_selected(gt_database *database, void *context)
{
    forgetting *work = context;
    record_search *search = &work->search;
    free_rows(search); /* there may be rows from an earlier attempt */
    GT_TRY(read_records(database, search));
    GT_TRY(gt_query_each(database, add_rule, search, GT_SQL_RULES, ""));
    GT_TRY(settle_versions(search));
    for (size_t i = 0; i < search->found.count; i++) {
        gt_record_row *row = &search->found.items[i];
        row->left_out = work->outdated && !row->superseded;
    }
    return GPUTUNE_OK;
}

/* Deletes the selected rows, and then code, scenarios and kernels that are not used any more. */
static gputune_status forget_selected(gt_database *database, void *context)
{
    static const gt_sql of_site[] = {GT_SQL_DROP_SOURCES,      GT_SQL_DROP_WINNER_SOURCES,
                                     GT_SQL_DROP_RULE_SOURCES, GT_SQL_DROP_WINNERS,
                                     GT_SQL_DROP_TRIALS,       GT_SQL_DROP_RULES};
    static const gt_sql of_all[] = {GT_SQL_DROP_CODE, GT_SQL_DROP_SCENARIOS, GT_SQL_DROP_KERNELS,
                                    GT_SQL_DROP_IMAGES};
    const record_search *search = &((forgetting *)context)->search;
    GT_TRY(gt_execute(database, GT_SQL_DROP_BEGIN, ""));
    /* an earlier attempt may have inserted rows */
    GT_TRY(gt_execute(database, GT_SQL_DROP_NONE, ""));
    for (size_t i = 0; i < search->found.count; i++) {
        const gt_record_row *row = &search->found.items[i];
        bool is_done =
            row->left_out || (i && gt_hash_equal(row[-1].site.hash, row->site.hash) &&
                              strcmp(row[-1].record.environment, row->record.environment) == 0);
        for (size_t k = 0; k < sizeof of_site / sizeof *of_site && !is_done; k++) {
            GT_TRY(gt_execute(database, of_site[k], "th", row->record.environment, row->site.hash));
        }
    }
    for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++) {
        GT_TRY(gt_execute(database, of_all[i], ""));
    }
    return GPUTUNE_OK;
}

static gputune_status write_forgetting(gt_store *store, gt_store_fn step, forgetting *work,
                                       const gt_patience *patience)
{
    gputune_status status = gt_store_write_file(store, step, work, patience, patience);
    if (status == GPUTUNE_EBUSY) {
        return gt_fail(status, "another process has locked the database; try again later");
    }
    if (status == GPUTUNE_EDATABASE || !gt_store_is_writable(store)) {
        return gt_fail(GPUTUNE_EDATABASE,
                       "there is no database file that can be written; nothing was deleted");
    }
    return status;
}

int gt_store_forget(gt_store *store, const gt_records_filter *filter,
                    const gputune_forget_options *what, gt_record_fn each, void *user,
                    const gt_patience *patience)
{
    forgetting work = {.search = {.filter = filter, .all_trials = true},
                       .outdated = what->outdated};
    gt_store_bring(store);
    if (gt_store_is_writable(store) && gt_store_is_missing(store)) {
        return GPUTUNE_OK; /* there is nothing to delete, and a write would create the file */
    }
    int answer = write_forgetting(store, find_selected, &work, patience);
    answer = give_records(&work.search, answer, each, user);
    if (answer == 0 && !what->dry_run) {
        answer = write_forgetting(store, forget_selected, &work, patience);
    }
    free_rows(&work.search);
    return answer;
}
