/* The engine's loop. */
#include "tuner/session.h"

#include "base/clock.h"
#include "tuner/data.h"
#include "tuner/outcome.h"

#include <assert.h>
#include <math.h>

/* Number of sessions that are running on this thread. It is above 0 in a session's callback. */
static _Thread_local uint32_t running_here;

gputune_status gt_session_may_measure(const gt_request *request)
{
    GT_REFUSE(running_here, GPUTUNE_EBUSY,
              "%s: a callback of a tuning cannot measure; measure after that tuning",
              request->template->name);
    return GPUTUNE_OK;
}

/* Speed of the emulator on two cores: elements (as in axpy) and operations (as in gemm). */
static const double elements_per_s = 12e6, flops_per_s = 600e6;
/* Number of passes over the data: 1 to fill the inputs, 2 for the reference, 2 for the variant. */
static const double passes = 5;

/* Fails with ETIMEOUT if the emulator will probably need more than the limit to prepare and to
 * prove one variant, so the user can raise the limit. */
static gputune_status check_emulated(const gt_request *request)
{
    const gt_workload *workload = &request->workload;
    double elements = 0, limit_s = request->options.time_limit_s;
    for (uint32_t i = 0; i < workload->buffer_count; i++) {
        elements += (double)workload->buffers[i].elements;
    }
    double needed_s = passes * fmax(elements / elements_per_s, workload->work_flops / flops_per_s);
    GT_REFUSE(request->device->emulated && needed_s > limit_s, GPUTUNE_ETIMEOUT,
              "%s: too large for the emulator, which needs about %.*f s for a first measurement; "
              "the limit is %.3g s; give a smaller size, or a longer limit",
              request->template->name, needed_s < 1 ? 3 : 0, needed_s, limit_s);
    return GPUTUNE_OK;
}

static void warn_of_missing_reference(const gt_request *request)
{
    if (!gt_workload_is_judged(&request->workload)) {
        gt_log_line(&request->log, GPUTUNE_LOG_WARNING,
                    "%s has neither reference() nor check() nor expect(): the results of its "
                    "default variant are assumed to be correct",
                    request->template->name);
    }
}

gputune_status gt_session_open(gt_session *out, const gt_policy *policy, void *state,
                               gt_request *request, const gt_field_options *options)
{
    gt_field_options all = *options;
    *out = (gt_session){.policy = policy,
                        .state = state,
                        .request = request,
                        .start_ns = gt_now_ns(),
                        .recheck_id = GT_NO_VARIANT};
    if (policy->exclusive) {
        GT_TRY(gt_session_may_measure(request));
        GT_TRY(check_emulated(request));
    }
    GT_TRY(gt_workers_borrow(request->services->workers, &out->farm, policy->measures));
    all.request = request;
    all.farm = out->farm;
    all.measure = policy->measures;
    GT_TRY(gt_field_open(&out->field, &all));
    if (policy->exclusive) {
        warn_of_missing_reference(request);
    }
    if (policy->measures) {
        GT_TRY(gt_field_pump(&out->field)); /* compile the default during gt_data_send() */
        GT_TRY(gt_data_send(&out->field));
    }
    return GPUTUNE_OK;
}

void gt_session_close(gt_session *session)
{
    gt_request *request = session->request;
    const gt_services *services = request->services;
    if (session->farm) {
        session->farm->ops->cancel(session->farm);
        gt_workers_return(services->workers, session->farm);
    }
    if (session->has_gpu) {
        gt_gpu_leave(services->gpu);
    }
    const gt_variant *standard = session->field.standard;
    gt_unit *unit = standard ? standard->unit : NULL;
    if (unit && unit->compiled.image.bytes && !request->default_code.image.bytes) {
        request->default_code = gt_unit_code(unit, request->device);
        unit->compiled.image = (gt_image){0};
    }
    gt_data_release(&session->field);
    gt_field_close(&session->field);
}

/* --- the measure worker ----------------------------------------------------------------------- */

bool gt_session_wants_round(gt_session *session, bool wanted)
{
    gt_field *field = &session->field;
    bool busy = session->round_id || session->recheck_id != GT_NO_VARIANT;
    uint32_t waiting = (uint32_t)field->compiled.count;
    if (!(field->schedule.round_share > 0)) { /* rounds wait until all variants are verified */
        waiting += field->verifying;
    }
    field->rounds_wait = wanted && !busy && field->prepared;
    return field->prepared && !busy && gt_schedule_wants_round(&field->schedule, waiting);
}

bool gt_session_is_done(const gt_session *session)
{
    return session->stop != GT_STOP_NONE || gt_field_is_done(&session->field);
}

gputune_status gt_session_ended(const gt_session *session, const char *before)
{
    const gt_field *field = &session->field;
    return field->preparing && !field->prepared
               ? gt_request_ended(
                     session->request, "inputs and reference were ready",
                     "raise it, choose smaller sizes, or check that the reference ends")
               : gt_request_ended(session->request, before, "raise it, or choose smaller sizes");
}

