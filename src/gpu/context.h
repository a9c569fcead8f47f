/* Working in a given context whatever the caller's is, and leaving the caller's as it was. */
#pragma once

#include "gpu/driver.h"

/* A context. A primary context that was reset is another one with the same handle. */
typedef struct gt_context {
    CUcontext handle;
    uint64_t id; /* no other context of this process has or had it; 0: the driver does not tell */
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

/* Makes `context` current (it is pushed if another one is) and enters relaxed capture mode. ECUDA
 * when the context is gone or was reset; gt_context_leave() must then not be called. */
gputune_status gt_context_enter(gt_context_visit *out, const gt_driver *driver,
                                const gt_context *context);
void gt_context_leave(const gt_context_visit *visit, const gt_driver *driver);

/* EINVAL when no context is current, ECUDA when it is destroyed. */
gputune_status gt_context_current(gt_context *out, const gt_driver *driver);
