/* The compile farm: distributes compile jobs to worker processes in the order in which they were
 * submitted.
 *
 * NVRTC may crash, or never return. Therefore it runs in worker processes, one per slot. Jobs wait
 * in a common queue. Up to GT_IN_FLIGHT jobs are sent to a worker in advance, so it can begin
 * the next job as soon as it has answered the previous one.
 *
 * Invariants.
 * - A job is either in the queue or in one slot, and is answered exactly once.
 * - If a worker dies, its current job is tried once more in a new worker. If that worker dies too,
 *   the job fails. The other jobs of the slot return to the front of the queue.
 * - If a worker does not get ready, it is replaced; if no worker is ready, the farm fails.
 * - If a job exceeds its time limit, or the caller gives it up, its worker is killed and replaced.
 * - Farms that use the same lock file, even in different processes, together compile on no more
 *   cores than the machine has.
 *
 * A slot has no worker, or its worker is loading the compiler (until `ready` is set), idle,
 * compiling, or compiling a cancelled job (`forgotten`). If a new job has the same key as a
 * cancelled job, it takes over the compile of the cancelled job. If a cancelled job takes long and
 * its slot is needed, the worker is replaced. If a cancelled job succeeds, its code is kept
 * (`kept`). */
#include "base/clock.h"
#include "base/condition.h"
#include "base/environment.h"
#include "base/number.h"
#include "farm/farm_host.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- Starting -------------------------------------------------------------------------------- */

static gputune_status compile_start(gt_slot *slot)
{
    const gt_compile_host *host = &slot->farm->compile;
    const char *arch = slot->farm->options.arch ? "--arch" : NULL;
    const char *const arguments[] = {
        slot->farm->worker,       "--role",   "compile",       "--driver-version",
        host->driver_version,     "--memory", host->memory_mb, arch,
        slot->farm->options.arch, NULL};
    GT_TRY(gt_link_spawn(&slot->link, slot->farm, false, arguments));
    gt_slot_begin(slot);
    return GPUTUNE_OK;
}

static void compile_return(gt_compile_host *host, gt_farm_request *request)
{
    if (request->forgotten) {
        gt_farm_request_free(request);
    } else {
        gt_queue_put(&host->queue, 0, request);
    }
}

static void compile_return_from(gt_slot *slot, size_t from)
{
    gt_slot_unsend(slot);
    while (slot->queue.count > from) {
        compile_return(&slot->farm->compile, gt_slot_take(slot, slot->queue.count - 1));
    }
}

/* ---- Shared cores ---------------------------------------------------------------------------- */

/* Farms share the cores by locking bytes of a file. A farm owns PLACE_BYTES bytes of the file. It
 * locks the first of them while it is open, and one more byte for each worker that is compiling.
 * The locks are open file description locks, so two farms of one process exclude each other too,
 * and the locks disappear when the process ends. */
enum { PLACES = 32, PLACE_BYTES = 2 * GT_COMPILE_WORKERS_MAX };

/* The lock file of this process, which all its farms use unless GPUTUNE_CORES is set. */
static struct {
    pthread_mutex_t mutex;
    int file;
    uint32_t farms;
} own_cores = {PTHREAD_MUTEX_INITIALIZER, -1, 0};

/* Opens the lock file. This is the file that GPUTUNE_CORES names, which several processes may use,
 * or a file in memory for this process only. Returns -1 on failure. */
static int open_cores(void)
{
    char path[64];
    const char *given = gt_environment("GPUTUNE_CORES");
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&own_cores.mutex);
    own_cores.farms++;
    if (given) {
        return gt_process_lift(open(given, O_RDWR | O_CLOEXEC));
    }
    if (own_cores.file < 0) {
        own_cores.file = gt_process_lift(memfd_create("gputune-cores", MFD_CLOEXEC));
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", own_cores.file);
    return own_cores.file < 0 ? -1 : gt_process_lift(open(path, O_RDWR | O_CLOEXEC));
}

