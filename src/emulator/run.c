/* The machine, which runs a launch from its first block until the last thread exits.
 *
 * A program is decoded once into operations. An operation is a function that runs one instruction
 * for the 32 lanes of a warp. A warp is therefore an interpreter loop (split.c), and a launch only
 * has to choose which warp runs next. There are five levels:
 *
 *     launch    emu_run()          host threads take multiprocessors, one after the other
 *     worker    run_sm()           a host thread runs the groups of its multiprocessor in order
 *     group     emu_group_run()    the warps of one cluster (or one block), one after the other
 *     warp      emu_warp_run()     its splits, which are lanes at the same instruction
 *     split     run_split()        operations, one after the other
 *
 * Operations are not preempted. A warp runs until it has executed a quantum of operations, until
 * all its lanes wait or have exited, or until an operation polls (a failed test of an mbarrier, or
 * nanosleep). At first, a group has its worker to itself. After many slices, it shares the worker
 * with the groups after it. Its blocks may be waiting for these groups, which a GPU would run at
 * the same time. The groups of a cooperative launch share their worker from the start.
 *
 * A split is in one of four states (emu_state in warp.h):
 *
 *     READY       It runs when it is chosen, and joins another split at the same instruction.
 *     AT_SYNC     It waits until other lanes of its warp reach the same operation. The operation
 *                 then runs again for all of them.
 *     AT_BARRIER  It waits at a barrier of the block, or for the other warps of its warpgroup, and
 *                 then continues after the operation.
 *     AT_CLUSTER  It waits until the phase of the cluster's barrier ends.
 *
 * There is no state for waiting for an mbarrier or for memory, because the kernel tests them in a
 * loop. An asynchronous operation (cp.async, bulk and tensor copies, wgmma) does its work at once,
 * so a wait for it returns at once. Only a checked launch records what would still be in flight.
 *
 * Invariants:
 *
 *   - A lane that has neither exited nor returned is in exactly one split: the running one
 *     (warp->active) or one of warp->splits. warp->dead contains the lanes that have exited and
 *     those that never existed.
 *   - warp->mask contains the lanes of the operation. It is a subset of warp->active, and is not
 *     empty when a handler is called.
 *   - If a handler makes lanes wait or exit, or makes only some lanes branch, it removes them from
 *     the running split and sets warp->limit to 0. The split then stops after this operation.
 *   - The state of a group belongs to one worker. Workers share the launch and the device memory,
 *     which they access with the host's atomics. run->lock protects the first fault and the output.
 *   - If the results of a kernel do not depend on the order of its blocks, they do not depend on
 *     the number of workers. This is also true of the counters, because each multiprocessor has its
 *     own level-1 cache and always runs the same groups.
 *   - The first fault ends the launch: it sets run->stop, which all levels test. Memory is left as
 *     it is, and the driver makes the error sticky.
 *   - A checked launch has one worker, and the sanitizer has a state for each warp and block
 *     (check.h). Only a checked launch ends when no thread can continue. Any other launch hangs
 *     until it is cancelled, as on a GPU. */
#include "base/environment.h"
#include "emulator/cache.h"
#include "emulator/check.h"
#include "emulator/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    OUT_OF_MEMORY = 2,
    LAUNCH_FAILED = 719,
    SLICE = 1 << 16,         /* number of operations after which a worker checks for cancellation */
    SLICES_BEFORE_HELP = 16, /* number of slices after which a group shares its worker */
    QUANTUM = 4096,          /* number of operations that a warp executes at a time */
    QUANTUM_SHORT = 256,     /* value of QUANTUM for a cooperative launch */
    MOST_RESIDENT = 1024,    /* maximum number of groups that share one worker */
    SMALL_LAUNCH = 4096,     /* a launch with fewer threads starts on one host thread */
    DEFAULT_STACK = 1024,
    MOST_WORKERS = 64
};

typedef struct team {
    emu_run_state state;
    emu_worker *workers[MOST_WORKERS];
    pthread_t threads[MOST_WORKERS];
    unsigned most, count; /* maximum number of workers, and number of started workers */
} team;

