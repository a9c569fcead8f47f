#include "tuner/search.h"

#include "base/clock.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

enum { PROGRESS_NS = 50000000, CLUSTER_BITS = 5, VECTOR_BITS = 3 };

double gt_search_time_left(const gt_search_state *state)
{
    return state->request->options.time_limit_s - gt_seconds_since(state->start_ns);
}

/* --- progress ----------------------------------------------------------------------------------
 */

static void fill_times(gputune_progress *progress, const gt_search_state *state, char **best)
{
    uint64_t incumbent;
    gt_summary summary;
    if (gt_race_incumbent(state->race, &incumbent) &&
        gt_race_summary(state->race, incumbent, &summary) == GPUTUNE_OK) {
        const gt_variant *variant = &state->field.variants.items[incumbent];
        progress->best_ns = summary.median;
        if (gt_config_text(best, state->request->template, &variant->config) == GPUTUNE_OK) {
            progress->best = *best;
        }
    }
    if (gt_race_summary(state->race, 0, &summary) == GPUTUNE_OK && state->field.variants.count &&
        state->field.variants.items[0].is_default) {
        progress->default_ns = summary.median;
    }
}

void gt_search_progress(gt_search_state *state, const char *phase, bool always)
{
    const gputune_options *o = &state->request->options;
    int64_t now = gt_now_ns();
    if (!o->progress || (!always && now - state->last_progress_ns < PROGRESS_NS)) {
        return;
    }
    state->last_progress_ns = now;
    const gt_field *field = &state->field;
    gputune_progress progress = {.variants = (uint32_t)field->variants.count - field->twins,
                                 .verified = field->ready,
                                 .failed = field->failed,
                                 .racing = gt_race_active(state->race),
                                 .round = (uint32_t)state->rounds_sent,
                                 .elapsed_s = gt_seconds_since(state->start_ns),
                                 .limit_s = o->time_limit_s,
                                 .phase = phase,
                                 .objective = gt_search_is_by_time(state) ? GPUTUNE_OBJECTIVE_KERNEL
                                                                          : o->objective};
    uint32_t begun = field->started - field->twins;
    progress.compiled = begun - (field->compiling < begun ? field->compiling : begun);
    char *best = NULL;
    fill_times(&progress, state, &best);
    o->progress(o->user, &progress);
    free(best);
}

static const char *phase_of(const gt_search_state *state)
{
    if (state->field.started < state->field.order.count || state->field.compiling) {
        return "compile";
    }
    return state->field.verifying ? "verify" : "race";
}

/* --- contestants --------------------------------------------------------------------------------
 */

static uint32_t log2_up(uint64_t value)
{
    uint32_t bits = 0;
    while (bits < 31 && (UINT64_C(1) << bits) < value) {
        bits++;
    }
    return bits;
}

/* Of two that cannot be told apart the lower wins: the default, then smaller clusters, less shared
 * memory, narrower vectors, the order of the space. */
static uint32_t rank_of(const gt_search_state *state, uint32_t index)
{
    const gt_request *request = state->request;
    const gt_variant *variant = &state->field.variants.items[index];
    if (variant->is_default) {
        return 0;
    }
    uint64_t cluster = 1, vector = 1;
    for (uint32_t i = 0; i < request->template->axis_count; i++) {
        const gt_axis *axis = &request->template->axes[i];
        const gt_value *value = &axis->values[variant->config.choice[i]];
        cluster *= axis->kind == GT_AXIS_CLUSTER ? (uint64_t)value->number : 1;
        vector *= axis->kind == GT_AXIS_VECTOR ? (uint64_t)value->number : 1;
    }
    uint32_t shared_kb =
        state->field.units.items[variant->unit].compiled.resources.static_shared_bytes / 1024;
    uint32_t rank = log2_up(cluster);
    rank = (rank << 8) | (shared_kb < 255 ? shared_kb : 255);
    rank = (rank << VECTOR_BITS) | (log2_up(vector) & ((1U << VECTOR_BITS) - 1));
    return (rank << 14) | (index < 16383 ? index + 1 : 16383);
}

