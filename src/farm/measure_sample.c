/* Takes samples. A time is measured with events around a graph of launches, or with the host's
 * clock; energy is measured with NVML's counter over a second. */
#include "farm/measure_sample.h"

#include "base/clock.h"
#include "base/objective.h"
#include "farm/measure_contents.h"
#include "farm/measure_service.h"
#include "farm/measure_verify.h"
#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static bool is_hot(const gt_measure *measure)
{
    return measure->hot || measure->setup.cache == GPUTUNE_CACHE_HOT;
}

/* Returns the arguments of launch `index`. In a cold sample, successive launches use different
 * buffer sets. All hot samples of a round use the same set. */
static const void *const *arguments_of(const gt_measure *measure, uint32_t index)
{
    const gt_workspace *workspace = &measure->workspaces[0];
    return &workspace
                ->arguments[(size_t)((is_hot(measure) ? measure->turn : index) % workspace->sets) *
                            workspace->argument_count];
}

static gputune_status issue_launch(gt_measure *measure, gt_loaded *variant, uint32_t index)
{
    measure->ahead = NULL;
    return gt_measure_launch(measure, variant->launchers[0], arguments_of(measure, index));
}

/* Restores inout buffers. Then warms the cache with a launch or, for a cold sample, sweeps the
 * cache. If measure->alone is true, restores the buffers again after the warming launch. */
static gputune_status restore_buffers(gt_measure *measure, gt_loaded *variant)
{
    GT_TRY(gt_service_reset(measure, &measure->restore, false));
    GT_TRY(gt_launcher_prepare(variant->launchers[0]));
    if (is_hot(measure)) {
        GT_TRY(issue_launch(measure, variant, 0));
        if (measure->alone) {
            GT_TRY(gt_service_reset(measure, &measure->restore, false));
        }
    }
    return is_hot(measure) ? GPUTUNE_OK : gt_service_sweep(measure);
}

enum { SINGLES_MAX = 16 };

typedef struct singles {
    double times[SINGLES_MAX];
    uint32_t count;
} singles;

static gputune_status time_singles(singles *out, gt_measure *measure, gt_loaded *variant,
                                   uint32_t count)
{
    gputune_status status = GPUTUNE_OK;
    for (uint32_t i = 0; i < count && status == GPUTUNE_OK; ++i) {
        status = gt_sample_single(&out->times[out->count++], measure, variant);
    }
    return status;
}

/* Copies the pristine inout buffers to `kept` or, if `back` is true, copies them back. */
static gputune_status copy_pristine(gt_measure *measure, CUdeviceptr kept, bool back)
{
    for (const gt_buffer_slot *slot = measure->slots; slot < gt_slots_end(measure, 1); ++slot) {
        CUdeviceptr pristine = slot->pristine;
        if (slot->buffer->direction == GT_INOUT) {
            GT_CALL(measure, MemcpyDtoDAsync, back ? pristine : kept, back ? kept : pristine,
                    slot->buffer->bytes, measure->stream);
            kept += slot->buffer->bytes;
        }
    }
    measure->ahead = NULL;
    return GPUTUNE_OK;
}

/* Launches once, and makes the resulting contents of inout buffers their initial contents. */
static gputune_status use_buffers(gt_measure *measure, gt_loaded *variant)
{
    GT_TRY(gt_service_reset(measure, &measure->restore, false));
    GT_TRY(gt_launcher_prepare(variant->launchers[0]));
    GT_TRY(gt_loaded_launch(measure, variant, 0));
    for (const gt_buffer_slot *slot = measure->slots; slot < gt_slots_end(measure, 1); ++slot) {
        if (slot->buffer->direction == GT_INOUT) {
            GT_CALL(measure, MemcpyDtoDAsync, slot->pristine, slot->address, slot->buffer->bytes,
                    measure->stream);
        }
    }
    measure->ahead = NULL;
    return GPUTUNE_OK;
}

/* Returns true if all times in one list are shorter than all times in the other, and the medians
 * differ by more than 5% and by more than the resolution of events. Sorts both lists. */
