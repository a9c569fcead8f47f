/* The measure worker: handles requests with the functions of measure.h. */
#include "farm/measure.h"
#include "farm/wire.h"
#include "farm/worker.h"
#include "gpu/nvml.h"

#include <sys/prctl.h>

/* Marks this process as idle by its name, which gt_nvml_read_users() reads in other processes. */
static void set_idle_name(void)
{
    prctl(PR_SET_NAME, GT_NVML_WAITING);
}

static void begin_job(gt_measure *measure, gt_current *current, uint64_t variant)
{
    gt_measure_attend(measure, current);
    prctl(PR_SET_NAME, "gputune-worker");
    gt_current_set(current, variant);
}

static gputune_status serve_prepare(void *measure, void *job, void *reply, gt_current *current)
{
    begin_job(measure, current, GT_NO_VARIANT);
    GT_TRY(gt_measure_prepare(measure, job, reply));
    return ((const gt_measure_setup *)job)->check ? GPUTUNE_OK
                                                  : gt_measure_try(measure, job, reply);
}

static gputune_status leave_out(void *measure, void *job, void *reply, gt_current *current)
{
    (void)reply;
    (void)current;
    gt_measure_leave_out(measure, job);
    return GPUTUNE_OK;
}

static gputune_status serve_verify(void *measure, void *job, void *reply, gt_current *current)
{
    begin_job(measure, current, ((const gt_verify_job *)job)->id);
    return gt_measure_verify(measure, job, reply);
}

/* Handles VERIFY_AGAIN. The variant is known to be fast enough, so its time is not checked. */
static gputune_status verify_again(void *measure, void *job, void *reply, gt_current *current)
{
    ((gt_verify_job *)job)->slower_ns = 0;
    ((gt_verify_job *)job)->again = true;
    return serve_verify(measure, job, reply, current);
}

static gputune_status serve_recheck(void *measure, void *job, void *reply, gt_current *current)
{
    begin_job(measure, current, ((const gt_recheck_job *)job)->id);
    return gt_measure_recheck(measure, job, reply);
}

static gputune_status serve_sample(void *measure, void *job, void *reply, gt_current *current)
{
    begin_job(measure, current, GT_NO_VARIANT);
    return gt_measure_sample(measure, job, reply);
}

static gputune_status serve_drop(void *measure, void *job, void *reply, gt_current *current)
{
    (void)reply;
    (void)current;
    gt_measure_drop(measure, ((const gt_id_job *)job)->id);
    return GPUTUNE_OK;
}

static gt_request_fn *const calls[GT_FRAME_KINDS] = {
    [GT_FRAME_PREPARE] = serve_prepare, [GT_FRAME_LOST] = leave_out,
    [GT_FRAME_VERIFY] = serve_verify,   [GT_FRAME_VERIFY_AGAIN] = verify_again,
    [GT_FRAME_RECHECK] = serve_recheck, [GT_FRAME_SAMPLE] = serve_sample,
    [GT_FRAME_DROP] = serve_drop,
};

static gputune_status open_device(gt_measure **out, int channel, const char *driver, int ordinal)
{
    gt_measure *measure = NULL;
    set_idle_name();
    gputune_status status = gt_measure_open(&measure, driver, ordinal);
    /* answer with the device first, so the host can continue while the context is made */
    if (status == GPUTUNE_OK) {
        status = gt_frame_send(channel, GT_FRAME_DEVICE, 0, NULL, gt_measure_device(measure));
    }
    GT_THEN(status, gt_measure_attach(measure));
    gt_answer answer = gt_answer_for(status, 0);
    gputune_status sent = gt_frame_send(channel, GT_FRAME_READY, 0, &answer, NULL);
    if (status < 0) {
        gt_measure_close(measure);
        return status;
    }
    *out = measure;
    return sent;
}

int gt_measure_worker(int channel, const char *driver, int ordinal)
{
    gt_measure *measure = NULL;
    if (open_device(&measure, channel, driver, ordinal) < 0) {
        return GT_EXIT_DEVICE;
    }
    const gt_server server = {measure, calls, set_idle_name};
    return gt_serve(&server, channel); /* the end of the process closes the device */
}
