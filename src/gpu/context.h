/* Working in a given context whatever the caller's is, and leaving the caller's as it was. */
#ifndef GT_GPU_CONTEXT_H
#define GT_GPU_CONTEXT_H

#include "gpu/driver.h"

/* What gt_context_enter() changed. */
typedef struct gt_context_visit {
    CUstreamCaptureMode mode;
    bool pushed;
} gt_context_visit;

/* Makes `context` current (it is pushed if another one is) and enters relaxed capture mode. ECUDA
 * when the context is gone; gt_context_leave() must then not be called. */
gputune_status gt_context_enter(gt_context_visit *out, const gt_driver *driver, CUcontext context);
void gt_context_leave(const gt_context_visit *visit, const gt_driver *driver);

/* EINVAL when no context is current. */
gputune_status gt_context_current(CUcontext *out, const gt_driver *driver);

#endif
