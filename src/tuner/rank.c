/* Choosing without a clock: compile the space, rank it by the estimate, and take the best one that
 * a worker finds right. */
#include "base/clock.h"
#include "base/text.h"
#include "tuner/estimate.h"
#include "tuner/field.h"
#include "tuner/tune.h"

#include <string.h>

enum { CANDIDATES = 3 };

typedef struct candidate {
    gt_config config;
    double estimate;
} candidate;

/* What one thread loads at once: the widest vector of the configuration, or four bytes. */
static uint32_t access_bytes(const gt_request *request, const gt_config *config)
{
    uint32_t widest = 4;
    for (uint32_t i = 0; i < request->template->axis_count; i++) {
        const gt_axis *axis = &request->template->axes[i];
        if (axis->kind != GT_AXIS_VECTOR) {
            continue;
        }
        for (uint32_t b = 0; b < request->workload.buffer_count; b++) {
            uint32_t bytes = gt_type_bytes(request->workload.buffers[b].type) *
                             (uint32_t)axis->values[config->choice[i]].number;
            widest = bytes > widest ? bytes : widest;
        }
    }
    return widest;
}

static void insert(candidate best[CANDIDATES], candidate fresh)
{
    for (int i = 0; i < CANDIDATES; i++) {
        if (fresh.estimate > best[i].estimate) {
            candidate swap = best[i];
            best[i] = fresh;
            fresh = swap;
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

static gputune_status settle(gt_field *field, const gt_request *request, int64_t start_ns)
{
    gt_farm *farm = field->options.farm;
    GT_TRY(gt_field_pump(field));
    const gputune_options *o = &request->options;
    while (!gt_field_settled(field) && !(o->cancel && *o->cancel) &&
           gt_seconds_since(start_ns) < o->time_limit_s) {
        gt_event event = {0};
        GT_TRY(farm->ops->wait(farm, &event, gt_field_patience(field)));
        gputune_status status = gt_field_handle(field, &event);
        gt_event_free(&event);
        GT_TRY(status);
        GT_TRY(gt_field_pump(field));
    }
    farm->ops->cancel(farm);
    return GPUTUNE_OK;
}

static gt_field_options options_of(const gt_request *request, gt_farm *farm, bool measure)
{
    gt_field_options options = {.template = request->template,
                                .problem = &request->problem,
                                .workload = &request->workload,
                                .device = request->device,
                                .prelude = gt_catalog_prelude(request->services->catalog),
                                .farm = farm,
                                .store = request->services->store,
                                .measure = measure};
    options.setup.objective = request->options.objective;
    options.setup.cache = request->options.cache;
    options.setup.seed = request->options.seed;
    return options;
}

static gputune_status rank_space(candidate best[CANDIDATES], const gt_request *request,
                                 gt_farm *farm, int64_t start_ns, uint32_t *variants)
{
    const gt_field_options options = options_of(request, farm, false);
    gt_field field = {0};
    gt_space *space;
    GT_TRY(gt_field_open(&field, &options));
    gputune_status status = gt_request_space(&space, request);
    if (status == GPUTUNE_OK) {
        status = gt_field_add_space(&field, space, request->options.max_variants);
        gt_space_free(space);
    }
    if (status == GPUTUNE_OK) {
        status = settle(&field, request, start_ns);
    }
    if (status == GPUTUNE_OK) {
        status = rank(best, request, &field);
    }
    *variants = (uint32_t)field.variants.count;
    gt_field_close(&field);
    return status;
}

/* The best candidate that verified, with its code. */
static gputune_status take_best(gt_choice *choice, gt_field *field)
{
    for (size_t i = 0; i < field->variants.count; i++) {
        const gt_variant *variant = &field->variants.items[i];
        gt_compiled *compiled = &field->units.items[variant->unit].compiled;
        if (variant->stage == GT_STAGE_READY) {
            choice->config = variant->config;
            choice->resources = compiled->resources;
            choice->image = compiled->image; /* taken over */
            compiled->image = (gt_image){0};
            return GPUTUNE_OK;
        }
    }
    return gt_field_verdict(field);
}

static gputune_status verify_best(gt_choice *choice, const candidate best[CANDIDATES],
                                  const gt_request *request, gt_farm *farm, int64_t start_ns)
{
    const gt_field_options options = options_of(request, farm, true);
    gt_field field = {0};
    GT_TRY(gt_field_open(&field, &options));
    gputune_status status = GPUTUNE_OK;
    for (int i = 0; i < CANDIDATES && best[i].estimate > 0 && !status; i++) {
        status = gt_field_add(&field, &best[i].config, NULL);
    }
    if (status == GPUTUNE_OK) {
        status = settle(&field, request, start_ns);
    }
    if (status == GPUTUNE_OK) {
        status = take_best(choice, &field);
    }
    gt_field_close(&field);
    return status;
}

gputune_status gt_rank(gt_choice *out, const gt_request *request)
{
    candidate best[CANDIDATES] = {0};
    gt_choice choice = {.source = GPUTUNE_SOURCE_ESTIMATED};
    gt_farm *farm;
    int64_t start_ns = gt_now_ns();
    GT_TRY(
        request->services->farm(request->services->user, &farm, true, request->options.isolation));
    GT_TRY(rank_space(best, request, farm, start_ns, &choice.variants));
    GT_TRY(verify_best(&choice, best, request, farm, start_ns));
    gputune_status status = gt_strdup(&choice.stop_reason, "");
    if (status == GPUTUNE_OK) {
        status = gt_choose_fallback(&choice, request, NULL);
    }
    if (status != GPUTUNE_OK) {
        gt_choice_free(&choice);
        return status;
    }
    *out = choice;
    return GPUTUNE_OK;
}
