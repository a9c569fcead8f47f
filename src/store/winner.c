/* Rows of winner: looking up. */
#include "store/keys.h"
#include "store/layers.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void gt_winner_free(gt_winner *winner)
{
    free(winner->config);
    free(winner->default_config);
    free(winner->fallback_config);
    free(winner->problem);
    free(winner->stop_reason);
    gt_code_free(&winner->code);
    gt_code_free(&winner->fallback);
    *winner = (gt_winner){0};
}

static gputune_status take_optional(char **out, gt_rows *rows)
{
    bool none = gt_rows_null(rows);
    const char *text = gt_rows_text(rows);
    return none ? GPUTUNE_OK : gt_strdup(out, text);
}

/* The columns of GT_SQL_WINNER in their order, the rows of its code at the end. */
static gputune_status take_columns(gt_winner *w, gt_rows *rows, int64_t code[2])
{
    w->trial = gt_rows_hash(rows);
    w->default_trial = gt_rows_hash(rows);
    w->terms.space = gt_rows_hash(rows);
    w->terms.final = w->terms.space.high || w->terms.space.low;
    GT_TRY(gt_strdup(&w->config, gt_rows_text(rows)));
    GT_TRY(gt_strdup(&w->default_config, gt_rows_text(rows)));
    GT_TRY(take_optional(&w->fallback_config, rows));
    GT_TRY(gt_strdup(&w->problem, gt_rows_text(rows)));
    w->size_count = gt_sizes_parse(w->sizes, gt_rows_text(rows));
    w->speedup = gt_rows_real(rows);
    w->speedup_low = gt_rows_real(rows);
    w->speedup_high = gt_rows_real(rows);
    w->tie = gt_rows_integer(rows) != 0;
    w->noisy = gt_rows_integer(rows) != 0;
    w->modelled = gt_rows_integer(rows) != 0;
    w->terms.proved = gt_rows_integer(rows) != 0;
    w->terms.effort = (gputune_effort)gt_rows_integer(rows);
    GT_TRY(gt_strdup(&w->stop_reason, gt_rows_text(rows)));
    w->terms.driver_version = (int)gt_rows_integer(rows);
    w->nvrtc_version = (int)gt_rows_integer(rows);
    w->variants = (uint32_t)gt_rows_integer(rows);
    w->failed = (uint32_t)gt_rows_integer(rows);
    w->tuning_s = gt_rows_real(rows);
    snprintf(w->created, sizeof w->created, "%s", gt_rows_text(rows));
    code[0] = gt_rows_integer(rows);
    code[1] = gt_rows_integer(rows);
    w->time = gt_rows_summary(rows);
    w->default_time = gt_rows_summary(rows);
    return GPUTUNE_OK;
}

/* Missing or damaged code leaves the image empty: it can be compiled again. */
static gputune_status take_code(gt_code *out, gt_database *database, int64_t row)
{
    gputune_status status = row ? gt_code_by_row(out, database, row) : GPUTUNE_ENOTFOUND;
    return status == GPUTUNE_ENOTFOUND ? GPUTUNE_OK : status;
}

static gputune_status load_winner(gt_winner *out, gt_database *database, int64_t row)
{
    gt_winner winner = {0};
    int64_t code[2] = {0};
    gt_rows rows;
    GT_TRY(gt_rows_begin(&rows, database, GT_SQL_WINNER, "i", row));
    gputune_status status = gt_rows_next(&rows);
    if (status == GPUTUNE_OK) {
        status = take_columns(&winner, &rows, code);
    }
    gt_rows_end(&rows);
    if (status == GPUTUNE_OK) {
        status = take_code(&winner.code, database, code[0]);
    }
    if (status == GPUTUNE_OK) {
        status = take_code(&winner.fallback, database, code[1]);
    }
    if (status != GPUTUNE_OK) {
        gt_winner_free(&winner);
        return status;
    }
    *out = winner;
    return GPUTUNE_OK;
}

/* --- this scenario, or the nearest --------------------------------------------------------------
 */

typedef struct winner_search {
    gt_winner *out;
    const char *environment;
    const gt_scenario *scenario;
    double distance; /* of *out, infinite while there is none */
} winner_search;

static gputune_status find_winner(gt_database *database, void *context)
{
    const winner_search *search = context;
    int64_t row;
    GT_TRY(gt_query_integer(&row, database, GT_SQL_WINNER_ID, "th", search->environment,
                            gt_scenario_hash(search->scenario)));
    return load_winner(search->out, database, row);
}

gputune_status gt_store_winners(gt_winner_list *list, gt_store *store, const char *environment,
                                const gt_scenario *scenario, const gt_patience *patience)
{
    (void)patience;
    gt_winner *out = calloc(1, sizeof *out);
    winner_search search = {.out = out, .environment = environment, .scenario = scenario};
    gputune_status status = gt_store_read(store, find_winner, &search);
    *list = (gt_winner_list){out, status == GPUTUNE_OK};
    return status == GPUTUNE_ENOTFOUND ? GPUTUNE_OK : status;
}
void gt_winner_list_free(gt_winner_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        gt_winner_free(&list->items[i]);
    }
    free(list->items);
}

static double distance_to(const gt_scenario *wanted, const char *text)
{
    int64_t sizes[GT_SCENARIO_SIZES];
    if (gt_sizes_parse(sizes, text) != wanted->size_count) {
        return INFINITY;
    }
    double sum = 0;
    for (uint32_t i = 0; i < wanted->size_count; i++) {
        if (sizes[i] <= 0 || wanted->sizes[i] <= 0) {
            return INFINITY;
        }
        sum += fabs(log((double)sizes[i] / (double)wanted->sizes[i]));
    }
    return sum;
}

static gputune_status nearest_row(int64_t *out, gt_database *database, winner_search *search)
{
    gt_rows rows;
    gputune_status status;
    int64_t best = 0;
    GT_TRY(gt_rows_begin(&rows, database, GT_SQL_WINNER_FAMILY, "th", search->environment,
                         gt_family_hash(search->scenario)));
    while ((status = gt_rows_next(&rows)) == GPUTUNE_OK) {
        int64_t row = gt_rows_integer(&rows);
        double distance = distance_to(search->scenario, gt_rows_text(&rows));
        if (distance < search->distance) {
            search->distance = distance;
            best = row;
        }
    }
    gt_rows_end(&rows);
    *out = best;
    return status;
}

/* Every layer is asked; a lower one must be strictly nearer. */
static gputune_status find_nearest(gt_database *database, void *context)
{
    winner_search *search = context;
    gt_winner nearer;
    int64_t row = 0;
    gputune_status status = nearest_row(&row, database, search);
    if (status != GPUTUNE_ENOTFOUND || !row) {
        return status;
    }
    GT_TRY(load_winner(&nearer, database, row));
    gt_winner_free(search->out);
    *search->out = nearer;
    return GPUTUNE_OK;
}

gputune_status gt_store_find_nearest(gt_winner *out, gt_store *store, const char *environment,
                                     const gt_scenario *scenario, const gt_patience *patience)
{
    (void)patience;
    gt_winner found = {0};
    winner_search search = {&found, environment, scenario, INFINITY};
    gputune_status status = gt_store_read_all(store, find_nearest, &search);
    if (status == GPUTUNE_OK && !found.config) {
        status = GPUTUNE_ENOTFOUND;
    }
    if (status != GPUTUNE_OK) {
        gt_winner_free(&found);
        return status;
    }
    *out = found;
    return GPUTUNE_OK;
}