/* ---- outside events ---- */

static void raise_run(emu_run_state *run, int code, const char *what)
{
    pthread_mutex_lock(&run->lock);
    if (run->fault->code == 0) {
        run->fault->code = code;
        snprintf(run->fault->message, sizeof run->fault->message, "%s: kernel %s", what,
                 run->launch->kernel->name);
    }
    pthread_mutex_unlock(&run->lock);
    atomic_store(&run->stop, 1);
}

static bool must_stop(emu_run_state *run)
{
    if (run->launch->cancel && atomic_load_explicit(run->launch->cancel, memory_order_relaxed))
        raise_run(run, LAUNCH_FAILED, "launch failed: cancelled");
    return atomic_load(&run->stop);
}

/* Returns true for a cooperative launch. Blocks of such a launch wait for each other, so they take
 * turns on one host thread. With several threads, the counters would depend on the host. */
static bool is_cooperative(const emu_run_state *run)
{
    return run->launch->grid_workspace != 0;
}

/* ---- endless launches ---- */

/* A checked launch is reported as endless when it exceeds a number of operations. The limit is
 * ENDLESS_FIRST for the first launch of a kernel. For later launches, it is ENDLESS_TIMES the
 * number of operations of the longest launch of the kernel so far, but at least ENDLESS_LEAST. */
static const uint64_t ENDLESS_TIMES = 100;
static const uint64_t ENDLESS_LEAST = UINT64_C(1) << 22, ENDLESS_FIRST = UINT64_C(1) << 27;
enum { NAMES = 64 };
static struct {
    atomic_uint_least64_t name, operations;
} longest[NAMES]; /* indexed by a hash of the kernel's name; a newer kernel replaces an older one */

static uint64_t count_issued(const emu_counters *counters)
{
    uint64_t sum = 0;
    for (int i = 0; i < EMU_CLASS_COUNT; i++)
        sum += counters->issued[i];
    return sum;
}

static uint64_t name_of(const emu_run_state *run)
{
    uint64_t hash = 1;
    for (const char *at = run->function->source->name; *at; at++)
        hash = hash * 1000003 + (unsigned char)*at;
    return hash;
}

static uint64_t most_operations(const emu_run_state *run)
{
    uint64_t name = name_of(run);
    bool is_known = atomic_load(&longest[name % NAMES].name) == name;
    uint64_t most = ENDLESS_TIMES * atomic_load(&longest[name % NAMES].operations);
    return !is_known ? ENDLESS_FIRST : most > ENDLESS_LEAST ? most : ENDLESS_LEAST;
}

static void note_ended(const emu_run_state *run, const emu_counters *total)
{
    uint64_t issued = count_issued(total), name = name_of(run);
    if (atomic_exchange(&longest[name % NAMES].name, name) != name ||
        issued > atomic_load(&longest[name % NAMES].operations))
        atomic_store(&longest[name % NAMES].operations, issued);
}

static void end_if_endless(emu_worker *worker, const emu_group *running)
{
    if (worker->check && !atomic_load(&worker->run->stop) &&
        count_issued(&worker->counters) > worker->run->most_operations) {
        emu_check_endless(running);
        raise_run(worker->run, LAUNCH_FAILED, "launch failed: a loop does not end");
    }
}

/* ---- a worker ---- */

typedef struct residents {
    emu_group *first; /* list of the groups that share the worker, oldest first */
    unsigned count;
} residents;

static void *help_worker(void *argument);

static void add_helpers(team *all)
{
    emu_run_state *run = &all->state;
    uint64_t sms = (run->groups + run->groups_per_sm - 1) / run->groups_per_sm;
    while (all->count < all->most && atomic_load(&run->next_sm) < sms && !is_cooperative(run)) {
        emu_worker *worker = aligned_alloc(_Alignof(emu_worker), sizeof *worker);
        if (!worker)
            break;
        *worker = (emu_worker){.run = run};
        if (pthread_create(&all->threads[all->count], NULL, help_worker, worker) != 0) {
            free(worker);
            break;
        }
        all->workers[all->count++] = worker;
    }
    all->most = all->count;
}

