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
               (effort > (int64_t)winner->terms.effort || (finished && !winner->terms.final)) &&
               driver == winner->terms.driver_version && nvrtc == winner->nvrtc_version;
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
                      w->trial, w->default_trial, w->terms.final ? w->terms.space : (gt_hash){0}, w->config ? w->config : "",
                      w->default_config ? w->default_config : "", w->fallback_config, code,
                      fallback, problem ? problem : "", sizes, w->speedup, w->speedup_low,
                      w->speedup_high, (int)w->tie, (int)w->noisy, (int)w->modelled,
                      (int)w->terms.proved, (int)w->terms.effort, w->stop_reason ? w->stop_reason : "",
                      w->terms.driver_version, w->nvrtc_version, (int64_t)w->variants, (int64_t)w->failed,
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

gputune_status gt_store_put_winner(gt_store *store, const gt_outcome *outcome, const gt_patience *patience)
{
    (void)patience;
    return gt_store_write(store, put_outcome, (void *)outcome);
}

