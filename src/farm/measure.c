/* Opens and closes the state of measuring, and prepares it for a setup. Measures how fast a GPU is
 * now, by the time of a short launch that is the same everywhere. */
#include "farm/measure.h"
#include "base/clock.h"
#include "base/objective.h"
#include "farm/measure_parts.h"
#include "stats/summary.h"

#include <stdio.h>
#include <stdlib.h>

/* A chain of multiplications and additions, which takes the multiprocessors' clock alone. Loaded as
 * PTX, because a worker that was asked for nothing else has no compiler's output. */
#define FMA "fma.rn.f32 %f1, %f1, %f1, %f1;\n"
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
                             "AGAIN:\n" FMA FMA FMA FMA FMA FMA FMA FMA "sub.u32 %r1, %r1, 1;\n"
                             "setp.ne.u32 %p1, %r1, 0;\n"
                             "@%p1 bra AGAIN;\n"
                             "setp.eq.f32 %p2, %f1, 0f3E99999A;\n" /* never true */
                             "@%p2 st.global.f32 [%rd1], %f1;\n"
                             "ret;\n"
                             "}\n";

enum { LAUNCHES = 32, LAUNCHES_EMULATED = 3, THREADS = 128 };
/* The clocks of a GPU that was idle rise for a while: for no longer than this. */
static const int64_t window_ns = 60000000;

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

/* The median of some launches, which take 3 ms. */
static gputune_status launch_some(double *out_ns, gt_measure *measure, CUfunction function)
{
    double times[LAUNCHES];
    uint32_t count = measure->device.emulated ? LAUNCHES_EMULATED : LAUNCHES;
    for (uint32_t i = 0; i < count; i++) {
        GT_TRY(launch(&times[i], measure, function));
    }
    gt_summary summary;
    GT_TRY(gt_summarise(&summary, times, count));
    *out_ns = summary.median;
    return GPUTUNE_OK;
}

/* Launches until the clocks rise no more: a tuning waits meanwhile. */
static gputune_status launch_for_a_while(double *out_ns, gt_measure *measure, CUfunction function)
{
    static const double equal = 0.995;
    double before_ns;
    const int64_t start = gt_now_ns();
    GT_TRY(launch_some(out_ns, measure, function));
    do {
        before_ns = *out_ns;
        GT_TRY(launch_some(out_ns, measure, function));
    } while (*out_ns < equal * before_ns && gt_now_ns() - start < window_ns);
    return GPUTUNE_OK;
}

static void watch(gt_measure *measure)
{
    if (!measure->monitor && !measure->device.emulated) {
        measure->monitor = gt_monitor_start(measure->device.uuid);
    }
}

gputune_status gt_measure_pace(gt_measure *measure, gt_sampled *out)
{
    CUmodule module;
    CUfunction function;
    GT_CALL(measure, ModuleLoadData, &module, source);
    out->values = calloc(1, sizeof *out->values);
    out->count = out->values != NULL;
    watch(measure);
    gt_monitor_begin(measure->monitor);
    gputune_status status = gt_allocated(out->values);
    GT_THEN(status, gt_measure_check(
                        measure, measure->driver->ModuleGetFunction(&function, module, "gt_pace"),
                        "cuModuleGetFunction"));
    GT_THEN(status, launch_for_a_while(out->values, measure, function));
    (void)measure->driver->ModuleUnload(module);
    if (!measure->ready) { /* else a tuning waits */
        gt_monitor_look(measure->monitor);
    }
    gt_monitor_end(measure->monitor, out);
    return status;
}

/* ---- Opening --------------------------------------------------------------------------------- */

gputune_status gt_measure_open(gt_measure **out, const char *driver, int ordinal)
{
    char which[16];
    gt_measure *measure = calloc(1, sizeof *measure);
    GT_TRY(gt_allocated(measure));
    snprintf(which, sizeof which, "%d", ordinal);
    gputune_status status = gt_driver_open(&measure->driver, driver);
    GT_THEN(status, gt_device_find(&ordinal, measure->driver, which));
    GT_THEN(status, gt_device_query(&measure->device, measure->driver, ordinal));
    return GT_GIVE(status, out, measure, gt_measure_close(measure));
}

