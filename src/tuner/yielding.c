/* Makes tunings in the background rest while the application uses the GPU. */
#include "tuner/yielding.h"

#include "base/clock.h"
#include "tuner/session.h"

#include <math.h>
#include <time.h>

static const double slice_ns = 1e7; /* how often a rest looks around */

static void nap(double ns)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
}

/* The measure worker's time since the last call, in nanoseconds: never more than the time that went
 * by. */
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

static bool is_over(const gt_session *session)
{
    return gt_patience_left_s(&session->request->patience) <= 0;
}

/* Rests for the time that is owed, and extends the time limit by as much. */
static void rest(gt_session *session)
{
    gt_request *request = session->request;
    gt_yielding *y = &session->yielding;
    const gt_background_use *use = request->background;
    while (y->owed_ns > 0 && !is_over(session)) {
        if (!use->is_busy(use->user) || use->must_give_way(use->user)) {
            y->owed_ns = 0;
            return;
        }
        int64_t start = gt_now_ns();
        nap(fmin(slice_ns, y->owed_ns));
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
        rest(session);
    }
    y->since_ns = gt_now_ns();
}
