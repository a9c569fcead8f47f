/* The loop of the measure worker: from requests on the channel to calls of measure.h. */
#include "farm/measure.h"
#include "farm/wire.h"
#include "farm/worker.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Requests -------------------------------------------------------------------------------- */

void gt_page_at(gt_page *page, uint64_t variant)
{
    GT_PAGE_WRITE(page->current, variant);
    if (page->channel) {
        const gt_hand hand = {page->sequence, variant, page->trying != 0};
        (void)gt_frame_send(page->channel, GT_FRAME_HAND, 0, NULL, &gt_record_hand, &hand);
    }
}

static gputune_status prepare(gt_measure *measure, const void *job, void *reply, gt_page *page)
{
    gt_page_at(page, GT_NO_VARIANT);
    GT_TRY(gt_measure_prepare(measure, job, reply));
    if (GT_PAGE_READ(page->plain) || ((const gt_measure_setup *)job)->check) {
        return GPUTUNE_OK;
    }
    GT_PAGE_WRITE(page->trying, 1);
    gt_page_at(page, GT_NO_VARIANT);
    GT_TRY(gt_measure_try(measure, job, reply));
    GT_PAGE_WRITE(page->trying, 0);
    return GPUTUNE_OK;
}

static gputune_status verify(gt_measure *measure, const void *job, void *reply, gt_page *page)
{
    gt_page_at(page, ((const gt_verify_job *)job)->id);
    return gt_measure_verify(measure, job, reply);
}

static gputune_status recheck(gt_measure *measure, const void *job, void *reply, gt_page *page)
{
    gt_page_at(page, ((const gt_recheck_job *)job)->id);
    return gt_measure_recheck(measure, job, reply);
}

static gputune_status sample(gt_measure *measure, const void *job, void *reply, gt_page *page)
{
    return gt_measure_sample(measure, job, reply, page);
}

static gputune_status pace(gt_measure *measure, const void *job, void *reply, gt_page *page)
{
    (void)job;
    (void)page;
    return gt_measure_pace(measure, reply);
}

static gputune_status drop(gt_measure *measure, const void *job, void *reply, gt_page *page)
{
    (void)reply;
    (void)page;
    gt_measure_drop(measure, ((const gt_id_job *)job)->id);
    return GPUTUNE_OK;
}

static const struct request {
    gputune_status (*call)(gt_measure *measure, const void *job, void *reply, gt_page *page);
    const gt_record *job, *reply; /* reply NULL: no answer */
} requests[GT_FRAME_KINDS] = {
    [GT_FRAME_PREPARE] = {prepare, &gt_record_setup, &gt_record_prepared},
    [GT_FRAME_VERIFY] = {verify, &gt_record_verify_job, &gt_record_verified},
    [GT_FRAME_RECHECK] = {recheck, &gt_record_recheck_job, &gt_record_verified},
    [GT_FRAME_SAMPLE] = {sample, &gt_record_sample_job, &gt_record_sampled},
    [GT_FRAME_PACE] = {pace, &gt_record_id_job, &gt_record_sampled},
    [GT_FRAME_DROP] = {drop, &gt_record_id_job, NULL},
};

/* ---- Answers --------------------------------------------------------------------------------- */

static gt_answer answer_for(gputune_status status, uint64_t culprit)
{
    gt_answer answer = {.status = status, .culprit = status < 0 ? culprit : GT_NO_VARIANT};
    if (status < 0) {
        snprintf(answer.message, sizeof answer.message, "%s", gt_message());
    }
    return answer;
}

/* Carries one request out and answers it. Fails when the process is of no more use. */
static gputune_status carry_out(gt_measure *measure, int channel, gt_page *page,
                                const gt_frame *frame, void *job, void *reply)
{
    const struct request *request = &requests[frame->kind];
    GT_PAGE_WRITE(page->current, GT_NO_VARIANT);
    GT_PAGE_WRITE(page->sequence, frame->sequence);
    gputune_status done = request->call(measure, job, reply, page);
    GT_PAGE_WRITE(page->sequence, 0); /* from here on a death is not the request's fault */
    if (!request->reply) {
        return GPUTUNE_OK;
    }
    gt_answer answer = answer_for(done, GT_PAGE_READ(page->current));
    GT_TRY(gt_frame_send(channel, frame->kind, frame->sequence, &answer, request->reply,
                         done < 0 ? NULL : reply));
    return done == GPUTUNE_ECRASHED ? done : GPUTUNE_OK;
}

static gputune_status serve(gt_measure *measure, int channel, gt_page *page, const gt_frame *frame)
{
    const struct request *request = &requests[frame->kind];
    if (!request->call) {
        return gt_fail(GPUTUNE_EWORKER, "the measure worker got a request that it does not know");
    }
    GT_FREED void *job = calloc(1, request->job->size);
    GT_FREED void *reply = calloc(1, request->reply ? request->reply->size : 1);
    gputune_status status = job && reply ? GPUTUNE_OK : gt_fail_memory();
    GT_THEN(status, gt_frame_body(job, frame, request->job));
    if (status == GPUTUNE_OK) {
        status = carry_out(measure, channel, page, frame, job, reply);
        gt_record_release(request->job, job);
    }
    if (reply && request->reply) {
        gt_record_release(request->reply, reply);
    }
    return status;
}

/* ---- The loop -------------------------------------------------------------------------------- */

/* A host that knows no device yet goes on with it while the context is made. */
static gputune_status tell_and_attach(gt_measure *measure, int channel)
{
    GT_TRY(gt_frame_send(channel, GT_FRAME_DEVICE, 0, NULL, &gt_record_device,
                         gt_measure_device(measure)));
    return gt_measure_attach(measure);
}

static gputune_status open_device(gt_measure **out, int channel, const char *driver, int ordinal)
{
    gt_measure *measure = NULL;
    gputune_status status = gt_measure_open(&measure, driver, ordinal);
    GT_THEN(status, tell_and_attach(measure, channel));
    gt_answer answer = answer_for(status, 0);
    gputune_status sent = gt_frame_send(channel, GT_FRAME_READY, 0, &answer, NULL, NULL);
    if (status < 0) {
        gt_measure_close(measure);
        return status;
    }
    *out = measure;
    return sent;
}

static gputune_status serve_all(gt_measure *measure, int in, int out, gt_page *page)
{
    GT_SCOPED(gt_frame_reader_free) gt_frame_reader reader = {.limit_bytes = GT_FRAME_WORKER_BYTES};
    gt_frame frame;
    gputune_status status = GPUTUNE_OK;
    while (status == GPUTUNE_OK && gt_frame_read(&frame, &reader, in) == GT_READ_FRAME) {
        status = serve(measure, out, page, &frame);
        gt_frame_release(&frame);
    }
    return status;
}

int gt_measure_worker(int in, int out, gt_page *page, const char *driver, int ordinal,
                      bool close_device)
{
    gt_measure *measure = NULL;
    gputune_status status = gt_say_hello(out);
    GT_THEN(status, open_device(&measure, out, driver, ordinal));
    if (status < 0) {
        return GT_EXIT_DEVICE;
    }
    status = serve_all(measure, in, out, page);
    if (close_device) {
        gt_measure_close(measure);
    }
    return status == GPUTUNE_OK ? GT_EXIT_DONE : GT_EXIT_CHANNEL;
}
