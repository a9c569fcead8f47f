/* The worker's side of the channel: handles requests in a loop, and reports to the host. */
#include "farm/wire.h"
#include "farm/worker.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

void gt_current_set(gt_current *current, uint64_t variant)
{
    if (!current) {
        return;
    }
    current->hand.variant = variant;
    if (current->host) { /* if sending fails, the host has ended, and this process will end soon */
        (void)gt_frame_send(current->host, GT_FRAME_HAND, 0, NULL, &current->hand);
    }
}

gt_answer gt_answer_for(gputune_status status, uint64_t culprit)
{
    gt_answer answer = {.status = status, .culprit = status < 0 ? culprit : GT_NO_VARIANT};
    if (status < 0) {
        snprintf(answer.message, sizeof answer.message, "%s", gt_message());
    }
    return answer;
}

/* Handles a request and sends the answer. Fails if the worker cannot continue. */
static gputune_status serve_frame(const gt_server *server, int channel, const gt_frame *frame)
{
    const gt_record *asked = gt_carried[frame->kind].job, *answered = gt_carried[frame->kind].reply;
    gt_current current = {{frame->sequence, GT_NO_VARIANT, 0}, channel};
    GT_REFUSE(!server->calls[frame->kind], GPUTUNE_EWORKER,
              "the worker received an unknown request");
    GT_FREED void *job = calloc(1, asked->size);
    GT_FREED void *reply = calloc(1, answered ? answered->size : 1);
    gputune_status status = job && reply ? GPUTUNE_OK : gt_fail_memory();
    GT_THEN(status, gt_frame_body(job, frame, asked));
    if (status == GPUTUNE_OK) {
        gputune_status done = server->calls[frame->kind](server->worker, job, reply, &current);
        gt_answer answer = gt_answer_for(done, current.hand.variant);
        status = answered ? gt_frame_send(channel, frame->kind, frame->sequence, &answer, reply)
                          : GPUTUNE_OK;
        GT_THEN(status, answered && done == GPUTUNE_ECRASHED ? done : GPUTUNE_OK);
        gt_record_release(asked, job);
    }
    if (reply && answered) {
        gt_record_release(answered, reply);
    }
    return status;
}

int gt_serve(const gt_server *server, int channel)
{
    enum { LONG_MS = 500 }; /* idle for longer than most pauses between requests */
    GT_SCOPED(gt_frame_reader_free) gt_frame_reader reader = {.limit_bytes = GT_FRAME_WORKER_BYTES};
    gputune_status status = GPUTUNE_OK;
    while (status == GPUTUNE_OK) {
        struct pollfd poller = {channel, POLLIN, 0};
        gt_frame frame;
        if (server->rest && poll(&poller, 1, LONG_MS) == 0) {
            server->rest();
        }
        if (gt_frame_read(&frame, &reader, channel) != GT_READ_FRAME) {
            return GT_EXIT_DONE;
        }
        status = serve_frame(server, channel, &frame);
        gt_frame_release(&frame);
    }
    return GT_EXIT_CHANNEL;
}
