/* A variant's code, as a plan launches it: loaded in each context where it is launched. */
#pragma once

#include "gpu/context.h"
#include "gpu/launcher.h"

#include <pthread.h>
#include <stdatomic.h>

/* The code in one context. A context that is reset has its place taken by the next one of the same
 * handle. */
typedef struct gt_loaded_code {
    CUcontext handle;
    atomic_uint_least64_t id; /* gt_context.id */
    _Atomic(gt_launcher *) launcher;
    struct gt_loaded_code *next;
} gt_loaded_code;

typedef struct gt_plan_code {
    _Atomic(gt_loaded_code *) loaded; /* grows at its beginning */
    bool present;
    gt_launch launch;
    gt_image image;
} gt_plan_code;

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

/* Loads the code in the current context, unless it is there. One call at a time. EINVAL without a
 * context and in one of another device than `device`; ECUDA as the driver says. */
gputune_status gt_plan_code_load(gt_launcher **out, gt_plan_code *code, const gt_driver *driver,
                                 const gt_device *device);
/* Unloads it everywhere. */
void gt_plan_code_free(gt_plan_code *code);
