/* Proves a configuration in a measure worker. */
#include "tuner/tune.h"

#include "base/text.h"
#include "tuner/outcome.h"
#include "tuner/session.h"

#include <stdlib.h>

static gputune_status copy_image(gt_image *out, const gt_variant *variant)
{
    const gt_image *image = &variant->unit->compiled.image;
    return gt_image_copy(out, image->data, image->bytes);
}

gputune_status gt_choice_take(gt_choice *choice, const gt_field *field, const gt_variant *variant)
{
    choice->config = variant->config;
    choice->resources = variant->unit->compiled.resources;
    choice->fallback = gt_config_scalar(field->options.request->template, &choice->config);
    choice->needs_alignment = !gt_config_is(&choice->fallback, &choice->config);
    const gt_variant *fallback = gt_field_find_ready(field, &choice->fallback);
    choice->has_fallback = choice->needs_alignment && fallback;
    GT_TRY(copy_image(&choice->image, variant));
    return choice->has_fallback ? copy_image(&choice->fallback_image, fallback) : GPUTUNE_OK;
}

static void keep_verdict(const gt_field *field, const gt_variant *variant,
                         const gt_history *history, const gt_request *request)
{
    gt_trial trial = gt_field_trial(field, variant, NULL);
    GT_FREED char *config = NULL;
    if (gt_config_text(&config, request->template, &variant->config) != GPUTUNE_OK) {
        return;
    }
    trial.config = config;
    trial.proved_at = request->proved_at;
    trial.message = variant->message ? variant->message : "";
    if (variant->stage == GT_STAGE_READY) {
        const gt_trial *known = gt_history_find(history, trial.hash);
        trial.status = GT_TRIAL_PROVED;
        if (known && gt_trial_is_correct(known->status)) { /* keep the times of the stored trial */
            trial = *known;
            trial.proved_at = request->proved_at;
            trial.driver_version = request->device->driver_version;
        }
    }
    (void)gt_store_put_trials(request->services->store, &request->scenario, &trial, 1,
                              &request->patience);
}

static void keep_results(const gt_field *field, const gt_history *history,
                         const gt_request *request)
{
    (void)gt_field_keep_code(field, &request->patience);
    for (const gt_variant *variant = field->first; variant; variant = variant->next) {
        bool failed_now = variant->stage == GT_STAGE_FAILED && !variant->remembered;
        if (variant->stage == GT_STAGE_READY ||
            (failed_now && gt_outcome_is_kept(variant->failure, variant->repeatable))) {
            keep_verdict(field, variant, history, request);
        }
    }
}

gputune_status gt_prove(gt_choice *choice, gt_request *request, const gt_config *config,
                        const char *reason)
{
    static const gt_policy policy = {.measures = true, .done = gt_session_is_done};
    /* fraction of the remaining time for the proof; if it fails, the rest is for another answer */
    static const double share = 0.75;
    const gt_config both[] = {*config, gt_config_scalar(request->template, config)};
    bool has_other = !gt_config_is(&both[0], &both[1]) && gt_request_permits(request, &both[1]);
    gt_session session;
    GT_SCOPED(gt_trial_list_free) gt_history history = {0};
    GT_REFUSE(gt_patience_left_s(&request->patience) <= 0, GPUTUNE_ETIMEOUT,
              "%s: no time is left to verify it", request->template->name);
    GT_TRY(gt_history_load(&history, request));
    gt_list_proposer proposer = gt_list_proposer_make(both, has_other ? 2 : 1);
    const gt_field_options options = {.proposer = &proposer.proposer, .history = &history};
    const gt_patience whole = request->patience, grace = request->grace;
    request->patience = gt_patience_at_most(&whole, share * gt_patience_left_s(&whole));
    gputune_status status = gt_session_open(&session, &policy, NULL, request, &options);
    GT_THEN(status, gt_session_run(&session));
    if (status == GPUTUNE_OK) {
        keep_results(&session.field, &history, request);
        const gt_variant *variant = gt_field_find_ready(&session.field, config);
        status = variant ? gt_choice_take(choice, &session.field, variant)
                         : gt_field_verdict(&session.field);
        GT_THEN(status, gt_strdup(&choice->stop_reason, reason));
    }
    gt_field_note_bad_default(&session.field, request);
    gt_session_close(&session);
    request->patience = whole;
    request->grace = grace;
    return status;
}
