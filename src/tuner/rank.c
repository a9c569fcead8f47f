/* Choosing without a clock: compiles the space, ranks it by the estimate, and takes the best
 * candidate that a worker finds right. What earlier tunings found not to work is left out. */
#include "base/text.h"
#include "tuner/estimate.h"
#include "tuner/session.h"
#include "tuner/tune.h"

#include <string.h>

enum { CANDIDATES = 3 };

typedef struct candidate {
    gt_config config;
    double estimate;
} candidate;

/* Bytes that one thread loads at once: the widest vector of the configuration, or four. */
static uint32_t access_bytes(const gt_request *request, const gt_config *config)
{
    uint32_t widest = 4;
    for (uint32_t i = 0; i < request->template->axis_count; i++) {
        const gt_axis *axis = &request->template->axes[i];
        if (axis->kind != GT_AXIS_VECTOR) {
            continue;
        }
        for (uint32_t b = 0; b < request->workload.buffer_count; b++) {
            uint32_t bytes = gt_buffer_element_bytes(&request->workload.buffers[b]) *
                             (uint32_t)axis->values[config->choice[i]].number;
            widest = bytes > widest ? bytes : widest;
        }
    }
    return widest;
}

static void insert(candidate best[CANDIDATES], candidate next)
{
    for (int i = 0; i < CANDIDATES; i++) {
        if (next.estimate > best[i].estimate) {
            candidate swap = best[i];
            best[i] = next;
            next = swap;
        }
    }
}

static gputune_status rank(candidate best[CANDIDATES], const gt_request *request,
                           const gt_field *field)
{
    gt_launch *launch = malloc(sizeof *launch);
    if (!launch) {
        return gt_fail_memory();
    }
    for (size_t i = 0; i < field->variants.count; i++) {
        const gt_variant *variant = &field->variants.items[i];
        if (variant->stage != GT_STAGE_READY ||
            gt_launch_bind(launch, request->template, &request->problem, &variant->config,
                           request->device) != GPUTUNE_OK) {
            continue;
        }
        const gt_resources *resources = &field->units.items[variant->unit].compiled.resources;
        insert(best, (candidate){variant->config,
                                 gt_estimate(request->device, &launch->geometry, resources,
                                             access_bytes(request, &variant->config))});
    }
    free(launch);
    return GPUTUNE_OK;
}

/* Compiles the space and ranks what compiled; *variants: how many there were. */
static gputune_status rank_space(candidate best[CANDIDATES], gt_request *request,
                                 const gt_history *history, uint32_t *variants)
{
    static const gt_policy policy = {.done = gt_session_is_done};
    gt_space *space;
    gt_session session;
    GT_TRY(gt_request_space_to_try(&space, request));
    gt_space_proposer proposer = gt_space_proposer_make(space);
    const gt_field_options options = {.proposer = &proposer.proposer,
                                      .with_default = true,
                                      .limit = request->options.max_variants,
                                      .history = history};
    gputune_status status = gt_session_open(&session, &policy, NULL, request, &options);
    if (status == GPUTUNE_OK) {
        status = gt_session_run(&session);
    }
    if (status == GPUTUNE_OK) {
        status = rank(best, request, &session.field);
    }
    *variants = (uint32_t)session.field.variants.count;
    gt_session_close(&session);
    gt_space_free(space);
    return status;
}

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

/* Chooses the best candidate that was verified, with its variant for misaligned buffers if that was
 * verified too. */
static gputune_status take_best(gt_choice *choice, gt_field *field,
                                const candidate best[CANDIDATES])
{
    bool same = false;
    gt_resources ignored;
    for (int i = 0; i < CANDIDATES && best[i].estimate > 0; i++) {
        if (take_image(&choice->image, &choice->resources, field, &best[i].config) != GPUTUNE_OK) {
            continue;
        }
        choice->config = best[i].config;
        GT_TRY(gt_config_scalar(&choice->fallback, &same, field->options.request->template,
                                &choice->config));
        choice->needs_alignment = !same;
        choice->has_fallback = !same && take_image(&choice->fallback_image, &ignored, field,
                                                   &choice->fallback) == GPUTUNE_OK;
        return GPUTUNE_OK;
    }
    return gt_field_verdict(field);
}

/* The candidates, each with the variant of it that is right at any alignment, if that is another.
 */
static gputune_status list_candidates(gt_config out[2 * CANDIDATES], size_t *count,
                                      const candidate best[CANDIDATES], const gt_request *request)
{
    *count = 0;
    for (int i = 0; i < CANDIDATES && best[i].estimate > 0; i++) {
        bool same = false, listed = false;
        gt_config scalar;
        out[(*count)++] = best[i].config;
        GT_TRY(gt_config_scalar(&scalar, &same, request->template, &best[i].config));
        for (size_t j = 0; j < *count; j++) {
            listed = listed || memcmp(&out[j], &scalar, sizeof scalar) == 0;
        }
        if (!same && !listed && gt_request_permits(request, &scalar)) {
            out[(*count)++] = scalar;
        }
    }
    return GPUTUNE_OK;
}

static gputune_status verify_best(gt_choice *choice, const candidate best[CANDIDATES],
                                  gt_request *request, const gt_history *history)
{
    static const gt_policy policy = {.measures = true, .done = gt_session_is_done};
    gt_config configs[2 * CANDIDATES];
    size_t count;
    gt_session session;
    GT_TRY(list_candidates(configs, &count, best, request));
    gt_list_proposer proposer = gt_list_proposer_make(configs, count);
    const gt_field_options options = {.proposer = &proposer.proposer, .history = history};
    gputune_status status = gt_session_open(&session, &policy, NULL, request, &options);
    if (status == GPUTUNE_OK) {
        status = gt_session_run(&session);
    }
    if (status == GPUTUNE_OK) {
        status = take_best(choice, &session.field, best);
    }
    gt_field_note_bad_default(&session.field, request);
    gt_session_close(&session);
    return status;
}

gputune_status gt_rank(gt_choice *out, gt_request *request)
{
    candidate best[CANDIDATES] = {0};
    gt_choice choice = {.source = GPUTUNE_SOURCE_ESTIMATED, .terms = request->terms};
    gt_history history;
    GT_TRY(gt_history_load(&history, request));
    gputune_status status = rank_space(best, request, &history, &choice.variants);
    if (status == GPUTUNE_OK) {
        status = verify_best(&choice, best, request, &history);
    }
    gt_history_free(&history);
    if (status == GPUTUNE_OK) {
        status = gt_strdup(&choice.stop_reason, "");
    }
    if (status != GPUTUNE_OK) {
        gt_choice_free(&choice);
        return status;
    }
    *out = choice;
    return GPUTUNE_OK;
}
