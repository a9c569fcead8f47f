/* Rows of winner. */
#include "base/array.h"
#include "base/number.h"
#include "base/text.h"
#include "store/keys.h"
#include "store/layers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
    free(list->items);
    *list = (gt_winner_list){0};
}

/* --- reading ---------------------------------------------------------------------------------- */

/* The columns of GT_SQL_WINNERS in their order. */
static gputune_status take_winner(gt_winner *out, gt_rows *rows)
{
    gt_winner winner = {0};
    winner.size_count = gt_sizes_parse(winner.sizes, gt_rows_text(rows));
    gputune_status status = gt_strdup(&winner.proved_at, gt_rows_text(rows));
    winner.time = gt_rows_summary(rows);
    winner.default_time = gt_rows_summary(rows);
    GT_THEN(status, gt_columns_take(&winner, rows, &gt_winner_columns));
    winner.terms.proved &= !rows->database->distrust;
    winner.terms.final |= rows->database->given;
    if (status != GPUTUNE_OK) {
        gt_winner_free(&winner);
        return status;
    }
    *out = winner;
    return GPUTUNE_OK;
}

/* The next winner; ENOTFOUND: no more. */
static gputune_status next_winner(gt_winner *out, gt_rows *rows)
{
    GT_TRY(gt_rows_next(rows));
    return take_winner(out, rows);
}

/* Missing or damaged code leaves the image empty: it can be compiled again. */
static gputune_status load_code(gt_code *code, gt_database *database)
{
    gputune_status status =
        code->source.high || code->source.low
            ? gt_code_find(code, database, code->source, code->arch, code->ptx, code->nvrtc_version)
            : GPUTUNE_ENOTFOUND;
    return status == GPUTUNE_ENOTFOUND ? GPUTUNE_OK : status;
}

gputune_status gt_winner_load_codes(gt_winner *winner, gt_database *database)
{
    GT_TRY(load_code(&winner->code, database));
    return load_code(&winner->fallback, database);
}

/* --- all of a scenario ------------------------------------------------------------------------ */

typedef struct winner_search {
    GT_ARRAY(gt_winner) found;
    const char *environment;
    gt_hash scenario;
} winner_search;

static bool is_answered(const winner_search *search, size_t upper, const gt_winner *winner)
{
    for (size_t i = 0; i < upper; i++) {
        if (gt_answers_for(&search->found.items[i].terms, &winner->terms)) {
            return true;
        }
    }
    return false;
}

/* What the system's database has is enough: so is an upper layer's result that is as fast. */
static void decide_faster(winner_search *search, size_t upper, const gt_winner *given)
{
    for (size_t i = 0; i < upper; i++) {
        gt_winner *one = &search->found.items[i];
        gt_terms decided = one->terms;
        decided.final = true;
        if (gt_answers_for(&decided, &given->terms) && one->time.median > 0 &&
            one->time.median <= given->time.median) {
            one->terms.final = true;
        }
    }
}

static gputune_status add_winner(winner_search *search, gt_database *database, size_t upper,
                                 gt_winner *winner)
{
    if (database->given) {
        decide_faster(search, upper, winner);
    }
    bool wanted = !is_answered(search, upper, winner);
    gputune_status status = wanted ? gt_winner_load_codes(winner, database) : GPUTUNE_OK;
    if (status == GPUTUNE_OK && wanted) {
        status = gt_array_push(&search->found, *winner);
    }
    if (status != GPUTUNE_OK || !wanted) {
        gt_winner_free(winner);
    }
    return status;
}

static gputune_status read_winners(gt_database *database, void *context)
{
    winner_search *search = context;
    size_t upper = search->found.count;
    gt_rows rows;
    gt_winner winner;
    gputune_status status;
    GT_TRY(gt_rows_begin(&rows, database, GT_SQL_WINNERS, "th", search->environment,
                         search->scenario));
    while ((status = next_winner(&winner, &rows)) == GPUTUNE_OK &&
           (status = add_winner(search, database, upper, &winner)) == GPUTUNE_OK) {
    }
    gt_rows_end(&rows);
    return status;
}

