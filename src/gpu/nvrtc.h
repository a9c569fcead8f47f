/* Compiles with NVRTC, the runtime compiler, which is loaded with dlopen(), and reads its logs. */
#pragma once

#include "base/launch.h"
#include "base/status.h"

typedef struct gt_nvrtc gt_nvrtc; /* an opened library; never closed, thread-safe */

/* Opens the first usable NVRTC that gt_nvrtc_find() lists (toolkit.h). The major version of NVRTC
 * must not be higher than that of the driver (13000 for 13.0; 0 allows all), because the driver
 * could not load the code. On ENOCOMPILER, the message lists where NVRTC was searched. */
gputune_status gt_nvrtc_open(const gt_nvrtc **out, int driver_version);
/* Returns the version of NVRTC: 13000 for 13.0. */
int gt_nvrtc_version(const gt_nvrtc *nvrtc);

typedef struct gt_nvrtc_request {
    const char *text;           /* CUDA C++ */
    const char *arch;           /* "sm_90a" */
    const char *const *options; /* options in addition to the standard options */
    size_t option_count;
    /* C++ templates to instantiate, as in gt_source: "scan<float, 128>" or "ENTRY = scan<float,
     * 64>" */
    const char *const *instances;
    size_t instance_count;
    bool ptx;            /* true to compile to PTX, false to a cubin */
    uint64_t head_bytes; /* length of the head, which other sources share */
    uint64_t headers;    /* hash of the headers that the head includes */
} gt_nvrtc_request;

/* Paths for the precompiled head of a source. Each may be NULL. */
typedef struct gt_nvrtc_head {
    const char *keep; /* where to store the precompiled head, or NULL */
    const char *use;  /* path of a head that this process has stored before, or NULL */
} gt_nvrtc_head;

typedef struct gt_compiled {
    gt_image image;         /* owned; if it is PTX, `bytes` includes the NUL */
    char *log;              /* the whole log; owned; not NULL on success and ECOMPILE */
    gt_resources resources; /* resources of the entry function that uses the most registers */
    double compile_ns;
    int nvrtc_version; /* 13000 for 13.0 */
} gt_compiled;

/* Returns true if this version of NVRTC supports precompiled heads. */
bool gt_nvrtc_keeps_heads(const gt_nvrtc *nvrtc);

/* Compiles with the options of the request and with the standard options: arch, --std=c++17,
 * -default-device, --no-cache if it exists, ptxas -v, and a constant program name and seed. Options
 * that this NVRTC does not have are left out, and so are headers that are not found or do not
 * compile. `head` may be NULL. On ECOMPILE, the message contains the first error line and out->log
 * the whole log. On success and ECOMPILE, the caller frees *out with gt_compiled_free(). On other
 * errors, *out is empty. If the head cannot be stored or used, out->log warns about the
 * "precompiled header". */
gputune_status gt_nvrtc_compile(gt_compiled *out, const gt_nvrtc *nvrtc,
                                const gt_nvrtc_request *request, const gt_nvrtc_head *head);
void gt_compiled_free(gt_compiled *compiled);

/* Reads the resources of the entry function that uses the most registers from a log. They are 0 if
 * the log does not contain them. spill_bytes is the sum of spill stores and spill loads. */
void gt_ptxas_parse(gt_resources *out, const char *log);

/* Sets *out to the first error in the log of a failed compilation. If the log has no error, but a
 * kernel uses too much static shared memory, *out is a message about this, because ptxas 13.0 does
 * not report it as an error. Otherwise *out is the last line of the log. The caller frees *out. */
gputune_status gt_compile_error_line(char **out, const char *log);