gputune_status gt_measure_attach(gt_measure *measure)
{
    CUdevice device;
    (void)gt_relaxed_enter(
        measure->driver); /* never left: this thread never captures in global mode */
    GT_CALL(measure, DeviceGet, &device, measure->device.ordinal);
    /* this is refused if the context is in use already, which does no harm */
    (void)measure->driver->DevicePrimaryCtxSetFlags(device, CU_CTX_SCHED_SPIN);
    CUresult result = measure->driver->DevicePrimaryCtxRetain(&measure->context, device);
    GT_REFUSE(
        result == CUDA_ERROR_DEVICE_UNAVAILABLE, GPUTUNE_EBUSY,
        "GPU %d (%s) may be used by one process only, and another uses it: set its compute mode to "
        "default, end the other process, or allow measuring in this one (GPUTUNE_ISOLATION_THREAD)",
        measure->device.ordinal, measure->device.name);
    GT_TRY(gt_measure_check(measure, result, "cuDevicePrimaryCtxRetain"));
    GT_CALL(measure, CtxSetCurrent, measure->context);
    GT_CALL(measure, StreamCreate, &measure->stream, CU_STREAM_NON_BLOCKING);
    GT_CALL(measure, EventCreate, &measure->start, CU_EVENT_DEFAULT);
    GT_CALL(measure, EventCreate, &measure->stop, CU_EVENT_DEFAULT);
    GT_CALL(measure, EventCreate, &measure->checked, CU_EVENT_DEFAULT);
    return GPUTUNE_OK;
}

const gt_device *gt_measure_device(const gt_measure *measure)
{
    return &measure->device;
}

void gt_measure_forget(gt_measure *measure)
{
    gt_trial_free(measure);
    gt_loaded_free_all(measure);
    gt_reference_free(measure);
    gt_memory_free(measure);
    for (size_t i = 0; i < GT_TABLES; ++i) {
        gt_tasks_free(&measure->tables[i]);
    }
    for (int i = 0; i < GT_WORKLOAD_MAX; ++i) {
        gt_workspace_free(&measure->workspaces[i]);
    }
    measure->ready = measure->has_expected = measure->has_tolerances = false;
    measure->results_hash = 0;
    measure->damage = GT_DAMAGE_NONE;
    measure->ahead = NULL;
}

void gt_measure_close(gt_measure *measure)
{
    if (!measure) {
        return;
    }
    gt_monitor_stop(measure->monitor);
    if (measure->context) {
        const gt_driver *driver = measure->driver;
        gt_measure_forget(measure);
        gt_service_free(measure);
        CUevent events[] = {measure->start, measure->stop, measure->checked};
        for (size_t i = 0; i < sizeof events / sizeof events[0]; ++i) {
            if (events[i]) {
                (void)driver->EventDestroy(events[i]);
            }
        }
        if (measure->stream) {
            (void)driver->StreamDestroy(measure->stream);
        }
        (void)driver->CtxSetCurrent(NULL);
        (void)driver->DevicePrimaryCtxRelease(measure->device.ordinal);
    }
    free(measure);
}

/* ---- Preparing ------------------------------------------------------------------------------- */

/* Once per process. Unknown where memory is short. */
static gputune_status measure_copy(gt_measure *measure)
{
    bool emulated = measure->device.emulated;
    double *rate = &measure->copy_bytes_per_s;
    gputune_status status =
        *rate > 0 ? GPUTUNE_OK
                  : gt_copy_rate(rate, measure->driver, (size_t)(emulated ? 16 : 512) << 20,
                                 emulated ? 1 : 4);
    measure->lost |= status == GPUTUNE_ECRASHED;
    return status == GPUTUNE_EDEVMEM ? GPUTUNE_OK : status;
}

