/* The code of plans: images, which are shared by plans of a tuner, and their loaded modules. */
#pragma once

#include "base/array.h"
#include "base/launch.h"
#include "gpu/launcher.h"

#include <gputune.h>
#include <pthread.h>
#include <stdatomic.h>

typedef struct gt_plan_pool {
    const gt_driver *driver; /* NULL if the tuner launches nothing */
    const gt_device *device;
    bool debug;
    pthread_mutex_t mutex;
    struct gt_shared_code *codes; /* linked list (gt_shared_code.next) */
    gputune_plan *owned, *kept;
} gt_plan_pool;

/* An image and its loaded modules. Plans that differ only in a kernel argument share the code. */
typedef struct gt_shared_code {
    gt_plan_pool *pool;
    struct gt_shared_code *next;
    uint64_t hash;
    int carveout_kb; /* the carveout is a part of the key: loaded functions keep it */
    unsigned plans;  /* number of plans that use the code; protected by the pool's mutex */
    bool is_private; /* true if kernels may write variables of the module */
    gt_image image;
    pthread_mutex_t loading; /* protects the modules, and additions to gt_plan_code.loaded */
    GT_ARRAY(gt_module *) modules;
} gt_shared_code;

/* The code of a plan, loaded in one context. If the context was reset, the struct is reused for the
 * next context with the same handle. */
typedef struct gt_loaded_code {
    CUcontext handle;
    atomic_uint_least64_t id; /* gt_context.id */
    _Atomic(gt_launcher *) launcher;
    struct gt_loaded_code *next;
} gt_loaded_code;

typedef struct gt_plan_code {
    _Atomic(gt_loaded_code *) loaded; /* list of loaded codes, newest first */
    gt_launch_view *launch;
    gt_shared_code *code;
} gt_plan_code;

/* Makes the code of a plan. On success, takes over `launch` and the image. Fails only with
 * ENOMEM. */
gputune_status gt_plan_code_make(gt_plan_code **out, gt_plan_pool *pool, gt_launch_view *launch,
                                 gt_image *image);
/* Frees the code, and unloads modules that no other plan uses. NULL is allowed. */
void gt_plan_code_free(gt_plan_code *code);

/* Sets *out to the launcher of the current context, and loads the code there if necessary. EINVAL
 * if no context of the device is current; ECUDA if the code cannot be loaded. */
gputune_status gt_plan_code_load(gt_launcher **out, gt_plan_code *code);

/* Returns the launcher of the current context, or NULL if the code is not loaded there. */
static inline gt_launcher *gt_plan_code_loaded(gt_plan_code *code, const gt_driver *driver)
{
    uint64_t id = gt_context_id(driver);
    gt_loaded_code *at = atomic_load_explicit(&code->loaded, memory_order_acquire);
    while (at && atomic_load_explicit(&at->id, memory_order_acquire) != id) {
        at = at->next;
    }
    return at && id ? atomic_load_explicit(&at->launcher, memory_order_acquire) : NULL;
}
