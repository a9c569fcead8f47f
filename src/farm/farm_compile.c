/* Distributes compile jobs over workers, in the order of the jobs. A job whose worker dies is tried
 * once more. Workers that a command starts, on another machine or under a batch system, are extra:
 * such a worker gets jobs once it has said that it is ready, and a job that fails there in any way
 * comes back to this machine. */
#include "base/clock.h"
#include "base/number.h"
#include "farm/farm_host.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEATHS_MAX = 3, SILENT_S = 60 };
/* Warnings, of which a command gets each once. */
enum { SILENT = 1, RETIRED = 2, DEATH = 4, DOUBT = 8 };

/* ---- opening --------------------------------------------------------------------------------- */

/* The engine of a command, which may be new. */
static gt_engine_host *find_engine(gt_compile_host *host, const char *command)
{
    uint32_t at = 0;
    while (at < host->engine_count && strcmp(host->engines[at].command, command) != 0) {
        at++;
    }
    host->engine_count += at == host->engine_count;
    host->engines[at].command = command;
    return &host->engines[at];
}

gputune_status gt_engines_open(gt_host_farm *farm, uint32_t count)
{
    gt_compile_host *host = &farm->compile;
    host->engines = calloc((size_t)count + 1, sizeof *host->engines);
    GT_TRY(gt_allocated(host->engines));
    for (uint32_t i = 0; i < count; i++) {
        host->slots[host->own_count + i].engine = find_engine(host, farm->options.compile_on[i]);
    }
    return GPUTUNE_OK;
}

static void say_once(gt_host_farm *farm, gt_engine_host *engine, unsigned warning, const char *what,
                     const char *end)
{
    if (!(engine->told & warning)) {
        engine->told |= warning;
        gt_log_line(&farm->options.log, GPUTUNE_LOG_WARNING, "compile workers of '%s': %s; %s",
                    engine->command, what, end);
    }
}

static void say_silent(gt_host_farm *farm, gt_engine_host *engine, const char *end)
{
    if (engine->start_ns && !engine->has_answered && !(engine->told & RETIRED)) {
        say_once(farm, engine, SILENT, "none has answered", end);
    }
}

/* Frees the engines, and warns of each command whose workers never answered. */
static void engines_close(gt_host_farm *farm)
{
    gt_compile_host *host = &farm->compile;
    for (uint32_t i = 0; i < host->engine_count; i++) {
        say_silent(farm, &host->engines[i],
                   "the work has ended before; does the command keep what it is given, as srun "
                   "without -u?");
    }
    free(host->engines);
}

/* ---- starting -------------------------------------------------------------------------------- */

/* Starts the slot's worker, by its command if it has one. EWORKER, ENOMEM. */
static gputune_status compile_start(gt_slot *slot)
{
    const gt_compile_host *host = &slot->farm->compile;
    const char *arch = slot->farm->options.arch ? "--arch" : NULL;
    const char *const arguments[] = {"--role",
                                     "compile",
                                     "--driver-version",
                                     host->driver_version,
                                     "--memory",
                                     host->memory_mb,
                                     arch,
                                     slot->farm->options.arch,
                                     NULL};
    const char *command = slot->engine ? slot->engine->command : NULL;
    GT_TRY(gt_link_spawn(&slot->link, slot->farm, false, command, arguments));
    gt_slot_begin(slot);
    return GPUTUNE_OK;
}

/* Puts a request back at the front of the queue; one that was canceled is freed. */
static void compile_return(gt_compile_host *host, gt_farm_request *request)
{
    if (request->forgotten) {
        gt_farm_request_free(request);
    } else {
        gt_queue_put(&host->queue, 0, request);
    }
}

/* Puts the requests of a slot from that index on back at the front of the queue. Afterwards none of
 * the slot's requests is with a worker. */
static void compile_return_from(gt_slot *slot, size_t from)
{
    gt_slot_unsend(slot);
    while (slot->queue.count > from) {
        compile_return(&slot->farm->compile, gt_slot_take(slot, slot->queue.count - 1));
    }
}

static void return_jobs(gt_slot *slot)
{
    if (slot->queue.count > 0) {
        slot->queue.first->doubted = true; /* the request in hand */
    }
    compile_return_from(slot, 0);
}

/* Ends a slot's worker for good, and gives its jobs back. Logs the thread's message as the reason,
 * once for each command. */