static gputune_status admit(gt_search_state *state)
{
    uint32_t index;
    while (gt_field_next_ready(&state->field, &index)) {
        const gt_variant *variant = &state->field.variants.items[index];
        if (!variant->spectator) {
            GT_TRY(gt_race_add(state->race, index, rank_of(state, index), variant->is_default));
        }
    }
    if (!state->complete && gt_field_settled(&state->field)) {
        gt_race_complete(state->race);
        state->complete = true;
    }
    return GPUTUNE_OK;
}

/* --- rounds -------------------------------------------------------------------------------------
 */

static gputune_status drop_losers(gt_search_state *state)
{
    gt_race_contestant contestant;
    for (uint32_t i = 0; i < gt_race_count(state->race); i++) {
        gt_race_contestant_at(state->race, i, &contestant);
        gt_variant *variant = &state->field.variants.items[contestant.id];
        if (contestant.left != GT_RACE_IN && !contestant.reserve && !variant->dropped) {
            variant->dropped = true;
            GT_TRY(state->farm->ops->drop(state->farm, contestant.id));
        }
    }
    return GPUTUNE_OK;
}

/* Of the race whose rounds are sampled now. */
static gputune_objective objective_now(const gt_search_state *state)
{
    bool by_device = gt_search_is_by_time(state) || state->breaking;
    return by_device ? GPUTUNE_OBJECTIVE_KERNEL : state->request->options.objective;
}

/* A quick round wants one short sample of everyone. The launch that verified a variant was one:
 * timed by events, in a swept cache. Short kernels need more launches than one for that. */
static bool pilots_serve(const gt_search_state *state, const gt_race_round *round)
{
    static const double long_enough_ns = 50e3;
    const gputune_options *o = &state->request->options;
    bool serve = round->quick && objective_now(state) == GPUTUNE_OBJECTIVE_KERNEL &&
                 o->cache == GPUTUNE_CACHE_COLD;
    for (uint32_t i = 0; i < round->count && serve; i++) {
        gt_race_contestant contestant;
        serve = gt_race_find(gt_search_current_race(state), round->ids[i], &contestant) &&
                contestant.sample_count == 0 &&
                state->field.variants.items[round->ids[i]].verified.pilot_ns >= long_enough_ns;
    }
    return serve;
}

static gputune_status end_tie_break_round(gt_search_state *state)
{
    gt_race_end end;
    GT_TRY(gt_race_end_round(state->tie_break, &end));
    return end == GT_RACE_RUNNING ? GPUTUNE_OK : gt_search_close_tie_break(state);
}

static gputune_status end_round(gt_search_state *state)
{
    if (state->breaking) {
        return end_tie_break_round(state);
    }
    GT_TRY(gt_race_end_round(state->race, &state->end));
    if (gt_race_is_tied(state->race)) {
        GT_TRY(gt_search_open_tie_break(state));
    }
    return drop_losers(state);
}

static gputune_status record_pilots(gt_search_state *state, const gt_race_round *round)
{
    for (uint32_t i = 0; i < round->count; i++) {
        double pilot_ns = state->field.variants.items[round->ids[i]].verified.pilot_ns;
        GT_TRY(gt_race_record(gt_search_current_race(state), round->ids[i], pilot_ns));
    }
    return end_round(state);
}

/* The next round that needs samples; count 0: there is none now. What can be ended without is. */
static gputune_status find_round(gt_race_round *round, gt_search_state *state)
{
    do {
        GT_TRY(gt_race_next_round(gt_search_current_race(state), round));
        if (round->count ? !pilots_serve(state, round) : !state->complete) {
            break;
        }
        GT_TRY(round->count ? record_pilots(state, round) : end_round(state));
        round->count = 0;
    } while (state->end == GT_RACE_RUNNING);
    return GPUTUNE_OK;
}

static gputune_status start_round(gt_search_state *state)
{
    gt_race_round round;
    GT_TRY(find_round(&round, state));
    if (!round.count) {
        return GPUTUNE_OK;
    }
    gt_sample_job job = {.id = ++state->rounds_sent,
                         .variants = round.ids,
                         .count = round.count,
                         .objective = objective_now(state),
                         .length = round.quick   ? GT_SAMPLE_QUICK
                                   : round.final ? GT_SAMPLE_FULL
                                                 : GT_SAMPLE_BRIEF};
    state->round_id = job.id;
    state->round = round;
    return state->farm->ops->sample(state->farm, &job);
}

