/* The host's side of the measure worker. Several requests are sent in advance. If the worker dies
 * or exceeds a time limit, the host finds out which variant is to blame, and starts a new worker.
 * The setup and the variants that the remaining requests need are then loaded again. */
#include "base/clock.h"
#include "base/number.h"
#include "base/objective.h"
#include "farm/farm_host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Variants -------------------------------------------------------------------------------- */

static gt_live_variant *live_find(gt_measure_host *host, uint64_t id)
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
    gt_live_variant *variant = live_find(host, id);
    if (variant) {
        gt_packet_drop(variant->packet);
        *variant = host->variants.items[--host->variants.count];
    }
}

void gt_live_forget_all(gt_measure_host *host)
{
    while (host->variants.count > 0) {
        gt_packet_drop(host->variants.items[--host->variants.count].packet);
    }
}

/* Returns the default variant, or NULL if it is not proved yet. It is the first variant that each
 * worker proves, because its proof determines the data on which the other variants are proved. */
static gt_live_variant *proved_default(gt_measure_host *host)
{
    for (size_t i = 0; i < host->variants.count; i++) {
        gt_live_variant *variant = &host->variants.items[i];
        if (variant->standard && variant->generation != 0) {
            return variant;
        }
    }
    return NULL;
}

void gt_live_drop(gt_measure_host *host, uint64_t id)
{
    const gt_live_variant *standard = proved_default(host);
    if (!standard || standard->id != id) {
        gt_live_forget(host, id);
    }
}

static gputune_status measure_insert(gt_measure_host *host, size_t index, gt_frame_kind kind,
                                     uint64_t id, gt_packet *packet)
{
    gt_farm_request *request;
    GT_TRY(gt_farm_request_make(&request, host->slot.farm, kind, id, gt_packet_keep(packet)));
    request->internal = true;
    gt_queue_put(&host->slot.queue, index, request);
    return GPUTUNE_OK;
}

void gt_measure_submit(gt_measure_host *host, gt_farm_request *request)
{
    gt_queue *queue = &host->slot.queue;
    gt_queue_put(queue, queue->count, request);
    gt_measure_pump(host);
}

/* ---- Starting and refusing ------------------------------------------------------------------- */

static gt_farm_request *take_dependent(gt_measure_host *host, uint64_t variant)
{
    for (size_t i = 0; i < host->slot.queue.count; i++) {
        const gt_farm_request *request = gt_queue_at(&host->slot.queue, i);
        for (uint32_t k = 0; k < request->variant_count; k++) {
            if (request->variants[k] == variant) {
                return gt_slot_take(&host->slot, i);
            }
        }
    }
    return NULL;
}

/* Ends a request with a failure and the thread's message. If the request was made only to load a
 * variant again, the request that needs this variant fails instead. */
static void measure_fail(gt_measure_host *host, gt_farm_request *request, gputune_status status,
                         uint64_t culprit, bool repeatable)
{
    if (request->internal && request->kind == GT_FRAME_VERIFY) {
        gt_farm_request *dependent = take_dependent(host, request->id);
        culprit = request->id;
        gt_farm_request_free(request);
        request = dependent;
    }
    gt_live_forget(host, culprit);
    if (!request) {
        return;
    }
    if (request->kind == GT_FRAME_PREPARE) {
        gt_packet_drop(host->setup);
        host->setup = NULL;
    }
    if (request->kind == GT_FRAME_VERIFY) {
        gt_live_forget(host, request->id);
    }
    request->event.status = status;
    request->event.culprit = culprit;
    request->event.repeatable = repeatable;
    gt_farm_request_end(host->slot.farm, request);
}

/* Lets all requests fail with this status and the thread's message until prepare() is called. */
static void measure_refuse(gt_measure_host *host, gputune_status status)
{
    host->refusal = status;
    snprintf(host->refusal_message, sizeof host->refusal_message, "%.511s", gt_message());
    gt_link_finish(&host->slot.link, NULL, 0);
    gt_slot_unsend(&host->slot);
}

void gt_measure_start(gt_measure_host *host)
{
    gt_host_farm *farm = host->slot.farm;
    const char *const arguments[] = {farm->worker,         "--role",      "measure",
                                     "--ordinal",          host->ordinal, "--driver",
                                     farm->options.driver, NULL};
    gputune_status status = gt_link_spawn(&host->slot.link, farm, true, arguments);
    if (status < 0) {
        measure_refuse(host, status);
        return;
    }
    gt_slot_begin(&host->slot);
}

