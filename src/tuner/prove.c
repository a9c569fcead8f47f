/* Proves configurations in a worker, and takes the first that is right. */
#include "tuner/prove.h"

#include "tuner/outcome.h"
#include "tuner/session.h"

#include <stdlib.h>
#include <string.h>

static gputune_status take_image(gt_image *out, gt_resources *resources, gt_field *field,
                                 const gt_config *config)
{
    for (size_t i = 0; i < field->variants.count; i++) {
        const gt_variant *variant = &field->variants.items[i];
        gt_compiled *compiled = &field->units.items[variant->unit].compiled;
        if (variant->stage == GT_STAGE_READY && compiled->image.bytes &&
            memcmp(&variant->config, config, sizeof *config) == 0) {
            *resources = compiled->resources;
            *out = compiled->image; /* taken over */
            compiled->image = (gt_image){0};
            return GPUTUNE_OK;
        }
    }
    return GPUTUNE_ENOTFOUND;
}

/* Chooses the first that was verified, with its variant for misaligned buffers if that was verified
 * too. */
static gputune_status take_first(gt_choice *choice, gt_field *field, const gt_config *configs,
                                 size_t count)
{
    bool same = false;
    gt_resources ignored;
    for (size_t i = 0; i < count; i++) {
        if (take_image(&choice->image, &choice->resources, field, &configs[i]) != GPUTUNE_OK) {
            continue;
        }
        choice->config = configs[i];
        GT_TRY(gt_config_scalar(&choice->fallback, &same, field->options.request->template,
                                &choice->config));
        choice->needs_alignment = !same;
        choice->has_fallback = !same && take_image(&choice->fallback_image, &ignored, field,
                                                   &choice->fallback) == GPUTUNE_OK;
        return GPUTUNE_OK;
    }
    return gt_field_verdict(field);
}

/* The configurations, each with the variant of it that is right at any alignment, if that is
 * another. */
static gputune_status list_all(gt_config out[2 * GT_PROVE_MAX], size_t *all,
                               const gt_config *configs, size_t count, const gt_request *request)
{
    *all = 0;
    for (size_t i = 0; i < count; i++) {
        bool same = false, listed = false, permitted = false;
        gt_config scalar;
        out[(*all)++] = configs[i];
        GT_TRY(gt_config_scalar(&scalar, &same, request->template, &configs[i]));
        for (size_t j = 0; j < *all; j++) {
            listed = listed || memcmp(&out[j], &scalar, sizeof scalar) == 0;
        }
        if (!same && !listed) {
            GT_TRY(gt_request_permits(&permitted, request, &scalar));
        }
        if (permitted) {
            out[(*all)++] = scalar;
        }
    }
    return GPUTUNE_OK;
}

/* ---- keeping --------------------------------------------------------------------------------- */

static void keep_code(const gt_field *field, const gt_request *request)
{
    gt_code codes[2 * GT_PROVE_MAX];
    size_t count = 0;
    for (size_t i = 0; i < field->variants.count && count < sizeof codes / sizeof *codes; i++) {
        const gt_variant *variant = &field->variants.items[i];
        const gt_unit *unit = &field->units.items[variant->unit];
        if (variant->stage == GT_STAGE_READY && unit->compiled.image.bytes) {
            codes[count++] = gt_unit_code(unit, request->device);
        }
    }
    if (count) {
        (void)gt_store_put_cubins(request->services->store, codes, count, &request->patience);
    }
}

/* What a variant that is right is kept as: the trial that is known of it, with its times, or a new
 * one. */
static void note_right(gt_trial *trial, const gt_history *here, const gt_request *request)
{
    const gt_trial *known = gt_history_find(here, trial->hash);
    trial->status = GT_TRIAL_PROVED;
    if (known && gt_trial_is_right(known->status)) {
        *trial = *known;
        trial->proved_at = request->proved_at;
        trial->driver_version = request->device->driver_version;
    }
}

static void keep_verdict(const gt_field *field, uint32_t index, const gt_history *here,
                         const gt_request *request)
{
    const gt_variant *variant = &field->variants.items[index];
    gt_trial trial = gt_field_trial(field, index);
    char *config;
    if (gt_config_text(&config, request->template, &variant->config) != GPUTUNE_OK) {
        return;
    }
    trial.config = config;
    trial.message = variant->message ? variant->message : "";
    if (variant->stage == GT_STAGE_READY) {
        note_right(&trial, here, request);
    }
    (void)gt_store_put_trials(request->services->store, request->environment, &request->here,
                              &trial, 1, &request->patience);
    free(config);
}

/* Whether a proof has found out something that was not known. */
static bool is_verdict(const gt_variant *variant)
{
    return variant->stage == GT_STAGE_READY ||
           (variant->stage == GT_STAGE_FAILED && !variant->remembered &&
            gt_outcome_is_kept(variant->failure, variant->repeatable));
}

/* So that none is compiled, proved, or tried in vain, again. That it cannot be stored is no
 * failure. */
static void keep(const gt_field *field, const gt_request *request)
{
    gt_history here = {0};
    keep_code(field, request);
    (void)gt_history_load_here(&here, request);
    for (uint32_t i = 0; i < field->variants.count; i++) {
        if (is_verdict(&field->variants.items[i])) {
            keep_verdict(field, i, &here, request);
        }
    }
    gt_history_free(&here);
}

bool gt_may_prove(const gt_request *request)
{
    const gputune_options *o = &request->options;
    bool at_once = o->background && o->effort < GPUTUNE_MEASURE;
    return !at_once && !request->grace.until_ns && o->isolation == GPUTUNE_ISOLATION_PROCESS;
}

gputune_status gt_prove(gt_choice *choice, gt_request *request, const gt_config *configs,
                        size_t count, const gt_history *history)
{
    static const gt_policy policy = {.measures = true, .done = gt_session_is_done};
    static const double share = 0.75; /* of the time; the rest is for what is tried instead */
    gt_config all[2 * GT_PROVE_MAX];
    size_t all_count;
    gt_session session;
    if (gt_patience_left_s(&request->patience) <= 0) {
        return gt_fail(GPUTUNE_ETIMEOUT, "%s: no time is left to prove it",
                       request->template->name);
    }
    GT_TRY(list_all(all, &all_count, configs, count, request));
    gt_list_proposer proposer = gt_list_proposer_make(all, all_count);
    const gt_field_options options = {.proposer = &proposer.proposer, .history = history};
    const gt_patience whole = request->patience, grace = request->grace;
    request->patience = gt_patience_at_most(&whole, share * gt_patience_left_s(&whole));
    gputune_status status = gt_session_open(&session, &policy, NULL, request, &options);
    GT_THEN(status, gt_session_run(&session));
    if (status == GPUTUNE_OK) {
        keep(&session.field, request);
        status = take_first(choice, &session.field, configs, count);
    }
    gt_field_note_bad_default(&session.field, request);
    gt_session_close(&session);
    request->patience = whole;
    request->grace = grace;
    return status;
}