gputune_status gt_session_prove_again(gt_session *session, const gt_recheck_job *job)
{
    assert(session->recheck_id == GT_NO_VARIANT && job->id != GT_NO_VARIANT);
    session->recheck_id = job->id;
    return session->farm->ops->recheck(session->farm, job);
}

/* Lets the field measure if no other session of this process measures on the GPU. */
static gputune_status try_to_measure(gt_session *session)
{
    const gt_services *services = session->request->services;
    if (!session->policy->measures || session->field.may_measure) {
        return GPUTUNE_OK;
    }
    if (session->policy->exclusive) {
        session->has_gpu = gt_gpu_take(services->gpu, services->gpu_user);
        session->gpu_is_taken = !session->has_gpu;
        if (session->gpu_is_taken) {
            return GPUTUNE_OK;
        }
    }
    return gt_field_allow_measuring(&session->field);
}

/* --- the loop --------------------------------------------------------------------------------- */

double gt_session_elapsed_s(const gt_session *session)
{
    return gt_seconds_since(session->start_ns);
}

gt_patience gt_session_storing(const gt_session *session)
{
    static const double least_s = 0.15;
    const gt_patience *patience = &session->request->patience;
    return gt_patience_left_s(patience) > least_s ? *patience : gt_patience_for(least_s, NULL);
}

/* Returns how many seconds to wait after the limit if the default is still being compiled. */
static double wait_for_default_s(const gt_session *session)
{
    const gt_variant *standard = session->field.standard;
    bool compiles = standard && standard->unit && standard->stage == GT_STAGE_WAITING &&
                    standard->unit->stage == GT_STAGE_WAITING;
    const gt_patience grace = gt_request_grace(session->request);
    return compiles ? gt_patience_left_s(&grace) : 0;
}

/* Returns the seconds left for work. The time that the policy needs at the end is subtracted. */
static double time_left_s(const gt_session *session)
{
    const gt_patience *patience = &session->request->patience;
    double left = gt_patience_left_s(patience);
    bool sets_aside = session->policy->sets_aside_s && !gt_patience_canceled(patience);
    return left - (sets_aside ? session->policy->sets_aside_s(session) : 0);
}

static gputune_status stop_session(gt_session *session)
{
    bool canceled = gt_patience_canceled(&session->request->patience);
    session->stop = canceled ? GT_STOP_CANCELED : GT_STOP_LIMIT;
    return session->policy->stopped ? session->policy->stopped(session) : GPUTUNE_OK;
}

gputune_status gt_session_sample(gt_session *session, gt_sample_job *job)
{
    assert(session->field.prepared && !session->round_id);
    session->field.rounds_wait = false;
    if (session->stop == GT_STOP_NONE && session->sample_s * job->count > time_left_s(session)) {
        return stop_session(session);
    }
    session->round_count = job->count;
    job->id = ++session->rounds_sent;
    job->sharing = session->sharing;
    const gt_variant *standard = session->field.standard;
    job->judge = standard && standard->stage == GT_STAGE_READY ? standard->id : job->variants[0];
    session->round_id = job->id;
    return session->farm->ops->sample(session->farm, job);
}

/* A lost lease is ignored, because two processes may tune the same scenario without harm. */
void gt_session_keep_lease(gt_session *session)
{
    static const int64_t interval_ns = 1000000000;
    gt_request *request = session->request;
    int64_t now = gt_now_ns();
    if (request->lease && now - session->last_renewal_ns > interval_ns) {
        session->last_renewal_ns = now;
        (void)gt_store_lease_renew(request->lease, request->services->store, &request->patience);
    }
}

static gputune_status call_policy(gt_session *session)
{
    return session->policy->next ? session->policy->next(session) : GPUTUNE_OK;
}

/* Starts new work. The measure worker gets its job first, because the proposer may take long. */
static gputune_status start_work(gt_session *session)
{
    if (session->stop == GT_STOP_NONE && time_left_s(session) <= 0 &&
        wait_for_default_s(session) <= 0) {
        GT_TRY(stop_session(session));
    }
    if (session->stop == GT_STOP_NONE) {
        GT_TRY(call_policy(session));
    }
    if (session->stop == GT_STOP_NONE) {
        GT_TRY(gt_field_end_slow_compiles(&session->field));
        GT_TRY(gt_field_pump(&session->field));
        GT_TRY(try_to_measure(session));
    }
    return call_policy(session);
}

