/* Samples of the objective `energy`: a second of launches by NVML's energy counter. */
#include "base/clock.h"
#include "farm/measure_parts.h"

#include <stdlib.h>
#include <time.h>

enum { IN_FLIGHT = 2, EVENTS = IN_FLIGHT + 1 };

/* A moment at which the counter moved, with the batches that were over by then and how long the
 * device was at them, without the first. */
typedef struct edge {
    uint64_t mj;
    int64_t time_ns;
    uint64_t batches;
    double device_ns;
} edge;

/* Replays under way: two batches are in flight at any time, so that the GPU never idles. */
typedef struct load {
    gt_measure *measure;
    const gt_replay *graph;
    CUevent done[EVENTS]; /* behind each of the last batches */
    uint32_t per_batch;
    uint64_t issued, over;
    double device_ns;
} load;

static gputune_status issue_batch(load *load)
{
    gt_measure *measure = load->measure;
    for (uint32_t i = 0; i < load->per_batch; ++i) {
        GT_CALL(measure, GraphLaunch, load->graph->exec, measure->stream);
    }
    GT_CALL(measure, EventRecord, load->done[load->issued % EVENTS], measure->stream);
    ++load->issued;
    return GPUTUNE_OK;
}

/* Keeps batches in flight, and counts a batch that has ended. */
static gputune_status keep_busy(load *load)
{
    gt_measure *measure = load->measure;
    while (load->issued < load->over + IN_FLIGHT) {
        GT_TRY(issue_batch(load));
    }
    CUevent done = load->done[load->over % EVENTS];
    CUresult result = measure->driver->EventQuery(done);
    if (result == CUDA_ERROR_NOT_READY) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_measure_check(measure, result, "cuEventQuery"));
    if (load->over > 0) {
        float elapsed_ms = 0;
        GT_CALL(measure, EventElapsedTime, &elapsed_ms, load->done[(load->over - 1) % EVENTS],
                done);
        load->device_ns += 1e6 * (double)elapsed_ms;
    }
    ++load->over;
    return issue_batch(load);
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

/* Keeps the GPU busy until the counter moves after `earliest_ns` and at least one more batch is
 * over. The counter moves every 10 to 100 ms, so that only its edges tell energy and time together.
 */
static gputune_status next_edge(edge *out, load *load, int64_t earliest_ns)
{
    enum { GIVE_UP_NS = 1000000000, LOOK_NS = 200000 };
    uint64_t before = 0, now = 0, over = load->over;
    int64_t moved_ns = gt_now_ns();
    GT_TRY(read_counter(&before, load->measure));
    for (;;) {
        GT_TRY(keep_busy(load));
        GT_TRY(read_counter(&now, load->measure));
        int64_t time_ns = gt_now_ns();
        if (now != before) {
            if (time_ns >= earliest_ns && load->over > over) {
                *out = (edge){now, time_ns, load->over, load->device_ns};
                return GPUTUNE_OK;
            }
            before = now;
            moved_ns = time_ns;
        } else if (time_ns - moved_ns > GIVE_UP_NS) {
            return gt_fail(GPUTUNE_EUNSUPPORTED, "the energy counter does not move");
        }
        nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
    }
}

/* Average power over a second, times the time of a launch under this very load. */
static gputune_status integrate(double *out, load *load)
{
    enum { WINDOW_NS = 1000000000 };
    edge first, last;
    GT_TRY(next_edge(&first, load, 0));
    GT_TRY(next_edge(&last, load, first.time_ns + WINDOW_NS));
    double launches =
        (double)(last.batches - first.batches) * load->per_batch * (double)load->graph->launches;
    double launch_ns = (last.device_ns - first.device_ns) / launches;
    *out = (double)(last.mj - first.mj) * 1e6 / (double)(last.time_ns - first.time_ns) *
           launch_ns; /* W * ns = nJ */
    return GPUTUNE_OK;
}

gputune_status gt_sample_energy(double *out, gt_measure *measure, gt_loaded *variant,
                                const gt_sampling *sampling)
{
    enum { BATCH_NS = 5000000 };
    (void)sampling; /* a short sample is no shorter: the counter needs a second */
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
    for (int i = 0; i < EVENTS && status == GPUTUNE_OK; ++i) {
        status =
            gt_measure_check(measure, measure->driver->EventCreate(&load.done[i], CU_EVENT_DEFAULT),
                             "cuEventCreate");
    }
    GT_THEN(status, integrate(out, &load));
    if (!measure->lost) {
        CUresult ended = measure->driver->StreamSynchronize(measure->stream);
        status =
            status == GPUTUNE_OK ? gt_measure_check(measure, ended, "cuStreamSynchronize") : status;
    }
    for (int i = 0; i < EVENTS; ++i) {
        if (load.done[i]) {
            (void)measure->driver->EventDestroy(load.done[i]);
        }
    }
    return status;
}