static gputune_status record_round(gt_search_state *state, const gt_event *event)
{
    const gt_race_round *round = &state->round;
    for (uint32_t i = 0; i < event->sampled.count && i < round->count; i++) {
        if (isfinite(event->sampled.values[i]) && event->sampled.values[i] > 0) {
            GT_TRY(gt_race_record(gt_search_current_race(state), round->ids[i],
                                  event->sampled.values[i]));
        }
    }
    return end_round(state);
}

static gputune_status fail_contestant(gt_search_state *state, const gt_event *event)
{
    uint64_t culprit;
    GT_TRY(gt_field_blame(&state->field, &culprit, event));
    if (culprit != GT_NO_VARIANT) {
        gt_search_fail_contestant(state, culprit);
    }
    return GPUTUNE_OK;
}

static bool variant_failed(gputune_status status)
{
    return status == GPUTUNE_ECRASHED || status == GPUTUNE_ETIMEOUT || status == GPUTUNE_EWRONG ||
           status == GPUTUNE_ECUDA || status == GPUTUNE_EDEVMEM;
}

static gputune_status handle_sampled(gt_search_state *state, const gt_event *event)
{
    state->round_id = 0;
    if (event->status != GPUTUNE_OK) {
        return variant_failed(event->status) ? fail_contestant(state, event)
                                             : gt_fail(event->status, "%s", event->message);
    }
    if (gt_disturbance_note(&state->disturbance, &event->sampled, &state->request->services->log)) {
        return GPUTUNE_OK; /* asking for the next round abandons this one */
    }
    return record_round(state, event);
}

/* --- the winner, once more ----------------------------------------------------------------------
 */

static gputune_status start_recheck(gt_search_state *state)
{
    gt_race_result result;
    if (gt_race_result_get(state->race, &result) != GPUTUNE_OK) {
        state->rechecked = true; /* nobody is left; the caller sees that */
        return GPUTUNE_OK;
    }
    gt_search_mark(state, &state->timeline.decided);
    gt_recheck_job job = {.id = result.winner, .seed = state->request->options.seed + 1};
    state->rechecking = true;
    return state->farm->ops->recheck(state->farm, &job);
}

static gputune_status handle_rechecked(gt_search_state *state, const gt_event *event)
{
    state->rechecking = false;
    if (event->status == GPUTUNE_OK) {
        state->rechecked = true;
        gt_search_mark(state, &state->timeline.rechecked);
        return GPUTUNE_OK;
    }
    if (!variant_failed(event->status)) {
        state->rechecked = state->stopped; /* no time: its verification before the race must do */
        return state->stopped ? GPUTUNE_OK : gt_fail(event->status, "%s", event->message);
    }
    GT_TRY(gt_field_fail(&state->field, (uint32_t)event->id, event->status, event->repeatable,
                         event->message));
    gt_race_fail(state->race, event->id);
    /* no time: the next best is checked */
    return state->stopped ? gt_race_stop(state->race, state->end) : gt_search_race_again(state);
}

/* A stop before the first round: the launches that verified the variants are all that is known of
 * them, and better than nothing. */
static gputune_status settle_for_pilots(gt_search_state *state)
{
    gt_race_result result;
    gt_race_round round;
    if (gt_race_result_get(state->race, &result) == GPUTUNE_OK && result.samples) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_race_next_round(state->race, &round));
    if (!round.count) {
        return GPUTUNE_OK;
    }
    state->disturbance.noisy = true; /* one launch each, not side by side */
    return record_pilots(state, &round);
}

/* --- the loop ------------------------------------------------------------------------------------
 */

static void give_up_checking(gt_search_state *state)
{
    state->rechecking = false;
    state->rechecked = true; /* its verification before the race must do */
    state->farm->ops->cancel(state->farm);
}

/* When time is up the winner is still checked again, which takes milliseconds, unless the measure
 * worker has more to do first than a round of samples. */
