/* NVRTC, the runtime compiler, opened by dlopen(), and what its log says. */
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

/* A source to compile. */
typedef struct gt_nvrtc_request {
    const char *text;           /* CUDA C++ */
    const char *arch;           /* "sm_90a" */
    const char *const *options; /* beyond the standard ones */
    size_t option_count;
    const char *const *instances; /* C++ templates to instantiate: "scan<float, 128>" */
    size_t instance_count;
    bool ptx;            /* the image is PTX, else a cubin */
    uint64_t head_bytes; /* length of the text's beginning that other sources have too: prelude and
                            #includes */
} gt_nvrtc_request;

/* The precompiled head of a source with head_bytes: both are paths, or NULL. */
typedef struct gt_nvrtc_head {
    const char *keep; /* where to keep the head */
    const char *use;  /* a head that this process has kept */
} gt_nvrtc_head;

/* What a source was compiled to. */
typedef struct gt_compiled {
    gt_image image;         /* owned; PTX is NUL-terminated within bytes */
    char *log;              /* the compiler's whole log; owned, never NULL on success or ECOMPILE */
    gt_resources resources; /* resources of the entry function with the most registers in the log */
    double compile_ns;
    int nvrtc_version; /* 13000 for 13.0 */
} gt_compiled;

/* Whether this NVRTC can keep and use a precompiled head. */
bool gt_nvrtc_keeps_heads(const gt_nvrtc *nvrtc);

/* Compiles with the standard options (arch, --std=c++17, -default-device, --no-cache where known,
 * ptxas -v, constant program name and seed) and the request's own. Options that this NVRTC does not
 * know yet are left out, and so are headers that no folder has. `head` is NULL where none is kept
 * or used. ECOMPILE: the message has the first error line, out->log the whole log. *out is set
 * after success and ECOMPILE, and gt_compiled_free() releases it; after any other failure it is
 * empty. If a head cannot be kept or used, the log has a warning that names the "precompiled
 * header". */
gputune_status gt_nvrtc_compile(gt_compiled *out, const gt_nvrtc *nvrtc,
                                const gt_nvrtc_request *request, const gt_nvrtc_head *head);
void gt_compiled_free(gt_compiled *compiled);

/* Sets the registers, spills (stores plus loads), shared, stack and constant memory of *out to
 * those of the entry function with the most registers; all are zero when the log names none. */
void gt_ptxas_parse(gt_resources *out, const char *log);

/* Sets *out to the most useful line of a failed compilation's log: the first error; else, for
 * static shared memory above the limit, which ptxas 13.0 refuses without a message, a line that
 * says so; else the last line. The caller frees *out. */
gputune_status gt_compile_error_line(char **out, const char *log);
