/* Samples of the objective `kernel`: a graph of launches, timed by events. */
#include "farm/measure_parts.h"

/* ---- Graphs ---------------------------------------------------------------------------------- */

/* Captures launches without copies of the pass block: an earlier launch has copied it to the
 * device. */
static gputune_status capture_launches(gt_measure *measure, gt_loaded *variant, uint32_t launches)
{
    for (uint32_t i = 0; i < launches; ++i) {
        GT_TRY(gt_launcher_repeat(variant->launchers[0], measure->stream,
                                  gt_sample_arguments(measure, i)));
    }
    return GPUTUNE_OK;
}

static gputune_status capture(CUgraph *out, gt_measure *measure, gt_loaded *variant,
                              uint32_t launches)
{
    GT_CALL(measure, StreamBeginCapture, measure->stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    gputune_status status = capture_launches(measure, variant, launches);
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

/* A graph knows the buffers of its launches, and hot samples take turns over sets of them. */
static bool is_outdated(const gt_replay *replay, const gt_measure *measure)
{
    return measure->setup.cache == GPUTUNE_CACHE_HOT && measure->workspaces[0].sets > 1 &&
           replay->turn != measure->turn;
}

gputune_status gt_replay_make(gt_replay *replay, gt_measure *measure, gt_loaded *variant,
                              uint32_t launches)
{
    if (replay->exec && !is_outdated(replay, measure)) {
        return GPUTUNE_OK;
    }
    gt_replay_free(replay, measure);
    CUgraph graph = NULL;
    CUgraphExec exec = NULL;
    GT_TRY(capture(&graph, measure, variant, launches));
    CUresult made = measure->driver->GraphInstantiateWithFlags(&exec, graph, 0);
    (void)measure->driver->GraphDestroy(graph);
    GT_TRY(gt_measure_check(measure, made, "cuGraphInstantiateWithFlags"));
    replay->exec = exec;
    replay->launches = launches;
    replay->turn = measure->turn;
    if (measure->driver->GraphUpload) { /* else the first replay pays for it */
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
    HOST_AHEAD_NS = 15000,   /* the host queues what is timed meanwhile */
    HOST_AHEAD_NODE_NS = 100 /* for each node of a graph */
};

enum { SHORT_GRAPH = 16 }; /* kernels */

/* In front of what is timed. The host must be ahead of the device by then, or the gap between the
 * event and the launch would be timed: a sweep takes longer than it takes to queue a short graph.
 */
static gputune_status begin(gt_measure *measure, uint64_t kernels)
{
    if (measure->sweep == 0 || kernels > SHORT_GRAPH) {
        GT_TRY(gt_service_delay(measure, HOST_AHEAD_NS + HOST_AHEAD_NODE_NS * kernels));
    }
    GT_CALL(measure, EventRecord, measure->start, measure->stream);
    return GPUTUNE_OK;
}

static gputune_status end(double *out, gt_measure *measure, gt_loaded *variant, uint32_t launches)
{
    double elapsed_ns;
    GT_CALL(measure, EventRecord, measure->stop, measure->stream);
    GT_TRY(gt_service_reset_ahead(measure, &measure->restore));
    GT_TRY(gt_measure_elapsed(&elapsed_ns, measure));
    *out = elapsed_ns / launches;
    variant->launch_ns = *out;
    return GPUTUNE_OK;
}

static gputune_status replay(double *out, gt_measure *measure, gt_loaded *variant,
                             const gt_replay *graph)
{
    GT_TRY(gt_sample_ready(measure, variant));
    GT_TRY(begin(measure, (uint64_t)graph->launches * variant->kernels));
    GT_CALL(measure, GraphLaunch, graph->exec, measure->stream);
    return end(out, measure, variant, graph->launches);
}

gputune_status gt_sample_single(double *out, gt_measure *measure, gt_loaded *variant)
{
    if (variant->kernels > SHORT_GRAPH) { /* the host could not keep ahead of them */
        GT_TRY(gt_replay_make(&variant->single, measure, variant, 1));
        return replay(out, measure, variant, &variant->single);
    }
    GT_TRY(gt_sample_ready(measure, variant));
    GT_TRY(begin(measure, 1));
    GT_TRY(gt_launcher_repeat(variant->launchers[0], measure->stream,
                              gt_sample_arguments(measure, 0)));
    return end(out, measure, variant, 1);
}

static gputune_status mean_of_singles(double *out, gt_measure *measure, gt_loaded *variant,
                                      uint32_t count)
{
    double sum = 0, one;
    for (uint32_t i = 0; i < count; ++i) {
        GT_TRY(gt_sample_single(&one, measure, variant));
        sum += one;
    }
    *out = sum / count;
    return GPUTUNE_OK;
}

/* Where the driver places what a graph's memset nodes need decides up to 0.15 us of each, for as
 * long as the graph lives: on an H200, identical graphs of one launch of 4.9 us were 2.9% apart,
 * and without the memsets 0.2%. No variant of short launches may keep a lucky place: each sample
 * that counts has a graph of its own. */
static bool is_placement_felt(const gt_loaded *variant, uint32_t launches, gt_sample_length length)
{
    enum { SHORT_LAUNCHES = 8 }; /* of at most 25 us */
    return variant->clears && launches > SHORT_LAUNCHES && length != GT_SAMPLE_QUICK;
}

gputune_status gt_sample_kernel(double *out, gt_measure *measure, gt_loaded *variant,
                                const gt_sampling *sampling)
{
    gt_replay *const graphs[] = {&variant->full, &variant->brief, &variant->quick};
    gt_replay *graph = graphs[sampling->length];
    uint32_t launches = gt_plan_launches(variant->launch_ns, sampling->length);
    if (launches == gt_plan_launches(variant->launch_ns, GT_SAMPLE_FULL)) {
        graph = &variant->full; /* short kernels have one graph for both */
    }
    if (measure->alone) {
        return mean_of_singles(out, measure, variant, gt_sample_singles(sampling->length));
    }
    if (launches == 1) {
        return gt_sample_single(out, measure, variant);
    }
    GT_TRY(gt_replay_make(graph, measure, variant, launches));
    gputune_status status = replay(out, measure, variant, graph);
    if (is_placement_felt(variant, graph->launches, sampling->length)) {
        gt_replay_free(graph, measure);
    }
    return status;
}
