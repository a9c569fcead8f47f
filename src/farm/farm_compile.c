/* Distributes compile jobs over workers, in their order. A job whose worker dies is tried once
 * more. */
#include "base/clock.h"
#include "base/number.h"
#include "farm/farm_host.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Far beyond any kernel that finishes; NVRTC has no time limit of its own. */
static const double COMPILE_DEADLINE_S = 120;
/* A worker that has been at a canceled job for so long is not waited for. */
static const double FORGOTTEN_S = 0.5;
enum { ATTEMPTS_MAX = 2, START_FAILURES_MAX = 3 };

/* ---- Tasks ----------------------------------------------------------------------------------- */

static void task_free(gt_task *task)
{
    gt_text_free(&task->frame);
    free(task);
}

static void free_tasks(gt_compile_slot *slot)
{
    for (unsigned i = 0; i < slot->count; i++) {
        task_free(slot->tasks[i]);
    }
    slot->count = 0;
}

static gt_task *queue_pop(gt_compile_host *host)
{
    gt_task *task = host->queue.items[0];
    host->queue.count--;
    memmove(host->queue.items, host->queue.items + 1,
            host->queue.count * sizeof *host->queue.items);
    return task;
}

/* Puts the task back at the front of the queue. The array has room, because the task was in it. */
static void queue_return(gt_compile_host *host, gt_task *task)
{
    if (task->forgotten || gt_array_reserve(&host->queue) < 0) {
        task_free(task);
        return;
    }
    memmove(host->queue.items + 1, host->queue.items,
            host->queue.count * sizeof *host->queue.items);
    host->queue.items[0] = task;
    host->queue.count++;
}

/* `seconds`: that were spent on it, as far as that is worth knowing. */
static void task_fail(gt_host_farm *farm, gt_task *task, gputune_status status, const char *message,
                      bool repeatable, double seconds)
{
    if (!task->forgotten) {
        gt_event *event = gt_event_add(&farm->events, GT_EVENT_COMPILED, task->id, status, message);
        if (event) {
            event->repeatable = repeatable;
            event->compiled.compile_ns = seconds * 1e9;
        } else {
            gt_farm_break(farm, GPUTUNE_ENOMEM);
        }
    }
    task_free(task);
}

/* ---- Workers --------------------------------------------------------------------------------- */

static gputune_status slot_start(gt_host_farm *farm, gt_compile_slot *slot)
{
    const char *arguments[10] = {"--role",           "compile",
                                 "--driver-version", farm->compile.driver_version,
                                 "--memory",         farm->compile.memory_mb};
    if (farm->arch) {
        arguments[6] = "--arch";
        arguments[7] = farm->arch;
    }
    gt_link_start start = {farm->worker, arguments, farm->compile.environment, false,
                           farm->low_priority};
    GT_TRY(gt_link_spawn(&slot->link, &start));
    slot->count = 0;
    slot->sent = 0;
    slot->ready = false;
    gt_text_clear(&slot->out);
    return GPUTUNE_OK;
}

static void slot_died(gt_host_farm *farm, gt_compile_slot *slot);

static void slot_flush(gt_host_farm *farm, gt_compile_slot *slot)
{
    if (slot->sent == slot->out.length) {
        return;
    }
    switch (gt_link_push(&slot->link, slot->out.data, slot->out.length, &slot->sent)) {
    case GT_PUSH_DONE:
        gt_text_clear(&slot->out);
        slot->sent = 0;
        break;
    case GT_PUSH_AGAIN:
        break;
    case GT_PUSH_CLOSED:
        slot_died(farm, slot);
        break;
    }
}

static void slot_give(gt_host_farm *farm, gt_compile_slot *slot, gt_task *task)
{
    gt_text_append_bytes(&slot->out, task->frame.data, task->frame.length);
    if (slot->out.failed) {
        gt_text_clear(&slot->out);
        task_fail(farm, task, GPUTUNE_ENOMEM, "out of host memory", false, 0);
        return;
    }
    if (slot->count == 0) {
        slot->since_ns = gt_now_ns();
    }
    slot->tasks[slot->count++] = task;
    slot_flush(farm, slot);
}

/* ---- Handing out ----------------------------------------------------------------------------- */