gputune_status gt_store_winners(gt_winner_list *out, gt_store *store, const char *environment,
                                const gt_scenario *scenario, const gt_patience *patience)
{
    winner_search search = {.environment = environment, .scenario = gt_scenario_hash(scenario)};
    gputune_status status = gt_store_read_all(store, read_winners, &search, patience);
    gt_winner_list list = {search.found.items, search.found.count};
    if (status != GPUTUNE_OK && (status != GPUTUNE_EBUSY || !list.count)) {
        gt_winner_list_free(&list);
        return status;
    }
    *out = list;
    return GPUTUNE_OK;
}

/* --- the nearest ------------------------------------------------------------------------------ */

typedef struct nearest_search {
    gt_winner best; /* without a configuration: none */
    double distance;
    const char *environment;
    gt_hash family;
    const gt_scenario *wanted;
} nearest_search;

/* Sizes that have winners. */
typedef struct near_sizes {
    double distance;
    int64_t sizes[GT_SCENARIO_SIZES];
    uint32_t count;
} near_sizes;
typedef GT_ARRAY(near_sizes) near_list;

static int by_distance(const void *left, const void *right)
{
    const near_sizes *a = left, *b = right;
    return (a->distance > b->distance) - (a->distance < b->distance);
}

/* Nearest first; the rows themselves are not yet looked at. */
static gputune_status list_sizes(near_list *out, gt_database *database,
                                 const nearest_search *search)
{
    gt_rows rows;
    gputune_status status;
    GT_TRY(gt_rows_begin(&rows, database, GT_SQL_SIZES_OF_FAMILY, "th", search->environment,
                         search->family));
    while ((status = gt_rows_next(&rows)) == GPUTUNE_OK) {
        near_sizes near;
        near.count = gt_sizes_parse(near.sizes, gt_rows_text(&rows));
        near.distance = gt_sizes_distance(search->wanted, near.sizes, near.count);
        if (near.distance < INFINITY && (status = gt_array_push(out, near)) != GPUTUNE_OK) {
            break;
        }
    }
    gt_rows_end(&rows);
    if (out->count) {
        qsort(out->items, out->count, sizeof *out->items, by_distance);
    }
    return status == GPUTUNE_ENOTFOUND ? GPUTUNE_OK : status;
}

/* At the same distance, a winner over the space without restrictions comes before a final one. */
static int rank_of(const gt_winner *winner)
{
    return 2 * !winner->only[0] + winner->terms.final;
}

static gputune_status consider(nearest_search *search, gt_database *database, gt_winner *winner,
                               double distance)
{
    bool better = !search->best.config || distance < search->distance ||
                  rank_of(winner) > rank_of(&search->best);
    gputune_status status = better ? gt_winner_load_codes(winner, database) : GPUTUNE_OK;
    if (!better || status != GPUTUNE_OK) {
        gt_winner_free(winner);
        return status;
    }
    gt_winner_free(&search->best);
    search->best = *winner;
    search->distance = distance;
    return GPUTUNE_OK;
}

static gputune_status read_sizes(nearest_search *search, gt_database *database,
                                 const near_sizes *near)
{
    gt_rows rows;
    gt_winner winner;
    gputune_status status;
    char text[GT_SIZES_TEXT];
    GT_TRY(gt_rows_begin(&rows, database, GT_SQL_WINNERS_OF_SIZES, "tht", search->environment,
                         search->family, gt_sizes_text(text, near->sizes, near->count)));
    while ((status = next_winner(&winner, &rows)) == GPUTUNE_OK &&
           (status = consider(search, database, &winner, near->distance)) == GPUTUNE_OK) {
    }
    gt_rows_end(&rows);
    return status == GPUTUNE_ENOTFOUND ? GPUTUNE_OK : status;
}

static gputune_status read_family(gt_database *database, void *context)
{
    nearest_search *search = context;
    near_list list = {0};
    gputune_status status = list_sizes(&list, database, search);
    for (size_t i = 0; i < list.count && status == GPUTUNE_OK; i++) {
        if (search->best.config && list.items[i].distance > search->distance) {
            break;
        }
        status = read_sizes(search, database, &list.items[i]);
    }
    gt_array_free(&list);
    return status;
}

