/* The state that each stream has in a launcher, and each graph: an instance and staging memory of
 * its own. Graphs hold what they launch: plans may be let go before the graphs in which they were
 * captured. */
#include "base/condition.h"
#include "gpu/driver.h"
#include "gpu/launcher_parts.h"

#include <stdlib.h>

/* ---- making ---- */

/* Creates the parts that do not exist yet. After a failure, another call continues from there. */
static gputune_status make_ready(gt_stream_state *state, gt_launcher *launcher)
{
    const gt_driver *driver = launcher->driver;
    if (state->ready) {
        return GPUTUNE_OK;
    }
    if (launcher->slot_bytes && !state->staging) {
        void *host;
        GT_CUDA(driver, MemAllocHost, &host, launcher->slot_bytes * GT_LAUNCHER_SLOTS);
        state->staging = host;
    }
    for (int i = 0; i < GT_LAUNCHER_SLOTS; i++) {
        if (!state->events[i]) {
            GT_CUDA(driver, EventCreate, &state->events[i], CU_EVENT_DISABLE_TIMING);
        }
    }
    GT_TRY(gt_instance_make(&state->instance, launcher));
    state->ready = true;
    return GPUTUNE_OK;
}

void gt_stream_state_free(gt_stream_state *state, const gt_driver *driver)
{
    for (int i = 0; i < GT_LAUNCHER_SLOTS; i++) {
        if (state->events[i]) {
            if (state->used[i]) {
                driver->EventSynchronize(state->events[i]);
            }
            driver->EventDestroy(state->events[i]);
        }
    }
    if (state->staging) {
        driver->MemFreeHost(state->staging);
    }
    if (state->ready) {
        gt_instance_free(&state->instance, driver);
    }
}

/* ---- finding ---- */

/* The state of `key`, locked, or NULL. The key is read again under the state's lock, as the state
 * may have become another stream's by then. */
static gt_stream_state *lock_own(gt_launcher *launcher, uint64_t key)
{
    for (int i = 0; i < GT_LAUNCHER_STREAMS; i++) {
        gt_stream_state *state = &launcher->states[i];
        if (atomic_load(&state->key) != key) {
            continue;
        }
        pthread_mutex_lock(&state->lock);
        if (atomic_load(&state->key) == key) {
            return state;
        }
        pthread_mutex_unlock(&state->lock);
    }
    return NULL;
}

/* The state of `key`, locked. A stream without one gets a free state, or that of another stream. */
static gt_stream_state *lock_state(gt_launcher *launcher, uint64_t key)
{
    gt_stream_state *state = lock_own(launcher, key);
    if (state) {
        return state;
    }
    pthread_mutex_lock(&launcher->lock);
    state = lock_own(launcher, key); /* another thread on this stream may have been quicker */
    if (!state) {
        for (int i = 0; i < GT_LAUNCHER_STREAMS && !state; i++) {
            state = atomic_load(&launcher->states[i].key) ? NULL : &launcher->states[i];
        }
        state = state ? state : &launcher->states[launcher->next_victim++ % GT_LAUNCHER_STREAMS];
        pthread_mutex_lock(&state->lock);
        state->must_wait = state->last != NULL;
        state->copied = false;
        atomic_store(&state->key, key);
    }
    pthread_mutex_unlock(&launcher->lock);
    return state;
}

/* ---- launching ---- */

static gputune_status wait_for_previous_owner(gt_stream_state *state, const gt_driver *driver,
                                              CUstream stream)
{
    if (state->must_wait) {
        GT_CUDA(driver, StreamWaitEvent, stream, state->last, CU_EVENT_WAIT_DEFAULT);
        state->must_wait = false;
    }
    return GPUTUNE_OK;
}

static gputune_status launch_locked(gt_stream_state *state, gt_launcher *launcher, CUstream stream,
                                    const void *const *arguments, bool copy)
{
    const gt_driver *driver = launcher->driver;
    unsigned slot = state->next;
    uint8_t *staged = NULL;
    GT_TRY(make_ready(state, launcher));
    if (state->used[slot]) { /* its staging memory is free when its last use has ended */
        GT_CUDA(driver, EventSynchronize, state->events[slot]);
    }
    GT_TRY(wait_for_previous_owner(state, driver, stream));
    if (copy && launcher->slot_bytes) {
        staged = state->staging + slot * launcher->slot_bytes;
        gt_launcher_stage(staged, launcher, arguments);
    }
    gputune_status status =
        gt_launcher_queue(launcher, &state->instance, stream, arguments, staged);
    /* Recorded even after a failure, because the copy may still be running. */
    CUresult recorded = driver->EventRecord(state->events[slot], stream);
    state->used[slot] = true;
    state->last = state->events[slot];
    GT_TRY(status);
    state->copied |= copy;
    state->next = (slot + 1) % GT_LAUNCHER_SLOTS;
    return gt_cuda_check(driver, recorded, "cuEventRecord");
}

