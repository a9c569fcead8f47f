#include "support/scripted_farm.h"

#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static gputune_status refuse(const scripted_farm *farm)
{
    return farm->fails && farm->fails("farm", 0) ? gt_fail(farm->failure, "scripted: no farm")
                                                 : GPUTUNE_OK;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Returns the time at which the first worker becomes free. */
static int64_t *first_free(scripted_farm *farm)
{
    int64_t *first = &farm->worker_free[0];
    for (uint32_t i = 1; i < farm->farm.compile_workers && i < 64; i++) {
        first = farm->worker_free[i] < *first ? &farm->worker_free[i] : first;
    }
    return first;
}

/* Queues an event. The end of a compilation occurs when a worker has finished it. Any other event
 * occurs when the GPU has finished launches that take `launches_ns`. */
static gputune_status push_after(scripted_farm *farm, gt_event event, double launches_ns)
{
    if (farm->fails && farm->fails("answer", 0)) {
        const gt_event failed = {
            .kind = event.kind, .id = event.id, .culprit = event.culprit, .status = farm->failure};
        gt_event_free(&event);
        event = failed;
    }
    if (event.status != GPUTUNE_OK) {
        const char *fault = farm->fault ? farm->fault : "CUDA_ERROR_ILLEGAL_ADDRESS";
        snprintf(event.message, sizeof event.message, "scripted %s",
                 event.status == GPUTUNE_ECRASHED ? fault : gt_status_name(event.status));
    }
    bool compiled = event.kind == GT_EVENT_COMPILED;
    int64_t *free_at = compiled ? first_free(farm) : &farm->gpu_free;
    double gpu_s = farm->slowness > 0 ? farm->slowness * launches_ns : 0;
    int64_t takes = (int64_t)((compiled ? farm->compile_s : gpu_s) * 1e9);
    int64_t due = later(gt_now_ns(), *free_at) + takes;
    *free_at = due;
    gputune_status status = gt_array_push(&farm->due, due);
    status = status == GPUTUNE_OK ? gt_array_push(&farm->events, event) : status;
    if (status != GPUTUNE_OK) {
        gt_event_free(&event);
    }
    return status;
}

static gputune_status push(scripted_farm *farm, gt_event event)
{
    return push_after(farm, event, 0);
}

/* Simulates a kernel that does not end. */
static gputune_status never_answer(scripted_farm *farm)
{
    farm->gpu_free = INT64_MAX / 2;
    return GPUTUNE_OK;
}

static gputune_status compile(gt_farm *base, const gt_compile_job *job)
{
    scripted_farm *farm = (scripted_farm *)base;
    GT_TRY(refuse(farm));
    gt_event event = {.kind = GT_EVENT_COMPILED, .id = job->id};
    event.status = farm->compile ? farm->compile(farm->user, job->source.text) : GPUTUNE_OK;
    event.repeatable = event.status == GPUTUNE_ECOMPILE;
    event.compiled.compile_ns = farm->compiles_for_ever ? 1e7 : 0;
    farm->compiles++;
    for (size_t i = 0; i < job->source.option_count; i++) {
        farm->quick_compiles += strcmp(job->source.options[i], "--Ofast-compile=min") == 0;
    }
    if (farm->compiles_for_ever && farm->compiles_for_ever(farm->user, job->source.text)) {
        const gt_compiling endless = {.id = job->id};
        return gt_array_push(&farm->compiling, endless);
    }
    if (event.status == GPUTUNE_OK) {
        GT_TRY(gt_strdup((char **)&event.compiled.image.data, "image"));
        event.compiled.image.bytes = 5;
        event.compiled.resources.registers = 32;
        event.compiled.nvrtc_version = 12080;
    }
    return push(farm, event);
}

static uint32_t compiling(gt_farm *base, gt_compiling *out, uint32_t count)
{
    scripted_farm *farm = (scripted_farm *)base;
    count = count < farm->compiling.count ? count : (uint32_t)farm->compiling.count;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = farm->compiling.items[i];
    }
    return count;
}

static void give_up(gt_farm *base, uint64_t id)
{
    scripted_farm *farm = (scripted_farm *)base;
    for (size_t i = 0; i < farm->compiling.count; i++) {
        if (farm->compiling.items[i].id == id) {
            gt_event event = {.kind = GT_EVENT_COMPILED, .id = id, .status = GPUTUNE_ETIMEOUT};
            event.compiled.compile_ns = farm->compiling.items[i].seconds * 1e9;
            farm->compiling.items[i] = farm->compiling.items[--farm->compiling.count];
            farm->given_up++;
            (void)push(farm, event);
            return;
        }
    }
}

