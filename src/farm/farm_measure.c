/* Measure requests to one worker. They are sent ahead and answered in order, so that the worker is
 * always at the oldest request without an answer. */
#include "base/clock.h"
#include "farm/farm_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Packets, requests, variants ------------------------------------------------------------- */

gt_packet *gt_packet_keep(gt_packet *packet)
{
    packet->references++;
    return packet;
}

void gt_packet_drop(gt_packet *packet)
{
    if (packet && --packet->references == 0) {
        gt_text_free(&packet->text);
        free(packet);
    }
}

void gt_measure_request_free(gt_measure_request *request)
{
    gt_packet_drop(request->packet);
    free(request->variants);
    free(request);
}

/* Whether the request needs the variant loaded. */
static bool needs(const gt_measure_request *request, uint64_t variant)
{
    for (uint32_t i = 0; i < request->variant_count; i++) {
        if (request->variants[i] == variant) {
            return true;
        }
    }
    return false;
}

gt_live_variant *gt_live_find(gt_measure_host *host, uint64_t id)
{
    for (size_t i = 0; i < host->variants.count; i++) {
        if (host->variants.items[i].id == id) {
            return &host->variants.items[i];
        }
    }
    return NULL;
}

void gt_live_forget(gt_measure_host *host, uint64_t id)
{
    gt_live_variant *variant = gt_live_find(host, id);
    if (variant) {
        gt_packet_drop(variant->packet);
        *variant = host->variants.items[--host->variants.count];
    }
}

/* ---- Queue ----------------------------------------------------------------------------------- */

/* Puts a request at `index` of the queue; it stays the caller's on failure. */
static gputune_status put(gt_measure_host *host, size_t index, gt_measure_request *request)
{
    GT_TRY(gt_array_reserve(&host->queue));
    memmove(host->queue.items + index + 1, host->queue.items + index,
            (host->queue.count - index) * sizeof *host->queue.items);
    host->queue.items[index] = request;
    host->queue.count++;
    return GPUTUNE_OK;
}

static gt_measure_request *take(gt_measure_host *host, size_t index)
{
    gt_measure_request *request = host->queue.items[index];
    host->queue.count--;
    memmove(host->queue.items + index, host->queue.items + index + 1,
            (host->queue.count - index) * sizeof *host->queue.items);
    if (index < host->sent) {
        host->sent--;
    } else if (index == host->sent) {
        host->offset = 0; /* it was not sent */
    }
    return request;
}

gt_measure_request *gt_measure_pop(gt_measure_host *host)
{
    host->since_ns = gt_now_ns();
    host->begun = false;
    host->seen = GT_NO_VARIANT;
    return take(host, 0);
}

gputune_status gt_measure_insert(gt_host_farm *farm, size_t index, gt_frame_kind kind, uint64_t id,
                                 gt_packet *packet)
{
    gt_measure_request *request = calloc(1, sizeof *request);
    if (!request) {
        return gt_fail_memory();
    }
    request->kind = kind;
    request->id = id;
    request->sequence = ++farm->next_sequence;
    request->packet = gt_packet_keep(packet);
    request->internal = true;
    gputune_status status = put(&farm->measure, index, request);
    if (status < 0) {
        gt_measure_request_free(request);
    }
    return status;
}

gputune_status gt_measure_submit(gt_host_farm *farm, gt_measure_request *request)
{
    gt_measure_host *host = &farm->measure;
    gputune_status status = put(host, host->queue.count, request);
    if (status < 0) {
        gt_measure_request_free(request);
        return status;
    }
    gt_measure_pump(farm);
    return GPUTUNE_OK;
}

/* ---- Starting and refusing ------------------------------------------------------------------- */

static gputune_status start_process(gt_host_farm *farm)
{
    const char *arguments[8] = {"--role", "measure", "--ordinal", farm->measure.ordinal};
    if (farm->driver) {
        arguments[4] = "--driver";
        arguments[5] = farm->driver;
    }
    gt_link_start start = {farm->worker, arguments, farm->measure.environment, true, false};
    return gt_link_spawn(&farm->measure.link, &start);
}

void gt_measure_start(gt_host_farm *farm)
{
    gt_measure_host *host = &farm->measure;
    gputune_status status = farm->isolation == GPUTUNE_ISOLATION_THREAD
                                ? gt_link_thread(&host->link, farm->driver, farm->ordinal)
                                : start_process(farm);
    if (status < 0) {
        gt_measure_refuse(farm, status, gt_message());
        return;
    }
    host->generation++;
    host->ready = false;
    host->sent = host->offset = 0;
    host->since_ns = gt_now_ns();
    gt_measure_set_plain(host, host->plain);
}

