/* A worker process as the host sees it: the process, its channel, and the requests for it. Several
 * requests are sent in advance, and the worker processes them in order. */
#include "base/clock.h"
#include "base/condition.h"
#include "base/file.h"
#include "base/signals.h"
#include "farm/farm_host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* The kind of event for each kind of request. GT_EVENT_TIMEOUT: the request has no event. */
static const gt_event_kind kinds[GT_FRAME_KINDS] = {
    [GT_FRAME_COMPILE] = GT_EVENT_COMPILED, [GT_FRAME_PREPARE] = GT_EVENT_PREPARED,
    [GT_FRAME_VERIFY] = GT_EVENT_VERIFIED,  [GT_FRAME_RECHECK] = GT_EVENT_RECHECKED,
    [GT_FRAME_SAMPLE] = GT_EVENT_SAMPLED,   [GT_FRAME_DROP] = GT_EVENT_TIMEOUT,
    [GT_FRAME_LOST] = GT_EVENT_TIMEOUT,
};

static const gt_record *const payloads[] = {
    [GT_EVENT_COMPILED] = &gt_record_compiled, [GT_EVENT_PREPARED] = &gt_record_prepared,
    [GT_EVENT_VERIFIED] = &gt_record_verified, [GT_EVENT_RECHECKED] = &gt_record_verified,
    [GT_EVENT_SAMPLED] = &gt_record_sampled,
};

void gt_event_free(gt_event *event)
{
    if (event->kind != GT_EVENT_TIMEOUT) {
        gt_record_release(payloads[event->kind], &event->compiled);
    }
    *event = (gt_event){.kind = GT_EVENT_TIMEOUT};
}

gputune_status gt_answer_read(gt_farm_request *request, const gt_frame *frame)
{
    const gt_record *reply = gt_carried[request->kind].reply;
    gt_answer answer;
    /* the event may still contain the answer of a worker that has died */
    gt_record_release(reply, &request->event.compiled);
    GT_TRY(gt_frame_answer(&answer, frame));
    GT_TRY(gt_frame_body(&request->event.compiled, frame, reply));
    request->event.status = (gputune_status)answer.status;
    request->event.culprit = answer.culprit;
    gt_message_set("%s", answer.message);
    return GPUTUNE_OK;
}

void gt_farm_request_end(gt_host_farm *farm, gt_farm_request *request)
{
    enum { KEPT_MOST = 64 };
    gt_event *event = &request->event;
    gt_queue *kept = &farm->compile.kept;
    if (request->forgotten && event->status == GPUTUNE_OK && request->key) {
        gt_queue_put(kept, kept->count, request);
        if (kept->count <= KEPT_MOST) {
            return;
        }
        request = gt_queue_take(kept, 0);
    }
    if (request->forgotten || request->internal || event->kind == GT_EVENT_TIMEOUT) {
        gt_farm_request_free(request);
        return;
    }
    if (event->status < 0) {
        snprintf(event->message, sizeof event->message, "%.511s", gt_message());
    }
    gt_queue_put(&farm->ended, farm->ended.count, request);
}

/* CROWDED_S: extra seconds if a worker waits for a core. NICENESS: nice value of compilers. */
enum { CROWDED_S = 60, NICENESS = 5 };

/* ---- Starting -------------------------------------------------------------------------------- */

gputune_status gt_link_spawn(gt_link *link, const gt_host_farm *farm, bool measure,
                             const char *const *arguments)
{
    const gt_texts *environment = measure ? &farm->measure.environment : &farm->compile.environment;
    gt_link made = {.open = true, .reader = {.limit_bytes = GT_FRAME_HOST_BYTES}};
    int child = -1;
    GT_TRY(gt_process_channel(&made.channel, &child));
    /* sending must not block the host, which enforces time limits */
    gputune_status status =
        fcntl(made.channel, F_SETFL, O_NONBLOCK) == 0
            ? gt_process_spawn(&made.process, arguments, environment->items, child)
            : gt_fail(GPUTUNE_EWORKER, "cannot make a channel to a worker: %s", strerror(errno));
    close(child);
    if (status != GPUTUNE_OK) {
        close(made.channel);
        return status;
    }
    if (!measure) { /* compilers must not delay the measure worker */
        (void)setpriority(PRIO_PROCESS, (id_t)made.process.pid, NICENESS);
    }
    *link = made;
    return GPUTUNE_OK;
}

/* ---- The clock ------------------------------------------------------------------------------- */

static const double LOOK_AGAIN_S = 0.5;