static gputune_status prepare(gt_farm *base, const gt_measure_setup *setup)
{
    scripted_farm *farm = (scripted_farm *)base;
    GT_TRY(refuse(farm));
    farm->prepares++;
    if (farm->prepare_never_answers) {
        return never_answer(farm);
    }
    gt_event event = {.kind = GT_EVENT_PREPARED, .status = farm->prepare};
    event.prepared.copy_bytes_per_s = 4e12;
    return push(farm, event);
}

static gputune_status verify(gt_farm *base, const gt_verify_job *job)
{
    scripted_farm *farm = (scripted_farm *)base;
    GT_TRY(refuse(farm));
    farm->first_verified = farm->verifies++ ? farm->first_verified : job->id;
    while (farm->launches.count <= job->id) {
        GT_TRY(gt_array_push(&farm->sampled, false));
        GT_TRY(gt_array_push(&farm->patient, false));
        GT_TRY(gt_array_push(&farm->launches, (gt_launch){0}));
    }
    farm->patient.items[job->id] = job->patient;
    farm->launches.items[job->id] = job->launches[0];
    scripted_variant variant = farm->behave(farm->user, &job->launches[0]);
    gt_event event = {.kind = GT_EVENT_VERIFIED,
                      .id = job->id,
                      .status = variant.verify,
                      .culprit = job->id,
                      .repeatable = true};
    if (!job->patient && (variant.hangs_once || variant.verify == GPUTUNE_ETIMEOUT)) {
        event.status = GPUTUNE_ETIMEOUT;
        event.repeatable = false;
    }
    farm->patient_verifies += job->patient;
    event.verified.occupancy = 1;
    event.verified.pilot_ns = variant.pilot_ns;
    event.verified.proved = !(job->slower_ns > 0) || variant.pilot_ns <= job->slower_ns;
    farm->unproved += !event.verified.proved;
    double launches = event.verified.proved ? 4 : 1;
    return variant.never_answers ? never_answer(farm)
                                 : push_after(farm, event, launches * variant.time_ns);
}

static double value_of(const scripted_variant *variant, gputune_objective objective)
{
    bool by_host = objective == GPUTUNE_OBJECTIVE_LAUNCH || objective == GPUTUNE_OBJECTIVE_LATENCY;
    return objective == GPUTUNE_OBJECTIVE_ENERGY ? variant->energy_nj
           : by_host && variant->host_ns > 0     ? variant->host_ns
                                                 : variant->time_ns;
}

static gputune_status outcome_of(const scripted_variant *variant, gputune_objective objective)
{
    return variant->sample != GPUTUNE_OK           ? variant->sample
           : objective == GPUTUNE_OBJECTIVE_KERNEL ? variant->sample_kernel
           : objective == GPUTUNE_OBJECTIVE_ENERGY ? variant->weigh
                                                   : GPUTUNE_OK;
}

static gputune_status sample(gt_farm *base, const gt_sample_job *job)
{
    scripted_farm *farm = (scripted_farm *)base;
    GT_TRY(refuse(farm));
    gt_random random = {farm->random};
    gt_event event = {.kind = GT_EVENT_SAMPLED, .id = job->id, .culprit = job->variants[0]};
    event.sampled.values = calloc(job->count, sizeof(double));
    if (!event.sampled.values) {
        return gt_fail_memory();
    }
    event.sampled.count = job->count;
    farm->rounds++;
    event.sampled.spoiled = farm->spoiled > 0;
    farm->spoiled -= event.sampled.spoiled;
    event.sampled.noisy = farm->other != NULL;
    snprintf(event.sampled.other, sizeof event.sampled.other, "%s", farm->other ? farm->other : "");
    nanosleep(&(struct timespec){0, farm->round_ns}, NULL);
    double launches_ns = 0;
    for (uint32_t i = 0; i < job->count; i++) {
        scripted_variant v = farm->behave(farm->user, &farm->launches.items[job->variants[i]]);
        launches_ns += 2 * v.time_ns;
        farm->samples++;
        farm->weighings += job->objective == GPUTUNE_OBJECTIVE_ENERGY;
        double value_ns = job->hot && v.hot_ns > 0 ? v.hot_ns : value_of(&v, job->objective);
        farm->hot_samples += job->hot;
        event.sampled.values[i] = value_ns * (1 + farm->noise * gt_random_unit(&random));
        bool *sampled = &farm->sampled.items[job->variants[i]];
        event.sampled.values[i] *= v.stumble > 0 && !*sampled ? v.stumble : 1;
        gputune_status outcome =
            v.sample_hangs_once && !*sampled ? GPUTUNE_ETIMEOUT : outcome_of(&v, job->objective);
        *sampled = true;
        if (outcome != GPUTUNE_OK) {
            event.status = outcome;
            event.culprit = job->variants[i];
            event.repeatable = outcome != GPUTUNE_ETIMEOUT || farm->patient.items[job->variants[i]];
        }
    }
    farm->random = random.state;
    if (farm->blameless > 0) {
        farm->blameless--;
        event.status = GPUTUNE_ECRASHED;
        event.culprit = GT_NO_VARIANT;
    }
    return push_after(farm, event, launches_ns);
}

