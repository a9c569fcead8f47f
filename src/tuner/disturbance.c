/* Decides which rounds were disturbed and are to be taken again. */
#include "tuner/disturbance.h"

bool gt_disturbance_note(gt_disturbance *disturbance, const gt_sampled *sampled, const gt_log *log)
{
    enum { REPEATED_MAX = 3 };
    if (sampled->noisy && !disturbance->named) {
        disturbance->named = true;
        gt_log_line(log, GPUTUNE_LOG_WARNING,
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
