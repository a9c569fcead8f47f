/* NVRTC, the runtime compiler, opened by dlopen(). */
#pragma once

#include "base/launch.h"
#include "base/status.h"

typedef struct gt_nvrtc gt_nvrtc; /* process-wide, never closed, thread-safe */

/* Opens the NVRTC that gt_nvrtc_find() (toolkit.h) finds; the message of ENOCOMPILER lists where it
 * looked. A driver of version `driver_version` (13000; 0: any) refuses code of a newer major
 * version, so an NVRTC of a newer major version is passed over. */
gputune_status gt_nvrtc_open(const gt_nvrtc **out, int driver_version);
/* The NVRTC's version, 13000 for 13.0. */
int gt_nvrtc_version(const gt_nvrtc *nvrtc);

typedef struct gt_nvrtc_request {
    const char *text, *arch; /* arch "sm_90" */
    const char *const *options;
    size_t option_count;
    const char *const *instances; /* C++ templates to instantiate: "scan<float, 128>" */
    size_t instance_count;
    bool want_cubin, want_ptx;
    size_t head_bytes; /* bytes at the beginning of the text that other sources have too: leading
                          #includes */
    const char
        *keep_head; /* a path at which to keep the head precompiled, or NULL; needs head_bytes */
    const char *use_head; /* the path of a precompiled head that this process made, or NULL */
} gt_nvrtc_request;

typedef struct gt_nvrtc_result {
    gt_image cubin, ptx;    /* owned by the caller; PTX is NUL-terminated within bytes */
    char *log;              /* owned, never NULL on success or ECOMPILE */
    gt_resources resources; /* resources of the entry function with the most registers in the log */
    double compile_ns;
} gt_nvrtc_result;

/* Whether this NVRTC can keep and use a precompiled head (keep_head, use_head). */
bool gt_nvrtc_keeps_heads(const gt_nvrtc *nvrtc);

/* Compiles with the standard options (arch, --std=c++17, -default-device, --no-cache where known,
 * ptxas -v, constant program name and seed) and the request's own. Options that this NVRTC does not
 * know yet are left out. ECOMPILE: the message has the first error line, out->log the whole log.
 * *out is set after success and ECOMPILE, and gt_nvrtc_result_free() releases it; after any other
 * failure it is empty. If a head cannot be kept or used, the log has a warning that names the
 * "precompiled header". */
gputune_status gt_nvrtc_compile(gt_nvrtc_result *out, const gt_nvrtc *nvrtc,
                                const gt_nvrtc_request *request);
void gt_nvrtc_result_free(gt_nvrtc_result *result);
