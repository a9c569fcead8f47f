/* Launches of a stream that is being captured: what they use belongs to the graph. */
#include "gpu/context.h"
#include "gpu/launcher_parts.h"

#include <stdlib.h>
#include <string.h>

/* States whose launcher was freed while a graph referred to them. A graph releases what it refers
 * to some time after it was destroyed. */
static struct {
    pthread_mutex_t lock;
    gt_graph_state *list;
} orphans = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The graph's user object is gone: its graph and all executables made of it. No CUDA call is
 * allowed here, and no lock that a caller of the driver may hold. */
static void on_graph_gone(void *user)
{
    gt_graph_state *state = user;
    int use = GT_GRAPH_IN_USE;
    if (!atomic_compare_exchange_strong(&state->use, &use, GT_GRAPH_FREE)) {
        atomic_store(&state->use, GT_GRAPH_DEAD);
    }
}

/* Runs in the state's context. */
static void free_state(gt_graph_state *state, bool on_device)
{
    if (on_device) {
        gt_instance_free(&state->instance, state->driver);
        for (size_t i = 0; i < state->staging.count; i++) {
            state->driver->MemFreeHost(state->staging.items[i]);
        }
    }
    gt_array_free(&state->staging);
    free(state);
}

void gt_graph_states_free(gt_launcher *launcher, bool on_device)
{
    gt_graph_state *next;
    for (gt_graph_state *state = launcher->graph_states; state; state = next) {
        int use = GT_GRAPH_IN_USE;
        next = state->next;
        pthread_mutex_lock(&orphans.lock);
        if (atomic_compare_exchange_strong(&state->use, &use, GT_GRAPH_ORPHAN)) {
            state->next = orphans.list;
            orphans.list = state;
            state = NULL;
        }
        pthread_mutex_unlock(&orphans.lock);
        if (state) {
            free_state(state, on_device);
        }
    }
    launcher->graph_states = NULL;
}

/* Takes those whose graph is gone out of the list. */
static gt_graph_state *take_dead(void)
{
    gt_graph_state *dead = NULL;
    pthread_mutex_lock(&orphans.lock);
    for (gt_graph_state **link = &orphans.list; *link;) {
        gt_graph_state *state = *link;
        if (atomic_load(&state->use) != GT_GRAPH_DEAD) {
            link = &state->next;
            continue;
        }
        *link = state->next;
        state->next = dead;
        dead = state;
    }
    pthread_mutex_unlock(&orphans.lock);
    return dead;
}

void gt_graph_orphans_collect(void)
{
    gt_graph_state *next;
    gt_held_modules_collect();
    for (gt_graph_state *state = take_dead(); state; state = next) {
        gt_context_visit visit;
        const gt_driver *driver = state->driver;
        next = state->next;
        bool entered = gt_context_enter(&visit, driver, &state->context) == GPUTUNE_OK;
        free_state(state, entered);
        if (entered) {
            gt_context_leave(&visit, driver);
        }
    }
}

/* ---- capturing ---- */

/* Adds a free state to the launcher's list. */
static gputune_status make_state(gt_graph_state **out, gt_launcher *launcher)
{
    gt_graph_state *state = calloc(1, sizeof *state);
    GT_TRY(gt_allocated(state));
    gputune_status status = gt_instance_make(&state->instance, launcher);
    if (status < 0) {
        free(state);
        return status;
    }
    state->driver = launcher->driver;
    state->context = launcher->context;
    atomic_init(&state->use, GT_GRAPH_FREE);
    state->next = launcher->graph_states;
    launcher->graph_states = state;
    *out = state;
    return GPUTUNE_OK;
}

/* Gives the state to the graph, until on_graph_gone() is called. */
static gputune_status give_to_graph(gt_graph_state *state, CUgraph graph)
{
    CUuserObject object;
    const gt_driver *driver = state->driver;
    atomic_store(&state->use, GT_GRAPH_IN_USE);
    gputune_status status =
        gt_cuda_check(driver,
                      driver->UserObjectCreate(&object, state, on_graph_gone, 1,
                                               CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
                      "cuUserObjectCreate");
    if (status < 0) {
        atomic_store(&state->use, GT_GRAPH_FREE);
        return status;
    }
    status = gt_cuda_check(
        driver, driver->GraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE),
        "cuGraphRetainUserObject");
    if (status < 0) {
        driver->UserObjectRelease(object, 1); /* which calls on_graph_gone() */
    }
    return status;
}

/* The state of this stream in this capture. If there is none, a free or a new state is given to the
 * graph. */
static gputune_status find_state(gt_graph_state **out, gt_launcher *launcher, uint64_t key,
                                 uint64_t capture, CUgraph graph)
{
    gt_graph_state *unused = NULL;
    for (gt_graph_state *state = launcher->graph_states; state; state = state->next) {
        int use = atomic_load(&state->use);
        if (use == GT_GRAPH_IN_USE && state->capture == capture && state->key == key) {
            *out = state;
            return GPUTUNE_OK;
        }
        unused = use == GT_GRAPH_FREE ? state : unused;
    }
    gputune_status status = unused ? GPUTUNE_OK : make_state(&unused, launcher);
    if (!unused) {
        return status;
    }
    unused->used = 0;
    unused->capture = capture;
    unused->key = key;
    GT_TRY(give_to_graph(unused, graph));
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

static gputune_status launch_locked(gt_launcher *launcher, CUstream stream, uint64_t key,
                                    uint64_t capture, CUgraph graph, const void *const *arguments)
{
    gt_graph_state *state = NULL;
    const void *staged = NULL;
    gputune_status status = find_state(&state, launcher, key, capture, graph);
    GT_THEN(status, gt_module_hold(launcher, capture, graph));
    if (status == GPUTUNE_OK) {
        status = stage(&staged, state, launcher, arguments);
    }
    if (status < 0) {
        return gt_fail_prefix(GPUTUNE_ECAPTURE, "%s cannot be launched during this capture",
                              launcher->launch->steps[0].entry);
    }
    return gt_launcher_queue(launcher, &state->instance, stream, arguments, staged);
}

gputune_status gt_graph_launch(gt_launcher *launcher, CUstream stream, uint64_t key,
                               uint64_t capture, CUgraph graph, const void *const *arguments)
{
    pthread_mutex_lock(&launcher->lock);
    gputune_status status = launch_locked(launcher, stream, key, capture, graph, arguments);
    pthread_mutex_unlock(&launcher->lock);
    return status;
}