static void close_cores(int file)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&own_cores.mutex);
    if (file >= 0) {
        close(file);
    }
    if (--own_cores.farms == 0 && own_cores.file >= 0) {
        close(own_cores.file);
        own_cores.file = -1;
    }
}

/* Locks or unlocks a range of bytes (F_OFD_SETLK), or looks for a lock of another farm in the range
 * (F_OFD_GETLK). F_OFD_SETLK: returns true on success. F_OFD_GETLK: returns true if there is such a
 * lock, and sets *bytes to its length. */
static bool lock_cores(int file, int command, short kind, uint32_t from, uint32_t *bytes)
{
    struct flock lock = {
        .l_type = kind, .l_whence = SEEK_SET, .l_start = (off_t)from, .l_len = (off_t)*bytes};
    bool done = fcntl(file, command, &lock) == 0;
    *bytes = (uint32_t)lock.l_len;
    return done && (command != F_OFD_GETLK || lock.l_type != F_UNLCK);
}

void gt_cores_join(gt_compile_host *host)
{
    int file = open_cores();
    for (uint32_t place = 0; place < PLACES && file >= 0 && !host->shares_cores; place++) {
        uint32_t bytes = 1;
        host->shares_cores = lock_cores(file, F_OFD_SETLK, F_WRLCK, place * PLACE_BYTES, &bytes);
        host->place = place;
    }
    host->cores = file;
    if (!host->shares_cores) {
        close_cores(file);
    }
}

static uint32_t cores_at_work(const gt_compile_host *host)
{
    uint32_t at_work = 0;
    for (uint32_t i = 0; i < host->slot_count; i++) {
        const gt_slot *slot = &host->slots[i];
        at_work += slot->link.open && slot->queue.count > 0 && !slot->queue.first->forgotten;
    }
    return at_work;
}

void gt_cores_leave(gt_compile_host *host)
{
    if (host->shares_cores) {
        /* unlock explicitly, because a forked child may still have the file open */
        uint32_t bytes = PLACE_BYTES;
        (void)lock_cores(host->cores, F_OFD_SETLK, F_UNLCK, host->place * PLACE_BYTES, &bytes);
        close_cores(host->cores);
    }
    host->shares_cores = false;
}

void gt_cores_divide(gt_compile_host *host)
{
    uint32_t all = PLACES * PLACE_BYTES, farms = 1, others = 0;
    const uint32_t first = host->place * PLACE_BYTES, at_work = cores_at_work(host);
    uint32_t held = 1 + at_work, rest = PLACE_BYTES - held;
    host->allowed = host->limit;
    if (!host->shares_cores) {
        return;
    }
    (void)lock_cores(host->cores, F_OFD_SETLK, F_WRLCK, first, &held);
    (void)lock_cores(host->cores, F_OFD_SETLK, F_UNLCK, first + 1 + at_work, &rest);
    bool is_alone = !lock_cores(host->cores, F_OFD_GETLK, F_WRLCK, 0, &all);
    for (uint32_t place = 0; place < PLACES && !is_alone; place++) {
        uint32_t bytes = PLACE_BYTES;
        if (lock_cores(host->cores, F_OFD_GETLK, F_WRLCK, place * PLACE_BYTES, &bytes)) {
            farms++;
            others += bytes - 1;
        }
    }
    uint32_t cores = host->slot_count, left = cores > others ? cores - others : 0;
    uint32_t share = cores / farms > 1 ? cores / farms : 1, most = left > share ? left : share;
    host->allowed = most < host->limit ? most : host->limit;
}

/* time limit of a compile, which is much longer than any compile that succeeds */
static const double COMPILE_DEADLINE_S = 120;
/* time limit for loading the compiler, which normally takes at most about a second */
static const double START_S = 10;
/* number of seconds after which a worker that compiles a cancelled job may be replaced */
static const double FORGOTTEN_S = 0.5;
/* interval in seconds at which to check how many cores other farms use */
static const double CORE_S = 0.01;
enum { ATTEMPTS_MAX = 2, START_FAILURES_MAX = 3 };