/* ---- Sending --------------------------------------------------------------------------------- */

static bool lacks_variant(const gt_measure_host *host, const gt_live_variant *variant)
{
    return variant->generation != 0 && variant->generation != host->slot.generation;
}

static gputune_status load_variant(gt_measure_host *host, size_t index, gt_live_variant *variant)
{
    GT_TRY(measure_insert(host, index, GT_FRAME_VERIFY, variant->id, variant->packet));
    variant->generation = host->slot.generation;
    return GPUTUNE_OK;
}

/* Looks for variants that the request at `index` needs but a new worker has not loaded yet. Inserts
 * requests that load them, the default variant first. Sets *missing if it inserts any. */
static gputune_status load_again(gt_measure_host *host, size_t index, bool *missing)
{
    const gt_farm_request *request = gt_queue_at(&host->slot.queue, index);
    gt_live_variant *standard = proved_default(host);
    for (uint32_t i = 0; i < request->variant_count; i++) {
        gt_live_variant *variant = live_find(host, request->variants[i]);
        if (variant && variant != standard && lacks_variant(host, variant)) {
            *missing = true;
            GT_TRY(load_variant(host, index, variant));
        }
    }
    const bool uses_default = request->kind == GT_FRAME_VERIFY ||
                              request->kind == GT_FRAME_RECHECK || request->kind == GT_FRAME_SAMPLE;
    if (standard && lacks_variant(host, standard) && uses_default && !request->internal) {
        *missing = true;
        GT_TRY(load_variant(host, index, standard));
    }
    return GPUTUNE_OK;
}

/* Sends the next request. Returns false if no further request can be sent now. */
static bool send_next(gt_measure_host *host)
{
    gt_farm_request *request = gt_queue_at(&host->slot.queue, host->slot.sent);
    bool missing = false;
    if (host->slot.offset == 0 && !request->alone) {
        if (load_again(host, host->slot.sent, &missing) < 0) {
            gt_farm_break(host->slot.farm, GPUTUNE_ENOMEM);
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
        return false; /* if the channel is closed, the next read will notice it */
    }
    if (!gt_carried[request->kind].reply) {
        gt_farm_request_free(gt_slot_take(&host->slot, host->slot.sent - 1));
    }
    return true;
}

void gt_measure_pump(gt_measure_host *host)
{
    if (host->slot.queue.count > 0 && host->refusal == GPUTUNE_OK && !host->slot.link.open) {
        gt_measure_start(host);
    }
    while (host->refusal != GPUTUNE_OK && host->slot.queue.count > 0) {
        gt_farm_request *request = gt_slot_take(&host->slot, 0);
        gt_message_set("%s", host->refusal_message);
        measure_fail(host, request, host->refusal, GT_NO_VARIANT, false);
    }
    while (host->slot.link.open && host->slot.sent < host->slot.queue.count && send_next(host)) {
    }
}

/* Ends a request that succeeded. Returns false if its answer is malformed. */
static bool measure_succeed(gt_measure_host *host, gt_farm_request *request)
{
    const gt_event *reply = &request->event;
    gt_live_variant *variant = live_find(host, request->id);
    if (request->kind == GT_FRAME_SAMPLE && reply->sampled.count != request->variant_count) {
        gt_fail(GPUTUNE_EWORKER, "the measure worker sent %u samples; expected %u",
                reply->sampled.count, request->variant_count);
        return false;
    }
    if (request->kind == GT_FRAME_PREPARE) {
        host->reference_ns = reply->prepared.reference_ns;
        host->prepare_s = host->prepare_s > 0 ? host->prepare_s : gt_slot_spent_s(&host->slot);
    } else if (request->kind == GT_FRAME_VERIFY && variant && reply->verified.proved) {
        variant->generation = host->slot.generation;
        variant->launch_ns = reply->verified.pilot_ns;
    } else if (request->kind == GT_FRAME_VERIFY) {
        gt_live_forget(host, request->id);
    }
    host->blameless = request->internal ? host->blameless : 0;
    gt_farm_request_end(host->slot.farm, gt_slot_pop(&host->slot));
    return true;
}

/* ---- Ending ---------------------------------------------------------------------------------- */

static void forget_all(gt_measure_host *host)
{
    gt_slot_clear(&host->slot);
    gt_live_forget_all(host);
    gt_packet_drop(host->setup);
    host->setup = NULL;
}

void gt_measure_cancel(gt_measure_host *host)
{
    bool busy = host->slot.sent > 0 || host->slot.offset > 0;
    forget_all(host);
    if (busy) {
        gt_link_finish(&host->slot.link, NULL, 0);
        gt_slot_unsend(&host->slot);
    }
}

void gt_measure_free(gt_measure_host *host)
{
    forget_all(host);
    gt_link_finish(&host->slot.link, NULL, 0);
    gt_array_free(&host->variants);
}

enum { BLAMELESS_MAX = 3, ATTEMPTS_MAX = 2 };

static const double END_S = 2;    /* wait for a killed worker, which usually takes 53 ms to end */
static const double START_S = 60; /* if the driver is not loaded yet, cuInit() takes seconds */
static const double EMULATED_START_S = 10; /* time limit for opening an emulated device */

/* ---- A new worker ---------------------------------------------------------------------------- */

static bool prepares_first(const gt_measure_host *host)
{
    return host->slot.queue.count > 0 && host->slot.queue.first->kind == GT_FRAME_PREPARE;
}

/* Inserts two requests: the list of the experiments to skip, and then the setup. */
static gputune_status queue_setup(gt_measure_host *host)
{
    gt_packet *packet;
    if (host->setup && !prepares_first(host)) {
        GT_TRY(measure_insert(host, 0, GT_FRAME_PREPARE, 0, host->setup));
    }
    if (!prepares_first(host) || host->lost.item_count == 0) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_packet_make(&packet, GT_FRAME_LOST, &host->lost));
    gputune_status status = measure_insert(host, 0, GT_FRAME_LOST, 0, packet);
    gt_packet_drop(packet);
    return status;
}

