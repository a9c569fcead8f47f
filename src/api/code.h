/* Code of plans: images that the plans of a tuner share, and what is loaded of them. */
#pragma once

#include "base/array.h"
#include "base/launch.h"
#include "gpu/launcher.h"

#include <gputune.h>
#include <pthread.h>
#include <stdatomic.h>

/* The shared state of a tuner's plans, which may be released after gputune_close(). */
typedef struct gt_plan_pool {
    const gt_driver *driver; /* NULL: the tuner launches nothing */
    const gt_device *device;
    bool debug; /* each launch is checked by gt_debug_launch() */
    pthread_mutex_t mutex;
    struct gt_shared_code *codes[64]; /* by hash of the image; linked by gt_shared_code.next */
    gputune_plan *owned, *kept;       /* the plans (plan.c) */
} gt_plan_pool;

/* An image, and its modules in the contexts where it is loaded. Plans of equal code share one: they
 * often differ in the size alone, which the kernel gets as an argument. */
typedef struct gt_shared_code {
    gt_plan_pool *pool;
    struct gt_shared_code *next;
    uint64_t hash;
    int carveout_kb; /* a function has one carveout, so plans with another one need their own */
    unsigned plans;  /* under the pool's mutex */
    bool is_private; /* has variables that kernels may write: each plan has its own module */
    gt_image image;
    pthread_mutex_t loading; /* protects what follows, and adding to gt_plan_code.loaded */
    GT_ARRAY(gt_module *) modules;
} gt_shared_code;

/* Code of a plan in one context. After a reset, the next context of that handle takes its place. */
typedef struct gt_loaded_code {
    CUcontext handle;
    atomic_uint_least64_t id; /* gt_context.id */
    _Atomic(gt_launcher *) launcher;
    struct gt_loaded_code *next;
} gt_loaded_code;

/* A launch of a plan and its code. */
typedef struct gt_plan_code {
    _Atomic(gt_loaded_code *) loaded; /* grows at its beginning */
    gt_launch_view *launch;           /* by gt_launch_pack() */
    gt_shared_code *code;
} gt_plan_code;

/* Makes the plan's code of a launch, and takes the image unless that fails. ENOMEM. */
gputune_status gt_plan_code_make(gt_plan_code **out, gt_plan_pool *pool, gt_launch_view *launch,
                                 gt_image *image);
/* Unloads the code in every context where no other plan uses it. NULL is allowed. */
void gt_plan_code_free(gt_plan_code *code);

/* Loads the code in the current context, if new. EINVAL: none, or another device's; ECUDA. */
gputune_status gt_plan_code_load(gt_launcher **out, gt_plan_code *code);

/* The launcher for the current context, if the code is loaded there; else NULL. */
static inline gt_launcher *gt_plan_code_loaded(gt_plan_code *code, const gt_driver *driver)
{
    uint64_t id = gt_context_id(driver);
    gt_loaded_code *at = atomic_load_explicit(&code->loaded, memory_order_acquire);
    while (at && atomic_load_explicit(&at->id, memory_order_acquire) != id) {
        at = at->next;
    }
    return at && id ? atomic_load_explicit(&at->launcher, memory_order_acquire) : NULL;
}
