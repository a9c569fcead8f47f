/* Launches a loaded variant, by the shortest path that its parameters allow. */
#include "gpu/launcher.h"

#include "gpu/launcher_parts.h"

static gputune_status launch_direct(const gt_launcher *launcher, CUstream stream,
                                    const void *const *arguments)
{
    CUlaunchConfig config = launcher->only.config;
    config.hStream = stream;
    CUresult result = launcher->driver->LaunchKernelEx(&config, launcher->base.functions[0],
                                                       (void **)arguments, NULL);
    return result == CUDA_SUCCESS ? GPUTUNE_OK : gt_launcher_explain(launcher, result);
}

/* What a launch with per-stream state must know before it touches the stream. */
typedef struct stream_facts {
    uint64_t key; /* never 0 */
    bool capturing;
    cuuint64_t capture;
    CUgraph graph;
} stream_facts;

static gputune_status read_capture(stream_facts *out, const gt_driver *driver, CUstream stream)
{
    CUstreamCaptureStatus status;
    CUresult result =
        driver->StreamGetCaptureInfo(stream, &status, &out->capture, &out->graph, NULL, NULL);
    if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) {
        return gt_fail(GPUTUNE_ECAPTURE, "the default stream cannot be used while another stream "
                                         "is being captured");
    }
    GT_TRY(gt_cuda_check(driver, result, "cuStreamGetCaptureInfo"));
    if (status == CU_STREAM_CAPTURE_STATUS_INVALIDATED) {
        return gt_fail(GPUTUNE_ECAPTURE, "the capture of this stream has already failed");
    }
    out->capturing = status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return GPUTUNE_OK;
}

/* A handle may be given again once its stream is destroyed; a stream's id (driver 12.0) is not.
 * During a capture the driver refuses to give ids (error 900, seen on an H200 with driver 13.0).
 * The handle is enough then, because the capture has an id of its own. */
static gputune_status read_stream(stream_facts *out, const gt_launcher *launcher, CUstream stream)
{
    const gt_driver *driver = launcher->driver;
    CUcontext current = NULL;
    unsigned long long id = (unsigned long long)(uintptr_t)stream;
    GT_CUDA(driver, CtxGetCurrent, &current);
    if (current != launcher->context.handle) {
        return gt_launcher_explain(launcher, CUDA_ERROR_INVALID_CONTEXT);
    }
    GT_TRY(read_capture(out, driver, stream));
    if (driver->StreamGetId && !out->capturing) {
        GT_CUDA(driver, StreamGetId, stream, &id);
    }
    out->key = id + 1;
    return GPUTUNE_OK;
}

static gputune_status launch_with_state(gt_launcher *launcher, CUstream stream,
                                        const void *const *arguments, bool copy)
{
    stream_facts facts = {0};
    GT_TRY(read_stream(&facts, launcher, stream));
    CUstreamCaptureMode mode = gt_relaxed_enter(launcher->driver);
    gputune_status status;
    if (!facts.capturing) {
        status = gt_stream_launch(launcher, stream, facts.key, arguments, copy);
    } else if (copy) {
        status =
            gt_graph_launch(launcher, stream, facts.key, facts.capture, facts.graph, arguments);
    } else {
        status = gt_stream_capture(launcher, stream, arguments);
    }
    gt_relaxed_leave(launcher->driver, mode);
    return status;
}

/* A clear and its launch are one step for other threads on the same stream. */
static gputune_status launch_with_clears(gt_launcher *launcher, CUstream stream,
                                         const void *const *arguments)
{
    pthread_mutex_lock(&launcher->clear_lock);
    gputune_status status = gt_launcher_queue(launcher, &launcher->base, stream, arguments, NULL);
    pthread_mutex_unlock(&launcher->clear_lock);
    return status;
}