/* Runs a group that has its worker to itself. Returns false if the group has not ended and must
 * share the worker. */
static bool run_group(emu_group *group, team *helpers)
{
    int slices = is_cooperative(group->worker->run) ? 0 : SLICES_BEFORE_HELP;
    for (int i = 0; i < slices && !must_stop(group->worker->run); i++) {
        emu_progress progress = emu_group_run(group, SLICE);
        if (progress == EMU_ENDED) {
            emu_group_end(group);
            return true;
        }
        if (progress == EMU_STUCK)
            break;
        end_if_endless(group->worker, group);
        if (helpers && helpers->count < helpers->most)
            add_helpers(helpers);
    }
    return false;
}

/* Runs one slice of each group that shares the worker. Returns false if no group can continue. */
static bool run_residents(residents *all)
{
    bool moved = false;
    for (emu_group **place = &all->first; *place;) {
        uint64_t slice = is_cooperative((*place)->worker->run) ? 1 : SLICE;
        emu_group *group = *place;
        emu_progress progress = emu_group_run(group, slice);
        moved |= progress != EMU_STUCK;
        if (progress != EMU_ENDED) {
            place = &group->next;
            continue;
        }
        *place = group->next;
        all->count--;
        emu_group_end(group);
    }
    if (all->first)
        end_if_endless(all->first->worker, all->first);
    return moved;
}

/* Sleeps for a while, so a launch that hangs needs almost no CPU time. */
static void pause_briefly(void)
{
    struct timespec time = {.tv_nsec = 50000000};
    nanosleep(&time, NULL);
}

/* Must be called if no thread of this worker can continue. Reports a deadlock in a checked launch.
 * In any other launch, sleeps, because other workers may make progress. */
static void wait_for_others(emu_worker *worker, const residents *waiting)
{
    if (worker->check) {
        emu_check_stuck(waiting->first);
        raise_run(worker->run, LAUNCH_FAILED, "launch failed: no thread can continue");
    } else {
        pause_briefly();
    }
}

static void add_resident(residents *all, emu_group *group)
{
    emu_group **place = &all->first;
    while (*place)
        place = &(*place)->next;
    *place = group;
    all->count++;
}

/* Returns the maximum number of resident groups. Only these can wait for each other. */
static uint64_t most_resident(const emu_run_state *run)
{
    uint64_t blocks = (uint64_t)run->limits.sm_count * run->limits.blocks_per_sm;
    uint64_t groups = blocks / run->blocks_per_group;
    if (is_cooperative(run))
        return run->groups + 1;
    return groups == 0 ? 1 : groups < MOST_RESIDENT ? groups : MOST_RESIDENT;
}

static void run_sm(emu_worker *worker, residents *waiting, uint64_t sm, team *helpers)
{
    emu_run_state *run = worker->run;
    uint64_t end = (sm + 1) * run->groups_per_sm;
    end = end < run->groups ? end : run->groups;
    emu_cache_clear(worker->l1);
    for (uint64_t g = sm * run->groups_per_sm; g < end && !must_stop(run); g++) {
        emu_group *group = emu_group_start(worker, g, (uint32_t)sm);
        if (!group) {
            raise_run(run, OUT_OF_MEMORY, "out of host memory");
            return;
        }
        if (!run_group(group, helpers))
            add_resident(waiting, group);
        run_residents(waiting);
        while (waiting->count >= most_resident(run) && !must_stop(run))
            if (!run_residents(waiting))
                wait_for_others(worker, waiting);
    }
}

static void run_groups(emu_worker *worker, team *helpers)
{
    emu_run_state *run = worker->run;
    residents waiting = {0};
    if (run->limits.l1_bytes)
        worker->l1 = emu_cache_new(run->limits.l1_bytes);
    for (;;) {
        uint64_t sm = atomic_fetch_add(&run->next_sm, 1);
        if (sm * run->groups_per_sm >= run->groups || must_stop(run))
            break;
        run_sm(worker, &waiting, sm, helpers);
    }
    while (waiting.count && !must_stop(run))
        if (!run_residents(&waiting))
            wait_for_others(worker, &waiting);
    while (waiting.first) {
        emu_group *next = waiting.first->next;
        emu_group_free(waiting.first);
        waiting.first = next;
    }
    emu_group_free(worker->spare);
    emu_cache_free(worker->l1);
}