static bool is_clear(singles *fresh, singles *used)
{
    static const double least_share = 0.05, least_ns = 500;
    gt_sort(fresh->times, fresh->count);
    gt_sort(used->times, used->count);
    double a = gt_median_sorted(fresh->times, fresh->count);
    double b = gt_median_sorted(used->times, used->count);
    bool apart = used->times[used->count - 1] < fresh->times[0] ||
                 used->times[0] > fresh->times[fresh->count - 1];
    return apart && fabs(a - b) > least_ns && fabs(a - b) > least_share * fmax(a, b);
}

/* Times a launch on used buffers. Unless launches take long, times seven more if the first one
 * cannot decide whether the buffers' state matters. With eight times of each kind, is_clear()
 * returns true by chance in 1 of 6,000 cases. */
static gputune_status time_used(singles *fresh, singles *used, gt_measure *measure,
                                gt_loaded *variant)
{
    static const double steady_ns = 1e5, long_ns = 2e7;
    GT_TRY(use_buffers(measure, variant));
    GT_TRY(time_singles(used, measure, variant, 1));
    bool is_open =
        !measure->device.emulated && (fresh->times[0] < steady_ns || is_clear(fresh, used));
    return time_singles(used, measure, variant, is_open && fresh->times[0] < long_ns ? 7 : 0);
}

/* Times launches on fresh buffers before and after those on used buffers, as clocks may drift. */
static gputune_status compare_singles(singles *fresh, singles *used, gt_measure *measure,
                                      gt_loaded *variant, CUdeviceptr kept)
{
    double first; /* the first time is not used, because this launch also fills the cache */
    GT_TRY(gt_sample_single(&first, measure, variant));
    GT_TRY(time_singles(fresh, measure, variant, 1));
    GT_TRY(copy_pristine(measure, kept, false));
    gputune_status status = time_used(fresh, used, measure, variant);
    if (measure->lost) {
        return status;
    }
    GT_TRY(copy_pristine(measure, kept, true));
    return status == GPUTUNE_OK ? time_singles(fresh, measure, variant, used->count - 1) : status;
}

/* Compares launches on changed inout buffers with launches on restored ones. If the times differ,
 * sets *out to FELT and *ratio to changed / restored; otherwise to HARMLESS and 1. */
static gputune_status judge_used(gt_sharing *out, double *ratio, gt_measure *measure,
                                 gt_loaded *variant)
{
    singles fresh = {.count = 0}, used = {.count = 0};
    CUdeviceptr kept = 0;
    double launch_ns = variant->launch_ns;
    /* a cold sample on the emulator is one launch, so it never uses changed buffers */
    bool one_launch = measure->device.emulated && measure->setup.cache == GPUTUNE_CACHE_COLD &&
                      measure->objective != GPUTUNE_OBJECTIVE_LAUNCH;
    bool are_shared = measure->restore.tasks.count > 0 && !one_launch &&
                      !gt_objective_facts(measure->objective)->by_energy;
    *out = GT_SHARING_HARMLESS;
    *ratio = 1;
    uint64_t bytes = 0;
    for (const gt_buffer_slot *slot = measure->slots; slot < gt_slots_end(measure, 1); ++slot) {
        bytes += slot->buffer->direction == GT_INOUT ? slot->buffer->bytes : 0;
    }
    if (!are_shared || gt_device_alloc(measure->driver, &kept, bytes) != CUDA_SUCCESS) {
        return GPUTUNE_OK;
    }
    measure->alone = true;
    gputune_status status = compare_singles(&fresh, &used, measure, variant, kept);
    measure->alone = false;
    variant->launch_ns = launch_ns;
    if (!measure->lost) {
        (void)gt_device_free(measure->driver, kept); /* freeing waits until the copies have ended */
    }
    GT_TRY(status);
    if (is_clear(&fresh, &used)) {
        *out = GT_SHARING_FELT;
        *ratio =
            gt_median_sorted(used.times, used.count) / gt_median_sorted(fresh.times, fresh.count);
    }
    return GPUTUNE_OK;
}