void gt_measure_set_plain(gt_measure_host *host, bool plain)
{
    host->plain = plain;
    if (host->link.open && host->link.page) {
        GT_PAGE_WRITE(host->link.page->plain, plain);
    }
}

bool gt_measure_does_without(gt_measure_host *host)
{
    bool can = host->link.page && !host->link.is_thread && !host->plain && host->sent > 0 &&
               host->queue.items[0]->kind == GT_FRAME_PREPARE &&
               GT_PAGE_READ(host->link.page->trying);
    host->plain |= can;
    return can;
}

void gt_measure_refuse(gt_host_farm *farm, gputune_status status, const char *message)
{
    gt_measure_host *host = &farm->measure;
    host->refusal = status;
    snprintf(host->refusal_message, sizeof host->refusal_message, "%s", message);
    gt_link_abandon(&host->link);
    host->ready = false;
    host->sent = host->offset = 0;
}

static void fail_all(gt_host_farm *farm)
{
    gt_measure_host *host = &farm->measure;
    while (host->queue.count > 0) {
        gt_measure_request *request = take(host, 0);
        host->refusal_told = true;
        gt_measure_fail(farm, request, host->refusal, host->refusal_message, 0, false);
    }
}

/* ---- Sending --------------------------------------------------------------------------------- */

/* Queues before `index` the requests that load what a new worker lacks. *missing: whether there
 * were any. */
static gputune_status load_again(gt_host_farm *farm, size_t index, bool *missing)
{
    gt_measure_host *host = &farm->measure;
    const gt_measure_request *request = host->queue.items[index];
    for (uint32_t i = 0; i < request->variant_count; i++) {
        gt_live_variant *variant = gt_live_find(host, request->variants[i]);
        if (!variant || variant->generation == 0 || variant->generation == host->generation) {
            continue;
        }
        *missing = true;
        GT_TRY(gt_measure_insert(farm, index, GT_FRAME_VERIFY, variant->id, variant->packet));
        variant->generation = host->generation;
    }
    return GPUTUNE_OK;
}

/* Sends the next unsent request. False if nothing more can be sent now. */
static bool send_next(gt_host_farm *farm)
{
    gt_measure_host *host = &farm->measure;
    gt_measure_request *request = host->queue.items[host->sent];
    bool missing = false;
    if (host->offset == 0 && !request->alone) {
        if (load_again(farm, host->sent, &missing) < 0) {
            gt_farm_break(farm, GPUTUNE_ENOMEM);
            return false;
        }
        request->alone = missing;
    }
    if (missing) {
        return true;
    }
    if (request->alone && host->sent > 0) {
        return false;
    }
    gt_text *text = &request->packet->text;
    if (host->offset == 0) {
        gt_frame_number(text->data, request->sequence);
    }
    gt_push push = gt_link_push(&host->link, text->data, text->length, &host->offset);
    if (push != GT_PUSH_DONE) {
        return false; /* reading will notice a closed channel */
    }
    host->offset = 0;
    if (host->sent == 0) {
        host->since_ns = gt_now_ns();
        host->begun = false;
    }
    host->sent++;
    if (request->kind == GT_FRAME_DROP) {
        gt_measure_request_free(take(host, host->sent - 1));
    }
    return true;
}

void gt_measure_pump(gt_host_farm *farm)
{
    gt_measure_host *host = &farm->measure;
    if (host->queue.count > 0 && host->refusal == GPUTUNE_OK && !host->link.open) {
        gt_measure_start(farm);
    }
    if (host->refusal != GPUTUNE_OK) {
        fail_all(farm);
        return;
    }
    while (host->link.open && host->sent < host->queue.count && send_next(farm)) {
    }
}

/* ---- Answers --------------------------------------------------------------------------------- */

static const struct {
    gt_event_kind event;
    const gt_record *reply;
} kinds[GT_FRAME_KINDS] = {
    [GT_FRAME_PREPARE] = {GT_EVENT_PREPARED, &gt_record_prepared},
    [GT_FRAME_VERIFY] = {GT_EVENT_VERIFIED, &gt_record_verified},
    [GT_FRAME_RECHECK] = {GT_EVENT_VERIFIED, &gt_record_verified},
    [GT_FRAME_SAMPLE] = {GT_EVENT_SAMPLED, &gt_record_sampled},
};

