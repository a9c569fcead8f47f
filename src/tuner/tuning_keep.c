/* Stores what a tuning found out as it comes, so that a tuning that is killed is gone on with. */
#include "tuner/tuning.h"

#include "base/array.h"
#include "base/clock.h"

static bool is_new_code(const gt_unit *unit)
{
    return unit->stage == GT_STAGE_READY && !unit->from_store && !unit->kept && !unit->is_sketch;
}

/* The code of the variants' units; `kept`: those that were stored, else those that were not. */
static gputune_status list_codes(gt_code_list *out, const gt_tuning *tuning, bool kept)
{
    const gt_field *field = &tuning->session.field;
    *out = (gt_code_list){calloc(field->units.count + GT_UNIT_FIRST, sizeof *out->items), 0};
    GT_TRY(gt_allocated(out->items));
    for (size_t i = GT_UNIT_FIRST; i < field->units.count; i++) {
        const gt_unit *unit = &field->units.items[i];
        if (kept ? unit->kept : is_new_code(unit)) {
            out->items[out->count++] = gt_unit_code(unit, tuning->session.request->device);
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_tuning_new_codes(gt_code_list *out, const gt_tuning *tuning)
{
    return list_codes(out, tuning, false);
}

gputune_status gt_tuning_kept_codes(gt_code_list *out, const gt_tuning *tuning)
{
    return list_codes(out, tuning, true);
}

static void mark_codes(gt_field *field)
{
    for (size_t i = GT_UNIT_FIRST; i < field->units.count; i++) {
        gt_unit *unit = &field->units.items[i];
        unit->kept |= is_new_code(unit);
    }
}

static gputune_status store(gt_tuning *tuning, const gt_trial_list *trials,
                            const gt_code_list *codes)
{
    const gt_request *request = tuning->session.request;
    const gt_patience brief = gt_patience_at_most(&request->patience, 0.05);
    const gt_outcome outcome = {.environment = request->environment,
                                .scenario = &request->scenario,
                                .trials = trials->items,
                                .trial_count = trials->count,
                                .codes = codes->items,
                                .code_count = codes->count,
                                .elapsed_s = gt_session_elapsed_s(&tuning->session)};
    return gt_store_put_winner(request->services->store, &outcome, &brief);
}

gputune_status gt_tuning_keep(gt_tuning *tuning)
{
    static const int64_t interval_ns = 1000000000;
    GT_SCOPED(gt_tuning_free_trials) gt_trial_list trials = {0};
    gt_code_list codes = {0};
    int64_t now = gt_now_ns();
    int64_t since = tuning->last_kept_ns ? tuning->last_kept_ns : tuning->session.start_ns;
    if (now - since < interval_ns) {
        return GPUTUNE_OK;
    }
    gputune_status status = gt_tuning_settled_trials(&trials, tuning);
    GT_THEN(status, gt_tuning_new_codes(&codes, tuning));
    /* a failure to store is ignored: everything is stored again at the end */
    if (status == GPUTUNE_OK && trials.count + codes.count > 0 &&
        store(tuning, &trials, &codes) == GPUTUNE_OK) {
        mark_codes(&tuning->session.field);
    }
    free(codes.items);
    tuning->last_kept_ns = gt_now_ns();
    return status;
}
