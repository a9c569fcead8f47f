/* Time limits of waits. */
#include "base/patience.h"

#include "base/clock.h"

#include <stddef.h>

gt_patience gt_patience_for(double seconds, const volatile int *cancel)
{
    static const double longest_s = 1e9; /* 31 years; a deadline in nanoseconds fits 64 bits */
    double clipped = seconds < longest_s ? seconds : longest_s;
    return (gt_patience){gt_now_ns() + (int64_t)(clipped * 1e9), cancel, NULL};
}

gt_patience gt_patience_at_most(const gt_patience *patience, double seconds)
{
    gt_patience limited = gt_patience_for(seconds, patience->cancel);
    limited.closing = patience->closing;
    limited.until_ns =
        limited.until_ns < patience->until_ns ? limited.until_ns : patience->until_ns;
    return limited;
}

bool gt_is_canceled(const volatile int *cancel)
{
    return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED);
}

bool gt_patience_canceled(const gt_patience *patience)
{
    return gt_is_canceled(patience->cancel) || gt_is_canceled(patience->closing);
}

double gt_patience_left_s(const gt_patience *patience)
{
    int64_t left_ns = patience->until_ns - gt_now_ns();
    return left_ns > 0 && !gt_patience_canceled(patience) ? (double)left_ns * 1e-9 : 0;
}
