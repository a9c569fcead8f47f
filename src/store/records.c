/* What is shown of the tables: winners and trials with everything that is known of them. */
#include "base/array.h"
#include "base/text.h"
#include "store/keys.h"
#include "store/layers.h"

#include <stdlib.h>
#include <string.h>

/* One record with what it is sorted and told apart by; its strings are one allocation. */
typedef struct entry {
    gputune_record record;
    char *fixed;
    double volume;
    gt_hash scenario, trial;
    char *strings[10];
    uint32_t string_count;
} entry;

typedef struct record_search {
    GT_ARRAY(entry) found;
    const gt_records_filter *filter;
} record_search;

static void free_entry(entry *e)
{
    for (uint32_t i = 0; i < e->string_count; i++) {
        free(e->strings[i]);
    }
}

static gputune_status take_text(char **out, entry *e, gt_rows *rows)
{
    GT_TRY(gt_strdup(&e->strings[e->string_count], gt_rows_text(rows)));
    *out = e->strings[e->string_count++];
    return GPUTUNE_OK;
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
static gputune_status take_place(entry *e, gt_rows *rows)
{
    gputune_record *r = &e->record;
    GT_TRY(take_text((char **)&r->kernel, e, rows));
    GT_TRY(take_text(&e->fixed, e, rows));
    e->volume = gt_rows_real(rows);
    GT_TRY(take_text((char **)&r->sizes, e, rows));
    r->objective = (gputune_objective)gt_rows_integer(rows);
    r->cache = (gputune_cache)gt_rows_integer(rows);
    GT_TRY(take_text((char **)&r->configuration, e, rows));
    GT_TRY(take_text((char **)&r->gpu, e, rows));
    GT_TRY(take_text((char **)&r->environment, e, rows));
    GT_TRY(take_text((char **)&r->origin, e, rows));
    r->status = gt_trial_status_name((gt_trial_status)gt_rows_integer(rows));
    return take_text((char **)&r->message, e, rows);
}

static gputune_status take_figures(entry *e, gt_rows *rows)
{
    gputune_record *r = &e->record;
    r->is_default = gt_rows_integer(rows) != 0;
    r->is_winner = gt_rows_integer(rows) != 0;
    r->tie = gt_rows_integer(rows) != 0;
    r->noisy = gt_rows_integer(rows) != 0;
    r->noisy = gt_rows_integer(rows) != 0 || r->noisy;
    r->modelled = strncmp(r->origin, "emu", 3) == 0;
    double *const times[] = {&r->median_ns, &r->mean_ns, &r->stddev_ns,
                             &r->low_ns,    &r->high_ns, &r->min_ns};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        *times[i] = gt_rows_real(rows);
    }
    uint32_t *const counts[] = {&r->samples,     &r->eliminated_round, &r->registers,
                                &r->spill_bytes, &r->shared_bytes,     &r->local_bytes};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        *counts[i] = (uint32_t)gt_rows_integer(rows);
    }
    double *const reals[] = {&r->occupancy,    &r->max_error,       &r->compile_ns, &r->bytes,
                             &r->flops,        &r->default_ns,      &r->speedup,    &r->speedup_low,
                             &r->speedup_high, &r->copy_bytes_per_s};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        *reals[i] = gt_rows_real(rows);
    }
    GT_TRY(take_text((char **)&r->stop_reason, e, rows));
    GT_TRY(take_text((char **)&r->created, e, rows));
    e->scenario = gt_rows_hash(rows);
    e->trial = gt_rows_hash(rows);
    return GPUTUNE_OK;
}

/* An upper layer's winner hides a lower one's; its trial the same trial. */
static bool is_hidden(const record_search *search, const entry *e, size_t upper)
{
    for (size_t i = 0; i < upper; i++) {
        const entry *other = &search->found.items[i];
        bool same = gt_hash_equal(other->scenario, e->scenario) &&
                    strcmp(other->record.environment, e->record.environment) == 0;
        if (same && (gt_hash_equal(other->trial, e->trial) || !search->filter->all_trials)) {
            return true;
        }
    }
    return false;
}

static bool has_winner_above(const record_search *search, const entry *e, size_t upper)
{
    for (size_t i = 0; i < upper; i++) {
        const entry *other = &search->found.items[i];
        if (other->record.is_winner && gt_hash_equal(other->scenario, e->scenario) &&
            strcmp(other->record.environment, e->record.environment) == 0) {
            return true;
        }
    }
    return false;
}

static gputune_status add_record(record_search *search, gt_rows *rows, size_t upper)
{
    entry e = {.record = {.version = GPUTUNE_RECORD_VERSION}};
    gputune_status status = take_place(&e, rows);
    if (status == GPUTUNE_OK) {
        status = take_figures(&e, rows);
    }
    bool keep = status == GPUTUNE_OK && wanted(search->filter, e.record.environment) &&
                !is_hidden(search, &e, upper);
    if (keep && upper && e.record.is_winner && has_winner_above(search, &e, upper)) {
        e.record.is_winner = false;
    }
    if (keep) {
        status = gt_array_push(&search->found, e);
    }
    if (!keep || status != GPUTUNE_OK) {
        free_entry(&e);
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
    while ((status = gt_rows_next(&rows)) == GPUTUNE_OK) {
        status = add_record(search, &rows, upper);
        if (status != GPUTUNE_OK) {
            break;
        }
    }
    gt_rows_end(&rows);
    return status;
}

static int by_number(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_entries(const void *left, const void *right)
{
    const entry *a = left, *b = right;
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
                     int (*each)(void *user, const gputune_record *record), void *user, const gt_patience *patience)
{
    (void)patience;
    record_search search = {.filter = filter};
    int answer = gt_store_read_all(store, read_records, &search);
    if (search.found.count) {
        qsort(search.found.items, search.found.count, sizeof *search.found.items, compare_entries);
    }
    for (size_t i = 0; i < search.found.count && answer == 0; i++) {
        answer = each(user, &search.found.items[i].record);
    }
    for (size_t i = 0; i < search.found.count; i++) {
        free_entry(&search.found.items[i]);
    }
    gt_array_free(&search.found);
    return answer;
}