/* The default stream (NULL) cannot be captured, so that the driver need not be asked. */
static bool is_capturing(const gt_driver *driver, CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return stream && driver->StreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
           status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

/* The graph of the stream's capture holds the module. */
static gputune_status hold(gt_launcher *launcher, CUstream stream)
{
    stream_facts facts = {0};
    GT_TRY(read_capture(&facts, launcher->driver, stream));
    if (!facts.capturing) {
        return GPUTUNE_OK;
    }
    CUstreamCaptureMode mode = gt_relaxed_enter(launcher->driver);
    pthread_mutex_lock(&launcher->lock);
    gputune_status status = gt_module_hold(launcher, facts.capture, facts.graph);
    pthread_mutex_unlock(&launcher->lock);
    gt_relaxed_leave(launcher->driver, mode);
    return status < 0
               ? gt_fail_prefix(GPUTUNE_ECAPTURE, "%s cannot be launched during this capture",
                                launcher->launch->steps[0].entry)
               : GPUTUNE_OK;
}

gputune_status gt_launcher_launch(gt_launcher *launcher, CUstream stream,
                                  const void *const *arguments)
{
    if (!launcher->needs_state && !launcher->shares_base &&
        is_capturing(launcher->driver, stream)) {
        GT_TRY(hold(launcher, stream));
    }
    if (launcher->is_direct) {
        return launch_direct(launcher, stream, arguments);
    }
    if (launcher->needs_state) {
        return launch_with_state(launcher, stream, arguments, true);
    }
    return launcher->launch->clear_count
               ? launch_with_clears(launcher, stream, arguments)
               : gt_launcher_queue(launcher, &launcher->base, stream, arguments, NULL);
}

gputune_status gt_launcher_repeat(gt_launcher *launcher, CUstream stream,
                                  const void *const *arguments)
{
    return launcher->needs_state ? launch_with_state(launcher, stream, arguments, false)
                                 : gt_launcher_launch(launcher, stream, arguments);
}

gputune_status gt_launcher_function(gt_function_facts *out, const gt_launcher *launcher,
                                    uint32_t index)
{
    CUcontext current = NULL;
    GT_CUDA(launcher->driver, CtxGetCurrent, &current);
    if (current != launcher->context.handle) {
        return gt_launcher_explain(launcher, CUDA_ERROR_INVALID_CONTEXT);
    }
    int kb = launcher->launch->carveout_kb;
    *out = (gt_function_facts){
        .function = launcher->base.functions[index],
        .symbol = launcher->kernels[index].symbol,
        .carveout_percent =
            kb < 0 ? -1 : gt_carveout_percent(kb, launcher->device.shared_per_sm_bytes / 1024)};
    return GPUTUNE_OK;
}

static bool has_scratch(const gt_launch *launch)
{
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        if (launch->parameters[i].kind == GT_PARAMETER_SCRATCH) {
            return true;
        }
    }
    return false;
}

gputune_status gt_launcher_variable(CUdeviceptr *out, size_t *bytes, gt_launcher *launcher,
                                    const char *name)
{
    *out = 0;
    *bytes = 0;
    if (!launcher->base.module) {
        return GPUTUNE_OK;
    }
    CUresult result = launcher->driver->ModuleGetGlobal(out, bytes, launcher->base.module, name);
    return result == CUDA_ERROR_NOT_FOUND
               ? GPUTUNE_OK
               : gt_cuda_check(launcher->driver, result, "cuModuleGetGlobal");
}

void gt_launcher_guard(gt_launcher *launcher, uint32_t bytes)
{
    launcher->guard_bytes = bytes;
}

gputune_status gt_launcher_poison(gt_launcher *launcher, CUstream stream, uint8_t byte)
{
    stream_facts facts = {0};
    if (!has_scratch(launcher->launch)) {
        return GPUTUNE_OK;
    }
    GT_TRY(read_stream(&facts, launcher, stream));
    return facts.capturing ? gt_fail(GPUTUNE_ECAPTURE, "scratch memory cannot be filled while the "
                                                       "stream is being captured")
                           : gt_stream_poison(launcher, stream, facts.key, byte);
}

gputune_status gt_launcher_scratch(CUdeviceptr *out, gt_launcher *launcher, CUstream stream,
                                   uint32_t parameter)
{
    stream_facts facts = {0};
    *out = 0;
    if (!has_scratch(launcher->launch)) {
        return GPUTUNE_OK;
    }
    GT_TRY(read_stream(&facts, launcher, stream));
    for (int i = 0; launcher->states && i < GT_LAUNCHER_STREAMS; i++) {
        if (atomic_load(&launcher->states[i].key) == facts.key) {
            *out = launcher->states[i].instance.scratch[parameter];
        }
    }
    return GPUTUNE_OK;
}
