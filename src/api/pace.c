/* gputune_measure_pace(). */
#include "api/tuner.h"

#include "base/versioned.h"

#include <string.h>

static gputune_status await(gt_event *event, gt_farm *farm, const gputune *tuner)
{
    do {
        gt_event_free(event);
        GT_TRY(farm->ops->wait(farm, event, 0.1));
    } while (event->kind != GT_EVENT_SAMPLED && !gt_calls_closing(&tuner->calls));
    return event->kind == GT_EVENT_TIMEOUT ? gt_fail(GPUTUNE_ECANCELED, "the tuner is being closed")
           : event->status != GPUTUNE_OK   ? gt_fail(event->status, "%s", event->message)
                                           : GPUTUNE_OK;
}

static gputune_pace pace_of(const gt_sampled *sampled)
{
    gputune_pace pace = {.version = GPUTUNE_PACE_VERSION,
                         .launch_ns = sampled->values[0],
                         .sm_clock_mhz = sampled->sm_clock_mhz,
                         .throttled = sampled->spoiled,
                         .shared = sampled->noisy};
    memcpy(pace.other, sampled->other, sizeof pace.other);
    return pace;
}

static gputune_status measure(gputune_pace *out, gputune *tuner)
{
    gt_farm *farm;
    GT_SCOPED(gt_event_free) gt_event event = {.kind = GT_EVENT_TIMEOUT};
    GT_TRY(gt_workers_borrow(&tuner->workers, &farm, true, GPUTUNE_ISOLATION_PROCESS));
    gputune_status status = farm->ops->pace(farm, 0);
    GT_THEN(status, await(&event, farm, tuner));
    if (status == GPUTUNE_OK) {
        *out = pace_of(&event.sampled);
    }
    farm->ops->cancel(farm);
    gt_workers_return(&tuner->workers, farm);
    return status;
}

static gputune_status measure_alone(gputune_pace *out, gputune *tuner)
{
    GT_TRY(gt_tuner_need_device(tuner, GPUTUNE_EUNSUPPORTED, "gputune_measure_pace"));
    if (!gt_workers_take_gpu(&tuner->workers)) {
        return gt_fail(GPUTUNE_EBUSY, "gputune_measure_pace: a tuning measures on this GPU; ask "
                                      "before or after it");
    }
    gputune_status status = measure(out, tuner);
    gt_workers_leave_gpu(&tuner->workers);
    return status;
}

int gputune_measure_pace(gputune_pace *out, gputune *tuner)
{
    static const size_t bytes[] = {sizeof(gputune_pace)};
    static const gt_layouts layouts = {"gputune_pace", GPUTUNE_PACE_VERSION, bytes};
    gt_call call;
    gputune_pace pace = GPUTUNE_PACE_INIT;
    GT_TRY(gt_need(__func__, "out", out));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    gputune_status status = measure_alone(&pace, tuner);
    gt_call_end(&call);
    return status == GPUTUNE_OK ? gt_versioned_write(out, &pace, &layouts) : status;
}
