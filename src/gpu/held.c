/* Objects that are used by CUDA graphs. The callback that is called when a graph is destroyed must
 * not call CUDA. It only decrements a counter, and gt_held_collect() frees the objects later. */
#include "gpu/held.h"

#include "base/condition.h"

/* Objects that a graph still used when their launcher was freed. */
static struct {
    pthread_mutex_t lock;
    gt_held *list;
} left = {.lock = PTHREAD_MUTEX_INITIALIZER};

void gt_held_begin(gt_held *out, const gt_driver *driver, const gt_context *context,
                   void (*end)(gt_held *held, bool alive))
{
    *out = (gt_held){.driver = driver, .context = *context, .end = end};
    atomic_init(&out->holders, 1);
}

/* Called when a graph is destroyed. It takes no lock, because this thread may already hold the lock
 * of `left`. */
static void on_graph_gone(void *held)
{
    atomic_fetch_sub(&((gt_held *)held)->holders, 1);
}

gputune_status gt_held_give(gt_held *held, CUgraph graph)
{
    CUuserObject made;
    const gt_driver *driver = held->driver;
    atomic_fetch_add(&held->holders, 1);
    CUresult result =
        driver->UserObjectCreate(&made, held, on_graph_gone, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
    if (result != CUDA_SUCCESS) {
        on_graph_gone(held);
        return gt_cuda_check(driver, result, "cuUserObjectCreate");
    }
    result = driver->GraphRetainUserObject(graph, made, 1, CU_GRAPH_USER_OBJECT_MOVE);
    if (result != CUDA_SUCCESS) {
        driver->UserObjectRelease(made, 1); /* calls on_graph_gone() */
    }
    return gt_cuda_check(driver, result, "cuGraphRetainUserObject");
}

void gt_held_leave(gt_held *held, bool alive)
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

void gt_held_collect(void)
{
    gt_held *held;
    while ((held = take_free()) != NULL) {
        GT_SCOPED(gt_context_leave)
        gt_context_visit visit = gt_context_enter(held->driver, &held->context);
        held->end(held, visit.entered);
    }
}