static bool is_on_cores(const gt_slot *slot)
{
    return slot->role == &gt_compile_role || slot->farm->emulated;
}

static int64_t computed_ns(const gt_link *link)
{
    clockid_t clock;
    struct timespec time = {0};
    if (clock_getcpuclockid(link->process.pid, &clock) == 0) {
        clock_gettime(clock, &time);
    }
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Returns true if a thread of the worker is running, ready to run, waiting for a file, or
 * stopped. */
static bool link_works(const gt_link *link)
{
    char path[64], text[256];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/task", (int)link->process.pid);
    DIR *threads = opendir(path);
    for (const struct dirent *one; !found && threads && (one = readdir(threads));) {
        snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", (int)link->process.pid,
                 one->d_name);
        /* the state follows the thread's name, as in "(NAME) R" */
        const char *end = strrchr(gt_file_peek(text, sizeof text, path), ')');
        found = one->d_name[0] != '.' && end && end[1] && strspn(end + 2, "RDTt") > 0;
    }
    if (threads) {
        closedir(threads);
    }
    return found;
}

void gt_slot_start_clock(gt_slot *slot)
{
    slot->since_ns = gt_now_ns();
    slot->computed_ns = is_on_cores(slot) ? computed_ns(&slot->link) : 0;
}

double gt_slot_spent_s(const gt_slot *slot)
{
    double passed_s = gt_seconds_since(slot->since_ns);
    return is_on_cores(slot)
               ? fmin(passed_s, 1e-9 * (double)(computed_ns(&slot->link) - slot->computed_ns))
               : passed_s;
}

double gt_slot_left_s(const gt_slot *slot, double allowed_s)
{
    double passed_s = gt_seconds_since(slot->since_ns);
    if (passed_s < allowed_s || passed_s > allowed_s + CROWDED_S || !is_on_cores(slot)) {
        return allowed_s - passed_s;
    }
    double left_s = allowed_s - gt_slot_spent_s(slot);
    return left_s > 0 && link_works(&slot->link) ? fmin(left_s, LOOK_AGAIN_S)
                                                 : allowed_s - passed_s;
}

/* ---- Ending ---------------------------------------------------------------------------------- */

/* Closes the channel only after the worker has ended. A worker exits when its channel is closed,
 * and then its exit code would be reported instead of the real cause of its end. */
void gt_link_finish(gt_link *link, gt_death *out, double seconds)
{
    static const int faults[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    gt_death death = {.crashed = false};
    int code = 0;
    if (!link->open) {
        return;
    }
    const gt_end end = gt_process_wait(&link->process, &code, seconds);
    gt_process_end(&link->process);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        death.crashed |= end == GT_END_SIGNALED && code == faults[i];
    }
    if (end == GT_END_EXITED) {
        snprintf(death.words, sizeof death.words, "exited with code %d", code);
    } else if (end == GT_END_SIGNALED) {
        snprintf(death.words, sizeof death.words, "was ended by signal %d (%s)", code,
                 strsignal(code));
    } else {
        snprintf(death.words, sizeof death.words, "%s",
                 end == GT_END_RUNNING ? "stopped answering" : "ended");
    }
    close(link->channel);
    gt_frame_reader_free(&link->reader);
    *link = (gt_link){0};
    if (out) {
        *out = death;
    }
}

/* ---- Packets and requests -------------------------------------------------------------------- */

gputune_status gt_packet_make(gt_packet **out, gt_frame_kind kind, const void *job)
{
    gt_packet *packet = calloc(1, sizeof *packet);
    GT_TRY(gt_allocated(packet));
    packet->references = 1;
    gputune_status status =
        gt_frame_append(&packet->text, kind, 0, NULL, gt_carried[kind].job, job);
    if (status < 0) {
        gt_packet_drop(packet);
        return status;
    }
    *out = packet;
    return GPUTUNE_OK;
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
    request->event = (gt_event){.kind = kinds[kind], .id = id, .culprit = GT_NO_VARIANT};
    *out = request;
    return GPUTUNE_OK;
}

void gt_farm_request_free(gt_farm_request *request)
{
    gt_packet_drop(request->packet);
    gt_event_free(&request->event);
    free(request->variants);
    free(request);
}

gt_farm_request *gt_queue_at(const gt_queue *queue, size_t index)
{
    gt_farm_request *request = queue->first;
    while (index-- > 0) {
        request = request->next;
    }
    return request;
}

static gt_farm_request **place_of(gt_queue *queue, size_t index)
{
    return index ? &gt_queue_at(queue, index - 1)->next : &queue->first;
}