static void engine_retire(gt_slot *slot)
{
    if (!slot->is_retired) {
        say_once(slot->farm, slot->engine, RETIRED, gt_message(), "going on without");
    }
    slot->is_retired = true;
    gt_link_abandon(&slot->link);
    return_jobs(slot);
}

/* Starts the commands whose workers do not run, but for those that are retired. */
static void engines_start(gt_host_farm *farm)
{
    gt_compile_host *host = &farm->compile;
    for (uint32_t i = host->own_count; i < host->slot_count; i++) {
        gt_slot *slot = &host->slots[i];
        int64_t *start_ns = &slot->engine->start_ns;
        if (slot->link.open || slot->is_retired) {
            continue;
        }
        if (compile_start(slot) < 0) {
            engine_retire(slot);
        } else {
            *start_ns = *start_ns ? *start_ns : gt_now_ns();
        }
    }
}

/* ---- the cores of this machine, which the farms of a process share --------------------------- */

static struct {
    pthread_mutex_t mutex;
    pid_t owner;      /* a forked child begins anew */
    uint32_t farms;   /* that compile on all cores */
    uint32_t at_work; /* their workers that have a source */
} shared = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void gt_cores_join(gt_compile_host *host)
{
    pthread_mutex_lock(&shared.mutex);
    if (shared.owner != getpid()) {
        shared.owner = getpid();
        shared.farms = shared.at_work = 0;
    }
    host->shares_cores = true;
    shared.farms++;
    pthread_mutex_unlock(&shared.mutex);
}

static uint32_t cores_at_work(const gt_compile_host *host)
{
    uint32_t at_work = 0;
    for (uint32_t i = 0; i < host->own_count; i++) {
        const gt_slot *slot = &host->slots[i];
        at_work += slot->link.open && slot->queue.count > 0 && !slot->queue.first->forgotten;
    }
    return at_work;
}

void gt_cores_leave(gt_compile_host *host)
{
    pthread_mutex_lock(&shared.mutex);
    if (host->shares_cores && shared.owner == getpid()) {
        shared.farms--;
        shared.at_work -= host->told_at_work;
    }
    pthread_mutex_unlock(&shared.mutex);
    host->shares_cores = false;
}

void gt_cores_divide(gt_compile_host *host)
{
    host->allowed = host->limit;
    if (!host->shares_cores) {
        return;
    }
    pthread_mutex_lock(&shared.mutex);
    uint32_t mine = cores_at_work(host);
    shared.at_work += mine - host->told_at_work;
    host->told_at_work = mine;
    uint32_t others = shared.at_work - mine, all = host->own_count;
    uint32_t share = all / shared.farms > 1 ? all / shared.farms : 1;
    uint32_t left = all > others ? all - others : 0;
    pthread_mutex_unlock(&shared.mutex);
    uint32_t most = left > share ? left : share;
    host->allowed = most < host->limit ? most : host->limit;
}

/* ---- who takes what -------------------------------------------------------------------------- */

static bool is_of_our_compiler(const gt_compile_host *host, const gt_slot *slot)
{
    return slot->ready && host->nvrtc_version && slot->nvrtc_version == host->nvrtc_version;
}

/* Whether a slot's worker may get that job. Every worker of this machine may. A worker that a
 * command started may if it is ready, has the same compiler, and no such worker has failed at the
 * job. */
static bool engine_may_take(const gt_compile_host *host, const gt_slot *slot,
                            const gt_farm_request *request)
{
    return !slot->engine || (is_of_our_compiler(host, slot) && !request->doubted);
}

/* Retires a worker whose compiler is of another version than this machine's: its images may
 * differ. */
static void check_compiler(gt_slot *slot)
{
    const gt_compile_host *host = &slot->farm->compile;
    if (!slot->ready || !host->nvrtc_version || is_of_our_compiler(host, slot)) {
        return;
    }
    int there = slot->nvrtc_version, here = host->nvrtc_version;
    if (there) {
        gt_message_set("NVRTC is %d.%d there and %d.%d here; install the same, or name it by "
                       "GPUTUNE_NVRTC",
                       there / 1000, there % 1000 / 10, here / 1000, here % 1000 / 10);
    } else {
        gt_message_set("there is no NVRTC there, or none that fits the driver here; install %d.%d, "
                       "or name it by GPUTUNE_NVRTC",
                       here / 1000, here % 1000 / 10);
    }
    engine_retire(slot);
}

