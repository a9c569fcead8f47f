/* Requests to workers: they are sent ahead and answered in order, so that a worker is always at its
 * oldest request without an answer. */
#include "base/clock.h"
#include "farm/farm_host.h"

#include <stdio.h>
#include <string.h>

/* ---- Packets and requests -------------------------------------------------------------------- */

gputune_status gt_packet_make(gt_packet **out, gt_frame_kind kind, const gt_record *record,
                              const void *object)
{
    gt_packet *packet = calloc(1, sizeof *packet);
    GT_TRY(gt_allocated(packet));
    packet->references = 1;
    gputune_status status = gt_frame_append(&packet->text, kind, 0, NULL, record, object);
    return GT_GIVE(status, out, packet, gt_packet_drop(packet));
}

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

gputune_status gt_farm_request_make(gt_farm_request **out, gt_host_farm *farm, gt_frame_kind kind,
                                    uint64_t id, gt_packet *packet)
{
    gt_farm_request *request = calloc(1, sizeof *request);
    if (!request) {
        gt_packet_drop(packet);
        return gt_fail_memory();
    }
    request->kind = kind;
    request->id = id;
    request->sequence = ++farm->next_sequence;
    request->packet = packet;
    *out = request;
    return GPUTUNE_OK;
}

void gt_farm_request_free(gt_farm_request *request)
{
    gt_packet_drop(request->packet);
    free(request->variants);
    free(request);
}

/* ---- Queues ---------------------------------------------------------------------------------- */

gputune_status gt_queue_put(gt_queue *queue, size_t index, gt_farm_request *request)
{
    if (gt_array_reserve(queue) < 0) {
        gt_farm_request_free(request);
        return GPUTUNE_ENOMEM;
    }
    memmove(queue->items + index + 1, queue->items + index,
            (queue->count - index) * sizeof *queue->items);
    queue->items[index] = request;
    queue->count++;
    return GPUTUNE_OK;
}

gt_farm_request *gt_queue_take(gt_queue *queue, size_t index)
{
    gt_farm_request *request = queue->items[index];
    queue->count--;
    memmove(queue->items + index, queue->items + index + 1,
            (queue->count - index) * sizeof *queue->items);
    return request;
}

void gt_queue_clear(gt_queue *queue)
{
    while (queue->count > 0) {
        gt_farm_request_free(queue->items[--queue->count]);
    }
}

/* ---- A worker's requests --------------------------------------------------------------------- */

void gt_slot_begin(gt_slot *slot)
{
    gt_slot_unsend(slot);
    slot->generation++;
    slot->since_ns = gt_now_ns();
}

void gt_slot_unsend(gt_slot *slot)
{
    slot->sent = slot->offset = 0;
    slot->full = slot->ready = false;
}

void gt_slot_clear(gt_slot *slot)
{
    gt_queue_clear(&slot->queue);
    slot->sent = slot->offset = 0;
    slot->full = false;
}

void gt_slot_free(gt_slot *slot)
{
    gt_link_abandon(&slot->link);
    gt_slot_clear(slot);
    gt_array_free(&slot->queue);
}

gt_farm_request *gt_slot_take(gt_slot *slot, size_t index)
{
    if (index < slot->sent) {
        slot->sent--;
    } else if (index == slot->sent) {
        slot->offset = 0; /* the request was not sent */
        slot->full = false;
    }
    return gt_queue_take(&slot->queue, index);
}

gt_farm_request *gt_slot_pop(gt_slot *slot)
{
    slot->since_ns = gt_now_ns();
    slot->begun = false;
    slot->seen = GT_NO_VARIANT;
    return gt_slot_take(slot, 0);
}

gt_push gt_slot_push(gt_slot *slot)
{
    const gt_farm_request *request = slot->queue.items[slot->sent];
    gt_text *text = &request->packet->text;
    if (slot->offset == 0) {
        gt_frame_number(text->data, request->sequence);
    }
    gt_push push = gt_link_push(&slot->link, text->data, text->length, &slot->offset);
    slot->full = push == GT_PUSH_AGAIN;
    if (push == GT_PUSH_DONE) {
        slot->offset = 0;
        slot->sent++;
    }
    if (push == GT_PUSH_DONE && slot->sent == 1) {
        slot->since_ns = gt_now_ns();
        slot->begun = false;
    }
    return push;
}

gt_read gt_slot_receive(gt_host_farm *farm, gt_slot *slot,
                        bool (*handle)(gt_host_farm *, gt_slot *, const gt_frame *))
{
    uint64_t generation = slot->generation;
    gt_frame frame;
    while (slot->link.open && slot->generation == generation) {
        gt_read read = gt_link_read(&frame, &slot->link);
        if (read == GT_READ_AGAIN || (read == GT_READ_FAILED && !slot->link.greeted)) {
            return read;
        }
        bool sane = read == GT_READ_FRAME && handle(farm, slot, &frame);
        if (read == GT_READ_FRAME) {
            gt_frame_release(&frame);
        }
        if (!sane) {
            if (read != GT_READ_END) {
                gt_link_kill(&slot->link); /* a worker that sent something malformed still runs */
            }
            return GT_READ_END;
        }
    }
    return GT_READ_AGAIN;
}

/* ---- The farm ---- */

void gt_farm_break(gt_host_farm *farm, gputune_status status)
{
    if (farm->broken == GPUTUNE_OK) {
        farm->broken = status;
        snprintf(farm->broken_message, sizeof farm->broken_message, "%s", gt_message());
    }
}
