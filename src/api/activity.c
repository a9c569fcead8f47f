/* Sees whether the application uses the GPU. */
#include "api/activity.h"

#include "base/clock.h"

atomic_bool gt_launch_seen;

static const int64_t lately_ns = 200000000;  /* how long after a launch the GPU counts as used */
static const int64_t gap_ns = 100000000;     /* between calls that belong to one rest */
static const int64_t window_ns = 1200000000; /* over which NVML counts, and a little more */
static const int64_t again_ns = 200000000;   /* between two readings */
enum { BUSY_PERCENT = 10 };

static void read_others(gt_activity *activity, int64_t now)
{
    uint32_t percent;
    activity->others = gt_nvml_busy_percent(&percent, activity->nvml) && percent >= BUSY_PERCENT;
    activity->read_ns = now;
}

void gt_activity_open(gt_activity *out, const char *uuid)
{
    *out = (gt_activity){.nvml = gt_nvml_open(uuid)};
    read_others(out, gt_now_ns());
}

void gt_activity_close(gt_activity *activity)
{
    gt_nvml_close(activity->nvml);
    activity->nvml = NULL;
}

/* NVML tells the application's work from gputune's only after a rest that is as long as its
 * window. */
bool gt_activity_is_busy(gt_activity *activity)
{
    int64_t now = gt_now_ns();
    if (now - activity->asked_ns > gap_ns) {
        activity->resting_ns = now;
    }
    activity->asked_ns = now;
    if (atomic_exchange_explicit(&gt_launch_seen, false, memory_order_relaxed)) {
        activity->launched_ns = now;
    }
    bool launched = activity->launched_ns && now - activity->launched_ns < lately_ns;
    if (activity->nvml && now - activity->resting_ns > window_ns &&
        now - activity->read_ns > again_ns) {
        read_others(activity, now);
    }
    return launched || activity->others;
}