static void fail_request(gt_host_farm *farm, gt_farm_request *request, gputune_status status,
                         bool repeatable, double seconds)
{
    request->event.status = status;
    request->event.repeatable = repeatable;
    request->event.compiled.compile_ns = seconds * 1e9;
    gt_farm_request_end(farm, request);
}

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

/* ---- Handing out ----------------------------------------------------------------------------- */

/* The ways in which a slot can accept the next job, best first. */
typedef enum offer {
    OFFER_IDLE,    /* the slot's worker is idle */
    OFFER_START,   /* the slot has no worker, and one can be started */
    OFFER_REPLACE, /* the slot's worker spends too long on a cancelled job, and can be replaced */
    OFFER_QUEUE,   /* the slot's worker has one job, and can be sent a second one in advance */
    OFFER_NONE
} offer;

/* Counts the workers or, if `ready` is true, those that are ready. */
static uint32_t count_workers(const gt_compile_host *host, bool ready)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < host->slot_count; i++) {
        count += host->slots[i].link.open && (host->slots[i].ready || !ready);
    }
    return count;
}

/* Returns how a slot can accept the next job. A worker gets a second job in advance only if the
 * queue has more jobs than there are workers. */
static offer offer_of(const gt_compile_host *host, const gt_slot *slot, uint32_t open,
                      bool has_core)
{
    size_t jobs = slot->queue.count;
    if (!slot->link.open) {
        return open < host->limit && has_core ? OFFER_START : OFFER_NONE;
    }
    if (jobs == 0) {
        return has_core ? OFFER_IDLE : OFFER_NONE;
    }
    bool is_forgotten = gt_seconds_since(slot->since_ns) > FORGOTTEN_S;
    for (const gt_farm_request *one = slot->queue.first; one; one = one->next) {
        is_forgotten &= one->forgotten;
    }
    return is_forgotten                                      ? OFFER_REPLACE
           : jobs < GT_IN_FLIGHT && host->queue.count > open ? OFFER_QUEUE
                                                             : OFFER_NONE;
}

static gt_slot *next_slot(gt_host_farm *farm, uint32_t *open)
{
    gt_compile_host *host = &farm->compile;
    gt_slot *slot = NULL;
    offer best = OFFER_NONE;
    bool has_core = cores_at_work(host) < host->allowed;
    *open = count_workers(host, false);
    for (uint32_t i = 0; i < host->slot_count; i++) {
        offer its = offer_of(host, &host->slots[i], *open, has_core);
        slot = its < best ? &host->slots[i] : slot;
        best = its < best ? its : best;
    }
    if (best != OFFER_START && best != OFFER_REPLACE) {
        return slot;
    }
    gt_slot_clear(slot);
    gt_link_finish(&slot->link, NULL, 0);
    bool starts = compile_start(slot) == GPUTUNE_OK;
    *open = count_workers(host, false);
    if (!starts && *open > 0) {
        gt_log_line(&farm->options.log, GPUTUNE_LOG_WARNING, "%s; using %u compile worker%s",
                    gt_message(), *open, gt_plural(*open));
        host->limit = *open;
    }
    return starts ? slot : NULL;
}

void gt_compile_start_ahead(gt_host_farm *farm)
{
    /* number of sources that the first verification needs: the default variant, the judges, and the
     * service kernels if no built-in image fits the device */
    enum { FIRST = 3 };
    gt_compile_host *host = &farm->compile;
    gt_cores_divide(host);
    for (uint32_t i = 0; i < host->allowed && i < FIRST; i++) {
        if (!host->slots[i].link.open && compile_start(&host->slots[i]) < 0) {
            /* if workers cannot be started, this is reported when a job needs one */
            return;
        }
    }
}