static gputune_status no_block(void)
{
    return gt_fail(GPUTUNE_EINVAL,
                   "no block was passed on this stream yet; call gt_launcher_launch() on it first");
}

gputune_status gt_stream_launch(gt_launcher *launcher, const gt_stream_facts *facts,
                                const void *const *arguments, bool copy)
{
    gt_stream_state *state = lock_state(launcher, facts->key);
    atomic_store_explicit(&state->stream, (uintptr_t)facts->stream, memory_order_relaxed);
    gputune_status status = copy || state->copied
                                ? launch_locked(state, launcher, facts->stream, arguments, copy)
                                : no_block();
    pthread_mutex_unlock(&state->lock);
    return status;
}

gputune_status gt_stream_scratch(CUdeviceptr *out, gt_launcher *launcher,
                                 const gt_stream_facts *facts, uint32_t parameter)
{
    gt_stream_state *state = lock_state(launcher, facts->key);
    CUstreamCaptureMode mode = gt_relaxed_enter(launcher->driver);
    gputune_status status = make_ready(state, launcher);
    if (status == GPUTUNE_OK) {
        status = wait_for_previous_owner(state, launcher->driver, facts->stream);
    }
    *out = status == GPUTUNE_OK ? state->instance.scratch[parameter] : 0;
    gt_relaxed_leave(launcher->driver, mode);
    pthread_mutex_unlock(&state->lock);
    return status;
}

gputune_status gt_stream_capture(gt_launcher *launcher, CUstream stream,
                                 const void *const *arguments)
{
    uint64_t key = 0; /* of the stream's latest launch */
    for (int i = 0; i < GT_LAUNCHER_STREAMS && !key; i++) {
        const uint64_t own = atomic_load(&launcher->states[i].key);
        key = atomic_load(&launcher->states[i].stream) == (uintptr_t)stream ? own : 0;
    }
    gt_stream_state *state = key ? lock_own(launcher, key) : NULL;
    if (!state) {
        return no_block();
    }
    gputune_status status =
        state->copied ? gt_launcher_queue(launcher, &state->instance, stream, arguments, NULL)
                      : no_block();
    pthread_mutex_unlock(&state->lock);
    return status;
}

/* ---- what graphs hold ---- */

/* Objects that graphs hold after their launcher is gone. A graph releases them some time after it
 * was destroyed. */
static struct {
    pthread_mutex_t lock;
    gt_held *list;
} left = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void begin_held(gt_held *out, const gt_launcher *launcher, void (*end)(gt_held *, bool))
{
    *out = (gt_held){.driver = launcher->driver, .context = launcher->context, .end = end};
    atomic_init(&out->holders, 1);
}

/* The graph and all executables made of it are gone. No CUDA call is allowed here, and no lock that
 * a caller of the driver may hold: gt_graph_orphans_collect() does the rest. */
static void on_graph_gone(void *held)
{
    atomic_fetch_sub(&((gt_held *)held)->holders, 1);
}

static gputune_status give_to_graph(gt_held *held, CUgraph graph)
{
    CUuserObject made;
    const gt_driver *driver = held->driver;
    atomic_fetch_add(&held->holders, 1);
    gputune_status status = gt_cuda_check(
        driver,
        driver->UserObjectCreate(&made, held, on_graph_gone, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
        "cuUserObjectCreate");
    if (status < 0) {
        on_graph_gone(held);
        return status;
    }
    status = gt_cuda_check(driver,
                           driver->GraphRetainUserObject(graph, made, 1, CU_GRAPH_USER_OBJECT_MOVE),
                           "cuGraphRetainUserObject");
    if (status < 0) {
        driver->UserObjectRelease(made, 1); /* which calls on_graph_gone() */
    }
    return status;
}

/* The launcher does without it from now on, and ends it if no graph holds it. */
static void leave(gt_held *held, bool alive)
{
    pthread_mutex_lock(&left.lock);
    const bool is_held = atomic_fetch_sub(&held->holders, 1) != 1;
    if (is_held) {
        held->next = left.list;
        left.list = held;
    }
    pthread_mutex_unlock(&left.lock);
    if (!is_held) {
        held->end(held, alive);
    }
}

/* Takes an object that no graph holds any more out of the list; NULL: there is none. */
static gt_held *take_free(void)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *locked = gt_lock(&left.lock);
    gt_held **link = &left.list;
    while (*link && atomic_load(&(*link)->holders)) {
        link = &(*link)->next;
    }
    gt_held *taken = *link;
    *link = taken ? taken->next : NULL;
    return taken;
}

void gt_graph_orphans_collect(void)
{
    gt_held *held;
    while ((held = take_free()) != NULL) {
        gt_context_visit visit;
        const gt_driver *driver = held->driver;
        const bool alive = gt_context_enter(&visit, driver, &held->context) == GPUTUNE_OK;
        held->end(held, alive);
        if (alive) {
            gt_context_leave(&visit, driver);
        }
    }
}

