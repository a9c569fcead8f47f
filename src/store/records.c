/* What is shown of the tables: winners and trials with everything that is known of them. */
#include "base/array.h"
#include "store/keys.h"
#include "store/layers.h"

#include <stdlib.h>
#include <string.h>

typedef struct record_search {
    GT_ARRAY(gt_record_row) found;
    const gt_records_filter *filter;
} record_search;

static void free_row(gt_record_row *row)
{
    gt_columns_free(row, &gt_place_columns);
    gt_columns_free(&row->trial, &gt_trial_columns);
    gt_columns_free(&row->winner, &gt_winner_columns);
}

static bool wanted(const gt_records_filter *filter, const char *environment)
{
    for (size_t i = 0; filter->environments && i < filter->environment_count; i++) {
        if (strcmp(filter->environments[i], environment) == 0) {
            return true;
        }
    }
    return !filter->environments;
}

/* The columns of GT_SQL_RECORDS in their order. */
static gputune_status take_row(gt_record_row *row, gt_rows *rows)
{
    GT_TRY(gt_columns_take(row, rows, &gt_place_columns));
    gt_rows_integer(rows); /* what the list of the trial's columns follows */
    GT_TRY(gt_columns_take(&row->trial, rows, &gt_trial_columns));
    return gt_columns_take(&row->winner, rows, &gt_winner_columns);
}

void gt_trial_show(gputune_record *record, const gt_trial *trial)
{
    gt_columns_show(record, &gt_trial_columns, trial);
    record->shared_bytes += trial->resources.static_shared_bytes;
}

/* What a record says follows from its rows. */
static void show(gt_record_row *row)
{
    gputune_record *r = &row->record;
    r->version = GPUTUNE_RECORD_VERSION;
    r->modelled = strncmp(r->origin, "emu", 3) == 0;
    gt_trial_show(r, &row->trial);
    r->only = r->stop_reason = "";
    if (r->is_winner) {
        gt_columns_show(r, &gt_winner_columns, &row->winner);
        r->noisy = r->noisy || row->winner.noisy;
        r->unfinished = !row->winner.terms.final;
    } else {
        r->default_ns = 0;
    }
}

/* An upper layer's winner hides a lower one's of the same space; its trial the same trial. Says
 * whether the row is to be kept. */
static bool settle_layers(const record_search *search, gt_record_row *row, size_t upper)
{
    bool known = false;
    for (size_t i = 0; i < upper; i++) {
        const gt_record_row *other = &search->found.items[i];
        if (!gt_hash_equal(other->scenario, row->scenario) ||
            strcmp(other->record.environment, row->record.environment) != 0) {
            continue;
        }
        if (other->record.is_winner &&
            gt_hash_equal(other->winner.terms.space, row->winner.terms.space)) {
            row->record.is_winner = false;
        }
        known = known || gt_hash_equal(other->trial.hash, row->trial.hash);
    }
    return row->record.is_winner || (search->filter->all_trials && !known);
}

static gputune_status add_record(record_search *search, gt_rows *rows, size_t upper)
{
    gt_record_row row = {.scenario = {0}};
    gputune_status status = take_row(&row, rows);
    bool keep = status == GPUTUNE_OK && wanted(search->filter, row.record.environment) &&
                settle_layers(search, &row, upper);
    if (keep) {
        show(&row);
        status = gt_array_push(&search->found, row);
    }
    if (!keep || status != GPUTUNE_OK) {
        free_row(&row);
    }
    return status;
}

static gputune_status read_records(gt_database *database, void *context)
{
    record_search *search = context;
    size_t upper = search->found.count;
    gt_rows rows;
    gputune_status status;
    GT_TRY(gt_rows_begin(&rows, database, GT_SQL_RECORDS, "tn", search->filter->kernel,
                         (int)search->filter->all_trials));
    while ((status = gt_rows_next(&rows)) == GPUTUNE_OK &&
           (status = add_record(search, &rows, upper)) == GPUTUNE_OK) {
    }
    gt_rows_end(&rows);
    return status;
}

static int by_number(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_rows(const void *left, const void *right)
{
    const gt_record_row *a = left, *b = right;
    bool a_failed = a->record.median_ns <= 0, b_failed = b->record.median_ns <= 0;
    const int orders[] = {strcmp(a->record.kernel, b->record.kernel),
                          strcmp(a->fixed, b->fixed),
                          by_number(a->volume, b->volume),
                          strcmp(a->record.sizes, b->record.sizes),
                          by_number(a->record.objective, b->record.objective),
                          by_number(a->record.cache, b->record.cache),
                          strcmp(a->record.environment, b->record.environment),
                          by_number(a_failed, b_failed),
                          by_number(a->record.median_ns, b->record.median_ns),
                          strcmp(a->record.configuration, b->record.configuration)};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        if (orders[i]) {
            return orders[i];
        }
    }
    return 0;
}

int gt_store_records(gt_store *store, const gt_records_filter *filter,
                     int (*each)(void *user, const gputune_record *record), void *user,
                     const gt_patience *patience)
{
    record_search search = {.filter = filter};
    int answer = gt_store_read_all(store, read_records, &search, patience);
    answer = answer == GPUTUNE_EBUSY ? GPUTUNE_OK : answer; /* gt_store_check() tells */
    if (search.found.count) {
        qsort(search.found.items, search.found.count, sizeof *search.found.items, compare_rows);
    }
    for (size_t i = 0; i < search.found.count && answer == 0; i++) {
        answer = each(user, &search.found.items[i].record);
    }
    for (size_t i = 0; i < search.found.count; i++) {
        free_row(&search.found.items[i]);
    }
    gt_array_free(&search.found);
    return answer;
}