/* Sets farm->compile_workers to the number of workers that may take jobs. Retires workers with
 * another compiler, and warns of commands that have been silent for long. */
static void engines_count(gt_host_farm *farm)
{
    gt_compile_host *host = &farm->compile;
    uint32_t ready = 0;
    for (uint32_t i = host->own_count; i < host->slot_count; i++) {
        gt_engine_host *engine = host->slots[i].engine;
        check_compiler(&host->slots[i]);
        engine->has_answered |= host->slots[i].link.greeted;
        if (engine->start_ns && gt_seconds_since(engine->start_ns) > SILENT_S) {
            say_silent(farm, engine,
                       "still waiting; does the command keep what it is given, as srun without "
                       "-u?");
        }
        ready += is_of_our_compiler(host, &host->slots[i]);
    }
    farm->farm.compile_workers = host->allowed + ready;
    farm->farm.on_cores = host->shares_cores ? host->allowed : 0;
    farm->farm.cores = host->shares_cores ? host->own_count : 0;
}

/* ---- failures -------------------------------------------------------------------------------- */

/* Ends the worker of a slot that a command serves, if it still runs, and gives its jobs back. The
 * worker is started again, unless it has never said hello or has died too often. */
static void engine_died(gt_slot *slot)
{
    gt_death death;
    bool greeted = slot->link.greeted;
    gt_link_finish(&slot->link, &death, 0.2);
    if (!greeted || ++slot->deaths >= DEATHS_MAX) {
        gt_message_set("the worker there %s%s", death.words,
                       greeted ? " again and again" : " before it answered");
        engine_retire(slot);
        return;
    }
    gt_message_set("the worker there %s", death.words);
    say_once(slot->farm, slot->engine, DEATH, gt_message(),
             "its job is compiled here, and it is started again");
    return_jobs(slot);
}

/* Notes that a command's compiler has failed at a request, with the thread's message. This machine
 * must try it. */
static void engine_failed(gt_slot *slot, gt_farm_request *request)
{
    request->doubted = true;
    request->failed_on = slot;
    if (!slot->engine->doubt[0]) {
        snprintf(slot->engine->doubt, sizeof slot->engine->doubt, "%.*s",
                 (int)sizeof slot->engine->doubt - 1, gt_message());
    }
}

/* Warns, once for each command, that its compiler has failed at a source that compiles here. */
static void engine_refuted(gt_host_farm *farm, const gt_farm_request *request)
{
    gt_engine_host *engine = request->failed_on ? request->failed_on->engine : NULL;
    if (engine) {
        say_once(farm, engine, DOUBT, engine->doubt,
                 "here the same compiles: the folders that kernels include must be there too");
    }
}

/* Far beyond any kernel that finishes; NVRTC has no time limit of its own. */
static const double COMPILE_DEADLINE_S = 120;
/* A worker that has been at a canceled job for so long is not waited for. */
static const double FORGOTTEN_S = 0.5;
/* Another farm may have left a core. */
static const double CORE_S = 0.01;
enum { ATTEMPTS_MAX = 2, START_FAILURES_MAX = 3 };

/* ---- Requests -------------------------------------------------------------------------------- */

/* Ends a request that failed, with the thread's message. `seconds` is the time that was spent on
 * the compile; 0 where nobody needs it. */
static void fail_request(gt_host_farm *farm, gt_farm_request *request, gputune_status status,
                         bool repeatable, double seconds)
{
    request->event.status = status;
    request->event.repeatable = repeatable;
    request->event.compiled.compile_ns = seconds * 1e9;
    gt_farm_request_end(farm, request);
}

/* ---- Workers --------------------------------------------------------------------------------- */

static void slot_died(gt_slot *slot);

static void slot_flush(gt_slot *slot)
{
    gt_push push = GT_PUSH_DONE;
    while (push == GT_PUSH_DONE && slot->sent < slot->queue.count) {
        push = gt_slot_push(slot);
    }
    if (push == GT_PUSH_CLOSED) {
        slot_died(slot);
    }
}

static void slot_give(gt_slot *slot, gt_farm_request *request)
{
    gt_queue_put(&slot->queue, slot->queue.count, request);
    if (slot->queue.count == 1) {
        gt_slot_start_clock(slot);
    }
    slot_flush(slot);
}

/* ---- Handing out ----------------------------------------------------------------------------- */