/* Captures launches. The graph does not copy pass blocks, which an earlier launch has copied. */
static gputune_status capture_launches(CUgraph *out, gt_measure *measure, gt_loaded *variant,
                                       uint32_t launches)
{
    GT_CALL(measure, StreamBeginCapture, measure->stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    gputune_status status = GPUTUNE_OK;
    for (uint32_t i = 0; i < launches && status == GPUTUNE_OK; ++i) {
        status =
            gt_launcher_repeat(variant->launchers[0], measure->stream, arguments_of(measure, i));
    }
    CUgraph graph = NULL;
    CUresult ended = measure->driver->StreamEndCapture(measure->stream, &graph);
    GT_THEN(status, gt_measure_check(measure, ended, "cuStreamEndCapture"));
    if (status < 0) {
        if (graph) {
            (void)measure->driver->GraphDestroy(graph);
        }
        return status;
    }
    *out = graph;
    return GPUTUNE_OK;
}

/* Captures and uploads the graph of a sample, unless *replay already uses this round's buffers. */
static gputune_status make_replay(gt_replay *replay, gt_measure *measure, gt_loaded *variant,
                                  uint32_t launches)
{
    bool takes_turns = is_hot(measure) && measure->workspaces[0].sets > 1;
    if (replay->exec && replay->hot == is_hot(measure) &&
        (!takes_turns || replay->turn == measure->turn)) {
        return GPUTUNE_OK;
    }
    gt_replay_free(replay, measure);
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    GT_TRY(capture_launches(&graph, measure, variant, launches));
    CUresult made = measure->driver->GraphInstantiateWithFlags(&exec, graph, 0);
    (void)measure->driver->GraphDestroy(graph);
    GT_TRY(gt_measure_check(measure, made, "cuGraphInstantiateWithFlags"));
    replay->exec = exec;
    replay->launches = launches;
    replay->turn = measure->turn;
    replay->hot = is_hot(measure);
    if (measure->driver->GraphUpload) { /* without this call, the first replay uploads the graph */
        GT_CALL(measure, GraphUpload, exec, measure->stream);
    }
    return GPUTUNE_OK;
}

void gt_replay_free(gt_replay *replay, gt_measure *measure)
{
    if (replay->exec) {
        (void)measure->driver->GraphExecDestroy(replay->exec);
    }
    *replay = (gt_replay){0};
}

/* ---- Samples --------------------------------------------------------------------------------- */

enum {
    HOST_AHEAD_NS = 15000,   /* time that the host needs to queue a graph between two events */
    HOST_AHEAD_NODE_NS = 100 /* additional time per node of the graph */
};

enum { SHORT_GRAPH = 16 };

/* Records the event at the start of a sample. The device must still be busy while the host queues
 * the launches, otherwise the sample would include idle time. A sweep keeps it busy. Without a
 * sweep, or if the graph is long, a delay is queued. */
static gputune_status begin_sample(gt_measure *measure, uint64_t kernels)
{
    if (is_hot(measure) || measure->sweep == 0 || kernels > SHORT_GRAPH) {
        GT_TRY(gt_service_delay(measure, HOST_AHEAD_NS + HOST_AHEAD_NODE_NS * kernels));
    }
    GT_CALL(measure, EventRecord, measure->start, measure->stream);
    return GPUTUNE_OK;
}

static gputune_status end_sample(double *out, gt_measure *measure, gt_loaded *variant,
                                 uint32_t launches)
{
    double elapsed_ns;
    GT_CALL(measure, EventRecord, measure->stop, measure->stream);
    GT_TRY(gt_service_reset_ahead(measure, &measure->restore));
    GT_TRY(gt_measure_elapsed(&elapsed_ns, measure));
    *out = elapsed_ns / launches;
    variant->launch_ns = measure->hot ? variant->launch_ns : *out;
    return GPUTUNE_OK;
}

static gputune_status replay_graph(double *out, gt_measure *measure, gt_loaded *variant,
                                   const gt_replay *graph)
{
    GT_TRY(restore_buffers(measure, variant));
    GT_TRY(begin_sample(measure, (uint64_t)graph->launches * variant->kernels));
    GT_CALL(measure, GraphLaunch, graph->exec, measure->stream);
    return end_sample(out, measure, variant, graph->launches);
}

gputune_status gt_sample_single(double *out, gt_measure *measure, gt_loaded *variant)
{
    /* use a graph: the host cannot queue so many kernels one by one without gaps */
    if (variant->kernels > SHORT_GRAPH) {
        GT_TRY(make_replay(&variant->single, measure, variant, 1));
        return replay_graph(out, measure, variant, &variant->single);
    }
    GT_TRY(restore_buffers(measure, variant));
    GT_TRY(begin_sample(measure, 1));
    GT_TRY(gt_launcher_repeat(variant->launchers[0], measure->stream, arguments_of(measure, 0)));
    return end_sample(out, measure, variant, 1);
}

static gputune_status mean_of(double *out, gt_measure *measure, gt_loaded *variant,
                              gt_sampler *single)
{
    static const uint32_t counts[] = {
        [GT_SAMPLE_FULL] = 5, [GT_SAMPLE_BRIEF] = 2, [GT_SAMPLE_QUICK] = 1};
    const uint32_t count = measure->device.emulated ? 1 : counts[measure->length];
    double sum = 0, one;
    for (uint32_t i = 0; i < count; ++i) {
        GT_TRY(single(&one, measure, variant));
        sum += one;
    }
    *out = sum / count;
    return GPUTUNE_OK;
}

/* Returns the number of launches in a sample. A cold sample uses each buffer set only once if the
 * variant has persisting lines, because these stay in L2 while launches use other sets. */
static uint32_t sample_launches(const gt_measure *measure, const gt_loaded *variant,
                                gt_sample_length length)
{
    uint32_t launches = gt_plan_launches(variant->launch_ns, length);
    uint32_t sets = measure->workspaces[0].sets;
    bool persists = variant->launches[0].l2.set_aside_bytes > 0;
    bool warms_up = persists && !is_hot(measure);
    return warms_up && launches > sets ? sets : launches;
}

gputune_status gt_sample_kernel(double *out, gt_measure *measure, gt_loaded *variant)
{
    gt_replay *const graphs[] = {&variant->full, &variant->brief, &variant->quick};
    gt_replay *graph = graphs[measure->length];
    uint32_t launches = sample_launches(measure, variant, measure->length);
    if (launches == sample_launches(measure, variant, GT_SAMPLE_FULL)) {
        graph = &variant->full; /* sample lengths with the same number of launches share a graph */
    }
    if (measure->alone) {
        return mean_of(out, measure, variant, gt_sample_single);
    }
    if (launches == 1) {
        return gt_sample_single(out, measure, variant);
    }
    GT_TRY(make_replay(graph, measure, variant, launches));
    gputune_status status = replay_graph(out, measure, variant, graph);
    /* A memset node takes up to 0.15 us more or less, depending on the address that the driver
     * chooses for its data. On an H200, graphs of the same 4.9 us launch differed by 2.9% with
     * memset nodes, and by 0.2% without. So launches of up to 25 us get a new graph for each full
     * or brief sample. */
    enum { SHORT_LAUNCHES = 8 };
    const gt_launch_view launch = gt_launch_view_of(&variant->launches[0]);
    if (gt_launch_clears(&launch) && graph->launches > SHORT_LAUNCHES &&
        measure->length != GT_SAMPLE_QUICK) {
        gt_replay_free(graph, measure);
    }
    return status;
}

/* Launches once if the variant was never launched, restores the buffers, and waits. */
static gputune_status make_ready(gt_measure *measure, gt_loaded *variant)
{
    if (!variant->warm) {
        GT_TRY(issue_launch(measure, variant, 0));
        variant->warm = true;
    }
    GT_TRY(restore_buffers(measure, variant));
    return gt_measure_wait(measure);
}

/* Returns the time of the host's clock. On the emulator, returns the modelled time. */
static double host_ns(const gt_measure *measure)
{
    double modelled_ns;
    bool modelled = measure->driver->EmuModelledTimeNs &&
                    measure->driver->EmuModelledTimeNs(&modelled_ns) == CUDA_SUCCESS;
    return modelled ? modelled_ns : (double)gt_now_ns();
}

static gputune_status time_burst(double *out, gt_measure *measure, gt_loaded *variant,
                                 uint32_t first, uint32_t count)
{
    double start_ns = host_ns(measure);
    for (uint32_t i = 0; i < count; ++i) {
        GT_TRY(issue_launch(measure, variant, first + i));
    }
    GT_TRY(gt_measure_wait(measure));
    *out = (host_ns(measure) - start_ns) / count;
    return GPUTUNE_OK;
}

static gputune_status burst_of_one(double *out, gt_measure *measure, gt_loaded *variant)
{
    GT_TRY(make_ready(measure, variant));
    return time_burst(out, measure, variant, 0, 1);
}

static gputune_status sample_launch(double *out, gt_measure *measure, gt_loaded *variant)
{
    enum { CHEAPEST_CALL_NS = 3000 }; /* assumed for launches that were not timed yet */
    enum { PIPELINED = 3 };           /* launches in a modelled sample */
    if (measure->alone) {
        return mean_of(out, measure, variant, burst_of_one);
    }
    GT_TRY(make_ready(measure, variant));
    if (measure->device.emulated) {
        return time_burst(out, measure, variant, 0, PIPELINED);
    }
    if (variant->call_ns == 0) {
        double least =
            variant->launch_ns > CHEAPEST_CALL_NS ? variant->launch_ns : CHEAPEST_CALL_NS;
        GT_TRY(time_burst(&variant->call_ns, measure, variant, 0, gt_plan_burst(least, true)));
        GT_TRY(make_ready(measure, variant));
    }
    GT_TRY(time_burst(out, measure, variant, 0,
                      gt_plan_burst(variant->call_ns, measure->length == GT_SAMPLE_QUICK)));
    variant->call_ns = *out;
    return GPUTUNE_OK;
}

static gputune_status sample_latency(double *out, gt_measure *measure, gt_loaded *variant)
{
    double times[100];
    bool quick = measure->length == GT_SAMPLE_QUICK;
    uint32_t count = measure->device.emulated ? 1 : gt_plan_singles(variant->launch_ns, quick);
    GT_TRY(make_ready(measure, variant));
    for (uint32_t i = 0; i < count; ++i) {
        if (measure->alone && i > 0) {
            GT_TRY(make_ready(measure, variant));
        }
        GT_TRY(time_burst(&times[i], measure, variant, i, 1));
    }
    gt_sort(times, count);
    *out = gt_median_sorted(times, count);
    return GPUTUNE_OK;
}

enum { IN_FLIGHT = 2, EVENTS = IN_FLIGHT + 1 };

/* A moment at which the energy counter has changed. */
typedef struct edge {
    uint64_t mj;
    int64_t time_ns;  /* time of the host's clock */
    uint64_t batches; /* number of batches that have finished */
    double device_ns; /* device time of the finished batches except the first */
} edge;

/* Keeps the GPU busy by replaying a graph. Two batches of replays are always in the queue. */
typedef struct load {
    gt_measure *measure;
    const gt_replay *graph;
    CUevent done[EVENTS]; /* events that were recorded at the ends of the latest batches */
    uint32_t per_batch;   /* replays per batch */
    /* `issued`: number of batches queued; `over`: number of batches that have finished */
    uint64_t issued, over;
    double device_ns; /* device time of the finished batches except the first */
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

/* Checks whether a batch has finished, and queues new batches. */
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
    GT_REFUSE(measure->device.emulated, GPUTUNE_EUNSUPPORTED,
              "an emulated device has no energy counter");
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

/* Waits for the first change of the energy counter after `earliest_ns` and after another batch has
 * finished. The counter changes every 10 to 100 ms, and is exact only when it changes. */
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
            return gt_fail(GPUTUNE_EUNSUPPORTED, "the energy counter does not change");
        }
        nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
    }
}