static void begin_again(gt_measure_host *host)
{
    /* load_again() will make the internal requests that are still needed */
    for (size_t i = 0; i < host->slot.queue.count;) {
        gt_farm_request *request = gt_queue_at(&host->slot.queue, i);
        request->alone = false;
        if (request->internal) {
            gt_farm_request_free(gt_queue_take(&host->slot.queue, i));
        } else {
            i++;
        }
    }
    gt_slot_unsend(&host->slot);
    if (queue_setup(host) < 0) {
        gt_farm_break(host->slot.farm, GPUTUNE_ENOMEM);
        return;
    }
    if (!host->slot.link.open && host->refusal == GPUTUNE_OK) {
        gt_measure_start(host);
    }
    gt_measure_pump(host);
}

/* Starts a new worker. Then waits until the old one has ended and its memory is free. */
static void replace_worker(gt_measure_host *host, gt_death *death)
{
    gt_link last = host->slot.link;
    host->slot.link = (gt_link){0};
    gt_measure_start(host);
    gt_link_finish(&last, death, END_S);
}

static void restart_worker(gt_measure_host *host)
{
    gt_process_kill(&host->slot.link.process);
    replace_worker(host, NULL);
    begin_again(host);
}

/* Returns true if the request loads the setup or the default again, which all others need. */
static bool is_needed_by_all(gt_measure_host *host, const gt_farm_request *request)
{
    const gt_live_variant *standard = proved_default(host);
    return request->internal &&
           (request->kind == GT_FRAME_PREPARE ||
            (request->kind == GT_FRAME_VERIFY && standard && standard->id == request->id));
}

static bool is_at_first(const gt_slot *slot)
{
    return slot->sent > 0 && slot->hand.sequence == slot->queue.first->sequence;
}

/* ---- Deaths ---------------------------------------------------------------------------------- */

/* Called when the worker has crashed or hung. If it was running an experiment of the data proof,
 * returns true and adds the experiment to the list of those that later workers skip. If the list is
 * full, later workers skip the whole data proof. */
static bool leaves_out(gt_measure_host *host, bool hung)
{
    gt_lost *lost = &host->lost;
    uint64_t key = is_at_first(&host->slot) ? host->slot.hand.trying : 0;
    if (key == 0 || lost->plain) {
        return false;
    }
    lost->plain = lost->item_count == GT_LOST_MAX;
    if (!lost->plain) {
        lost->items[lost->item_count++] = (struct gt_lost_try){key, hung};
    }
    return true;
}

/* Counts deaths for which no variant is to blame. After several in a row, all requests fail. */
static void died_blameless(gt_measure_host *host, const gt_death *death, bool ready)
{
    unsigned times = ++host->blameless;
    if (times >= BLAMELESS_MAX) {
        measure_refuse(host, gt_fail(GPUTUNE_EWORKER, "the measure worker %s %u times%s",
                                     death->words, times,
                                     ready ? ", and no variant was the cause"
                                           : ", at last before its device was open"));
    }
}