static gputune_status check_setup(const gt_measure_setup *setup)
{
    GT_REFUSE(setup->workload_count < 1 || setup->workload_count > GT_WORKLOAD_MAX, GPUTUNE_EINVAL,
              "a setup has 1 or %d workloads, not %u", GT_WORKLOAD_MAX, setup->workload_count);
    for (uint32_t i = 0; i < setup->input_count; ++i) {
        const gt_live_input *input = &setup->inputs[i];
        GT_REFUSE(input->workload >= setup->workload_count ||
                      !gt_workload_has_input(&setup->workloads[input->workload], input->buffer),
                  GPUTUNE_EINVAL, "input %u names no buffer or block of the kernel", i);
    }
    return GPUTUNE_OK;
}

/* Gives a workspace its workload and its slots, which begin at `slots`. Without a reference the
 * first verified variant's results are the expected ones. */
static void adopt_workload(gt_workspace *workspace, const gt_workload *workload,
                           gt_buffer_slot *slots)
{
    workspace->workload = *workload;
    workspace->failures = (gt_buffer_slot){.workspace = workspace};
    workspace->slots = workspace->slots_end = slots;
    for (uint32_t i = 0; i < workload->buffer_count; ++i) {
        gt_buffer *buffer = &workspace->workload.buffers[i];
        buffer->reference_type = workload->has_reference ? buffer->reference_type : buffer->type;
        *workspace->slots_end++ =
            (gt_buffer_slot){.workspace = workspace, .buffer = buffer, .index = i};
    }
}

gputune_status gt_measure_build(gt_measure *measure, const gt_measure_setup *setup)
{
    uint64_t live[GT_WORKLOAD_MAX];
    gt_live_buffers(live, setup);
    for (uint32_t i = 0; i < setup->workload_count; ++i) {
        gt_workspace *workspace = &measure->workspaces[i];
        adopt_workload(workspace, &setup->workloads[i],
                       i > 0 ? gt_slots_end(measure, i) : measure->slots);
        GT_TRY(gt_workspace_allocate(measure, workspace, live[i]));
    }
    GT_TRY(gt_reference_load(measure, &setup->reference));
    for (uint32_t i = 0; i < setup->workload_count; ++i) {
        GT_TRY(gt_workspace_rotate(measure, &measure->workspaces[i]));
    }
    GT_TRY(gt_tables_plan(measure));
    GT_TRY(gt_memory_service(measure));
    GT_TRY(gt_inputs_copy(measure, setup));
    return gt_contents_make(measure, setup->seed, false);
}

gputune_status gt_measure_prepare(gt_measure *measure, const gt_measure_setup *setup,
                                  gt_prepared *out)
{
    int64_t start = gt_now_ns();
    gt_measure_forget(measure);
    GT_TRY(check_setup(setup));
    if (gt_objective_facts(setup->objective)->by_energy) {
        watch(measure);
        GT_TRY(gt_energy_check(measure)); /* before time is spent on measuring */
    }
    GT_TRY(gt_memory_precheck(measure, setup));
    measure->setup = *setup;
    measure->setup.inputs = NULL;
    measure->setup.input_count = 0;
    measure->setup.reference = measure->setup.service = (gt_image){0};
    GT_TRY(gt_service_load(measure, &setup->service));
    GT_TRY(gt_measure_build(measure, setup));
    GT_TRY(measure_copy(measure));
    watch(measure); /* last, because starting NVML would delay the rest */
    measure->ready = true;
    *out = (gt_prepared){.reference_ns = measure->reference_ns,
                         .copy_bytes_per_s = measure->copy_bytes_per_s,
                         .prepare_ns = (double)(gt_now_ns() - start)};
    return gt_contents_loose(out, measure);
}

void gt_measure_attend(gt_measure *measure, gt_desk *desk)
{
    measure->desk = desk;
}

void gt_measure_leave_out(gt_measure *measure, const gt_lost *lost)
{
    measure->lost_tries = *lost;
}

gputune_status gt_measure_try(gt_measure *measure, const gt_measure_setup *setup, gt_prepared *out)
{
    int64_t start = gt_now_ns();
    gputune_status status = gt_trial_make(measure, setup);
    measure->lost_tries = (gt_lost){0};
    out->try_ns = (double)(gt_now_ns() - start);
    out->trial_ns = gt_trial_winner_ns(&out->further_ns, measure);
    return measure->lost ? gt_fail_prefix(GPUTUNE_ECRASHED, "the trial") : status;
}
