#include "tuner/tune.h"

#include "base/clock.h"
#include "base/text.h"
#include "tuner/field.h"

#include <stdlib.h>
#include <string.h>

void gt_choice_free(gt_choice *choice)
{
    free(choice->image.data);
    free(choice->fallback_image.data);
    free(choice->stop_reason);
    *choice = (gt_choice){0};
}

/* --- from what is stored
 * -------------------------------------------------------------------------- */

static void take_times(gt_choice *choice, const gt_winner *winner)
{
    choice->time_ns = winner->time.median;
    choice->default_ns = winner->default_time.median;
    choice->speedup = winner->speedup;
    choice->speedup_low = winner->speedup_low;
    choice->speedup_high = winner->speedup_high;
    choice->tie = winner->tie;
    choice->noisy = winner->noisy;
}

static bool allowed(const gt_request *request, const gt_config *config)
{
    gt_space *space;
    if (gt_request_space(&space, request) != GPUTUNE_OK) {
        return false;
    }
    bool valid = gt_space_excludes(space, config) == NULL;
    gt_space_free(space);
    return valid;
}

/* The code of a configuration: the stored image where its source is still the same, else compiled.
 */
static gputune_status obtain(gt_image *image, gt_resources *resources, const gt_request *request,
                             const gt_config *config, gt_code *stored)
{
    gt_source source;
    if (stored && stored->image.bytes) {
        GT_TRY(gt_source_generate(&source, request->template, &request->problem, config,
                                  request->device, gt_catalog_prelude(request->services->catalog)));
        bool same = gt_hash_equal(source.hash, stored->source);
        gt_source_free(&source);
        if (same) {
            *image = stored->image; /* taken over */
            *resources = stored->resources;
            stored->image = (gt_image){0};
            return GPUTUNE_OK;
        }
    }
    return gt_compile_one(image, resources, request, config);
}

gputune_status gt_choose_fallback(gt_choice *choice, const gt_request *request, gt_winner *winner)
{
    bool same = false;
    gt_resources resources;
    GT_TRY(gt_config_scalar(&choice->fallback, &same, request->template, &choice->config));
    choice->needs_alignment = !same;
    if (same || !allowed(request, &choice->fallback)) {
        return GPUTUNE_OK;
    }
    choice->has_fallback = true;
    return obtain(&choice->fallback_image, &resources, request, &choice->fallback,
                  winner ? &winner->fallback : NULL);
}

/* ENOTFOUND when the stored configuration is not possible for this request. */
static gputune_status choose_stored(gt_choice *out, const gt_request *request, gt_winner *winner,
                                    gputune_source source)
{
    gt_choice choice = {.source = source};
    if (gt_config_parse(&choice.config, request->template, winner->config) != GPUTUNE_OK ||
        !allowed(request, &choice.config)) {
        return GPUTUNE_ENOTFOUND;
    }
    take_times(&choice, winner);
    gputune_status status =
        obtain(&choice.image, &choice.resources, request, &choice.config, &winner->code);
    if (status == GPUTUNE_OK) {
        status = gt_choose_fallback(&choice, request, winner);
    }
    if (status == GPUTUNE_OK) {
        status = gt_strdup(&choice.stop_reason, winner->stop_reason ? winner->stop_reason : "");
    }
    if (status != GPUTUNE_OK) {
        gt_choice_free(&choice);
        return status;
    }
    *out = choice;
    return GPUTUNE_OK;
}

/* Chosen from the same space, or from as many of its variants as are asked for. */
static bool covers(const gt_winner *winner, const gt_request *request)
{
    uint32_t asked = request->options.max_variants;
    uint32_t most = asked && asked < GT_FIELD_VARIANTS_MAX ? asked : GT_FIELD_VARIANTS_MAX;
    return gt_hash_equal(winner->terms.space, request->space) ||
           (most <= winner->variants && gt_hash_equal(winner->terms.space, request->cut));
}

/* A stored winner answers when it was chosen from the same space with at least this effort, and was
 * verified with the driver at hand. */
static bool answers(const gt_request *request, const gt_winner *winner)
{
    if (request->options.effort < GPUTUNE_MEASURE) {
        return winner->terms.proved;
    }
    return winner->terms.proved && winner->terms.final &&
           winner->terms.effort >= request->options.effort && covers(winner, request) &&
           winner->terms.driver_version == request->device->driver_version;
}