static void end_module(gt_held *held, bool alive)
{
    gt_held_module *module = (gt_held_module *)held;
    for (size_t i = 0; i < module->textures.count && alive; i++) {
        held->driver->TexObjectDestroy(module->textures.items[i].object);
    }
    gt_module_drop(module->module, alive);
    gt_array_free(&module->textures);
    free(module);
}

gputune_status gt_held_module_make(gt_launcher *launcher)
{
    launcher->held = calloc(1, sizeof *launcher->held);
    GT_TRY(gt_allocated(launcher->held));
    begin_held(&launcher->held->held, launcher, end_module);
    return GPUTUNE_OK;
}

gputune_status gt_module_hold(gt_launcher *launcher, const gt_stream_facts *facts)
{
    if ((launcher->needs_module && !launcher->launch->texture_count) ||
        launcher->held_capture == facts->capture) {
        return GPUTUNE_OK;
    }
    GT_TRY(give_to_graph(&launcher->held->held, facts->graph));
    launcher->held_capture = facts->capture;
    return GPUTUNE_OK;
}

static void end_state(gt_held *held, bool alive)
{
    gt_graph_state *state = (gt_graph_state *)held;
    if (alive) {
        gt_instance_free(&state->instance, held->driver);
        for (size_t i = 0; i < state->staging.count; i++) {
            held->driver->MemFreeHost(state->staging.items[i]);
        }
    }
    gt_array_free(&state->staging);
    free(state);
}

void gt_graphs_leave(gt_launcher *launcher, bool alive)
{
    gt_graph_state *next;
    for (gt_graph_state *state = launcher->graph_states; state; state = next) {
        next = state->next;
        leave(&state->held, alive);
    }
    if (launcher->held) {
        leave(&launcher->held->held, alive);
    }
}

/* ---- capturing ---- */

/* Adds a free state to the launcher's list. */
static gputune_status make_state(gt_graph_state **out, gt_launcher *launcher)
{
    GT_FREED gt_graph_state *state = calloc(1, sizeof *state);
    GT_TRY(gt_allocated(state));
    GT_TRY(gt_instance_make(&state->instance, launcher));
    begin_held(&state->held, launcher, end_state);
    state->next = launcher->graph_states;
    launcher->graph_states = *out = gt_take(&state);
    return GPUTUNE_OK;
}

/* The state of this stream in this capture. If there is none, a free or a new state is given to the
 * graph. */
static gputune_status find_state(gt_graph_state **out, gt_launcher *launcher,
                                 const gt_stream_facts *facts)
{
    gt_graph_state *unused = NULL;
    for (gt_graph_state *state = launcher->graph_states; state; state = state->next) {
        bool in_use = atomic_load(&state->held.holders) > 1;
        if (in_use && state->capture == facts->capture && state->key == facts->key) {
            *out = state;
            return GPUTUNE_OK;
        }
        unused = in_use ? unused : state;
    }
    gputune_status status = unused ? GPUTUNE_OK : make_state(&unused, launcher);
    if (!unused) {
        return status;
    }
    unused->used = 0;
    unused->capture = facts->capture;
    unused->key = facts->key;
    GT_TRY(give_to_graph(&unused->held, facts->graph));
    *out = unused;
    return GPUTUNE_OK;
}

/* Copies the blocks' parts into memory that the graph reads at every replay. *out is NULL if
 * nothing is to be copied. */
static gputune_status stage(const void **out, gt_graph_state *state, const gt_launcher *launcher,
                            const void *const *arguments)
{
    *out = NULL;
    if (!launcher->slot_bytes) {
        return GPUTUNE_OK;
    }
    if (state->used == state->staging.count) {
        void *host;
        GT_TRY(gt_array_reserve(&state->staging));
        GT_CUDA(launcher->driver, MemAllocHost, &host, launcher->slot_bytes);
        state->staging.items[state->staging.count++] = host;
    }
    void *staged = state->staging.items[state->used++];
    gt_launcher_stage(staged, launcher, arguments);
    *out = staged;
    return GPUTUNE_OK;
}

gputune_status gt_graph_launch(gt_launcher *launcher, const gt_stream_facts *facts,
                               const void *const *arguments)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&launcher->lock);
    gt_graph_state *state = NULL;
    const void *staged;
    gputune_status status = find_state(&state, launcher, facts);
    GT_THEN(status, gt_module_hold(launcher, facts));
    GT_THEN(status, stage(&staged, state, launcher, arguments));
    if (status != GPUTUNE_OK) {
        return gt_fail_prefix(GPUTUNE_ECAPTURE, "%s cannot be launched during this capture",
                              launcher->launch->steps[0].entry);
    }
    return gt_launcher_queue(launcher, &state->instance, facts->stream, arguments, staged);
}
