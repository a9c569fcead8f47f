/* How long an emulated device needs for a problem, so that a size that is too large is refused at
 * once. */
#include "tuner/emulated.h"

#include <math.h>

/* As measured on two cores: elements that a kernel like axpy reads or writes, and operations that
 * one like gemm does, in a second. */
static const double elements_per_s = 12e6, flops_per_s = 600e6;
/* Making the inputs, the reference twice, and a variant twice. */
static const double passes = 5;

static double seconds_needed(const gt_workload *workload)
{
    double elements = 0;
    for (uint32_t i = 0; i < workload->buffer_count; i++) {
        elements += (double)workload->buffers[i].elements;
    }
    return passes * fmax(elements / elements_per_s, workload->work_flops / flops_per_s);
}

gputune_status gt_emulated_can(const gt_request *request)
{
    double needed_s = seconds_needed(&request->workload);
    double limit_s = request->options.time_limit_s;
    if (!request->device->emulated || needed_s <= limit_s) {
        return GPUTUNE_OK;
    }
    return gt_fail(GPUTUNE_ETIMEOUT,
                   "%s: this size is for a GPU: the emulator would take about %.0f s before it has "
                   "measured anything, and the limit is %.3g s; give a smaller size, or a longer "
                   "limit",
                   request->template->name, needed_s, limit_s);
}
