/* Graphs keep the module of a kernel that they launch: plans may be let go before the graphs in
 * which they were captured. */
#include "gpu/launcher_parts.h"

#include <stdlib.h>

/* A module that its launcher does not own any more, as graphs hold it. */
static struct {
    pthread_mutex_t lock;
    gt_held_module *list;
} left = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The graph and all executables made of it are gone. No CUDA call is allowed here, and no lock: the
 * module is unloaded by gt_held_modules_collect(). */
static void on_graph_gone(void *user)
{
    atomic_fetch_sub(&((gt_held_module *)user)->holders, 1);
}

static gputune_status make_held(gt_launcher *launcher)
{
    if (launcher->held) {
        return GPUTUNE_OK;
    }
    gt_held_module *held = calloc(1, sizeof *held);
    GT_TRY(gt_allocated(held));
    held->driver = launcher->driver;
    held->context = launcher->context;
    held->module = launcher->needs_module ? NULL : launcher->base.module;
    atomic_init(&held->holders, 1);
    launcher->held = held;
    return GPUTUNE_OK;
}

static gputune_status give_to_graph(gt_held_module *held, CUgraph graph)
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

gputune_status gt_module_hold(gt_launcher *launcher, uint64_t capture, CUgraph graph)
{
    if (launcher->shares_base || (launcher->needs_module && !launcher->launch->texture_count) ||
        (launcher->held && launcher->held_capture == capture)) {
        return GPUTUNE_OK;
    }
    GT_TRY(make_held(launcher));
    GT_TRY(give_to_graph(launcher->held, graph));
    launcher->held_capture = capture;
    return GPUTUNE_OK;
}

bool gt_module_leave(gt_launcher *launcher)
{
    gt_held_module *held = launcher->held;
    launcher->held = NULL;
    if (!held) {
        return false;
    }
    pthread_mutex_lock(&left.lock);
    bool is_held = atomic_fetch_sub(&held->holders, 1) != 1;
    const bool with_module = is_held && held->module;
    if (is_held) {
        held->textures = launcher->textures;
        launcher->textures = (gt_texture_objects){0};
        held->next = left.list;
        left.list = held;
    }
    pthread_mutex_unlock(&left.lock);
    if (!is_held) {
        free(held);
    }
    return with_module;
}

/* Takes those that no graph holds any more out of the list. */
static gt_held_module *take_free(void)
{
    gt_held_module *taken = NULL;
    pthread_mutex_lock(&left.lock);
    for (gt_held_module **link = &left.list; *link;) {
        gt_held_module *held = *link;
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

void gt_held_modules_collect(void)
{
    gt_held_module *next;
    for (gt_held_module *held = take_free(); held; held = next) {
        gt_context_visit visit;
        next = held->next;
        const bool alive = gt_context_enter(&visit, held->driver, &held->context) == GPUTUNE_OK;
        if (alive && held->module) {
            held->driver->ModuleUnload(held->module);
        }
        gt_textures_free(&held->textures, held->driver, alive);
        if (alive) {
            gt_context_leave(&visit, held->driver);
        }
        free(held);
    }
}