/* What a slot offers for the next job; the best comes first. */
typedef enum offer {
    OFFER_IDLE,    /* its worker has no job */
    OFFER_START,   /* it has no worker, and may start one */
    OFFER_REPLACE, /* its worker has long been compiling a source that no request waits for */
    OFFER_QUEUE,   /* its worker has one job, and need not wait for its next one then */
    OFFER_NONE
} offer;

static uint32_t count_open(const gt_compile_host *host)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < host->own_count; i++) {
        open += host->slots[i].link.open;
    }
    return open;
}

static bool is_forgotten(const gt_slot *slot)
{
    bool forgotten = !slot->engine && gt_seconds_since(slot->since_ns) > FORGOTTEN_S;
    for (const gt_farm_request *one = slot->queue.first; one; one = one->next) {
        forgotten &= one->forgotten;
    }
    return forgotten;
}

/* `open` is the number of this machine's own workers. Jobs queue up while more of them wait than
 * there are workers. */
static offer offer_of(const gt_compile_host *host, const gt_slot *slot, uint32_t open,
                      bool has_core)
{
    size_t jobs = slot->queue.count;
    bool may_take = engine_may_take(host, slot, host->queue.first);
    if (!slot->link.open) {
        return !slot->engine && open < host->limit && has_core ? OFFER_START : OFFER_NONE;
    }
    if (jobs == 0) {
        return may_take && (slot->engine || has_core) ? OFFER_IDLE : OFFER_NONE;
    }
    return is_forgotten(slot)                                            ? OFFER_REPLACE
           : may_take && jobs < GT_IN_FLIGHT && host->queue.count > open ? OFFER_QUEUE
                                                                         : OFFER_NONE;
}

/* The slot for the next job, with a worker that is new where the slot offered to start one. NULL:
 * there is none now. */
static gt_slot *next_slot(gt_host_farm *farm, uint32_t *open)
{
    gt_compile_host *host = &farm->compile;
    gt_slot *slot = NULL;
    offer best = OFFER_NONE;
    bool has_core = cores_at_work(host) < host->allowed;
    *open = count_open(host);
    for (uint32_t i = 0; i < host->slot_count; i++) {
        offer its = offer_of(host, &host->slots[i], *open, has_core);
        slot = its < best ? &host->slots[i] : slot;
        best = its < best ? its : best;
    }
    if (best != OFFER_START && best != OFFER_REPLACE) {
        return slot;
    }
    gt_slot_clear(slot);
    gt_link_abandon(&slot->link);
    bool starts = compile_start(slot) == GPUTUNE_OK;
    *open = count_open(host);
    if (!starts && *open > 0) {
        gt_log_line(&farm->options.log, GPUTUNE_LOG_WARNING,
                    "%s; going on with %u compile worker%s", gt_message(), *open, gt_plural(*open));
        host->limit = *open;
    }
    return starts ? slot : NULL;
}

/* Whether a worker elsewhere may take the next job once it has room. */
static bool is_for_engines(const gt_compile_host *host)
{
    bool is = false;
    for (uint32_t i = host->own_count; i < host->slot_count; i++) {
        const gt_slot *slot = &host->slots[i];
        is |= slot->link.open && engine_may_take(host, slot, host->queue.first);
    }
    return is;
}

void gt_compile_start_ahead(gt_host_farm *farm, uint32_t most)
{
    gt_compile_host *host = &farm->compile;
    gt_cores_divide(host);
    for (uint32_t i = 0; i < host->allowed && i < most; i++) {
        if (!host->slots[i].link.open && compile_start(&host->slots[i]) < 0) {
            return; /* the first job tries again, and fails if that does */
        }
    }
}

double gt_compile_load(const gt_host_farm *farm)
{
    size_t jobs = farm->compile.queue.count;
    for (uint32_t i = 0; i < farm->compile.slot_count; i++) {
        jobs += farm->compile.slots[i].queue.count;
    }
    return (double)jobs / farm->farm.compile_workers;
}

void gt_compile_pump(gt_host_farm *farm)
{
    gt_compile_host *host = &farm->compile;
    gt_cores_divide(host);
    if (host->queue.count > 0) {
        engines_start(farm);
    }
    engines_count(farm);
    while (host->queue.count > 0 && farm->broken == GPUTUNE_OK) {
        uint32_t open = 0;
        gt_slot *slot = next_slot(farm, &open);
        if (slot) {
            slot_give(slot, gt_queue_take(&host->queue, 0));
        } else if (open == 0 && !is_for_engines(host)) {
            fail_request(farm, gt_queue_take(&host->queue, 0), GPUTUNE_EWORKER, false, 0);
        } else {
            break;
        }
    }
    for (uint32_t i = 0; i < host->slot_count; i++) {
        if (host->slots[i].link.open) {
            slot_flush(&host->slots[i]);
        }
    }
    gt_cores_divide(host);
}