static void died_in_hand(gt_measure_host *host, uint64_t culprit, const gt_death *death)
{
    gt_farm_request *request = host->slot.queue.first;
    if (!death->crashed && !request->internal && ++request->attempts < ATTEMPTS_MAX) {
        return;
    }
    if (is_needed_by_all(host, request) || (request->kind == GT_FRAME_PREPARE && !death->crashed)) {
        died_blameless(host, death, true);
        return;
    }
    gt_slot_pop(&host->slot);
    measure_fail(host, request, gt_fail(GPUTUNE_ECRASHED, "the measure worker %s", death->words),
                 culprit, death->crashed);
}

static void handle_death(gt_slot *slot)
{
    gt_measure_host *host = &slot->farm->measure;
    uint64_t variant = slot->hand.variant;
    bool in_hand = is_at_first(slot);
    bool by_data_proof = in_hand && leaves_out(host, false);
    bool ready = slot->ready;
    gt_death death;
    replace_worker(host, &death);
    if (in_hand && !by_data_proof) {
        died_in_hand(host, variant, &death);
    } else if (!by_data_proof) {
        died_blameless(host, &death, ready);
    }
    if (host->refusal == GPUTUNE_OK) { /* with a refusal, gt_measure_pump() fails all requests */
        begin_again(host);
    }
}

/* ---- Hangs ----------------------------------------------------------------------------------- */

/* Returns the time limit of the first request in seconds. A proof or sample may take 100 times as
 * long as the same number of launches of the reference. On the emulator the launches may be fast
 * compared with everything else, so the limit is at least `least_s` and five times the preparation
 * time. The limit is longer for variants that do more work per launch. */
static double allowance(gt_measure_host *host)
{
    const gt_farm_request *request = host->slot.queue.first;
    double slow = host->slot.farm->emulated ? 30 : 1;
    if (host->slot.hand.trying) {
        /* a short limit, as experiments often hang and normally take as long as the preparation */
        return fmax(host->least_s / 4, 3 * host->prepare_s) + 1e-7 * host->reference_ns;
    }
    if (request->kind == GT_FRAME_PREPARE) {
        return 6 * host->slot.farm->options.deadline_s * slow;
    }
    bool sample = request->kind == GT_FRAME_SAMPLE;
    const gt_objective *facts = gt_objective_facts(request->objective);
    double count = sample ? facts->sample_launches : 10;
    const gt_live_variant *variant =
        live_find(host, sample ? host->slot.hand.variant : request->id);
    double least = fmax(host->least_s, 100 * count * host->reference_ns * 1e-9);
    least = fmax(least, 5 * host->prepare_s) * (variant ? fmax(1, variant->work) : 1);
    if (variant && variant->patient) {
        least *= 10;
    }
    const double most = fmax(host->slot.farm->options.deadline_s * slow, 4 * host->prepare_s);
    /* energy is measured during a second and five batches of at least two launches */
    const bool by_energy = sample && facts->by_energy && variant;
    return fmin(least, most) + (by_energy ? 5 + 2 * 10e-9 * variant->launch_ns : 0);
}

/* Returns the seconds until the first request exceeds its time limit. Until the worker begins the
 * request, the limit is START_S, counted from when a part of the request was last sent. */
static double left_s(gt_slot *slot)
{
    bool runs = slot->ready && is_at_first(slot);
    bool is_idle = slot->ready && slot->sent == 0 && slot->offset == 0;
    const bool loads_driver = slot->ready || !slot->farm->emulated;
    double allowed_s = runs           ? allowance(&slot->farm->measure)
                       : loads_driver ? START_S
                                      : EMULATED_START_S;
    return is_idle ? INFINITY : gt_slot_left_s(slot, allowed_s);
}

static void handle_hang(gt_measure_host *host, double seconds)
{
    uint64_t culprit = is_at_first(&host->slot) ? host->slot.hand.variant : GT_NO_VARIANT;
    const gt_live_variant *variant = live_find(host, culprit);
    bool is_final = variant && variant->patient;
    measure_fail(host, gt_slot_pop(&host->slot),
                 gt_fail(GPUTUNE_ETIMEOUT, "did not finish within %.3g s", seconds), culprit,
                 is_final);
}