/* The request for which an internal one was sent: the first that waits for the variant. */
static gt_measure_request *take_dependent(gt_measure_host *host, uint64_t variant)
{
    for (size_t i = 0; i < host->queue.count; i++) {
        if (needs(host->queue.items[i], variant)) {
            return take(host, i);
        }
    }
    return NULL;
}

void gt_measure_fail(gt_host_farm *farm, gt_measure_request *request, gputune_status status,
                     const char *message, uint64_t culprit, bool repeatable)
{
    gt_measure_host *host = &farm->measure;
    if (request->internal && request->kind == GT_FRAME_VERIFY) {
        gt_measure_request *dependent = take_dependent(host, request->id);
        culprit = request->id;
        gt_measure_request_free(request);
        request = dependent;
    }
    if (request && request->kind == GT_FRAME_PREPARE) {
        gt_packet_drop(host->setup);
        host->setup = NULL;
    }
    if (request && !request->internal && request->kind != GT_FRAME_DROP) {
        gt_event *event =
            gt_event_add(&farm->events, kinds[request->kind].event, request->id, status, message);
        if (event) {
            event->culprit = culprit;
            event->repeatable = repeatable;
        } else {
            gt_farm_break(farm, GPUTUNE_ENOMEM);
        }
        if (request->kind == GT_FRAME_VERIFY) {
            culprit = request->id;
        }
    }
    if (culprit != GT_NO_VARIANT) {
        gt_live_forget(host, culprit);
    }
    if (request) {
        gt_measure_request_free(request);
    }
}

/* Notes what the host needs of a good answer. */
static void note(gt_measure_host *host, const gt_measure_request *request, const gt_event *reply)
{
    gt_live_variant *variant = gt_live_find(host, request->id);
    if (request->kind == GT_FRAME_PREPARE) {
        host->reference_ns = reply->prepared.reference_ns;
        host->prepare_s = gt_seconds_since(host->since_ns);
    } else if (request->kind == GT_FRAME_VERIFY && variant && reply->verified.proved) {
        variant->generation = host->generation;
    } else if (request->kind == GT_FRAME_VERIFY) {
        gt_live_forget(host, request->id);
    }
}

static gputune_status succeed(gt_host_farm *farm, const gt_measure_request *request,
                              const gt_frame *frame)
{
    gt_event reply = {.kind = kinds[request->kind].event};
    const gt_record *record = kinds[request->kind].reply;
    GT_TRY(gt_frame_body(&reply.compiled, frame, record));
    gputune_status status = GPUTUNE_OK;
    if (request->kind == GT_FRAME_SAMPLE && reply.sampled.count != request->variant_count) {
        status = gt_fail(GPUTUNE_EWORKER, "the measure worker sent %u samples; expected %u",
                         reply.sampled.count, request->variant_count);
    }
    gt_event *event = NULL;
    if (status == GPUTUNE_OK && !request->internal) {
        event = gt_event_add(&farm->events, reply.kind, request->id, GPUTUNE_OK, "");
        status = event ? GPUTUNE_OK : GPUTUNE_ENOMEM;
    }
    if (status == GPUTUNE_OK) {
        note(&farm->measure, request, &reply);
        farm->measure.blameless = request->internal ? farm->measure.blameless : 0;
    }
    if (event) {
        reply.id = event->id;
        *event = reply;
    } else {
        gt_record_release(record, &reply.compiled);
    }
    return status;
}

/* A reference that failed may have made its process unable to use the GPU, whatever its status is.
 */
static bool is_suspect(const gt_host_farm *farm, const gt_measure_request *request,
                       gputune_status status)
{
    return request->kind == GT_FRAME_PREPARE && !farm->measure.link.is_thread &&
           (status == GPUTUNE_ETEMPLATE || status == GPUTUNE_ECUDA);
}