/* Computes the energy of a launch: the average power over a second times the time of a launch. */
static gputune_status integrate_power(double *out, load *load)
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

static gputune_status sample_energy(double *out, gt_measure *measure, gt_loaded *variant)
{
    enum { BATCH_NS = 5000000 };
    GT_TRY(gt_energy_check(measure));
    /* energy is always measured for a second, so a quick sample would not be faster */
    uint32_t launches = gt_plan_launches(variant->launch_ns, GT_SAMPLE_FULL);
    launches = launches < 2 ? 2 : launches;
    GT_TRY(make_replay(&variant->full, measure, variant, launches));
    GT_TRY(restore_buffers(measure, variant));
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
    GT_THEN(status, integrate_power(out, &load));
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

/* The samplers by objective. DEFAULT means that neither the job nor the setup has an objective. */
static gt_sampler *const samplers[GPUTUNE_OBJECTIVE_COUNT] = {
    [GPUTUNE_OBJECTIVE_DEFAULT] = gt_sample_kernel, [GPUTUNE_OBJECTIVE_KERNEL] = gt_sample_kernel,
    [GPUTUNE_OBJECTIVE_LAUNCH] = sample_launch,     [GPUTUNE_OBJECTIVE_LATENCY] = sample_latency,
    [GPUTUNE_OBJECTIVE_ENERGY] = sample_energy,
};

/* Takes only one sample per variant and objective, because the emulator's times never vary. */
static gputune_status sample_modelled(double *out, gt_measure *measure, gt_loaded *variant)
{
    double *known = &variant->modelled[measure->objective];
    gt_sampler *take = samplers[measure->objective];
    take = take == gt_sample_kernel ? gt_sample_single : take;
    if (!(*known > 0)) {
        GT_TRY(take(known, measure, variant));
    }
    *out = *known;
    return GPUTUNE_OK;
}

/* Checks whether a failure has made the GPU unusable in this process. If so, returns ECRASHED. */
static gputune_status note_lost(gt_measure *measure, gputune_status status)
{
    measure->lost |= status == GPUTUNE_ECRASHED;
    if (status < 0 && !measure->lost) {
        measure->lost = gt_cuda_fatal(measure->driver->StreamSynchronize(measure->stream));
        status = measure->lost ? GPUTUNE_ECRASHED : status;
    }
    return status;
}

static gputune_status sample_all(gt_measure *measure, const gt_sample_job *job, gt_sampled *out)
{
    bool by_setup = job->objective == GPUTUNE_OBJECTIVE_DEFAULT;
    measure->objective = by_setup ? measure->setup.objective : job->objective;
    measure->length = job->length;
    gt_loaded *judge = gt_loaded_find(measure, job->judge);
    out->sharing = job->sharing;
    out->used_ratio = 1;
    if (out->sharing == GT_SHARING_UNKNOWN && judge) {
        gt_current_set(measure->current, job->judge);
        GT_TRY(note_lost(measure, judge_used(&out->sharing, &out->used_ratio, measure, judge)));
    }
    measure->alone = out->sharing == GT_SHARING_FELT;
    uint32_t failed = 0;
    gputune_status status = GPUTUNE_OK;
    gt_sampler *take = measure->device.emulated ? sample_modelled : samplers[measure->objective];
    for (uint32_t i = 0; i < job->count; ++i) {
        gt_loaded *variant = gt_loaded_find(measure, job->variants[i]);
        gt_current_set(measure->current, job->variants[i]);
        gputune_status one = variant ? note_lost(measure, take(&out->values[i], measure, variant))
                                     : gt_fail(GPUTUNE_EINVAL, "variant %llu is not loaded",
                                               (unsigned long long)job->variants[i]);
        if (one == GPUTUNE_ECRASHED || one == GPUTUNE_EUNSUPPORTED) {
            return one;
        }
        out->values[i] = one < 0 ? NAN : out->values[i];
        failed += one < 0;
        status = one < 0 ? one : status;
    }
    return failed == job->count ? status : GPUTUNE_OK;
}

gputune_status gt_measure_sample(gt_measure *measure, const gt_sample_job *job, gt_sampled *out)
{
    bool known = (size_t)job->objective < GPUTUNE_OBJECTIVE_COUNT && samplers[job->objective];
    GT_TRY(gt_measure_usable(measure));
    GT_REFUSE(!known, GPUTUNE_EINVAL, "no such objective");
    GT_TRY(gt_contents_refresh(measure));
    gt_sampled sampled = {.count = job->count};
    sampled.values = calloc(job->count + 1, sizeof *sampled.values);
    GT_TRY(gt_allocated(sampled.values));
    measure->turn++;
    measure->hot = job->hot;
    gt_monitor_begin(measure->monitor);
    gputune_status status = sample_all(measure, job, &sampled);
    measure->hot = false;
    if (status < 0) {
        free(sampled.values);
        return status;
    }
    *out = sampled;
    gt_monitor_end(measure->monitor, out);
    return GPUTUNE_OK;
}