static gputune_status look_up(gt_choice *out, const gt_request *request)
{
    gt_winner_list list;
    gt_store *store = request->services->store;
    gputune_status status = GPUTUNE_ENOTFOUND;
    if (request->options.force) {
        return status;
    }
    GT_TRY(gt_store_winners(&list, store, request->environment, &request->scenario, NULL));
    for (size_t i = 0; i < list.count && status == GPUTUNE_ENOTFOUND; i++) {
        if (answers(request, &list.items[i])) {
            status = choose_stored(out, request, &list.items[i], GPUTUNE_SOURCE_CACHED);
        }
    }
    gt_winner_list_free(&list);
    return status;
}

/* --- without measuring
 * ----------------------------------------------------------------------------- */

static gputune_status choose_nearest(gt_choice *out, const gt_request *request)
{
    gt_winner winner;
    GT_TRY(gt_store_find_nearest(&winner, request->services->store, request->environment,
                                 &request->scenario, NULL));
    gputune_status status = winner.terms.proved
                                ? choose_stored(out, request, &winner, GPUTUNE_SOURCE_NEAREST)
                                : GPUTUNE_ENOTFOUND;
    gt_winner_free(&winner);
    return status;
}

static gputune_status choose_default(gt_choice *out, const gt_request *request)
{
    gt_choice choice = {.source = GPUTUNE_SOURCE_DEFAULT,
                        .config = gt_config_default(request->template)};
    gputune_status status = obtain(&choice.image, &choice.resources, request, &choice.config, NULL);
    if (status == GPUTUNE_OK) {
        status = gt_choose_fallback(&choice, request, NULL);
    }
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

static gputune_status choose_unmeasured(gt_choice *out, const gt_request *request)
{
    if (request->options.effort == GPUTUNE_ESTIMATE && gt_rank(out, request) == GPUTUNE_OK) {
        return GPUTUNE_OK;
    }
    return choose_nearest(out, request) == GPUTUNE_OK ? GPUTUNE_OK : choose_default(out, request);
}

/* --- measuring
 * --------------------------------------------------------------------------------------- */

/* What keeps a tuning from happening without being anybody's mistake: the answer is then what is
 * known without it. */
static bool unavailable(gputune_status status)
{
    switch (status) {
    case GPUTUNE_EBUSY:
    case GPUTUNE_EWORKER:
    case GPUTUNE_EDEVMEM:
    case GPUTUNE_ETIMEOUT:
    case GPUTUNE_ECANCELED:
        return true;
    default:
        return false;
    }
}

static gputune_status search_under_lease(gt_choice *out, gt_request *request)
{
    gt_store *store = request->services->store;
    gt_lease lease = {0};
    gt_patience patience = gt_patience_for(request->options.time_limit_s, request->options.cancel);
    gputune_status status =
        gt_store_lease_acquire(&lease, store, request->environment, &request->scenario, &patience);
    if (status != GPUTUNE_OK) {
        return status;
    }
    request->lease = &lease;
    status = look_up(out, request); /* somebody may have finished while this one waited */
    if (status != GPUTUNE_OK) {
        status = gt_search(out, request);
    }
    request->lease = NULL;
    gt_store_lease_release(&lease, store, NULL);
    return status;
}

gputune_status gt_tune(gt_choice *out, gt_request *request)
{
    if (look_up(out, request) == GPUTUNE_OK) {
        return GPUTUNE_OK;
    }
    if (request->options.effort < GPUTUNE_MEASURE) {
        return choose_unmeasured(out, request);
    }
    gputune_status status = search_under_lease(out, request);
    if (!unavailable(status)) {
        return status;
    }
    char *reason;
    gt_log_line(&request->services->log, GPUTUNE_LOG_WARNING, "%s: not measured: %s",
                request->template->name, gt_message());
    GT_TRY(gt_strdup(&reason, gt_message()));
    status = choose_unmeasured(out, request);
    if (status != GPUTUNE_OK) {
        free(reason);
        return status;
    }
    free(out->stop_reason);
    out->stop_reason = reason;
    return GPUTUNE_OK;
}
