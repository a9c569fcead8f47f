/* Enters a CUDA context and restores the caller's. */
#include "gpu/context.h"

gputune_status gt_context_current(gt_context *out, const gt_driver *driver)
{
    gt_context now = {0};
    unsigned long long id;
    GT_CUDA(driver, CtxGetCurrent, &now.handle);
    GT_REFUSE(!now.handle, GPUTUNE_EINVAL,
              "no CUDA context is current in this thread; make one current (cuCtxSetCurrent, or "
              "any call of the CUDA runtime)");
    CUresult code = driver->CtxGetId ? driver->CtxGetId(now.handle, &id) : CUDA_ERROR_NOT_FOUND;
    if (code == CUDA_ERROR_CONTEXT_IS_DESTROYED || code == CUDA_ERROR_INVALID_CONTEXT) {
        return gt_cuda_check(driver, code, "cuCtxGetId");
    }
    now.id = code == CUDA_SUCCESS ? id + 1 : 0;
    *out = now;
    return GPUTUNE_OK;
}

/* A driver accepts a destroyed context that is pushed, and damages the process's memory. The id of
 * a destroyed context it refuses to tell (both seen on an H200 with driver 13.0). */
static gputune_status check_alive(const gt_driver *driver, const gt_context *context)
{
    unsigned long long id;
    bool same = !context->id ||
                (driver->CtxGetId(context->handle, &id) == CUDA_SUCCESS && id + 1 == context->id);
    return same ? GPUTUNE_OK : gt_fail(GPUTUNE_ECUDA, "the CUDA context was destroyed or reset");
}

gputune_status gt_context_enter(gt_context_visit *out, const gt_driver *driver,
                                const gt_context *context)
{
    CUcontext current = NULL;
    GT_TRY(check_alive(driver, context));
    GT_CUDA(driver, CtxGetCurrent, &current);
    out->pushed = current != context->handle;
    if (out->pushed) {
        GT_CUDA(driver, CtxPushCurrent, context->handle);
    }
    out->mode = gt_relaxed_enter(driver);
    return GPUTUNE_OK;
}

void gt_context_leave(const gt_context_visit *visit, const gt_driver *driver)
{
    CUcontext popped;
    gt_relaxed_leave(driver, visit->mode);
    if (visit->pushed) {
        driver->CtxPopCurrent(&popped);
    }
}
