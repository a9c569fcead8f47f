/* Makes and frees events, and queues the events that a farm's caller has not fetched yet. */
#include "farm/farm_host.h"

#include <stdio.h>
#include <stdlib.h>

static const gt_record *const payloads[] = {
    [GT_EVENT_COMPILED] = &gt_record_compiled,
    [GT_EVENT_PREPARED] = &gt_record_prepared,
    [GT_EVENT_VERIFIED] = &gt_record_verified,
    [GT_EVENT_SAMPLED] = &gt_record_sampled,
};

void gt_event_free(gt_event *event)
{
    if (event->kind != GT_EVENT_TIMEOUT) {
        gt_record_release(payloads[event->kind], &event->compiled);
    }
    *event = (gt_event){.kind = GT_EVENT_TIMEOUT};
}

gt_event *gt_event_add(gt_event_list *list, gt_event_kind kind, uint64_t id, gputune_status status,
                       const char *message)
{
    gt_event_node *node = calloc(1, sizeof *node);
    if (!node) {
        gt_fail_memory();
        return NULL;
    }
    node->event.kind = kind;
    node->event.id = id;
    node->event.status = status;
    node->event.culprit = GT_NO_VARIANT;
    if (status < 0) {
        snprintf(node->event.message, sizeof node->event.message, "%s", message);
    }
    if (!list->last) {
        list->last = &list->first;
    }
    *list->last = node;
    list->last = &node->next;
    return &node->event;
}

bool gt_event_take(gt_event *out, gt_event_list *list)
{
    GT_FREED gt_event_node *node = list->first;
    if (!node) {
        return false;
    }
    list->first = node->next;
    if (!list->first) {
        list->last = &list->first;
    }
    *out = node->event;
    return true;
}

void gt_event_clear(gt_event_list *list)
{
    gt_event event;
    while (gt_event_take(&event, list)) {
        gt_event_free(&event);
    }
}