static gt_compile_slot *least_busy(gt_compile_host *host, unsigned below, uint32_t *open)
{
    gt_compile_slot *best = NULL;
    *open = 0;
    for (uint32_t i = 0; i < host->slot_count; i++) {
        gt_compile_slot *slot = &host->slots[i];
        if (!slot->link.open) {
            continue;
        }
        ++*open;
        if (slot->count < below && (!best || slot->count < best->count)) {
            best = slot;
        }
    }
    return best;
}

static gt_compile_slot *closed_slot(gt_compile_host *host)
{
    for (uint32_t i = 0; i < host->slot_count; i++) {
        if (!host->slots[i].link.open) {
            return &host->slots[i];
        }
    }
    return NULL;
}

static bool is_forgotten(const gt_compile_slot *slot)
{
    for (unsigned i = 0; i < slot->count; i++) {
        if (!slot->tasks[i]->forgotten) {
            return false;
        }
    }
    return slot->link.open && slot->count > 0;
}

/* Ends a worker that has long been compiling a source that no request waits for. NULL: there is
 * none. */
static gt_compile_slot *take_from_forgotten(gt_compile_host *host)
{
    for (uint32_t i = 0; i < host->slot_count; i++) {
        gt_compile_slot *slot = &host->slots[i];
        if (is_forgotten(slot) && gt_seconds_since(slot->since_ns) > FORGOTTEN_S) {
            free_tasks(slot);
            gt_link_abandon(&slot->link);
            return slot;
        }
    }
    return NULL;
}

/* The worker for the next job: an idle one or a new one. While more jobs wait than there are
 * workers, also one that has a single job, so that it need not wait for its next one. NULL: none
 * now. *open: how many workers there are. */
static gt_compile_slot *next_slot(gt_host_farm *farm, uint32_t *open)
{
    gt_compile_host *host = &farm->compile;
    gt_compile_slot *slot = least_busy(host, 1, open);
    if (slot) {
        return slot;
    }
    slot = *open < host->limit ? closed_slot(host) : NULL;
    if (!slot && (slot = take_from_forgotten(host))) {
        --*open;
    }
    if (slot && slot_start(farm, slot) == GPUTUNE_OK) {
        ++*open;
        return slot;
    }
    if (slot && *open > 0) {
        gt_log_line(&farm->log, GPUTUNE_LOG_WARNING, "%s; going on with %u compile worker%s",
                    gt_message(), *open, gt_plural(*open));
        host->limit = *open;
    }
    return host->queue.count > *open ? least_busy(host, GT_IN_FLIGHT, open) : NULL;
}

void gt_compile_pump(gt_host_farm *farm)
{
    gt_compile_host *host = &farm->compile;
    while (host->queue.count > 0 && farm->broken == GPUTUNE_OK) {
        uint32_t open = 0;
        gt_compile_slot *slot = next_slot(farm, &open);
        if (slot) {
            slot_give(farm, slot, queue_pop(host));
        } else if (open == 0) {
            task_fail(farm, queue_pop(host), GPUTUNE_EWORKER, gt_message(), false, 0);
        } else {
            break;
        }
    }
    for (uint32_t i = 0; i < host->slot_count; i++) {
        if (host->slots[i].link.open) {
            slot_flush(farm, &host->slots[i]);
        }
    }
}

gputune_status gt_compile_submit(gt_host_farm *farm, const gt_compile_job *job)
{
    gt_compile_host *host = &farm->compile;
    GT_TRY(gt_array_reserve(&host->queue));
    gt_task *task = calloc(1, sizeof *task);
    if (!task) {
        return gt_fail_memory();
    }
    task->sequence = ++farm->next_sequence;
    task->id = job->id;
    gputune_status status = gt_frame_append(&task->frame, GT_FRAME_COMPILE, task->sequence, NULL,
                                            &gt_record_compile_job, job);
    if (status < 0) {
        task_free(task);
        return status;
    }
    host->queue.items[host->queue.count++] = task;
    gt_compile_pump(farm);
    return GPUTUNE_OK;
}

/* ---- Answers --------------------------------------------------------------------------------- */

static gt_task *take_task(gt_compile_slot *slot)
{
    gt_task *task = slot->tasks[0];
    slot->tasks[0] = slot->tasks[1];
    slot->tasks[1] = NULL;
    slot->count--;
    slot->since_ns = gt_now_ns();
    return task;
}

