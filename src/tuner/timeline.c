/* Records how a session spends its time, and pauses background tunings for the application. */
#include "base/clock.h"
#include "tuner/session.h"

#include <math.h>
#include <time.h>

void gt_session_mark(const gt_session *session, int64_t *part)
{
    *part = gt_now_ns() - session->start_ns;
}

void gt_session_mark_wait(gt_session *session)
{
    const gt_field *field = &session->field;
    gt_timeline *t = &session->timeline;
    bool busy = (field->preparing && !field->prepared) || field->verifying || session->round_id ||
                session->recheck_id != GT_NO_VARIANT;
    if (!busy) {
        t->busy_since = 0;
    } else if (!t->busy_since) {
        gt_session_mark(session, &t->busy_since);
    }
}

double gt_session_busy_s(const gt_session *session)
{
    int64_t since = session->timeline.busy_since;
    return since ? gt_session_elapsed_s(session) - (double)since * 1e-9 : 0;
}

/* Ends the measure worker's current job: returns its time, and starts the time of the next job. */
static double take_busy(gt_session *session)
{
    int64_t since = session->timeline.busy_since;
    gt_session_mark(session, &session->timeline.busy_since);
    return since ? (double)(session->timeline.busy_since - since) : 0;
}

void gt_session_mark_event(gt_session *session, const gt_event *event)
{
    gt_timeline *t = &session->timeline;
    bool measured = event->kind == GT_EVENT_VERIFIED || event->kind == GT_EVENT_RECHECKED ||
                    event->kind == GT_EVENT_SAMPLED;
    double busy_ns = measured ? take_busy(session) : 0;
    t->latest_s = busy_ns * 1e-9;
    switch (event->kind) {
    case GT_EVENT_COMPILED:
        gt_session_mark(session, &t->compiled);
        t->reference = event->id == GT_UNIT_REFERENCE ? t->compiled : t->reference;
        t->compiling_ns += event->compiled.compile_ns;
        t->sources++;
        return;
    case GT_EVENT_PREPARED:
        gt_session_mark(session, &t->prepared);
        /* the worker's own time, which excludes the wait for its CUDA context */
        t->preparing_ns = event->prepared.prepare_ns;
        t->trying_ns = event->prepared.try_ns;
        take_busy(session);
        return;
    case GT_EVENT_VERIFIED:
        t->verifying_ns += busy_ns;
        if (!t->decided) {
            gt_session_mark(session, t->verified_first ? &t->verified : &t->verified_first);
        }
        return;
    case GT_EVENT_RECHECKED:
        t->proving_again_ns += busy_ns;
        return;
    case GT_EVENT_SAMPLED:
        t->sampling_ns += busy_ns;
        t->samples += event->sampled.count;
        return;
    case GT_EVENT_TIMEOUT:
        return;
    }
}

void gt_session_log_timeline(const gt_session *session)
{
    const gt_timeline *t = &session->timeline;
    const double ms = 1e-6;
    /* the preparation begins when the reference is compiled and the worker is ready */
    double preparing_ns = t->prepared ? (double)t->prepared - t->preparing_ns - t->trying_ns : 0;
    gt_log_line(&session->request->log, GPUTUNE_LOG_DEBUG,
                "timeline (ms from the start): last compiled %.1f, reference compiled %.1f, "
                "preparing %.1f, "
                "prepared %.1f, first verified %.1f, last verified %.1f, decided %.1f, rechecked "
                "%.1f, stored %.1f; work (ms): compile %u sources in %.1f on %u workers, prepare "
                "%.1f, create data sets %.1f, verify %.1f, sample %.1f; %u samples in %llu rounds",
                (double)t->compiled * ms, (double)t->reference * ms, preparing_ns * ms,
                (double)t->prepared * ms, (double)t->verified_first * ms, (double)t->verified * ms,
                (double)t->decided * ms, (double)t->proved_again * ms, (double)t->stored * ms,
                t->sources, t->compiling_ns * ms, session->farm->compile_workers,
                t->preparing_ns * ms, t->trying_ns * ms, t->verifying_ns * ms, t->sampling_ns * ms,
                t->samples, (unsigned long long)session->rounds_sent);
}

static const double slice_ns = 1e7; /* interval at which to check whether a pause ends */

/* Returns how many ns the measure worker has worked since the last call. */
static double new_work_ns(gt_session *session)
{
    const gt_timeline *t = &session->timeline;
    gt_yielding *y = &session->yielding;
    double all = t->preparing_ns + t->verifying_ns + t->sampling_ns + t->proving_again_ns;
    double work = all - y->seen_ns;
    int64_t since = y->since_ns ? y->since_ns : session->start_ns;
    y->seen_ns = all;
    return fmin(fmax(work, 0), (double)(gt_now_ns() - since));
}

static void rest_if_owed(gt_session *session)
{
    gt_request *request = session->request;
    gt_yielding *y = &session->yielding;
    const gt_background_use *use = request->background;
    while (y->owed_ns > 0 && gt_patience_left_s(&request->patience) > 0) {
        if (!use->is_busy(use->user) || use->must_give_way(use->user)) {
            y->owed_ns = 0;
            return;
        }
        int64_t start = gt_now_ns();
        nanosleep(&(struct timespec){.tv_nsec = (long)fmin(slice_ns, y->owed_ns)}, NULL);
        int64_t rested = gt_now_ns() - start;
        y->owed_ns -= (double)rested;
        request->patience.until_ns += rested;
        gt_session_keep_lease(session);
    }
}

void gt_session_yield(gt_session *session)
{
    const gt_background_use *use = session->request->background;
    gt_yielding *y = &session->yielding;
    if (!use || session->stop != GT_STOP_NONE || use->must_give_way(use->user)) {
        return;
    }
    double work = new_work_ns(session);
    if (work > 0) {
        y->owed_ns += work * (1 - use->share) / use->share;
        rest_if_owed(session);
    }
    y->since_ns = gt_now_ns();
}
