/* Graphs keep the code of a kernel that they launch: plans may be let go before the graphs in
 * which they were captured. */
#include "gpu/launcher_parts.h"
#include "gpu/module.h"

#include <stdlib.h>

/* Code that its launcher does not own any more, as graphs hold it. */
static struct {
    pthread_mutex_t lock;
    gt_held_code *list;
} left = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The graph and all executables made of it are gone. No CUDA call is allowed here, and no lock: the
 * code is unloaded by gt_held_code_collect(). */
static void on_graph_gone(void *user)
{
    atomic_fetch_sub(&((gt_held_code *)user)->holders, 1);
}

static gputune_status make_held(gt_launcher *launcher)
{
    if (launcher->held) {
        return GPUTUNE_OK;
    }
    gt_held_code *held = calloc(1, sizeof *held);
    if (!held) {
        return gt_fail_memory();
    }
    held->driver = launcher->driver;
    held->context = launcher->context;
    held->library = launcher->library;
    held->module = launcher->base.module;
    atomic_init(&held->holders, 1);
    launcher->held = held;
    return GPUTUNE_OK;
}

static gputune_status give_to_graph(gt_held_code *held, CUgraph graph)
{
    CUuserObject object;
    atomic_fetch_add(&held->holders, 1);
    gputune_status status =
        gt_cuda_check(held->driver,
                      held->driver->UserObjectCreate(&object, held, on_graph_gone, 1,
                                                     CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
                      "cuUserObjectCreate");
    if (status < 0) {
        atomic_fetch_sub(&held->holders, 1);
        return status;
    }
    status = gt_cuda_check(
        held->driver,
        held->driver->GraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE),
        "cuGraphRetainUserObject");
    if (status < 0) {
        held->driver->UserObjectRelease(object, 1); /* which calls on_graph_gone() */
    }
    return status;
}

gputune_status gt_code_hold(gt_launcher *launcher, uint64_t capture, CUgraph graph)
{
    if (launcher->shares_base || launcher->needs_module ||
        (launcher->held && launcher->held_capture == capture)) {
        return GPUTUNE_OK;
    }
    GT_TRY(make_held(launcher));
    GT_TRY(give_to_graph(launcher->held, graph));
    launcher->held_capture = capture;
    return GPUTUNE_OK;
}

bool gt_code_leave(gt_launcher *launcher)
{
    gt_held_code *held = launcher->held;
    launcher->held = NULL;
    if (!held) {
        return false;
    }
    pthread_mutex_lock(&left.lock);
    bool is_held = atomic_fetch_sub(&held->holders, 1) != 1;
    if (is_held) {
        held->next = left.list;
        left.list = held;
    }
    pthread_mutex_unlock(&left.lock);
    if (!is_held) {
        free(held);
    }
    return is_held;
}

/* Takes those that no graph holds any more out of the list. */
static gt_held_code *take_free(void)
{
    gt_held_code *taken = NULL;
    pthread_mutex_lock(&left.lock);
    for (gt_held_code **link = &left.list; *link;) {
        gt_held_code *held = *link;
        if (atomic_load(&held->holders)) {
            link = &held->next;
            continue;
        }
        *link = held->next;
        held->next = taken;
        taken = held;
    }
    pthread_mutex_unlock(&left.lock);
    return taken;
}

static void unload(const gt_held_code *held)
{
    gt_context_visit visit;
    if (held->library) {
        gt_library_unload(held->library, held->driver);
    } else if (gt_context_enter(&visit, held->driver, &held->context) == GPUTUNE_OK) {
        held->driver->ModuleUnload(held->module);
        gt_context_leave(&visit, held->driver);
    }
}

void gt_held_code_collect(void)
{
    gt_held_code *next;
    for (gt_held_code *held = take_free(); held; held = next) {
        next = held->next;
        unload(held);
        free(held);
    }
}
