/* Compiles with NVRTC, the runtime compiler, which dlopen() loads, and reads its logs. */
#pragma once

#include "base/launch.h"
#include "base/status.h"

typedef struct gt_nvrtc gt_nvrtc; /* one object per library, never closed, thread-safe */

/* Opens the first usable NVRTC that gt_nvrtc_find() (toolkit.h) lists. NVRTC's major version must
 * not exceed the driver's (13000 for 13.0; 0: any), because the driver could not load its code. On
 * ENOCOMPILER, the message lists the searched places. */
gputune_status gt_nvrtc_open(const gt_nvrtc **out, int driver_version);
/* Returns NVRTC's version, 13000 for 13.0. */
int gt_nvrtc_version(const gt_nvrtc *nvrtc);

typedef struct gt_nvrtc_request {
    const char *text;           /* CUDA C++ */
    const char *arch;           /* "sm_90a" */
    const char *const *options; /* options in addition to the standard ones */
    size_t option_count;
    /* C++ templates to instantiate, as in gt_source: "scan<float, 128>" or "ENTRY = scan<float,
     * 64>" */
    const char *const *instances;
    size_t instance_count;
    bool ptx;            /* true: compile to PTX; false: to a cubin */
    uint64_t head_bytes; /* length of the head, which other sources share */
    uint64_t headers;    /* hash of the contents of the headers that the head includes */
} gt_nvrtc_request;

/* Paths of a source's precompiled head; each may be NULL. */
typedef struct gt_nvrtc_head {
    const char *keep; /* where to store the precompiled head, or NULL */
    const char *use;  /* path of a head that this process has stored, or NULL */
} gt_nvrtc_head;

typedef struct gt_compiled {
    gt_image image;         /* owned; for PTX, `bytes` includes the NUL */
    char *log;              /* the complete log; owned; not NULL on success or ECOMPILE */
    gt_resources resources; /* resources of the entry function with the most registers */
    double compile_ns;
    int nvrtc_version; /* 13000 for 13.0 */
} gt_compiled;

/* Returns true if this NVRTC supports precompiled heads. */
bool gt_nvrtc_keeps_heads(const gt_nvrtc *nvrtc);

/* Compiles with the request's options and the standard options (arch, --std=c++17, -default-device,
 * --no-cache if known, ptxas -v, constant program name and seed). Leaves out options that this
 * NVRTC does not have, and headers that are in no folder. `head` may be NULL. On ECOMPILE, the
 * message contains the first error line, and out->log the complete log. On success and ECOMPILE,
 * *out is set; release it with gt_compiled_free(). On other failures, it is empty. If a head cannot
 * be stored or used, the log has a warning about the "precompiled header". */
gputune_status gt_nvrtc_compile(gt_compiled *out, const gt_nvrtc *nvrtc,
                                const gt_nvrtc_request *request, const gt_nvrtc_head *head);
void gt_compiled_free(gt_compiled *compiled);

/* Reads the resources of the entry function with the most registers from a log. They are zero if
 * the log has none. spill_bytes is the sum of spill stores and loads. */
void gt_ptxas_parse(gt_resources *out, const char *log);

/* Finds the most useful line in the log of a failed compilation: the first error. If there is none,
 * it is a note about static shared memory above the limit, which ptxas 13.0 rejects without a
 * message, or else the last line. The caller frees *out. */
gputune_status gt_compile_error_line(char **out, const char *log);
