/* Persisting level-2 cache: how much of it a context sets aside, and the window of a launch.
 *
 * What is set aside is the context's, and other kernels do without it. So it is set while launchers
 * are loaded that need it, to the most that one of them needs, and what it was is restored when the
 * last of them is freed. A worker that compares variants sets exactly what each of them asks for
 * before each sample. */
#include "base/array.h"
#include "gpu/context.h"
#include "gpu/launcher_parts.h"

typedef struct set_aside {
    const gt_driver *driver;
    gt_context context;
    size_t before, now; /* bytes */
    unsigned users;
} set_aside;

static struct {
    pthread_mutex_t lock;
    GT_ARRAY(set_aside) contexts; /* those that launchers use now */
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static set_aside *find(const gt_launcher *launcher)
{
    for (size_t i = 0; i < known.contexts.count; i++) {
        const set_aside *at = &known.contexts.items[i];
        if (at->context.handle == launcher->context.handle &&
            at->context.id == launcher->context.id && at->driver == launcher->driver) {
            return &known.contexts.items[i];
        }
    }
    return NULL;
}

static gputune_status set(set_aside *at, size_t bytes)
{
    if (at->now != bytes) {
        GT_CUDA(at->driver, CtxSetLimit, CU_LIMIT_PERSISTING_L2_CACHE_SIZE, bytes);
        at->now = bytes;
    }
    return GPUTUNE_OK;
}

static gputune_status add(set_aside **out, const gt_launcher *launcher)
{
    set_aside added = {.driver = launcher->driver, .context = launcher->context};
    GT_CUDA(launcher->driver, CtxGetLimit, &added.before, CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
    added.now = added.before;
    if (gt_array_push(&known.contexts, added) < 0) {
        return GPUTUNE_ENOMEM;
    }
    *out = &known.contexts.items[known.contexts.count - 1];
    return GPUTUNE_OK;
}

static gputune_status attach(gt_launcher *launcher)
{
    set_aside *at = find(launcher);
    size_t wanted = launcher->launch->l2.set_aside_bytes;
    if (!at) {
        GT_TRY(add(&at, launcher));
    }
    at->users++;
    launcher->has_l2 = true;
    return wanted > at->now ? set(at, wanted) : GPUTUNE_OK;
}

gputune_status gt_l2_attach(gt_launcher *launcher)
{
    if (!launcher->launch->l2.window_bytes) {
        return GPUTUNE_OK;
    }
    if (!launcher->driver->CtxGetLimit || !launcher->driver->CtxSetLimit) {
        return gt_fail(GPUTUNE_ECUDA, "this driver cannot set level-2 cache aside");
    }
    pthread_mutex_lock(&known.lock);
    gputune_status status = attach(launcher);
    pthread_mutex_unlock(&known.lock);
    return status;
}

static void forget_lines(const gt_driver *driver)
{
    if (driver->CtxResetPersistingL2Cache) {
        (void)driver->CtxResetPersistingL2Cache();
    }
}

void gt_l2_detach(gt_launcher *launcher, bool alive)
{
    if (!launcher->has_l2) {
        return;
    }
    pthread_mutex_lock(&known.lock);
    set_aside *at = find(launcher);
    if (at && --at->users == 0) {
        if (alive) {
            (void)set(at, at->before);
            forget_lines(at->driver);
        }
        *at = known.contexts.items[--known.contexts.count];
    }
    pthread_mutex_unlock(&known.lock);
}

gputune_status gt_launcher_prepare(gt_launcher *launcher)
{
    if (!launcher->launch->l2.used) {
        return GPUTUNE_OK;
    }
    pthread_mutex_lock(&known.lock);
    set_aside *at = find(launcher);
    size_t wanted = launcher->launch->l2.set_aside_bytes;
    gputune_status status = at ? set(at, wanted ? wanted : at->before) : GPUTUNE_OK;
    if (at) {
        forget_lines(at->driver);
    }
    pthread_mutex_unlock(&known.lock);
    return status;
}

CUlaunchAttribute gt_l2_attribute(const gt_launcher *launcher)
{
    const gt_l2_window *l2 = &launcher->launch->l2;
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW};
    double ratio = (double)l2->set_aside_bytes / (double)l2->window_bytes;
    attribute.value.accessPolicyWindow.num_bytes = l2->window_bytes;
    attribute.value.accessPolicyWindow.hitRatio = ratio < 1 ? (float)ratio : 1.0F;
    attribute.value.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
    attribute.value.accessPolicyWindow.missProp = CU_ACCESS_PROPERTY_STREAMING;
    return attribute;
}