/* False if the worker cannot be used any more. */
static bool handle_answer(gt_host_farm *farm, const gt_frame *frame)
{
    gt_measure_host *host = &farm->measure;
    gt_measure_request *request = host->sent > 0 ? host->queue.items[0] : NULL;
    gt_answer answer;
    if (!request || frame->sequence != request->sequence || gt_frame_answer(&answer, frame) < 0) {
        return false;
    }
    gputune_status status = (gputune_status)answer.status;
    if (status == GPUTUNE_OK) {
        if (succeed(farm, request, frame) < 0) {
            return false;
        }
        gt_measure_request_free(gt_measure_pop(host));
        return true;
    }
    if (status == GPUTUNE_ECRASHED && gt_measure_does_without(host)) {
        gt_measure_restart(farm);
        return true;
    }
    if (request->internal && request->kind == GT_FRAME_PREPARE) {
        gt_measure_refuse(farm, status, answer.message);
        return true;
    }
    bool crashed = status == GPUTUNE_ECRASHED;
    bool suspect = is_suspect(farm, request, status);
    gt_measure_pop(host);
    gt_measure_fail(farm, request, status, answer.message, answer.culprit, crashed);
    if (crashed || suspect) {
        gt_measure_restart(farm);
    }
    return true;
}

static bool handle_ready(gt_host_farm *farm, const gt_frame *frame)
{
    gt_measure_host *host = &farm->measure;
    gt_answer answer;
    if (gt_frame_answer(&answer, frame) < 0) {
        return false;
    }
    if (answer.status < 0) {
        gt_measure_refuse(farm, (gputune_status)answer.status, answer.message);
        return true;
    }
    host->ready = true;
    host->start_failures = 0;
    host->since_ns = gt_now_ns();
    return true;
}

static bool handle_device(gt_host_farm *farm, const gt_frame *frame)
{
    gt_measure_host *host = &farm->measure;
    gt_device device;
    if (gt_frame_body(&device, frame, &gt_record_device) < 0 || device.carveout_count < 0 ||
        device.carveout_count > GT_CARVEOUT_MAX) {
        return false;
    }
    host->device = device;
    host->has_device = true;
    return true;
}

static bool handle(gt_host_farm *farm, const gt_frame *frame)
{
    switch (frame->kind) {
    case GT_FRAME_DEVICE:
        return handle_device(farm, frame);
    case GT_FRAME_READY:
        return handle_ready(farm, frame);
    default:
        return handle_answer(farm, frame);
    }
}

void gt_measure_receive(gt_host_farm *farm)
{
    gt_measure_host *host = &farm->measure;
    uint64_t generation = host->generation;
    gt_frame frame;
    while (host->link.open && host->generation == generation) {
        gt_read read = gt_link_read(&frame, &host->link);
        if (read == GT_READ_AGAIN) {
            return;
        }
        if (read == GT_READ_FAILED && !host->link.greeted) {
            gt_measure_refuse(farm, GPUTUNE_EWORKER, gt_message());
            return;
        }
        bool sane = read == GT_READ_FRAME && handle(farm, &frame);
        if (read == GT_READ_FRAME) {
            gt_frame_release(&frame);
        }
        if (!sane) {
            if (read != GT_READ_END) {
                gt_process_kill(
                    &host->link.process); /* it sent something malformed, and still runs */
            }
            gt_measure_died(farm);
            return;
        }
    }
}

/* ---- Ending ---------------------------------------------------------------------------------- */

static void forget_requests(gt_measure_host *host)
{
    while (host->queue.count > 0) {
        gt_measure_request_free(host->queue.items[--host->queue.count]);
    }
}

static void forget_all(gt_measure_host *host)
{
    forget_requests(host);
    while (host->variants.count > 0) {
        gt_packet_drop(host->variants.items[--host->variants.count].packet);
    }
    gt_packet_drop(host->setup);
    host->setup = NULL;
}

void gt_measure_cancel(gt_host_farm *farm)
{
    gt_measure_host *host = &farm->measure;
    bool busy = host->sent > 0 || host->offset > 0;
    forget_all(host);
    host->sent = host->offset = 0;
    if (busy) {
        gt_link_abandon(&host->link);
        host->ready = false;
    }
}

void gt_measure_interrupt(gt_host_farm *farm)
{
    gt_measure_host *host = &farm->measure;
    bool busy = host->sent > 0 || host->offset > 0;
    if (!host->link.is_thread) {
        forget_requests(host);
        if (busy) {
            gt_measure_restart(farm);
        }
    }
}

void gt_measure_free(gt_host_farm *farm)
{
    forget_all(&farm->measure);
    gt_link_abandon(&farm->measure.link);
    gt_array_free(&farm->measure.queue);
    gt_array_free(&farm->measure.variants);
}
