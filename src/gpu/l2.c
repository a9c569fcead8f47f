/* Keeps track of how much L2 cache the launchers have set aside in each context. */
#include "gpu/l2.h"

#include "base/array.h"
#include "base/condition.h"

typedef struct set_aside {
    gt_context context;
    size_t before, now; /* bytes */
    unsigned users;
} set_aside;

static struct {
    pthread_mutex_t lock;
    GT_ARRAY(set_aside) contexts;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static set_aside *find_context(const gt_context *context)
{
    for (size_t i = 0; i < known.contexts.count; i++) {
        set_aside *at = &known.contexts.items[i];
        if (at->context.handle == context->handle && at->context.id == context->id) {
            return at;
        }
    }
    return NULL;
}

static gputune_status set_amount(set_aside *at, const gt_driver *driver, size_t bytes)
{
    if (at->now != bytes) {
        GT_CUDA(driver, CtxSetLimit, CU_LIMIT_PERSISTING_L2_CACHE_SIZE, bytes);
        at->now = bytes;
    }
    return GPUTUNE_OK;
}

gputune_status gt_l2_attach(const gt_driver *driver, const gt_context *context, size_t bytes)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&known.lock);
    set_aside *at = find_context(context);
    if (!at) {
        set_aside added = {.context = *context};
        GT_TRY(gt_array_reserve(&known.contexts));
        GT_CUDA(driver, CtxGetLimit, &added.before, CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
        added.now = added.before;
        at = &known.contexts.items[known.contexts.count];
        *at = added;
    }
    GT_TRY(set_amount(at, driver, bytes > at->now ? bytes : at->now));
    known.contexts.count += at->users == 0;
    at->users++;
    return GPUTUNE_OK;
}

void gt_l2_detach(const gt_driver *driver, const gt_context *context, bool alive)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&known.lock);
    set_aside *at = find_context(context);
    if (at && --at->users == 0) {
        if (alive) {
            (void)set_amount(at, driver, at->before);
            (void)driver->CtxResetPersistingL2Cache();
        }
        *at = known.contexts.items[--known.contexts.count];
    }
}

gputune_status gt_l2_set(const gt_driver *driver, const gt_context *context, size_t bytes)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&known.lock);
    set_aside *at = find_context(context);
    if (!at) {
        return GPUTUNE_OK;
    }
    gputune_status status = set_amount(at, driver, bytes ? bytes : at->before);
    (void)driver->CtxResetPersistingL2Cache();
    return status;
}