static gputune_status stop_early(gt_search_state *state)
{
    static const double grace_s = 0.15;
    const gputune_options *o = &state->request->options;
    bool cancelled = o->cancel && *o->cancel;
    double left = gt_search_time_left(state);
    if (state->stopped && !state->rechecked && (cancelled || left < -grace_s)) {
        give_up_checking(state);
    }
    if (state->stopped || (!cancelled && left > 0)) {
        return GPUTUNE_OK;
    }
    bool busy = state->field.verifying || !state->field.prepared;
    GT_TRY(gt_search_fall_back(state));
    if (!cancelled && !state->round_id) {
        GT_TRY(admit(state));
        GT_TRY(settle_for_pilots(state));
    }
    state->stopped = true;
    state->breaking = false;
    state->end = cancelled ? GT_RACE_CANCELED : GT_RACE_BUDGET;
    state->round_id = 0;
    gt_field_abandon(&state->field);
    if (busy || cancelled) {
        give_up_checking(state);
    }
    return gt_race_stop(state->race, state->end);
}

static gputune_status handle(gt_search_state *state, gt_event *event)
{
    if (event->kind == GT_EVENT_VERIFIED && state->rechecking) {
        return handle_rechecked(state, event);
    }
    if (state->stopped) {
        return GPUTUNE_OK; /* too late */
    }
    if (event->kind == GT_EVENT_SAMPLED) {
        return event->id == state->round_id ? handle_sampled(state, event) : GPUTUNE_OK;
    }
    return gt_field_handle(&state->field, event);
}

/* A hang is believed when it happens again in another worker and with ten times the time. That
 * comes last, so that the others are not kept from racing by it. What then turns out right races
 * for the winner's place. */
static gputune_status retry_hung(gt_search_state *state)
{
    uint32_t count = 0;
    if (!state->retried) {
        state->retried = true;
        GT_TRY(gt_field_retry_hung(&state->field, &count));
    }
    if (count) {
        gt_log_line(&state->request->services->log, GPUTUNE_LOG_DEBUG,
                    "%u variants did not finish in time; trying them again", count);
    }
    if (state->field.verifying || !state->field.fresh.count) {
        return GPUTUNE_OK;
    }
    return gt_search_race_again(state);
}

static gputune_status next_work(gt_search_state *state)
{
    GT_TRY(stop_early(state));
    if (!state->stopped) {
        GT_TRY(gt_field_pump(&state->field));
        GT_TRY(state->end == GT_RACE_RUNNING ? admit(state) : GPUTUNE_OK);
    }
    bool gpu_free = !state->round_id && !state->field.verifying && !state->rechecking;
    if (state->end == GT_RACE_RUNNING && gpu_free && state->field.prepared) {
        GT_TRY(start_round(state));
    }
    if (state->end == GT_RACE_RUNNING) {
        return GPUTUNE_OK;
    }
    if (state->rechecked) {
        return state->stopped ? GPUTUNE_OK : retry_hung(state);
    }
    if (gt_search_wants_energy_race(state)) {
        GT_TRY(gt_search_open_energy_race(state));
        return state->end == GT_RACE_RUNNING ? start_round(state) : GPUTUNE_OK;
    }
    return state->rechecking ? GPUTUNE_OK : start_recheck(state);
}

static bool finished(const gt_search_state *state)
{
    const gt_field *field = &state->field;
    bool settled = state->stopped || (state->retried && !field->verifying && !field->fresh.count);
    return state->end != GT_RACE_RUNNING && state->rechecked && settled;
}

/* A lease that was lost is no reason to stop: at worst two processes tune the same. */
static void keep_lease(gt_search_state *state)
{
    const gt_request *request = state->request;
    int64_t now = gt_now_ns();
    int64_t since = state->last_renewal_ns ? state->last_renewal_ns : state->start_ns;
    if (request->lease && now - since > INT64_C(1000000000)) {
        state->last_renewal_ns = now;
        (void)gt_store_lease_renew(request->lease, request->services->store, NULL);
    }
}

gputune_status gt_search_run(gt_search_state *state)
{
    while (!finished(state)) {
        keep_lease(state);
        GT_TRY(next_work(state));
        if (finished(state)) {
            break;
        }
        gt_event event = {0};
        double left = gt_search_time_left(state);
        double patience = gt_field_patience(&state->field);
        patience = left > 0 && left < patience ? left : patience;
        gt_search_mark_wait(state);
        GT_TRY(state->farm->ops->wait(state->farm, &event, patience));
        gt_search_mark_event(state, &event);
        gputune_status status = handle(state, &event);
        gt_event_free(&event);
        GT_TRY(status);
        gt_search_progress(state, phase_of(state), false);
    }
    gt_search_progress(state, "store", true);
    return GPUTUNE_OK;
}
