/* Loads a variant's code where it is launched. */
#include "api/plan_code.h"

#include <stdlib.h>

static gt_loaded_code *find(gt_plan_code *code, const gt_context *context)
{
    gt_loaded_code *at = atomic_load(&code->loaded);
    while (at && at->handle != context->handle) {
        at = at->next;
    }
    return at;
}

static gputune_status add(gt_loaded_code **out, gt_plan_code *code, CUcontext handle)
{
    gt_loaded_code *made = calloc(1, sizeof *made);
    GT_TRY(gt_allocated(made));
    made->handle = handle;
    made->next = atomic_load(&code->loaded);
    atomic_store_explicit(&code->loaded, made, memory_order_release);
    *out = made;
    return GPUTUNE_OK;
}

static gputune_status check_device(const gt_driver *driver, const gt_device *device,
                                   const char *entry)
{
    CUdevice current;
    GT_CUDA(driver, CtxGetDevice, &current);
    return current == device->ordinal
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_EINVAL,
                         "%s: the current context is of device %d, and the plan is for device %d; "
                         "open a tuner for each device",
                         entry, (int)current, device->ordinal);
}

gputune_status gt_plan_code_load(gt_launcher **out, gt_plan_code *code, const gt_driver *driver,
                                 const gt_device *device)
{
    gt_context context;
    gt_launcher *launcher;
    GT_TRY(gt_context_current(&context, driver));
    gt_loaded_code *at = find(code, &context);
    if (at && atomic_load(&at->id) == context.id && atomic_load(&at->launcher)) {
        *out = atomic_load(&at->launcher);
        return GPUTUNE_OK;
    }
    GT_TRY(check_device(driver, device, code->launch.steps[0].entry));
    GT_TRY(at ? GPUTUNE_OK : add(&at, code, context.handle));
    GT_TRY(gt_launcher_load(&launcher, driver, device, &code->image, &code->launch));
    gt_launcher *before = atomic_exchange(&at->launcher, launcher);
    atomic_store_explicit(&at->id, context.id, memory_order_release);
    gt_launcher_free(before); /* its context is gone, and nobody launches there */
    *out = launcher;
    return GPUTUNE_OK;
}

void gt_plan_code_free(gt_plan_code *code)
{
    gt_loaded_code *next;
    for (gt_loaded_code *at = atomic_load(&code->loaded); at; at = next) {
        next = at->next;
        gt_launcher_free(atomic_load(&at->launcher));
        free(at);
    }
    free(code->image.data);
}
