/* NVRTC by dlopen, and what its log says of registers and spills. */
#ifndef GT_GPU_NVRTC_H
#define GT_GPU_NVRTC_H

#include "base/launch.h"
#include "base/status.h"

typedef struct gt_nvrtc gt_nvrtc; /* process-wide, never closed, thread-safe */

/* Searches GPUTUNE_NVRTC (a file or folder), CUDA_HOME, the loader's path (libnvrtc.so.13, .12,
 * bare), the toolkit's default prefixes, the nvidia/PACKAGE/lib folders of Python wheels
 * (site-packages of VIRTUAL_ENV, python3 on PATH's prefix, ~/.local). ENOCOMPILER lists what was
 * searched. A driver of version `driver_version` (13000; 0: any) refuses newer majors. */
gputune_status gt_nvrtc_open(const gt_nvrtc **out, int driver_version);
/* 13000 for 13.0. */
int gt_nvrtc_version(const gt_nvrtc *nvrtc);
const char *gt_nvrtc_path(const gt_nvrtc *nvrtc);

typedef struct gt_nvrtc_request {
    const char *text, *arch; /* arch "sm_90" */
    const char *const *options;
    size_t option_count;
    bool want_cubin, want_ptx;
} gt_nvrtc_request;

typedef struct gt_nvrtc_result {
    gt_image cubin, ptx;    /* owned by the caller; PTX is NUL-terminated within bytes */
    char *log;              /* owned, never NULL on success or ECOMPILE */
    gt_resources resources; /* of the entry with the most registers in the log */
    double compile_ns;
} gt_nvrtc_result;

/* Compiles with the standard options (arch, --std=c++17, -default-device, --no-cache where known,
 * ptxas -v, constant program name and seed) and the request's. Options newer than this NVRTC are
 * left out. ECOMPILE: the message holds the first error line, result->log the whole. */
gputune_status gt_nvrtc_compile(gt_nvrtc_result *out, const gt_nvrtc *nvrtc,
                                const gt_nvrtc_request *request);
void gt_nvrtc_result_free(gt_nvrtc_result *result);

/* Reads a `ptxas -v` log. Exposed for tests. */
void gt_ptxas_parse(gt_resources *out, const char *log);

#endif
