/* Measure requests to one worker, which they are sent to ahead. */
#include "base/clock.h"
#include "farm/farm_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Variants -------------------------------------------------------------------------------- */

/* Whether the request needs the variant loaded. */
static bool needs(const gt_farm_request *request, uint64_t variant)
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

gputune_status gt_measure_insert(gt_host_farm *farm, size_t index, gt_frame_kind kind, uint64_t id,
                                 gt_packet *packet)
{
    gt_farm_request *request;
    GT_TRY(gt_farm_request_make(&request, farm, kind, id, gt_packet_keep(packet)));
    request->internal = true;
    return gt_queue_put(&farm->measure.slot.queue, index, request);
}

gputune_status gt_measure_submit(gt_host_farm *farm, gt_farm_request *request)
{
    gt_queue *queue = &farm->measure.slot.queue;
    GT_TRY(gt_queue_put(queue, queue->count, request));
    gt_measure_pump(farm);
    return GPUTUNE_OK;
}

/* ---- Starting and refusing ------------------------------------------------------------------- */

static gputune_status start_process(gt_host_farm *farm)
{
    gt_measure_host *host = &farm->measure;
    const char *arguments[16] = {NULL};
    size_t count = host->command ? gt_engine_words(arguments, farm, host->command) : 0;
    const char *const own[] = {"--role",   "measure",    "--ordinal", host->ordinal,
                               "--driver", farm->driver, "--plain"};
    memcpy(arguments + count, own, sizeof own - (host->command && host->plain ? 0 : sizeof *own));
    gt_link_start start = {.path = farm->worker,
                           .arguments = arguments,
                           .environment = host->environment,
                           .with_page = true,
                           .remote = host->command != NULL};
    return gt_link_spawn(&farm->measure.slot.link, &start);
}

void gt_measure_start(gt_host_farm *farm)
{
    gt_measure_host *host = &farm->measure;
    gputune_status status = farm->isolation == GPUTUNE_ISOLATION_THREAD
                                ? gt_link_thread(&host->slot.link, farm->driver, farm->ordinal)
                                : start_process(farm);
    if (status < 0) {
        gt_measure_refuse(farm, status, gt_message());
        return;
    }
    gt_slot_begin(&host->slot);
    gt_measure_set_plain(host, host->plain);
}

void gt_measure_set_plain(gt_measure_host *host, bool plain)
{
    gt_link *link = &host->slot.link;
    host->plain = plain;
    if (link->open && link->is_remote && link->page->plain && !plain) {
        gt_link_abandon(link);
        gt_slot_unsend(&host->slot);
    }
    if (link->open && link->page) {
        GT_PAGE_WRITE(link->page->plain, plain);
    }
}

void gt_measure_refuse(gt_host_farm *farm, gputune_status status, const char *message)
{
    gt_measure_host *host = &farm->measure;
    host->refusal = status;
    if (host->command) {
        snprintf(host->refusal_message, sizeof host->refusal_message, "measuring on '%.150s': %s",
                 host->command, message);
    } else {
        snprintf(host->refusal_message, sizeof host->refusal_message, "%s", message);
    }
    gt_link_abandon(&host->slot.link);
    gt_slot_unsend(&host->slot);
}

