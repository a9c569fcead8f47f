/* NVRTC, the runtime compiler, loaded with dlopen(), and its logs. */
#pragma once

#include "base/launch.h"
#include "base/status.h"

typedef struct gt_nvrtc gt_nvrtc; /* process-wide, never closed, thread-safe */

/* Opens the first usable NVRTC of gt_nvrtc_find() (toolkit.h); the message of ENOCOMPILER lists the
 * searched places. NVRTC must not have a newer major version than the driver (13000; 0: any
 * version), because the driver could not load its code. */
gputune_status gt_nvrtc_open(const gt_nvrtc **out, int driver_version);
/* Returns NVRTC's version, 13000 for 13.0. */
int gt_nvrtc_version(const gt_nvrtc *nvrtc);

/* One compilation. */
typedef struct gt_nvrtc_request {
    const char *text;           /* CUDA C++ */
    const char *arch;           /* "sm_90a" */
    const char *const *options; /* options besides the standard ones */
    size_t option_count;
    /* C++ templates to instantiate, as in gt_source: "scan<float, 128>" or "ENTRY = scan<float,
     * 64>" */
    const char *const *instances;
    size_t instance_count;
    bool ptx;            /* true to produce PTX instead of a cubin */
    uint64_t head_bytes; /* length of the beginning that other sources share */
} gt_nvrtc_request;

/* Paths of the precompiled head of a source; each may be NULL. */
typedef struct gt_nvrtc_head {
    const char *keep; /* path for storing the head, or NULL */
    const char *use;  /* path of a head that this process stored */
} gt_nvrtc_head;

/* The result of a compilation. */
typedef struct gt_compiled {
    gt_image image;         /* owned; for PTX, `bytes` includes the NUL */
    char *log;              /* the complete log; owned, never NULL on success or ECOMPILE */
    gt_resources resources; /* resources of the entry function with the most registers */
    double compile_ns;
    int nvrtc_version; /* 13000 for 13.0 */
} gt_compiled;

/* Returns true if this NVRTC supports precompiled heads. */
bool gt_nvrtc_keeps_heads(const gt_nvrtc *nvrtc);

/* Compiles with the standard options (arch, --std=c++17, -default-device, --no-cache if known,
 * ptxas -v, constant program name and seed) and the request's options. Options that this NVRTC does
 * not know, and headers that no folder contains, are left out. `head` may be NULL. On ECOMPILE the
 * message contains the first error line, and out->log the complete log. *out is set on success and
 * ECOMPILE, and gt_compiled_free() releases it; on any other failure it is empty. If a head cannot
 * be stored or used, the log contains a warning about the "precompiled header". */
gputune_status gt_nvrtc_compile(gt_compiled *out, const gt_nvrtc *nvrtc,
                                const gt_nvrtc_request *request, const gt_nvrtc_head *head);
void gt_compiled_free(gt_compiled *compiled);

/* Reads registers, spills (stores plus loads), shared, stack and constant memory of the entry
 * function with the most registers from the log; all zero if it lists none. */
void gt_ptxas_parse(gt_resources *out, const char *log);

/* Finds the most useful line of a failed compilation's log: the first error; otherwise a text about
 * static shared memory above the limit, which ptxas 13.0 refuses without a message; otherwise the
 * last line. The caller frees *out. */
gputune_status gt_compile_error_line(char **out, const char *log);