static gputune_status tell(gt_host_farm *farm, const gt_task *task, const gt_frame *frame)
{
    gt_answer answer;
    gt_compiled compiled;
    GT_TRY(gt_frame_answer(&answer, frame));
    GT_TRY(gt_frame_body(&compiled, frame, &gt_record_compiled));
    gt_event *event = gt_event_add(&farm->events, GT_EVENT_COMPILED, task->id,
                                   (gputune_status)answer.status, answer.message);
    if (!event) {
        gt_record_release(&gt_record_compiled, &compiled);
        return GPUTUNE_ENOMEM;
    }
    event->compiled = compiled;
    event->repeatable = answer.status == GPUTUNE_ECOMPILE;
    return GPUTUNE_OK;
}

/* False for an answer to no job: the worker cannot be used any more. */
static bool handle(gt_host_farm *farm, gt_compile_slot *slot, const gt_frame *frame)
{
    if (slot->count == 0 || frame->kind != GT_FRAME_COMPILE ||
        frame->sequence != slot->tasks[0]->sequence) {
        return false;
    }
    if (!slot->tasks[0]->forgotten && tell(farm, slot->tasks[0], frame) < 0) {
        return false;
    }
    task_free(take_task(slot));
    slot->ready = true;
    return true;
}

static void handle_ready(gt_compile_slot *slot)
{
    slot->ready = true;
    slot->since_ns = gt_now_ns();
}

void gt_compile_receive(gt_host_farm *farm, gt_compile_slot *slot)
{
    gt_frame frame;
    gt_read read;
    while ((read = gt_link_read(&frame, &slot->link)) == GT_READ_FRAME) {
        bool sane = true;
        if (frame.kind == GT_FRAME_READY) {
            handle_ready(slot);
        } else {
            sane = handle(farm, slot, &frame);
        }
        gt_frame_release(&frame);
        if (!sane) {
            read = GT_READ_FAILED;
            break;
        }
    }
    if (slot->link.greeted) {
        farm->compile.start_failures = 0;
    }
    if (read == GT_READ_FAILED && !slot->link.greeted) {
        gt_farm_break(farm, GPUTUNE_EWORKER); /* a worker of another version: all others are too */
    } else if (read != GT_READ_AGAIN) {
        if (read == GT_READ_FAILED) {
            gt_process_kill(&slot->link.process); /* it sent something malformed, and still runs */
        }
        slot_died(farm, slot);
    }
}

/* ---- Deaths ---------------------------------------------------------------------------------- */

/* A job whose second worker dies too is the cause. That is worth remembering, unless the worker was
 * ended from outside (out of memory, an operator). */
static void blame(gt_host_farm *farm, gt_task *task, const gt_death *death)
{
    if (++task->attempts < ATTEMPTS_MAX && !task->forgotten) {
        queue_return(&farm->compile, task);
        return;
    }
    char message[256];
    snprintf(message, sizeof message,
             "the compile worker %s on this source, and so did a new one; it may take %s MB of "
             "memory",
             death->words, farm->compile.memory_mb);
    bool crash = death->end == GT_END_SIGNALED && death->code != SIGKILL && death->code != SIGTERM;
    task_fail(farm, task, GPUTUNE_ECRASHED, message, crash, 0);
}

/* A worker that ends before its first message failed for no job, and another one would fail as
 * well. */
static void count_start_failure(gt_host_farm *farm, const gt_death *death)
{
    if (++farm->compile.start_failures >= START_FAILURES_MAX) {
        gt_farm_break(farm, gt_fail(GPUTUNE_EWORKER,
                                    "%s %s before it answered; run it by hand with --version to "
                                    "see why",
                                    farm->worker, death->words));
    }
}

static void slot_died(gt_host_farm *farm, gt_compile_slot *slot)
{
    gt_death death;
    bool greeted = slot->link.greeted;
    gt_link_finish(&slot->link, &death, 0.2);
    unsigned first = greeted ? 1 : 0, count = slot->count;
    slot->count = 0;
    while (count > first) {
        queue_return(&farm->compile, slot->tasks[--count]);
    }
    if (!greeted) {
        count_start_failure(farm, &death);
    } else if (count > 0) {
        blame(farm, slot->tasks[0], &death);
    }
}

