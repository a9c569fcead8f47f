/* Samples by the host's clock: launch and latency; and those of an emulated device. */
#include "base/clock.h"
#include "base/objective.h"
#include "farm/measure_parts.h"
#include "stats/summary.h"

/* Gets ready for a sample: one untimed launch is done, the buffers are ready, the stream is
 * idle. */
static gputune_status make_ready(gt_measure *measure, gt_loaded *variant)
{
    if (!variant->warm) {
        GT_TRY(gt_sample_issue(measure, variant, 0));
        variant->warm = true;
    }
    GT_TRY(gt_sample_ready(measure, variant));
    return gt_measure_wait(measure);
}

/* The time of one launch, from `count` launches back to back. */
static gputune_status burst(double *out, gt_measure *measure, gt_loaded *variant, uint32_t count)
{
    int64_t start = gt_now_ns();
    for (uint32_t i = 0; i < count; ++i) {
        GT_TRY(gt_sample_issue(measure, variant, i));
    }
    GT_TRY(gt_measure_wait(measure));
    *out = (double)(gt_now_ns() - start) / count;
    return GPUTUNE_OK;
}

/* The mean of bursts of one launch. */
static gputune_status launch_alone(double *out, gt_measure *measure, gt_loaded *variant,
                                   uint32_t count)
{
    double sum = 0, one;
    for (uint32_t i = 0; i < count; ++i) {
        GT_TRY(make_ready(measure, variant));
        GT_TRY(burst(&one, measure, variant, 1));
        sum += one;
    }
    *out = sum / count;
    return GPUTUNE_OK;
}

gputune_status gt_sample_launch(double *out, gt_measure *measure, gt_loaded *variant,
                                const gt_sampling *sampling)
{
    enum { CHEAPEST_CALL_NS = 3000 }; /* of a launch, before one was measured */
    if (measure->alone) {
        return launch_alone(out, measure, variant, gt_sample_singles(sampling->length));
    }
    GT_TRY(make_ready(measure, variant));
    if (variant->call_ns == 0) {
        double least =
            variant->launch_ns > CHEAPEST_CALL_NS ? variant->launch_ns : CHEAPEST_CALL_NS;
        GT_TRY(burst(&variant->call_ns, measure, variant, gt_plan_burst(least, true)));
        GT_TRY(make_ready(measure, variant));
    }
    GT_TRY(burst(out, measure, variant,
                 gt_plan_burst(variant->call_ns, sampling->length == GT_SAMPLE_QUICK)));
    variant->call_ns = *out;
    return GPUTUNE_OK;
}

gputune_status gt_sample_latency(double *out, gt_measure *measure, gt_loaded *variant,
                                 const gt_sampling *sampling)
{
    double times[100];
    uint32_t count = gt_plan_singles(variant->launch_ns, sampling->length == GT_SAMPLE_QUICK);
    GT_TRY(make_ready(measure, variant));
    for (uint32_t i = 0; i < count; ++i) {
        GT_TRY(measure->alone && i > 0 ? make_ready(measure, variant) : GPUTUNE_OK);
        int64_t start = gt_now_ns();
        GT_TRY(gt_sample_issue(measure, variant, i));
        GT_TRY(gt_measure_wait(measure));
        times[i] = (double)(gt_now_ns() - start);
    }
    gt_sort(times, count);
    *out = gt_median_sorted(times, count);
    return GPUTUNE_OK;
}

/* ---- Emulated devices ------------------------------------------------------------------------ */

static gputune_status modelled_host(double *out, gt_measure *measure, gt_loaded *variant,
                                    uint32_t count)
{
    double start, end;
    GT_CALL(measure, EmuModelledTimeNs, &start);
    for (uint32_t i = 0; i < count; ++i) {
        GT_TRY(gt_sample_issue(measure, variant, 0));
    }
    GT_TRY(gt_measure_wait(measure));
    GT_CALL(measure, EmuModelledTimeNs, &end);
    *out = (end - start) / count;
    return GPUTUNE_OK;
}

static gputune_status modelled_device(double *out, gt_measure *measure, gt_loaded *variant)
{
    GT_CALL(measure, EventRecord, measure->start, measure->stream);
    GT_TRY(gt_launcher_repeat(variant->launchers[0], measure->stream,
                              gt_sample_arguments(measure, 0)));
    GT_CALL(measure, EventRecord, measure->stop, measure->stream);
    return gt_measure_elapsed(out, measure);
}

gputune_status gt_sample_modelled(double *out, gt_measure *measure, gt_loaded *variant,
                                  const gt_sampling *sampling)
{
    enum { PIPELINED = 3 }; /* launches of a modelled `launch` sample */
    double *known = &variant->modelled[sampling->objective];
    const gt_objective *facts = gt_objective_facts(sampling->objective);
    if (facts->by_energy) {
        return gt_energy_check(measure);
    }
    if (*known == 0) { /* the model is deterministic: once is enough */
        GT_TRY(gt_sample_ready(measure, variant));
        GT_TRY(gt_measure_wait(measure));
        bool pipelined = sampling->objective == GPUTUNE_OBJECTIVE_LAUNCH && !measure->alone;
        uint32_t count = pipelined ? PIPELINED : 1;
        GT_TRY(facts->by_host && measure->driver->EmuModelledTimeNs
                   ? modelled_host(known, measure, variant, count)
                   : modelled_device(known, measure, variant));
    }
    *out = *known;
    return GPUTUNE_OK;
}