gputune_status gt_compile_submit(gt_host_farm *farm, const gt_compile_job *job)
{
    gt_compile_host *host = &farm->compile;
    gt_packet *packet;
    gt_farm_request *request;
    GT_TRY(gt_packet_make(&packet, GT_FRAME_COMPILE, job));
    GT_TRY(gt_farm_request_make(&request, farm, GT_FRAME_COMPILE, job->id, packet));
    gt_queue_put(&host->queue, host->queue.count, request);
    gt_compile_pump(farm);
    return GPUTUNE_OK;
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* False: the worker cannot be used. */
static bool handle_ready(gt_slot *slot, const gt_frame *frame)
{
    gt_answer answer;
    gt_ready ready;
    if (frame->answer_bytes && slot->engine && gt_frame_answer(&answer, frame) == GPUTUNE_OK) {
        gt_message_set("%s", answer.message);
        (void)gt_engine_hint(slot->farm, slot->engine->command);
        engine_retire(slot);
        return true;
    }
    if (gt_frame_body(&ready, frame, &gt_record_ready) < 0) {
        return false;
    }
    slot->ready = true;
    gt_slot_start_clock(slot);
    slot->nvrtc_version = ready.nvrtc_version;
    if (!slot->engine) {
        slot->farm->compile.nvrtc_version = ready.nvrtc_version;
        slot->farm->compile.start_failures = 0;
    }
    return true;
}

static bool handle_answer(gt_slot *slot, const gt_frame *frame)
{
    gt_farm_request *first = slot->queue.first;
    if (gt_answer_read(first, frame) < 0) {
        return false;
    }
    gt_slot_pop(slot);
    if (slot->engine && first->event.status != GPUTUNE_OK) {
        engine_failed(slot, first);
        compile_return(&slot->farm->compile, first);
        return true;
    }
    if (first->event.status == GPUTUNE_OK) {
        engine_refuted(slot->farm, first);
    }
    first->event.repeatable = first->event.status == GPUTUNE_ECOMPILE;
    gt_farm_request_end(slot->farm, first);
    slot->ready = true;
    slot->deaths = 0;
    return true;
}

/* False for an answer to no job: the worker cannot be used any more. */
static bool handle(gt_slot *slot, const gt_frame *frame)
{
    if (frame->kind == GT_FRAME_READY) {
        return handle_ready(slot, frame);
    }
    const gt_farm_request *first = slot->sent > 0 ? slot->queue.first : NULL;
    return first && frame->kind == GT_FRAME_COMPILE && frame->sequence == first->sequence &&
           handle_answer(slot, frame);
}

/* ---- Deaths ---------------------------------------------------------------------------------- */

/* Handles a job whose worker has died. The first time the job goes back to the queue. The second
 * time the job is taken for the cause and fails; the failure is repeatable, unless the worker was
 * ended from outside (out of memory, an operator). */
static void blame(gt_host_farm *farm, gt_farm_request *request, const gt_death *death)
{
    if (++request->attempts < ATTEMPTS_MAX && !request->forgotten) {
        compile_return(&farm->compile, request);
        return;
    }
    gt_message_set("the compile worker %s on this source, and so did a new one; it may take %s MB "
                   "of memory",
                   death->words, farm->compile.memory_mb);
    bool crash = death->end == GT_END_SIGNALED && death->code != SIGKILL && death->code != SIGTERM;
    fail_request(farm, request, GPUTUNE_ECRASHED, crash, 0);
}

/* Counts a worker that has ended before its first message: no job is the cause, and another worker
 * is likely to fail as well. After START_FAILURES_MAX in a row the farm is broken. */
static void count_start_failure(gt_host_farm *farm, const gt_death *death)
{
    if (++farm->compile.start_failures >= START_FAILURES_MAX) {
        gt_farm_break(farm, gt_fail(GPUTUNE_EWORKER,
                                    "%s %s before it answered; run it by hand with --version to "
                                    "see why",
                                    farm->worker, death->words));
    }
}

static void slot_died(gt_slot *slot)
{
    gt_death death;
    bool greeted = slot->link.greeted;
    if (slot->engine) {
        engine_died(slot);
        return;
    }
    gt_link_finish(&slot->link, &death, 0.2);
    compile_return_from(slot, greeted);
    if (!greeted) {
        count_start_failure(slot->farm, &death);
    } else if (slot->queue.count > 0) {
        blame(slot->farm, gt_slot_take(slot, 0), &death);
    }
}

double gt_compile_patience(const gt_host_farm *farm)
{
    bool is_short = farm->compile.allowed < farm->compile.limit;
    return !farm->compile.queue.count ? INFINITY : is_short ? CORE_S : FORGOTTEN_S;
}

/* How long the job in hand has been compiling, without the start of its worker; 0: not yet. */
static double compiling_s(const gt_slot *slot)
{
    return slot->ready ? gt_seconds_since(slot->since_ns) : 0;
}

/* Ends a worker and the job that it is at; the job fails with the thread's message. The jobs behind
 * it go back to the queue. */
static void end_job(gt_slot *slot)
{
    double seconds = compiling_s(slot);
    fail_request(slot->farm, gt_slot_pop(slot), GPUTUNE_ETIMEOUT, false, seconds);
    gt_link_abandon(&slot->link);
    compile_return_from(slot, 0);
}

static double left_s(gt_slot *slot)
{
    return slot->queue.count ? gt_slot_left_s(slot, COMPILE_DEADLINE_S) : INFINITY;
}

static void late(gt_slot *slot)
{
    if (slot->engine) {
        engine_died(slot);
        return;
    }
    gt_message_set("the compiler did not finish within %g s", COMPILE_DEADLINE_S);
    end_job(slot);
}

/* Handles a worker of another version, or without a hello. All other workers of this machine would
 * be alike, so that the farm is broken; a command's worker is retired. */
static void refuse(gt_slot *slot)
{
    if (slot->engine) {
        engine_retire(slot);
    } else {
        gt_farm_break(slot->farm, GPUTUNE_EWORKER);
    }
}

const gt_role gt_compile_role = {handle, refuse, slot_died, left_s, late};

/* ---- Giving up ------------------------------------------------------------------------------- */

static bool is_compiling(const gt_slot *slot)
{
    return slot->link.open && slot->queue.count > 0 && !slot->queue.first->forgotten &&
           compiling_s(slot) > 0;
}

uint32_t gt_compile_list(gt_farm *base, gt_compiling *out, uint32_t count)
{
    uint32_t found = 0;
    for (; base; base = base->helper) {
        const gt_compile_host *host = &gt_host_of(base)->compile;
        for (uint32_t i = 0; i < host->slot_count && found < count; i++) {
            const gt_slot *slot = &host->slots[i];
            if (is_compiling(slot)) {
                out[found++] = (gt_compiling){slot->queue.first->id, compiling_s(slot)};
            }
        }
    }
    return found;
}

void gt_compile_give_up(gt_farm *base, uint64_t id)
{
    for (; base; base = base->helper) {
        gt_host_farm *farm = gt_host_of(base);
        for (uint32_t i = 0; i < farm->compile.slot_count; i++) {
            gt_slot *slot = &farm->compile.slots[i];
            if (is_compiling(slot) && slot->queue.first->id == id) {
                gt_message_set("its compile was given up after %.1f s: others are more promising",
                               compiling_s(slot));
                end_job(slot);
                gt_compile_pump(farm);
                return;
            }
        }
    }
}

void gt_compile_cancel(gt_host_farm *farm)
{
    gt_compile_host *host = &farm->compile;
    gt_queue_clear(&host->queue);
    for (uint32_t i = 0; i < host->slot_count; i++) {
        for (gt_farm_request *one = host->slots[i].queue.first; one; one = one->next) {
            one->forgotten = true;
        }
    }
    gt_cores_divide(host);
}

void gt_compile_close(gt_host_farm *farm)
{
    gt_compile_host *host = &farm->compile;
    for (uint32_t i = 0; i < host->slot_count; i++) {
        if (host->slots[i].link.open) {
            gt_link_kill(&host->slots[i].link);
        }
    }
    for (uint32_t i = 0; i < host->slot_count; i++) {
        gt_slot_free(&host->slots[i]);
    }
    gt_queue_clear(&host->queue);
    engines_close(farm);
    gt_cores_leave(host);
    free(host->slots);
    host->slots = NULL;
    host->slot_count = 0;
}
