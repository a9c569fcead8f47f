/* Rows of winner: keeping, validating, rejecting. */
#include "store/keys.h"
#include "store/layers.h"

#include <stdio.h>

/* --- keeping ------------------------------------------------------------------------------------
 */

static bool is_finished(gt_hash space)
{
    return space.high || space.low;
}

/* A stored winner of higher effort stays, and one of a finished race beside one of an unfinished
 * one, while it was validated with the same tools. */
static gputune_status yields(bool *out, gt_database *database, int64_t gpu, int64_t scenario,
                             const gt_outcome *outcome)
{
    gt_rows rows;
    GT_TRY(gt_rows_begin(&rows, database, GT_SQL_WINNER_EFFORT, "ii", gpu, scenario));
    gputune_status status = gt_rows_next(&rows);
    *out = false;
    if (status == GPUTUNE_OK) {
        const gt_winner *winner = outcome->winner;
        int64_t effort = gt_rows_integer(&rows);
        bool finished = is_finished(gt_rows_hash(&rows));
        int64_t driver = gt_rows_integer(&rows);
        int64_t nvrtc = gt_rows_integer(&rows);
        *out = !outcome->force &&
               (effort > (int64_t)winner->effort || (finished && !is_finished(winner->space))) &&
               driver == winner->driver_version && nvrtc == winner->nvrtc_version;
    }
    gt_rows_end(&rows);
    return status == GPUTUNE_ENOTFOUND ? GPUTUNE_OK : status;
}

static gputune_status set_winner(gt_database *database, int64_t gpu, int64_t scenario,
                                 const gt_outcome *outcome, int64_t code, int64_t fallback)
{
    const gt_winner *w = outcome->winner;
    const gt_scenario *s = outcome->scenario;
    char sizes[GT_SIZES_TEXT], now[GT_TIMESTAMP];
    gt_sizes_text(sizes, s->sizes, s->size_count);
    const char *problem = w->problem ? w->problem : s->problem;
    return gt_execute(database, GT_SQL_WINNER_SET, "iihhhtttrrttdddnnnnntnniidt", gpu, scenario,
                      w->trial, w->default_trial, w->space, w->config ? w->config : "",
                      w->default_config ? w->default_config : "", w->fallback_config, code,
                      fallback, problem ? problem : "", sizes, w->speedup, w->speedup_low,
                      w->speedup_high, (int)w->tie, (int)w->noisy, (int)w->modelled,
                      (int)w->verified, (int)w->effort, w->stop_reason ? w->stop_reason : "",
                      w->driver_version, w->nvrtc_version, (int64_t)w->variants, (int64_t)w->failed,
                      w->tuning_s, gt_timestamp(now));
}

static gputune_status put_outcome(gt_database *database, void *context)
{
    const gt_outcome *outcome = context;
    const gt_winner *winner = outcome->winner;
    int64_t gpu, scenario, code = 0, fallback = 0, more;
    bool keep = false;
    GT_TRY(gt_gpu_row(&gpu, database, outcome->environment));
    GT_TRY(gt_scenario_row(&scenario, database, outcome->scenario));
    GT_TRY(gt_trial_rows(database, gpu, scenario, outcome->trials, outcome->trial_count));
    for (size_t i = 0; i < outcome->code_count; i++) {
        GT_TRY(gt_code_row(&more, database, &outcome->codes[i]));
    }
    if (!winner) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_code_row(&code, database, &winner->code));
    GT_TRY(gt_code_row(&fallback, database, &winner->fallback));
    GT_TRY(yields(&keep, database, gpu, scenario, outcome));
    return keep ? GPUTUNE_OK : set_winner(database, gpu, scenario, outcome, code, fallback);
}

gputune_status gt_store_put_winner(gt_store *store, const gt_outcome *outcome)
{
    return gt_store_write(store, put_outcome, (void *)outcome);
}

/* --- validating, rejecting ----------------------------------------------------------------------
 */

typedef struct verdict {
    const char *environment;
    gt_hash scenario;
    int driver_version, nvrtc_version;
    gt_trial_status status;
    const char *message;
} verdict;

/* A winner of a read-only layer has no row in the one that is written: nothing to be done there. */
static gputune_status find_row(int64_t *out, gt_database *database, const verdict *v)
{
    return gt_query_integer(out, database, GT_SQL_WINNER_ID, "th", v->environment, v->scenario);
}

static gputune_status validate(gt_database *database, void *context)
{
    const verdict *v = context;
    int64_t row;
    GT_TRY(find_row(&row, database, v));
    return gt_execute(database, GT_SQL_WINNER_VALIDATE, "inn", row, v->driver_version,
                      v->nvrtc_version);
}

gputune_status gt_store_validate_winner(gt_store *store, const char *environment,
                                        const gt_scenario *scenario, int driver_version,
                                        int nvrtc_version)
{
    verdict v = {.environment = environment,
                 .scenario = gt_scenario_hash(scenario),
                 .driver_version = driver_version,
                 .nvrtc_version = nvrtc_version};
    return gt_store_write(store, validate, &v);
}

static gputune_status fail_trial(gt_database *database, int64_t row, const verdict *v)
{
    gt_rows rows;
    GT_TRY(gt_rows_begin(&rows, database, GT_SQL_WINNER_TRIAL, "i", row));
    gputune_status status = gt_rows_next(&rows);
    int64_t gpu = gt_rows_integer(&rows);
    int64_t scenario = gt_rows_integer(&rows);
    gt_hash trial = gt_rows_hash(&rows);
    gt_rows_end(&rows);
    if (status != GPUTUNE_OK) {
        return status;
    }
    return gt_execute(database, GT_SQL_TRIAL_FAIL, "iihnt", gpu, scenario, trial, (int)v->status,
                      v->message);
}

static gputune_status reject(gt_database *database, void *context)
{
    const verdict *v = context;
    int64_t row;
    GT_TRY(find_row(&row, database, v));
    GT_TRY(fail_trial(database, row, v));
    return gt_execute(database, GT_SQL_WINNER_DELETE, "i", row);
}

gputune_status gt_store_reject_winner(gt_store *store, const char *environment,
                                      const gt_scenario *scenario, gt_trial_status status,
                                      const char *message)
{
    verdict v = {.environment = environment,
                 .scenario = gt_scenario_hash(scenario),
                 .status = status,
                 .message = message ? message : ""};
    return gt_store_write(store, reject, &v);
}