gputune_status gt_store_find_nearest(gt_winner *out, gt_store *store, const char *environment,
                                     const gt_scenario *scenario, const gt_patience *patience)
{
    nearest_search search = {
        .environment = environment, .family = gt_family_hash(scenario), .wanted = scenario};
    gputune_status status = gt_store_read_all(store, read_family, &search, patience);
    status = status == GPUTUNE_EBUSY ? GPUTUNE_OK : status;
    if (status == GPUTUNE_OK && !search.best.config) {
        status = GPUTUNE_ENOTFOUND;
    }
    if (status != GPUTUNE_OK) {
        gt_winner_free(&search.best);
        return status;
    }
    *out = search.best;
    return GPUTUNE_OK;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Whether a winner that answers for this one is stored. */
static gputune_status is_superfluous(bool *out, gt_database *database, const gt_outcome *outcome)
{
    gt_rows rows;
    gt_winner stored;
    *out = false;
    GT_TRY(gt_rows_begin(&rows, database, GT_SQL_WINNERS, "th", outcome->environment,
                         gt_scenario_hash(outcome->scenario)));
    gputune_status status = next_winner(&stored, &rows);
    while (status == GPUTUNE_OK && !*out) {
        *out = stored.terms.final && gt_answers_for(&stored.terms, &outcome->winner->terms);
        gt_winner_free(&stored);
        status = *out ? GPUTUNE_OK : next_winner(&stored, &rows);
    }
    gt_rows_end(&rows);
    return status == GPUTUNE_ENOTFOUND ? GPUTUNE_OK : status;
}

static gputune_status set_winner(gt_database *database, int64_t gpu, int64_t scenario,
                                 const gt_outcome *outcome, const char *created)
{
    const gt_scenario *s = outcome->scenario;
    gt_winner winner = *outcome->winner;
    char sizes[GT_SIZES_TEXT];
    if (!winner.problem) {
        winner.problem = (char *)s->problem;
    }
    gt_snprintf(winner.created, sizeof winner.created, "%s", created);
    GT_TRY(gt_execute(database, GT_SQL_WINNER_SET, "iitc", gpu, scenario,
                      gt_sizes_text(sizes, s->sizes, s->size_count), &gt_winner_columns, &winner));
    return gt_execute(database, GT_SQL_WINNER_SEAL, "");
}

static gputune_status drop_passed(gt_database *database, const gt_outcome *outcome)
{
    for (size_t i = 0; i < outcome->passed_count; i++) {
        const gt_code *code = &outcome->passed[i];
        GT_TRY(gt_execute(database, GT_SQL_CODE_DROP, "htn", code->source, code->arch,
                          (int)code->ptx));
    }
    return outcome->passed_count ? gt_execute(database, GT_SQL_DROP_IMAGES, "") : GPUTUNE_OK;
}

gputune_status gt_winner_put(gt_database *database, const gt_outcome *outcome)
{
    int64_t gpu, scenario;
    bool superfluous = false;
    char now[GT_TIMESTAMP], since[GT_TIMESTAMP];
    gt_timestamp(since, outcome->elapsed_s + 1);
    const char *created =
        outcome->created && *outcome->created ? outcome->created : gt_timestamp(now, 0);
    GT_TRY(gt_gpu_row(&gpu, database, outcome->environment));
    GT_TRY(outcome->gpu ? gt_gpu_set(database, outcome->environment, outcome->gpu) : GPUTUNE_OK);
    GT_TRY(gt_scenario_row(&scenario, database, outcome->scenario));
    GT_TRY(gt_trial_rows(database, gpu, scenario, created, outcome->elapsed_s > 0 ? since : NULL,
                         outcome->trials, outcome->trial_count));
    for (size_t i = 0; i < outcome->code_count; i++) {
        GT_TRY(gt_code_put(database, &outcome->codes[i]));
    }
    if (!outcome->winner) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_code_put(database, &outcome->winner->code));
    GT_TRY(gt_code_put(database, &outcome->winner->fallback));
    if (!outcome->force) {
        GT_TRY(is_superfluous(&superfluous, database, outcome));
    }
    if (!superfluous) {
        GT_TRY(set_winner(database, gpu, scenario, outcome, created));
    }
    return drop_passed(database, outcome);
}

static gputune_status put_outcome(gt_database *database, void *context)
{
    return gt_winner_put(database, context);
}

gputune_status gt_store_put_winner(gt_store *store, const gt_outcome *outcome,
                                   const gt_patience *patience)
{
    return gt_store_write(store, put_outcome, (void *)outcome, patience);
}