static void *help_worker(void *argument)
{
    run_groups(argument, NULL);
    return NULL;
}

/* ---- the launch ---- */

static void set_limits(emu_run_state *run)
{
    const emu_limits *given = run->launch->limits;
    emu_limits *limits = &run->limits;
    if (given)
        *limits = *given;
    if (!limits->sm_count)
        limits->sm_count = 1;
    if (!limits->blocks_per_sm)
        limits->blocks_per_sm = 1;
    if (!limits->stack_bytes)
        limits->stack_bytes = DEFAULT_STACK;
    if (!limits->workers)
        limits->workers = gt_cores();
    if (limits->workers > MOST_WORKERS)
        limits->workers = MOST_WORKERS;
}

static void set_groups(emu_run_state *run)
{
    const emu_launch *launch = run->launch;
    uint64_t blocks = 1;
    run->blocks_per_group = 1;
    for (int i = 0; i < 3; i++) {
        run->cluster[i] = launch->cluster[i] ? launch->cluster[i] : 1;
        run->blocks_per_group *= run->cluster[i];
        blocks *= launch->grid[i];
    }
    run->groups = blocks / run->blocks_per_group;
    run->groups_per_sm = (run->groups + run->limits.sm_count - 1) / run->limits.sm_count;
}

static void add_counters(emu_counters *total, const emu_counters *part)
{
    emu_counters sum = *total;
    uint64_t *to = (uint64_t *)&sum;
    const uint64_t *from = (const uint64_t *)part;
    for (size_t i = 0; i < sizeof sum / sizeof *to; i++)
        to[i] += from[i];
    sum.longest_warp =
        total->longest_warp > part->longest_warp ? total->longest_warp : part->longest_warp;
    sum.longest_waits =
        total->longest_waits > part->longest_waits ? total->longest_waits : part->longest_waits;
    *total = sum;
}

static void collect_counters(team *all, emu_counters *out)
{
    emu_counters total = {0};
    for (unsigned i = 0; i < all->count; i++) {
        if (i > 0)
            pthread_join(all->threads[i], NULL);
        add_counters(&total, &all->workers[i]->counters);
        if (i > 0)
            free(all->workers[i]);
    }
    if (all->state.launch->check && !all->state.fault->code)
        note_ended(&all->state, &total);
    if (out)
        *out = total;
}

static uint64_t thread_total(const emu_run_state *run)
{
    const uint32_t *block = run->launch->block;
    return run->groups * run->blocks_per_group * block[0] * block[1] * block[2];
}

static uint32_t next_poison(void)
{
    static atomic_uint launches;
    return atomic_fetch_add(&launches, 1);
}

int emu_run(const emu_launch *launch, emu_counters *out, emu_fault *fault)
{
    emu_fault local;
    emu_worker first = {0};
    team all = {.workers = {&first}, .count = 1};
    emu_run_state *run = &all.state;
    run->launch = launch;
    run->fault = fault ? fault : &local;
    *run->fault = (emu_fault){0};
    run->function = ((const emu_entry *)launch->kernel)->function;
    pthread_mutex_init(&run->lock, NULL);
    set_limits(run);
    set_groups(run);
    run->poison = next_poison();
    run->most_operations = launch->check ? most_operations(run) : 0;
    run->quantum = is_cooperative(run) ? QUANTUM_SHORT : QUANTUM;
    first.run = run;
    first.check = launch->check;
    all.most = launch->check ? 1 : run->limits.workers;
    if (thread_total(run) >= SMALL_LAUNCH)
        add_helpers(&all);
    run_groups(&first, &all);
    collect_counters(&all, out);
    pthread_mutex_destroy(&run->lock);
    return run->fault->code;
}
