/* Launches of a stream that is being captured: what they use belongs to the graph. */
#include "gpu/context.h"
#include "gpu/launcher_parts.h"

#include <stdlib.h>
#include <string.h>

/* Lanes whose launcher was freed while a graph still referred to them, or may have: a graph lets go
 * some time after it was destroyed. */
static struct {
    pthread_mutex_t lock;
    gt_graph_lane *list;
} orphans = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The graph's user object is gone: its graph and all executables made of it. No CUDA call is
 * allowed here, and no lock that a caller of the driver may hold. */
static void on_graph_gone(void *user)
{
    gt_graph_lane *lane = user;
    int state = GT_GRAPH_HELD;
    if (!atomic_compare_exchange_strong(&lane->state, &state, GT_GRAPH_FREE)) {
        atomic_store(&lane->state, GT_GRAPH_DEAD);
    }
}

/* In the lane's context. */
static void free_lane(gt_graph_lane *lane, bool on_device)
{
    if (on_device) {
        gt_instance_free(&lane->instance, lane->driver);
        for (size_t i = 0; i < lane->staging.count; i++) {
            lane->driver->MemFreeHost(lane->staging.items[i]);
        }
    }
    gt_array_free(&lane->staging);
    free(lane);
}

void gt_graph_lanes_free(gt_launcher *launcher)
{
    gt_graph_lane *next;
    for (gt_graph_lane *lane = launcher->graph_lanes; lane; lane = next) {
        int state = GT_GRAPH_HELD;
        next = lane->next;
        pthread_mutex_lock(&orphans.lock);
        if (atomic_compare_exchange_strong(&lane->state, &state, GT_GRAPH_ORPHAN)) {
            lane->next = orphans.list;
            orphans.list = lane;
            lane = NULL;
        }
        pthread_mutex_unlock(&orphans.lock);
        if (lane) {
            free_lane(lane, true);
        }
    }
    launcher->graph_lanes = NULL;
}

/* Takes the dead out of the list. */
static gt_graph_lane *take_dead(void)
{
    gt_graph_lane *dead = NULL;
    pthread_mutex_lock(&orphans.lock);
    for (gt_graph_lane **link = &orphans.list; *link;) {
        gt_graph_lane *lane = *link;
        if (atomic_load(&lane->state) != GT_GRAPH_DEAD) {
            link = &lane->next;
            continue;
        }
        *link = lane->next;
        lane->next = dead;
        dead = lane;
    }
    pthread_mutex_unlock(&orphans.lock);
    return dead;
}

void gt_graph_orphans_collect(void)
{
    gt_graph_lane *next;
    for (gt_graph_lane *lane = take_dead(); lane; lane = next) {
        gt_context_visit visit;
        const gt_driver *driver = lane->driver;
        next = lane->next;
        bool entered = gt_context_enter(&visit, driver, lane->context) == GPUTUNE_OK;
        free_lane(lane, entered);
        if (entered) {
            gt_context_leave(&visit, driver);
        }
    }
}

/* ---- capturing ---- */

/* A new lane in the launcher's list, free. */
static gputune_status make_lane(gt_graph_lane **out, gt_launcher *launcher)
{
    gt_graph_lane *lane = calloc(1, sizeof *lane);
    if (!lane) {
        return gt_fail_memory();
    }
    gputune_status status = gt_instance_make(&lane->instance, launcher);
    if (status < 0) {
        free(lane);
        return status;
    }
    lane->driver = launcher->driver;
    lane->context = launcher->context;
    atomic_init(&lane->state, GT_GRAPH_FREE);
    lane->next = launcher->graph_lanes;
    launcher->graph_lanes = lane;
    *out = lane;
    return GPUTUNE_OK;
}

/* Hands the lane to the graph: it comes back by on_graph_gone(). */
static gputune_status give_to_graph(gt_graph_lane *lane, CUgraph graph)
{
    CUuserObject object;
    const gt_driver *driver = lane->driver;
    atomic_store(&lane->state, GT_GRAPH_HELD);
    gputune_status status =
        gt_cuda_check(driver,
                      driver->UserObjectCreate(&object, lane, on_graph_gone, 1,
                                               CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
                      "cuUserObjectCreate");
    if (status < 0) {
        atomic_store(&lane->state, GT_GRAPH_FREE);
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

/* The lane of this stream in this capture; a free or new one is given to the graph. */
static gputune_status find_lane(gt_graph_lane **out, gt_launcher *launcher, uint64_t key,
                                uint64_t capture, CUgraph graph)
{
    gt_graph_lane *unused = NULL;
    for (gt_graph_lane *lane = launcher->graph_lanes; lane; lane = lane->next) {
        int state = atomic_load(&lane->state);
        if (state == GT_GRAPH_HELD && lane->capture == capture && lane->key == key) {
            *out = lane;
            return GPUTUNE_OK;
        }
        unused = state == GT_GRAPH_FREE ? lane : unused;
    }
    gputune_status status = unused ? GPUTUNE_OK : make_lane(&unused, launcher);
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

/* The block's copied part in memory that the graph reads at every replay; NULL if nothing is
 * copied. */
static gputune_status stage(const void **out, gt_graph_lane *lane, const gt_launcher *launcher,
                            const void *const *arguments)
{
    *out = NULL;
    if (!launcher->copy_bytes) {
        return GPUTUNE_OK;
    }
    if (lane->used == lane->staging.count) {
        void *host;
        GT_TRY(gt_array_reserve(&lane->staging));
        GT_CUDA(launcher->driver, MemAllocHost, &host, launcher->slot_bytes);
        lane->staging.items[lane->staging.count++] = host;
    }
    *out = memcpy(lane->staging.items[lane->used++],
                  (const uint8_t *)arguments[0] + launcher->copy_offset, launcher->copy_bytes);
    return GPUTUNE_OK;
}

static gputune_status launch_locked(gt_launcher *launcher, CUstream stream, uint64_t key,
                                    uint64_t capture, CUgraph graph, const void *const *arguments)
{
    gt_graph_lane *lane = NULL;
    const void *staged = NULL;
    gputune_status status = find_lane(&lane, launcher, key, capture, graph);
    if (status == GPUTUNE_OK) {
        status = stage(&staged, lane, launcher, arguments);
    }
    if (status < 0) {
        return gt_fail_prefix(GPUTUNE_ECAPTURE, "%s cannot be prepared during a capture",
                              launcher->launch.entry);
    }
    return gt_launcher_queue(launcher, &lane->instance, stream, arguments, staged);
}

gputune_status gt_graph_launch(gt_launcher *launcher, CUstream stream, uint64_t key,
                               uint64_t capture, CUgraph graph, const void *const *arguments)
{
    pthread_mutex_lock(&launcher->lock);
    gputune_status status = launch_locked(launcher, stream, key, capture, graph, arguments);
    pthread_mutex_unlock(&launcher->lock);
    return status;
}
