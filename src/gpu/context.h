/* Makes a given CUDA context current for some work, and then restores the caller's. */
#pragma once

#include "gpu/driver.h"

/* A CUDA context. A primary context that was reset is another context with the same handle. */
typedef struct gt_context {
    CUcontext handle;
    uint64_t id; /* unique among all contexts that this process has or had; 0: the driver does not
                    tell */
} gt_context;

/* The id of the current context; 0 where there is none, or the driver does not tell. */
static inline uint64_t gt_context_id(const gt_driver *driver)
{
    unsigned long long id;
    return driver->CtxGetId && driver->CtxGetId(NULL, &id) == CUDA_SUCCESS ? id + 1 : 0;
}

/* What gt_context_enter() changed. */
typedef struct gt_context_visit {
    CUstreamCaptureMode mode;
    bool pushed;
} gt_context_visit;

/* Makes `context` current (pushes it if another one is current) and puts this thread into relaxed
 * capture mode. ECUDA when the context is gone or was reset; do not call gt_context_leave()
 * then. */
gputune_status gt_context_enter(gt_context_visit *out, const gt_driver *driver,
                                const gt_context *context);
void gt_context_leave(const gt_context_visit *visit, const gt_driver *driver);

/* Sets *out to the current context. EINVAL when none is current, ECUDA when it is destroyed. */
gputune_status gt_context_current(gt_context *out, const gt_driver *driver);