static gputune_status recheck(gt_farm *base, const gt_recheck_job *job)
{
    scripted_farm *farm = (scripted_farm *)base;
    GT_TRY(refuse(farm));
    farm->rechecks++;
    scripted_variant variant = farm->behave(farm->user, &farm->launches.items[job->id]);
    gt_event event = {.kind = GT_EVENT_RECHECKED, .id = job->id, .status = variant.recheck};
    return farm->recheck_never_answers ? never_answer(farm)
                                       : push_after(farm, event, 4 * variant.time_ns);
}

static void interrupt(gt_farm *base)
{
    scripted_farm *farm = (scripted_farm *)base;
    while (farm->next < farm->events.count) {
        gt_event_free(&farm->events.items[farm->next++]);
    }
    farm->gpu_free = 0;
    farm->interrupts++;
}

static gputune_status drop(gt_farm *base, uint64_t variant)
{
    return refuse((scripted_farm *)base);
}

/* Waits for an event for at most `seconds`. Returns false if there is none. */
static bool wait_until_due(const scripted_farm *farm, double seconds)
{
    bool comes = farm->next < farm->events.count;
    double left_s = comes ? -gt_seconds_since(farm->due.items[farm->next]) : INFINITY;
    double wait_s = left_s < seconds ? left_s : seconds;
    if (wait_s > 0) {
        nanosleep(&(struct timespec){(time_t)wait_s, (long)(fmod(wait_s, 1) * 1e9)}, NULL);
    }
    return left_s <= seconds;
}

/* Moves the earliest event to the front. If several events are due at the same time, moves the
 * event that was requested first. */
static void put_earliest_first(scripted_farm *farm)
{
    size_t first = farm->next;
    for (size_t i = first + 1; i < farm->due.count; i++) {
        first = farm->due.items[i] < farm->due.items[first] ? i : first;
    }
    for (size_t i = first; i > farm->next; i--) {
        gt_event event = farm->events.items[i];
        int64_t due = farm->due.items[i];
        farm->events.items[i] = farm->events.items[i - 1];
        farm->due.items[i] = farm->due.items[i - 1];
        farm->events.items[i - 1] = event;
        farm->due.items[i - 1] = due;
    }
}

static gputune_status next(gt_farm *base, gt_event *out, double seconds)
{
    scripted_farm *farm = (scripted_farm *)base;
    GT_TRY(refuse(farm));
    for (size_t i = 0; i < farm->compiling.count; i++) {
        farm->compiling.items[i].seconds += farm->is_busy ? 0 : 10;
    }
    put_earliest_first(farm);
    bool late = farm->next < farm->events.count && farm->late > 0;
    farm->late -= late;
    if (late || !wait_until_due(farm, seconds)) {
        *out = (gt_event){.kind = GT_EVENT_TIMEOUT};
        return GPUTUNE_OK;
    }
    *out = farm->events.items[farm->next++];
    return GPUTUNE_OK;
}

static void cancel(gt_farm *base)
{
    scripted_farm *farm = (scripted_farm *)base;
    while (farm->next < farm->events.count) {
        gt_event_free(&farm->events.items[farm->next++]);
    }
    farm->compiling.count = 0;
    farm->gpu_free = 0;
}

static void do_not_close(gt_farm *base)
{
}

void scripted_farm_open(scripted_farm *farm)
{
    static const gt_farm_ops ops = {.compile = compile,
                                    .compiling = compiling,
                                    .give_up = give_up,
                                    .prepare = prepare,
                                    .verify = verify,
                                    .sample = sample,
                                    .recheck = recheck,
                                    .interrupt = interrupt,
                                    .drop = drop,
                                    .wait = next,
                                    .cancel = cancel,
                                    .close = do_not_close};
    farm->farm = (gt_farm){.ops = &ops, .compile_workers = 4, .measures = true};
}

void scripted_farm_close(scripted_farm *farm)
{
    cancel(&farm->farm);
    gt_array_free(&farm->events);
    gt_array_free(&farm->due);
    gt_array_free(&farm->compiling);
    gt_array_free(&farm->launches);
    gt_array_free(&farm->sampled);
    gt_array_free(&farm->patient);
    farm->next = 0;
}

void scripted_workers_open(gt_workers *workers, scripted_farm *farm)
{
    gt_workers_open(workers, &(gt_farm_options){.worker = NULL}, false);
    gt_workers_adopt(workers, &farm->farm);
    workers->keep = true;
}

void scripted_workers_close(gt_workers *workers)
{
    workers->keep = false;
    gt_workers_close(workers);
}
