/* The code of plans: images that several plans of a tuner share, and their loaded modules. */
#pragma once

#include "base/array.h"
#include "base/launch.h"
#include "gpu/launcher.h"

#include <gputune.h>
#include <pthread.h>
#include <stdatomic.h>

/* The state that the plans of a tuner share. */
typedef struct gt_plan_pool {
    const gt_driver *driver; /* NULL: the tuner launches nothing */
    const gt_device *device;
    bool debug; /* true if gt_debug_launch() checks each launch */
    pthread_mutex_t mutex;
    struct gt_shared_code *codes[64]; /* by hash of the image; linked by gt_shared_code.next */
    gputune_plan *owned, *kept;       /* lists of all plans (plan.c) */
} gt_plan_pool;

/* An image, and its modules in the contexts where it is loaded. Plans share a code if they differ
 * only in a size that the kernel gets as an argument. */
typedef struct gt_shared_code {
    gt_plan_pool *pool;
    struct gt_shared_code *next;
    uint64_t hash;
    int carveout_kb; /* the value is set on the loaded functions, so plans with another value need
                        their own code */
    unsigned plans;  /* number of plans; protected by the pool's mutex */
    bool is_private; /* true if kernels may write variables of the module, so each plan has its own
                        module */
    gt_image image;
    pthread_mutex_t loading; /* protects the modules, and additions to gt_plan_code.loaded */
    GT_ARRAY(gt_module *) modules;
} gt_shared_code;

/* The code of a plan, loaded in one context. After the context was reset, the struct is reused for
 * the next context with the same handle. */
typedef struct gt_loaded_code {
    CUcontext handle;
    atomic_uint_least64_t id; /* gt_context.id */
    _Atomic(gt_launcher *) launcher;
    struct gt_loaded_code *next;
} gt_loaded_code;

/* A launch of a plan, and its code. */
typedef struct gt_plan_code {
    _Atomic(gt_loaded_code *) loaded; /* new elements are added in front */
    gt_launch_view *launch;           /* made by gt_launch_pack() */
    gt_shared_code *code;
} gt_plan_code;

/* Makes the code of a plan. On success, takes over `launch` and the image. Returns ENOMEM if out of
 * memory. */
gputune_status gt_plan_code_make(gt_plan_code **out, gt_plan_pool *pool, gt_launch_view *launch,
                                 gt_image *image);
/* Frees the code, and unloads modules that no other plan uses. NULL is allowed. */
void gt_plan_code_free(gt_plan_code *code);

/* Loads the code in the current context, unless it is loaded there, and sets *out to its launcher.
 * EINVAL if no context of the device is current; ECUDA. */
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