/* Records if launches may share inout buffers, which the first round has found out. */
static void note_sharing(gt_session *session, const gt_event *event)
{
    if (event->status != GPUTUNE_OK || session->sharing != GT_SHARING_UNKNOWN) {
        return;
    }
    session->sharing = event->sampled.sharing;
    if (session->sharing == GT_SHARING_FELT) {
        gt_log_line(&session->request->log, GPUTUNE_LOG_INFO,
                    "a launch takes %.0f%% %s time on inout buffers that the previous launch "
                    "changed, so gputune restores them before each launch",
                    100 * fabs(1 - event->sampled.used_ratio),
                    event->sampled.used_ratio < 1 ? "less" : "more");
    }
}

/* Records disturbances of a round. The first other user of the GPU is logged. Returns true if the
 * round must be repeated. After three repetitions it is accepted, and the result is noisy. */
static bool note_disturbance(gt_session *session, const gt_sampled *sampled)
{
    enum { REPEATED_MAX = 3 };
    gt_disturbance *disturbance = &session->disturbance;
    if (sampled->noisy && !disturbance->named) {
        disturbance->named = true;
        gt_log_line(&session->request->log, GPUTUNE_LOG_WARNING,
                    "the GPU is also used by %s; the result is marked noisy",
                    sampled->other[0] ? sampled->other : "another process");
    }
    disturbance->noisy |= sampled->noisy;
    if (sampled->spoiled && disturbance->spoiled < REPEATED_MAX) {
        disturbance->spoiled++;
        return true;
    }
    disturbance->noisy |= sampled->spoiled;
    disturbance->spoiled = 0;
    return false;
}

/* Passes the samples or the failure of a round to the policy. A disturbed round is repeated. */
static gputune_status handle_round(gt_session *session, const gt_event *event)
{
    uint64_t culprit;
    if (event->status == GPUTUNE_OK) {
        return note_disturbance(session, &event->sampled)
                   ? GPUTUNE_OK
                   : session->policy->sampled(session, &event->sampled);
    }
    GT_REFUSE(!gt_ending_of(event->status)->costs_one_variant, event->status, "%s", event->message);
    GT_TRY(gt_field_blame(&session->field, &culprit, event));
    if (culprit != GT_NO_VARIANT) {
        session->policy->failed(session, culprit);
    }
    return GPUTUNE_OK;
}

static gputune_status handle_sampled(gt_session *session, const gt_event *event)
{
    if (event->id != session->round_id) {
        return GPUTUNE_OK; /* the event belongs to a round that was abandoned */
    }
    session->round_id = 0;
    if (event->status == GPUTUNE_OK && event->sampled.count) {
        session->sample_s = session->timeline.latest_s / event->sampled.count;
    }
    gt_schedule_note_round(&session->field.schedule, session->timeline.latest_s);
    note_sharing(session, event);
    return session->stop == GT_STOP_NONE ? handle_round(session, event) : GPUTUNE_OK;
}

static gputune_status handle_event(gt_session *session, gt_event *event)
{
    gt_field *field = &session->field;
    if (event->kind == GT_EVENT_SAMPLED) {
        return handle_sampled(session, event);
    }
    if (event->kind == GT_EVENT_RECHECKED && event->id == session->recheck_id) {
        session->recheck_id = GT_NO_VARIANT;
        return session->policy->proved_again(session, event);
    }
    if (event->kind == GT_EVENT_VERIFIED) {
        gt_schedule_note_new_variant(&field->schedule, session->timeline.latest_s,
                                     field->rounds_wait);
    }
    return session->stop == GT_STOP_NONE ? gt_field_handle(field, event) : GPUTUNE_OK;
}

/* Returns how long to wait for an event without delaying new work, a cancel or the limit. */
static double longest_wait(const gt_session *session)
{
    double patience = gt_field_patience(&session->field);
    double left = session->stop == GT_STOP_NONE ? time_left_s(session)
                                                : gt_patience_left_s(&session->request->patience);
    if (left <= 0 && session->stop == GT_STOP_NONE) {
        left = wait_for_default_s(session);
    }
    return left > 0 && left < patience ? left : patience;
}

static gputune_status wait_once(gt_session *session)
{
    GT_SCOPED(gt_event_free) gt_event event = {0};
    gt_session_mark_wait(session);
    GT_TRY(session->farm->ops->wait(session->farm, &event, longest_wait(session)));
    gt_session_mark_event(session, &event);
    bool measured = event.kind == GT_EVENT_VERIFIED || event.kind == GT_EVENT_RECHECKED ||
                    event.kind == GT_EVENT_SAMPLED;
    if (measured && event.status == GPUTUNE_OK) {
        session->field.doubtful = NULL;
    }
    return handle_event(session, &event);
}

gputune_status gt_session_run(gt_session *session)
{
    gputune_status status = GPUTUNE_OK;
    running_here++;
    while (status == GPUTUNE_OK && !session->policy->done(session)) {
        gt_session_keep_lease(session);
        gt_session_yield(session);
        status = start_work(session);
        if (status == GPUTUNE_OK && !session->policy->done(session)) {
            status = wait_once(session);
        }
    }
    running_here--;
    return status;
}