static void handle_timeout(gt_slot *slot)
{
    gt_measure_host *host = &slot->farm->measure;
    if (!slot->ready) {
        measure_refuse(host, gt_fail(GPUTUNE_EWORKER,
                                     "the measure worker did not open its device within %.0f s",
                                     gt_seconds_since(slot->since_ns)));
        return;
    }
    const gt_farm_request *first = slot->queue.first;
    if (leaves_out(host, true)) {
        restart_worker(host);
        return;
    }
    const bool is_default = first->kind == GT_FRAME_VERIFY && is_needed_by_all(host, first);
    if (is_default && ++host->blameless < BLAMELESS_MAX) {
        restart_worker(host);
        return;
    }
    if (is_needed_by_all(host, first)) {
        measure_refuse(host, gt_fail(GPUTUNE_ETIMEOUT, "%s again did not finish in time",
                                     first->kind == GT_FRAME_PREPARE ? "preparing the inputs"
                                                                     : "verifying the default"));
        return;
    }
    handle_hang(host, allowance(host));
    restart_worker(host);
}

/* ---- Answers ------------------------------------------------------------------------------- */

static bool handle_answer(gt_measure_host *host, const gt_frame *frame)
{
    gt_farm_request *request = host->slot.sent > 0 ? host->slot.queue.first : NULL;
    if (!request || frame->sequence != request->sequence || gt_answer_read(request, frame) < 0) {
        return false;
    }
    gputune_status status = request->event.status;
    if (status == GPUTUNE_OK) {
        return measure_succeed(host, request);
    }
    if (status == GPUTUNE_ECRASHED && leaves_out(host, false)) {
        restart_worker(host);
        return true;
    }
    if (is_needed_by_all(host, request)) {
        measure_refuse(host, status);
        return true;
    }
    bool crashed = status == GPUTUNE_ECRASHED;
    /* after these statuses the process may be unable to use the GPU, so replace it */
    bool suspect = status == GPUTUNE_ETEMPLATE || status == GPUTUNE_ENODRIVER ||
                   status == GPUTUNE_EBUSY ||
                   (request->kind == GT_FRAME_PREPARE && status == GPUTUNE_ECUDA);
    gt_slot_pop(&host->slot);
    measure_fail(host, request, status, request->event.culprit, crashed);
    if (crashed || suspect) {
        restart_worker(host);
    }
    return true;
}

static bool handle_ready(gt_measure_host *host, const gt_frame *frame)
{
    gt_answer answer;
    if (gt_frame_answer(&answer, frame) < 0) {
        return false;
    }
    if (answer.status < 0) {
        gt_message_set("%s", answer.message);
        measure_refuse(host, (gputune_status)answer.status);
        return true;
    }
    host->slot.ready = true;
    gt_slot_start_clock(&host->slot);
    return true;
}

static bool handle_device(gt_measure_host *host, const gt_frame *frame)
{
    gt_device device;
    if (gt_frame_body(&device, frame, &gt_record_device) < 0 || device.carveout_count < 0 ||
        device.carveout_count > GT_CARVEOUT_MAX) {
        return false;
    }
    host->device = device;
    host->has_device = true;
    snprintf(host->slot.farm->compile.driver_version,
             sizeof host->slot.farm->compile.driver_version, "%d", device.driver_version);
    return true;
}

static bool handle_hand(gt_measure_host *host, const gt_frame *frame)
{
    gt_hand hand;
    if (gt_frame_body(&hand, frame, &gt_record_hand) < 0) {
        return false;
    }
    if (hand.trying && !(host->prepare_s > 0)) {
        host->prepare_s = gt_slot_spent_s(&host->slot);
    }
    host->slot.hand = hand;
    gt_slot_start_clock(&host->slot);
    return true;
}

static bool handle_reply(gt_slot *slot, const gt_frame *frame)
{
    gt_measure_host *host = &slot->farm->measure;
    switch (frame->kind) {
    case GT_FRAME_DEVICE:
        return handle_device(host, frame);
    case GT_FRAME_READY:
        return handle_ready(host, frame);
    case GT_FRAME_HAND:
        return handle_hand(host, frame);
    default:
        return handle_answer(host, frame);
    }
}

const gt_worker_role gt_measure_role = {handle_reply, handle_death, left_s, handle_timeout};

void gt_measure_interrupt(gt_farm *base)
{
    gt_measure_host *host = &gt_host_of(base)->measure;
    bool busy = host->slot.sent > 0 || host->slot.offset > 0;
    gt_slot_clear(&host->slot);
    if (busy) {
        restart_worker(host);
    }
}
