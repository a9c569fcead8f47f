/* How fast a GPU is now: the time of a short launch that is the same everywhere. */
#include "farm/measure_parts.h"

#include "base/clock.h"
#include "stats/summary.h"

#include <stdlib.h>

/* A chain of multiplications and additions, which takes the multiprocessors' clock alone. Loaded as
 * PTX, because a worker that was asked for nothing else has no compiler's output. */
static const char source[] = ".version 6.0\n"
                             ".target sm_70\n"
                             ".address_size 64\n"
                             ".visible .entry gt_pace(.param .u64 out, .param .u32 rounds)\n"
                             "{\n"
                             ".reg .f32 %f<2>;\n"
                             ".reg .u32 %r<2>;\n"
                             ".reg .u64 %rd<2>;\n"
                             ".reg .pred %p<3>;\n"
                             "ld.param.u64 %rd1, [out];\n"
                             "ld.param.u32 %r1, [rounds];\n"
                             "mov.f32 %f1, 0f3F000000;\n"
                             "AGAIN:\n"
                             "fma.rn.f32 %f1, %f1, %f1, %f1;\n"
                             "fma.rn.f32 %f1, %f1, %f1, %f1;\n"
                             "fma.rn.f32 %f1, %f1, %f1, %f1;\n"
                             "fma.rn.f32 %f1, %f1, %f1, %f1;\n"
                             "fma.rn.f32 %f1, %f1, %f1, %f1;\n"
                             "fma.rn.f32 %f1, %f1, %f1, %f1;\n"
                             "fma.rn.f32 %f1, %f1, %f1, %f1;\n"
                             "fma.rn.f32 %f1, %f1, %f1, %f1;\n"
                             "sub.u32 %r1, %r1, 1;\n"
                             "setp.ne.u32 %p1, %r1, 0;\n"
                             "@%p1 bra AGAIN;\n"
                             "setp.eq.f32 %p2, %f1, 0f3E99999A;\n" /* it never is */
                             "@%p2 st.global.f32 [%rd1], %f1;\n"
                             "ret;\n"
                             "}\n";

enum { LAUNCHES_MAX = 1024, LAUNCHES_EMULATED = 3, THREADS = 128 };
static const int64_t window_ns = 60000000; /* idle clocks rise meanwhile: its second half counts */

static gputune_status launch(double *out_ns, gt_measure *measure, CUfunction function)
{
    CUdeviceptr nowhere = 0;
    unsigned int rounds = measure->device.emulated ? 500 : 5000; /* about 100 us */
    unsigned int grid = measure->device.emulated ? 1 : (unsigned int)measure->device.sm_count;
    GT_CALL(measure, EventRecord, measure->start, measure->stream);
    GT_CALL(measure, LaunchKernel, function, grid, 1, 1, THREADS, 1, 1, 0, measure->stream,
            (void *[]){&nowhere, &rounds}, NULL);
    GT_CALL(measure, EventRecord, measure->stop, measure->stream);
    return gt_measure_elapsed(out_ns, measure);
}

static gputune_status launch_for_a_while(double *out_ns, gt_measure *measure, CUfunction function)
{
    double times[LAUNCHES_MAX];
    uint32_t count = 0, most = measure->device.emulated ? LAUNCHES_EMULATED : LAUNCHES_MAX;
    const int64_t start = gt_now_ns();
    while (count < most && gt_now_ns() - start < window_ns) {
        GT_TRY(launch(&times[count], measure, function));
        count++;
    }
    gt_summary summary;
    GT_TRY(gt_summarise(&summary, times + count / 2, count - count / 2));
    *out_ns = summary.median;
    return GPUTUNE_OK;
}

gputune_status gt_measure_pace(gt_measure *measure, gt_sampled *out)
{
    CUmodule module;
    CUfunction function;
    GT_CALL(measure, ModuleLoadData, &module, source);
    out->values = calloc(1, sizeof *out->values);
    out->count = 1;
    gputune_status status = gt_allocated(out->values);
    GT_THEN(status, gt_measure_check(
                        measure, measure->driver->ModuleGetFunction(&function, module, "gt_pace"),
                        "cuModuleGetFunction"));
    GT_THEN(status, launch_for_a_while(out->values, measure, function));
    (void)measure->driver->ModuleUnload(module);
    if (status == GPUTUNE_OK && !measure->device.emulated) {
        gt_monitor_look(out, measure->device.uuid);
    }
    return status;
}