static void fail_all(gt_host_farm *farm)
{
    gt_measure_host *host = &farm->measure;
    while (host->slot.queue.count > 0) {
        gt_farm_request *request = gt_slot_take(&host->slot, 0);
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
    const gt_farm_request *request = host->slot.queue.items[index];
    for (uint32_t i = 0; i < request->variant_count; i++) {
        gt_live_variant *variant = gt_live_find(host, request->variants[i]);
        if (!variant || variant->generation == 0 || variant->generation == host->slot.generation) {
            continue;
        }
        *missing = true;
        GT_TRY(gt_measure_insert(farm, index, GT_FRAME_VERIFY, variant->id, variant->packet));
        variant->generation = host->slot.generation;
    }
    return GPUTUNE_OK;
}

/* Sends the next unsent request. False if nothing more can be sent now. */
static bool send_next(gt_host_farm *farm)
{
    gt_measure_host *host = &farm->measure;
    gt_farm_request *request = host->slot.queue.items[host->slot.sent];
    bool missing = false;
    if (host->slot.offset == 0 && !request->alone) {
        if (load_again(farm, host->slot.sent, &missing) < 0) {
            gt_farm_break(farm, GPUTUNE_ENOMEM);
            return false;
        }
        request->alone = missing;
    }
    if (missing) {
        return true;
    }
    if (request->alone && host->slot.sent > 0) {
        return false;
    }
    if (gt_slot_push(&host->slot) != GT_PUSH_DONE) {
        return false; /* reading will notice a closed channel */
    }
    if (request->kind == GT_FRAME_DROP) {
        gt_farm_request_free(gt_slot_take(&host->slot, host->slot.sent - 1));
    }
    return true;
}

void gt_measure_pump(gt_host_farm *farm)
{
    gt_measure_host *host = &farm->measure;
    if (host->slot.queue.count > 0 && host->refusal == GPUTUNE_OK && !host->slot.link.open) {
        gt_measure_start(farm);
    }
    if (host->refusal != GPUTUNE_OK) {
        fail_all(farm);
        return;
    }
    while (host->slot.link.open && host->slot.sent < host->slot.queue.count && send_next(farm)) {
    }
}

/* ---- Ends of requests ------------------------------------------------------------------------ */

static const struct {
    gt_event_kind event;
    const gt_record *reply;
} kinds[GT_FRAME_KINDS] = {
    [GT_FRAME_PREPARE] = {GT_EVENT_PREPARED, &gt_record_prepared},
    [GT_FRAME_VERIFY] = {GT_EVENT_VERIFIED, &gt_record_verified},
    [GT_FRAME_RECHECK] = {GT_EVENT_VERIFIED, &gt_record_verified},
    [GT_FRAME_SAMPLE] = {GT_EVENT_SAMPLED, &gt_record_sampled},
    [GT_FRAME_PACE] = {GT_EVENT_SAMPLED, &gt_record_sampled},
};

/* The request for which an internal one was sent: the first that waits for the variant. */
static gt_farm_request *take_dependent(gt_measure_host *host, uint64_t variant)
{
    for (size_t i = 0; i < host->slot.queue.count; i++) {
        if (needs(host->slot.queue.items[i], variant)) {
            return gt_slot_take(&host->slot, i);
        }
    }
    return NULL;
}

void gt_measure_fail(gt_host_farm *farm, gt_farm_request *request, gputune_status status,
                     const char *message, uint64_t culprit, bool repeatable)
{
    gt_measure_host *host = &farm->measure;
    if (request->internal && request->kind == GT_FRAME_VERIFY) {
        gt_farm_request *dependent = take_dependent(host, request->id);
        culprit = request->id;
        gt_farm_request_free(request);
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
        gt_farm_request_free(request);
    }
}

/* Notes what the host needs of a good answer. */
static void note(gt_measure_host *host, const gt_farm_request *request, const gt_event *reply)
{
    gt_live_variant *variant = gt_live_find(host, request->id);
    if (request->kind == GT_FRAME_PREPARE) {
        host->reference_ns = reply->prepared.reference_ns;
        host->prepare_s = gt_seconds_since(host->slot.since_ns);
    } else if (request->kind == GT_FRAME_VERIFY && variant && reply->verified.proved) {
        variant->generation = host->slot.generation;
    } else if (request->kind == GT_FRAME_VERIFY) {
        gt_live_forget(host, request->id);
    }
}

gputune_status gt_measure_succeed(gt_host_farm *farm, const gt_farm_request *request,
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

/* ---- Ending ---------------------------------------------------------------------------------- */

static void forget_all(gt_measure_host *host)
{
    gt_slot_clear(&host->slot);
    while (host->variants.count > 0) {
        gt_packet_drop(host->variants.items[--host->variants.count].packet);
    }
    gt_packet_drop(host->setup);
    host->setup = NULL;
}

void gt_measure_cancel(gt_host_farm *farm)
{
    gt_measure_host *host = &farm->measure;
    bool busy = host->slot.sent > 0 || host->slot.offset > 0;
    forget_all(host);
    if (busy) {
        gt_link_abandon(&host->slot.link);
        gt_slot_unsend(&host->slot);
    }
}

void gt_measure_free(gt_host_farm *farm)
{
    forget_all(&farm->measure);
    gt_slot_free(&farm->measure.slot);
    gt_array_free(&farm->measure.variants);
}