void gt_queue_put(gt_queue *queue, size_t index, gt_farm_request *request)
{
    gt_farm_request **place = place_of(queue, index);
    request->next = *place;
    *place = request;
    queue->count++;
}

gt_farm_request *gt_queue_take(gt_queue *queue, size_t index)
{
    gt_farm_request **place = place_of(queue, index), *request = *place;
    *place = request->next;
    queue->count--;
    return request;
}

void gt_queue_clear(gt_queue *queue)
{
    while (queue->count > 0) {
        gt_farm_request_free(gt_queue_take(queue, 0));
    }
}

/* ---- A worker's requests --------------------------------------------------------------------- */

void gt_slot_begin(gt_slot *slot)
{
    gt_slot_unsend(slot);
    slot->generation++;
    gt_slot_start_clock(slot);
}

void gt_slot_unsend(gt_slot *slot)
{
    slot->sent = slot->offset = 0;
    slot->full = slot->ready = false;
    slot->hand = (gt_hand){0};
}

void gt_slot_clear(gt_slot *slot)
{
    gt_queue_clear(&slot->queue);
    slot->sent = slot->offset = 0;
    slot->full = false;
}

gt_farm_request *gt_slot_take(gt_slot *slot, size_t index)
{
    if (index < slot->sent) {
        slot->sent--;
    } else if (index == slot->sent) {
        slot->offset = 0; /* forget the part of this request that was already sent */
        slot->full = false;
    }
    return gt_queue_take(&slot->queue, index);
}

gt_farm_request *gt_slot_pop(gt_slot *slot)
{
    gt_slot_start_clock(slot);
    return gt_slot_take(slot, 0);
}

gt_push gt_slot_push(gt_slot *slot)
{
    const gt_farm_request *request = gt_queue_at(&slot->queue, slot->sent);
    gt_text *text = &request->packet->text;
    const size_t before = slot->offset;
    if (slot->offset == 0) {
        bool is_again = request->internal && request->kind == GT_FRAME_VERIFY;
        gt_frame_number(text->data, is_again ? GT_FRAME_VERIFY_AGAIN : request->kind,
                        request->sequence);
    }
    slot->full = false;
    while (slot->offset < text->length) {
        ssize_t sent = send(slot->link.channel, text->data + slot->offset,
                            text->length - slot->offset, MSG_NOSIGNAL);
        slot->offset += sent > 0 ? (size_t)sent : 0;
        slot->full = sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        if (sent < 0 && errno != EINTR) {
            if (slot->sent == 0 && slot->offset > before) {
                gt_slot_start_clock(slot);
            }
            return slot->full ? GT_PUSH_AGAIN : GT_PUSH_CLOSED;
        }
    }
    slot->offset = 0;
    if (++slot->sent == 1) {
        gt_slot_start_clock(slot);
    }
    return GT_PUSH_DONE;
}

/* Handles frames until none is left, or a handler has ended or replaced the worker. */
void gt_slot_receive(gt_slot *slot)
{
    const uint64_t generation = slot->generation;
    gt_link *link = &slot->link;
    while (link->open && slot->generation == generation) {
        gt_frame frame;
        gt_read read = gt_frame_read(&frame, &link->reader, link->channel);
        if (read == GT_READ_AGAIN) {
            return;
        }
        bool sane = read == GT_READ_FRAME && slot->role->handle(slot, &frame);
        if (read == GT_READ_FRAME) {
            gt_frame_release(&frame);
        }
        if (read == GT_READ_FAILED && !slot->ready) {
            gt_farm_break(slot->farm, GPUTUNE_EWORKER); /* reports the message of the failed read */
            return;
        }
        if (!sane) {
            if (read != GT_READ_END) {
                /* the worker sent a malformed frame and may still be running */
                gt_process_kill(&link->process);
            }
            slot->role->died(slot);
            return;
        }
    }
}

double gt_slot_patience(gt_slot *slot)
{
    return slot->link.open ? slot->role->left_s(slot) : INFINITY;
}

gputune_status gt_farm_usable(const gt_host_farm *farm)
{
    return farm->broken == GPUTUNE_OK ? GPUTUNE_OK
                                      : gt_fail(farm->broken, "%s", farm->broken_message);
}

void gt_farm_break(gt_host_farm *farm, gputune_status status)
{
    if (farm->broken == GPUTUNE_OK) {
        farm->broken = status;
        farm->farm.broken = true;
        snprintf(farm->broken_message, sizeof farm->broken_message, "%s", gt_message());
    }
}
