#include "base/clock.h"
#include "farm/measure_parts.h"

#include <stdlib.h>

/* One reading of the counter as it moved. */
typedef struct edge {
    uint64_t mj;
    int64_t time_ns;
} edge;

/* Replays issued so far; two batches are in flight at any time, so that the GPU never idles. */
typedef struct load {
    gt_measure *measure;
    const gt_replay *graph;
    CUevent batch[2];
    uint32_t per_batch;
    uint64_t batches;
} load;

static gputune_status issue_batch(load *load)
{
    gt_measure *measure = load->measure;
    CUevent done = load->batch[load->batches % 2];
    if (load->batches >= 2) {
        GT_CALL(measure, EventSynchronize, done);
    }
    for (uint32_t i = 0; i < load->per_batch; ++i) {
        GT_CALL(measure, GraphLaunch, load->graph->exec, measure->stream);
    }
    GT_CALL(measure, EventRecord, done, measure->stream);
    ++load->batches;
    return GPUTUNE_OK;
}

static gputune_status read_counter(uint64_t *mj, gt_measure *measure)
{
    if (measure->device.emulated) {
        return gt_fail(GPUTUNE_EUNSUPPORTED, "an emulated device has no energy counter");
    }
    return gt_monitor_energy_mj(mj, measure->monitor)
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_EUNSUPPORTED,
                         "this GPU has no energy counter that NVML could read");
}

gputune_status gt_energy_check(gt_measure *measure)
{
    uint64_t ignored;
    return read_counter(&ignored, measure);
}

/* Keeps the GPU busy until the counter moves after `earliest_ns`. The counter moves every 10 to
 * 100 ms, so that only its edges tell energy and time together. */
static gputune_status next_edge(edge *out, load *load, int64_t earliest_ns)
{
    enum { GIVE_UP_NS = 1000000000 };
    uint64_t before = 0, now = 0;
    int64_t start = gt_now_ns();
    GT_TRY(read_counter(&before, load->measure));
    for (;;) {
        GT_TRY(issue_batch(load));
        GT_TRY(read_counter(&now, load->measure));
        int64_t time_ns = gt_now_ns();
        if (now != before && time_ns >= earliest_ns) {
            *out = (edge){now, time_ns};
            return GPUTUNE_OK;
        }
        if (now == before && time_ns - start > GIVE_UP_NS) {
            return gt_fail(GPUTUNE_EUNSUPPORTED, "the energy counter does not move");
        }
        start = now != before ? time_ns : start;
        before = now;
    }
}

/* Average power over a second, times the time of a launch under this very load. */
static gputune_status integrate(double *out, load *load)
{
    enum { WINDOW_NS = 1000000000 };
    edge first, last;
    GT_TRY(next_edge(&first, load, 0));
    uint64_t batches = load->batches;
    int64_t begun = gt_now_ns();
    GT_TRY(next_edge(&last, load, first.time_ns + WINDOW_NS));
    int64_t ended = gt_now_ns();
    double launches =
        (double)(load->batches - batches) * load->per_batch * (double)load->graph->launches;
    double watts = (double)(last.mj - first.mj) * 1e6 / (double)(last.time_ns - first.time_ns);
    *out = watts * (double)(ended - begun) / launches; /* W * ns = nJ */
    return GPUTUNE_OK;
}

gputune_status gt_sample_energy(double *out, gt_measure *measure, gt_loaded *variant,
                                const gt_sampling *sampling)
{
    enum { BATCH_NS = 5000000 };
    (void)sampling; /* however short: the counter needs its second */
    uint32_t launches = gt_plan_launches(variant->launch_ns, GT_SAMPLE_FULL);
    launches = launches < 2 ? 2 : launches;
    GT_TRY(gt_replay_make(&variant->full, measure, variant, launches));
    GT_TRY(gt_sample_ready(measure, variant));
    double replay_ns = variant->launch_ns * variant->full.launches;
    load load = {.measure = measure, .graph = &variant->full, .per_batch = 1};
    if (replay_ns > 0 && replay_ns < BATCH_NS) {
        load.per_batch = (uint32_t)(BATCH_NS / replay_ns) + 1;
    }
    gputune_status status = GPUTUNE_OK;
    for (int i = 0; i < 2 && status == GPUTUNE_OK; ++i) {
        status = gt_measure_check(
            measure, measure->driver->EventCreate(&load.batch[i], CU_EVENT_DISABLE_TIMING),
            "cuEventCreate");
    }
    if (status == GPUTUNE_OK) {
        status = integrate(out, &load);
    }
    if (!measure->lost) {
        (void)measure->driver->StreamSynchronize(measure->stream);
    }
    for (int i = 0; i < 2; ++i) {
        if (load.batch[i]) {
            (void)measure->driver->EventDestroy(load.batch[i]);
        }
    }
    return status;
}
