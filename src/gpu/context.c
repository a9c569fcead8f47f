/* Enters a CUDA context and restores the caller's. */
#include "gpu/context.h"

gputune_status gt_context_current(CUcontext *out, const gt_driver *driver)
{
    CUcontext context = NULL;
    GT_CUDA(driver, CtxGetCurrent, &context);
    if (!context) {
        return gt_fail(GPUTUNE_EINVAL,
                       "no CUDA context is current in this thread; make one current "
                       "(cuCtxSetCurrent, or any call of the CUDA runtime)");
    }
    *out = context;
    return GPUTUNE_OK;
}

gputune_status gt_context_enter(gt_context_visit *out, const gt_driver *driver, CUcontext context)
{
    CUcontext current = NULL;
    GT_CUDA(driver, CtxGetCurrent, &current);
    out->pushed = current != context;
    if (out->pushed) {
        GT_CUDA(driver, CtxPushCurrent, context);
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
