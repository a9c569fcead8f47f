#include "tuner/search.h"

#include "base/clock.h"

#include <string.h>

static gputune_status add_scalar(gt_search_state *state, gt_space *space)
{
    const gt_request *request = state->request;
    const gt_config standard = gt_config_default(request->template);
    gt_config scalar;
    bool same = false;
    GT_TRY(gt_config_scalar(&scalar, &same, request->template, &standard));
    if (same || gt_space_excludes(space, &scalar)) {
        return GPUTUNE_OK; /* the default is its own fallback, or there is none */
    }
    gt_field *field = &state->field;
    for (size_t i = 0; i < field->variants.count; i++) {
        if (memcmp(&field->variants.items[i].config, &scalar, sizeof scalar) == 0) {
            return GPUTUNE_OK;
        }
    }
    uint32_t index;
    GT_TRY(gt_field_add(field, &scalar, &index));
    field->variants.items[index].spectator = true;
    return GPUTUNE_OK;
}

static void say_if_cut(const gt_search_state *state)
{
    if (state->field.cut && !state->request->options.max_variants) {
        gt_log_line(
            &state->request->services->log, GPUTUNE_LOG_WARNING,
            "%s: the first %d variants of more are tried; restrict the space, or limit them",
            state->request->template->name, GT_FIELD_VARIANTS_MAX);
    }
}

/* Default first and the whole space; the default races even where restrictions leave it out. */
static gputune_status fill_field(gt_search_state *state)
{
    gt_space *space;
    GT_TRY(gt_request_space(&space, state->request));
    gputune_status status =
        gt_field_add_space(&state->field, space, state->request->options.max_variants);
    say_if_cut(state);
    if (status == GPUTUNE_OK) {
        status = add_scalar(state, space);
    }
    gt_space_free(space);
    return status;
}

static gputune_status open_field(gt_search_state *state)
{
    gt_request *request = state->request;
    const gt_trial *best = gt_history_best(&state->history);
    gt_field_options options = {.template = request->template,
                                .problem = &request->problem,
                                .workload = &request->workload,
                                .device = request->device,
                                .prelude = gt_catalog_prelude(request->services->catalog),
                                .farm = state->farm,
                                .store = request->services->store,
                                .measure = true,
                                .distinct = true,
                                .force = request->options.force,
                                .history = &state->history,
                                .champion = best ? best->hash : (gt_hash){0}};
    options.setup.objective = request->options.objective;
    options.setup.cache = request->options.cache;
    options.setup.seed = request->options.seed;
    options.setup.exhaustive = request->options.effort == GPUTUNE_EXHAUSTIVE;
    GT_TRY(gt_field_open(&state->field, &options));
    if (request->options.input_count) {
        GT_TRY(request->services->inputs(request->services->user, &request->workload,
                                         &request->options, &state->field.options.setup));
    }
    return GPUTUNE_OK;
}

/* A sample by the host's clock has several times the noise of one by the device's: on an H200's
 * host 3% at 2.4 us a launch, so that half a percent takes some 150 rounds to see. And a process
 * that loses its core for a millisecond doubles a short sample: no single one sends anybody home.
 * Where it cannot tell them apart, the device's clock has a say. */
static void allow_for_the_host(gt_race_options *options)
{
    options->max_rounds = 200;
    options->drop_ratio = 0.5;
    options->tie_break = true;
}

gputune_status gt_search_open_race(gt_search_state *state)
{
    const gputune_options *o = &state->request->options;
    bool by_host =
        o->objective == GPUTUNE_OBJECTIVE_LAUNCH || o->objective == GPUTUNE_OBJECTIVE_LATENCY;
    gt_race_options options = {.seed = o->seed,
                               .epsilon = o->epsilon,
                               .exact = state->request->device->emulated,
                               .exhaustive = o->effort == GPUTUNE_EXHAUSTIVE};
    if (by_host) {
        allow_for_the_host(&options);
    }
    return gt_race_new(&state->race, &options);
}

static gputune_status open_search(gt_search_state *state)
{
    gt_request *request = state->request;
    GT_TRY(request->services->farm(request->services->user, &state->farm, true,
                                   request->options.isolation));
    GT_TRY(gt_history_load(&state->history, request->services->store, request->environment,
                           &request->scenario, request->device->driver_version, 0));
    GT_TRY(gt_search_open_race(state));
    GT_TRY(open_field(state));
    gt_request_say_proof(request);
    return fill_field(state);
}

static void close_search(gt_search_state *state)
{
    const gt_services *services = state->request->services;
    if (state->farm) {
        state->farm->ops->cancel(state->farm);
    }
    if (services->release && state->field.options.setup.input_count) {
        services->release(services->user, &state->field.options.setup);
    }
    gt_field_close(&state->field);
    gt_search_free_races(state);
    gt_history_free(&state->history);
}

gputune_status gt_search(gt_choice *out, gt_request *request)
{
    gt_search_state state = {.request = request, .start_ns = gt_now_ns()};
    gputune_status status = open_search(&state);
    if (status == GPUTUNE_OK) {
        status = gt_search_run(&state);
    }
    if (status == GPUTUNE_OK) {
        gt_search_write_samples(&state);
        status = gt_search_conclude(out, &state);
        gt_search_mark(&state, &state.timeline.stored);
        gt_search_log_timeline(&state);
    }
    close_search(&state);
    return status;
}