double gt_compile_patience(const gt_host_farm *farm)
{
    double least = farm->compile.queue.count ? FORGOTTEN_S : INFINITY;
    for (uint32_t i = 0; i < farm->compile.slot_count; i++) {
        const gt_compile_slot *slot = &farm->compile.slots[i];
        if (slot->link.open && slot->count > 0) {
            least = fmin(least, COMPILE_DEADLINE_S - gt_seconds_since(slot->since_ns));
            least = fmin(least, gt_link_hello_s(&slot->link));
        }
    }
    return least;
}

/* How long the job in hand has been compiling, without the start of its worker; 0: not yet. */
static double compiling_s(const gt_compile_slot *slot)
{
    return slot->ready ? gt_seconds_since(slot->since_ns) : 0;
}

/* Ends a worker, and with it the job in its hand; the job behind that goes to another worker. */
static void end_job(gt_host_farm *farm, gt_compile_slot *slot, const char *message)
{
    double seconds = compiling_s(slot);
    task_fail(farm, take_task(slot), GPUTUNE_ETIMEOUT, message, false, seconds);
    gt_link_abandon(&slot->link);
    if (slot->count > 0) {
        queue_return(&farm->compile, slot->tasks[0]);
    }
    slot->count = 0;
}

void gt_compile_check_deadlines(gt_host_farm *farm)
{
    char message[128];
    gt_snprintf(message, sizeof message, "the compiler did not finish within %g s",
                COMPILE_DEADLINE_S);
    for (uint32_t i = 0; i < farm->compile.slot_count; i++) {
        gt_compile_slot *slot = &farm->compile.slots[i];
        if (slot->link.open && gt_link_hello_s(&slot->link) <= 0) {
            gt_farm_break(farm, gt_link_say_mute(farm->worker));
            return;
        }
        if (slot->link.open && slot->count > 0 &&
            gt_seconds_since(slot->since_ns) >= COMPILE_DEADLINE_S) {
            end_job(farm, slot, message);
        }
    }
}

/* ---- Giving up ------------------------------------------------------------------------------- */

static bool is_compiling(const gt_compile_slot *slot)
{
    return slot->link.open && slot->count > 0 && !slot->tasks[0]->forgotten &&
           compiling_s(slot) > 0;
}

uint32_t gt_compile_list(const gt_host_farm *farm, gt_compiling *out, uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < farm->compile.slot_count && found < count; i++) {
        const gt_compile_slot *slot = &farm->compile.slots[i];
        if (is_compiling(slot)) {
            out[found++] = (gt_compiling){slot->tasks[0]->id, compiling_s(slot)};
        }
    }
    return found;
}

void gt_compile_give_up(gt_host_farm *farm, uint64_t id)
{
    for (uint32_t i = 0; i < farm->compile.slot_count; i++) {
        gt_compile_slot *slot = &farm->compile.slots[i];
        if (!is_compiling(slot) || slot->tasks[0]->id != id) {
            continue;
        }
        char message[128];
        gt_snprintf(message, sizeof message,
                    "its compile was given up after %.1f s: others are more promising",
                    compiling_s(slot));
        end_job(farm, slot, message);
        gt_compile_pump(farm);
        return;
    }
}

void gt_compile_cancel(gt_host_farm *farm)
{
    gt_compile_host *host = &farm->compile;
    for (size_t i = 0; i < host->queue.count; i++) {
        task_free(host->queue.items[i]);
    }
    host->queue.count = 0;
    for (uint32_t i = 0; i < host->slot_count; i++) {
        for (unsigned k = 0; k < host->slots[i].count; k++) {
            host->slots[i].tasks[k]->forgotten = true;
        }
    }
}

void gt_compile_close(gt_host_farm *farm)
{
    gt_compile_host *host = &farm->compile;
    gt_compile_cancel(farm);
    for (uint32_t i = 0; i < host->slot_count; i++) {
        gt_process_kill(&host->slots[i].link.process);
    }
    for (uint32_t i = 0; i < host->slot_count; i++) {
        gt_compile_slot *slot = &host->slots[i];
        gt_link_abandon(&slot->link);
        free_tasks(slot);
        gt_text_free(&slot->out);
    }
    gt_array_free(&host->queue);
    free(host->slots);
    host->slots = NULL;
    host->slot_count = 0;
}
