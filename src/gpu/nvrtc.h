/* NVRTC by dlopen. */
#pragma once

#include "base/launch.h"
#include "base/status.h"

typedef struct gt_nvrtc gt_nvrtc; /* process-wide, never closed, thread-safe */

/* Opens the NVRTC that gt_nvrtc_find() (toolkit.h) finds; ENOCOMPILER lists where it looked. A
 * driver of version `driver_version` (13000; 0: any) refuses code of a newer major version, so an
 * NVRTC of one is passed over. */
gputune_status gt_nvrtc_open(const gt_nvrtc **out, int driver_version);
/* 13000 for 13.0. */
int gt_nvrtc_version(const gt_nvrtc *nvrtc);

typedef struct gt_nvrtc_request {
    const char *text, *arch; /* arch "sm_90" */
    const char *const *options;
    size_t option_count;
    const char *const *instances; /* C++ templates to instantiate: "scan<float, 128>" */
    size_t instance_count;
    bool want_cubin, want_ptx;
    size_t head_bytes; /* of the text that are the same in other sources: leading #includes */
    const char
        *keep_head;       /* a path where the head is kept precompiled, or NULL; needs head_bytes */
    const char *use_head; /* the path of such a file, made by this process, or NULL */
} gt_nvrtc_request;

typedef struct gt_nvrtc_result {
    gt_image cubin, ptx;    /* owned by the caller; PTX is NUL-terminated within bytes */
    char *log;              /* owned, never NULL on success or ECOMPILE */
    gt_resources resources; /* of the entry with the most registers in the log */
    double compile_ns;
} gt_nvrtc_result;

/* Whether keep_head and use_head work. */
bool gt_nvrtc_keeps_heads(const gt_nvrtc *nvrtc);

/* Compiles with the standard options (arch, --std=c++17, -default-device, --no-cache where known,
 * ptxas -v, constant program name and seed) and the request's. Options newer than this NVRTC are
 * left out. ECOMPILE: the message holds the first error line, result->log the whole. *out is set in
 * both cases, for gt_nvrtc_result_free(); on any other failure it is empty. A head that cannot be
 * kept or used is a warning in the log that names the "precompiled header". */
gputune_status gt_nvrtc_compile(gt_nvrtc_result *out, const gt_nvrtc *nvrtc,
                                const gt_nvrtc_request *request);
void gt_nvrtc_result_free(gt_nvrtc_result *result);