void gt_compile_pump(gt_host_farm *farm)
{
    gt_compile_host *host = &farm->compile;
    gt_cores_divide(host);
    farm->farm.compile_workers = host->allowed;
    while (host->queue.count > 0 && farm->broken == GPUTUNE_OK) {
        uint32_t open = 0;
        gt_slot *slot = next_slot(farm, &open);
        if (slot) {
            gt_queue_put(&slot->queue, slot->queue.count, gt_queue_take(&host->queue, 0));
            if (slot->queue.count == 1) {
                gt_slot_start_clock(slot);
            }
            slot_flush(slot);
        } else if (open == 0) {
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

/* Looks for a cancelled job with the same key whose code was kept, or which is still in a slot. If
 * there is one, makes it the new job and returns true. */
static bool adopt_cancelled(gt_host_farm *farm, const gt_compile_job *job)
{
    gt_compile_host *host = &farm->compile;
    gt_farm_request *found = NULL;
    for (size_t i = 0; i < host->kept.count && !found; i++) {
        if (gt_queue_at(&host->kept, i)->key == job->key) {
            found = gt_queue_take(&host->kept, i);
            gt_queue_put(&farm->ended, farm->ended.count, found);
        }
    }
    for (uint32_t i = 0; i < host->slot_count && !found; i++) {
        for (gt_farm_request *one = host->slots[i].queue.first; one && !found; one = one->next) {
            found = one->forgotten && one->key == job->key ? one : NULL;
        }
    }
    if (found) {
        found->forgotten = false;
        found->id = found->event.id = job->id;
    }
    return found;
}

gputune_status gt_compile_submit(gt_farm *base, const gt_compile_job *job)
{
    gt_host_farm *farm = gt_host_of(base);
    gt_compile_host *host = &farm->compile;
    gt_packet *packet;
    gt_farm_request *request;
    GT_TRY(gt_farm_usable(farm));
    if (job->key && adopt_cancelled(farm, job)) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_packet_make(&packet, GT_FRAME_COMPILE, job));
    GT_TRY(gt_farm_request_make(&request, farm, GT_FRAME_COMPILE, job->id, packet));
    request->key = job->key;
    gt_queue_put(&host->queue, host->queue.count, request);
    gt_compile_pump(farm);
    return GPUTUNE_OK;
}

static bool handle_reply(gt_slot *slot, const gt_frame *frame)
{
    if (frame->kind == GT_FRAME_READY) {
        slot->ready = true;
        slot->farm->compile.start_failures = 0;
        gt_slot_start_clock(slot);
        return true;
    }
    gt_farm_request *first = slot->sent > 0 ? slot->queue.first : NULL;
    if (!first || frame->kind != GT_FRAME_COMPILE || frame->sequence != first->sequence ||
        gt_answer_read(first, frame) < 0) {
        return false;
    }
    gt_slot_pop(slot);
    first->event.repeatable = first->event.status == GPUTUNE_ECOMPILE;
    gt_farm_request_end(slot->farm, first);
    slot->ready = true;
    return true;
}

/* ---- Deaths ---------------------------------------------------------------------------------- */

/* Handles the death of a worker. The job that it was compiling is tried once more. If the worker
 * died before it was ready, no job is to blame; after several such deaths in a row, the farm fails.
 * All other jobs of the slot return to the queue. */
static void slot_died(gt_slot *slot)
{
    gt_death death;
    gt_host_farm *farm = slot->farm;
    bool ready = slot->ready, has_job = ready && (slot->sent > 0 || slot->offset > 0);
    gt_link_finish(&slot->link, &death, 0.2);
    compile_return_from(slot, has_job);
    if (has_job) {
        gt_farm_request *request = gt_slot_take(slot, 0);
        if (++request->attempts < ATTEMPTS_MAX && !request->forgotten) {
            compile_return(&farm->compile, request);
            return;
        }
        gt_message_set("the compile worker %s twice on this source; it may use %s MB of memory "
                       "(GPUTUNE_COMPILE_MEMORY)",
                       death.words, farm->compile.memory_mb);
        fail_request(farm, request, GPUTUNE_ECRASHED, death.crashed, 0);
    } else if (!ready && ++farm->compile.start_failures >= START_FAILURES_MAX) {
        gt_farm_break(farm, gt_fail(GPUTUNE_EWORKER,
                                    "%s %s before it answered; run it by hand with --version to "
                                    "see why",
                                    farm->worker, death.words));
    }
}

double gt_compile_patience(const gt_host_farm *farm)
{
    bool is_short = farm->compile.allowed < farm->compile.limit;
    return !farm->compile.queue.count ? INFINITY : is_short ? CORE_S : FORGOTTEN_S;
}

/* Returns the seconds since the worker began the first job; 0 if the worker is not ready yet. */
static double compiling_s(const gt_slot *slot)
{
    return slot->ready ? gt_seconds_since(slot->since_ns) : 0;
}

static void end_job(gt_slot *slot)
{
    double seconds = compiling_s(slot);
    fail_request(slot->farm, gt_slot_pop(slot), GPUTUNE_ETIMEOUT, false, seconds);
    gt_link_finish(&slot->link, NULL, 0);
    compile_return_from(slot, 0);
}

static double left_s(gt_slot *slot)
{
    return !slot->ready            ? gt_slot_left_s(slot, START_S)
           : slot->queue.count > 0 ? gt_slot_left_s(slot, COMPILE_DEADLINE_S)
                                   : INFINITY;
}

static void handle_timeout(gt_slot *slot)
{
    if (slot->ready) {
        gt_message_set("the compiler did not finish within %g s", COMPILE_DEADLINE_S);
        end_job(slot);
    } else if (count_workers(&slot->farm->compile, true) > 0) { /* other workers get its jobs */
        gt_link_finish(&slot->link, NULL, 0);
        compile_return_from(slot, 0);
    } else {
        gt_farm_break(slot->farm,
                      gt_fail(GPUTUNE_EWORKER,
                              "%s was started but did not respond within %g s; run it by hand with "
                              "--version, or point GPUTUNE_WORKER at the right gputune-worker",
                              slot->farm->worker, START_S));
    }
}

const gt_worker_role gt_compile_role = {handle_reply, slot_died, left_s, handle_timeout};

/* ---- Giving up ------------------------------------------------------------------------------- */

static bool is_compiling(const gt_slot *slot)
{
    return slot->link.open && slot->queue.count > 0 && !slot->queue.first->forgotten &&
           compiling_s(slot) > 0;
}

uint32_t gt_compile_list(gt_farm *base, gt_compiling *out, uint32_t count)
{
    const gt_compile_host *host = &gt_host_of(base)->compile;
    uint32_t found = 0;
    for (uint32_t i = 0; i < host->slot_count && found < count; i++) {
        const gt_slot *slot = &host->slots[i];
        if (is_compiling(slot)) {
            out[found++] = (gt_compiling){slot->queue.first->id, gt_slot_spent_s(slot)};
        }
    }
    return found;
}

void gt_compile_give_up(gt_farm *base, uint64_t id)
{
    gt_host_farm *farm = gt_host_of(base);
    for (uint32_t i = 0; i < farm->compile.slot_count; i++) {
        gt_slot *slot = &farm->compile.slots[i];
        if (is_compiling(slot) && slot->queue.first->id == id) {
            gt_message_set("compilation stopped after %.1f s: other variants are more promising",
                           compiling_s(slot));
            end_job(slot);
            gt_compile_pump(farm);
            return;
        }
    }
}

void gt_compile_cancel(gt_host_farm *farm)
{
    gt_compile_host *host = &farm->compile;
    gt_queue_clear(&host->queue);
    host->limit = host->slot_count; /* undo the reductions by workers that failed to start */
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
        gt_process_kill(&host->slots[i].link.process);
    }
    for (uint32_t i = 0; i < host->slot_count; i++) {
        gt_link_finish(&host->slots[i].link, NULL, 0);
        gt_slot_clear(&host->slots[i]);
    }
    gt_queue_clear(&host->queue);
    gt_queue_clear(&host->kept);
    gt_cores_leave(host);
    free(host->slots);
    host->slots = NULL;
    host->slot_count = 0;
}
