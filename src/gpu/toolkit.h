/* Finds NVRTC and the headers of CUDA, in a toolkit or in Python wheels. */
#pragma once

#include "base/array.h"
#include "base/status.h"
#include "base/text.h"
#include <stddef.h>

typedef struct gt_toolkit {
    gt_texts folders; /* include folders, in the order in which they are searched */
    char *version;    /* version of each part, such as "cuda 13.0 cccl 3.0.1"; owned */
    gt_text searched; /* list of the folders that were searched, for messages */
} gt_toolkit;

/* Finds the headers of CUDA (cuda_fp16.h, cooperative_groups.h, …) and of CCCL (cub, cuda/std,
 * thrust). If GPUTUNE_NVRTC is set, searches next to that NVRTC first, and then in all folders
 * where NVRTC may be. Finding nothing is not an error. gt_toolkit_free() frees *out. */
gputune_status gt_toolkit_find(gt_toolkit *out);
void gt_toolkit_free(gt_toolkit *toolkit);

/* Names and paths of NVRTC for dlopen(), in the order in which to try them. */
typedef struct gt_nvrtc_candidates {
    gt_texts paths;
    gt_text searched; /* list of the folders that were searched, for messages */
} gt_nvrtc_candidates;

/* Lists where NVRTC may be. If GPUTUNE_NVRTC is set (a file or a folder), nothing else is listed.
 * Otherwise lists CUDA_HOME; the loader's path (libnvrtc.so.13, then .12, then without a version);
 * the default folders of the toolkit; and the nvidia/PACKAGE/lib folders of Python wheels in the
 * site-packages of VIRTUAL_ENV, of the prefix of python3 on PATH, and of ~/.local. May return
 * ENOMEM. The caller calls gt_nvrtc_candidates_free() even if this fails. */
gputune_status gt_nvrtc_find(gt_nvrtc_candidates *out);
void gt_nvrtc_candidates_free(gt_nvrtc_candidates *candidates);

/* Lists the files that match `pattern` in the site-packages folders that are searched for NVRTC, in
 * this order. May return ENOMEM. The caller calls gt_texts_free() even if this fails. */
gputune_status gt_wheel_find(gt_texts *out, const char *pattern);

/* Appends a hint that helps with `line`, the first error in the log of a compiler. If a member of
 * namespace std, a part of Thrust, or an option of nvcc is not available, the hint explains what a
 * kernel can use instead. If a name is unknown, the hint lists the headers that were not found and
 * the -I folders, and it explains what to install or which option to pass. */
void gt_header_hint_append(gt_text *out, const char *line, const gt_texts *missing,
                           const char *const *options, size_t option_count);

enum { GT_DEVICE_HEADERS_MAX = 128 };
/* Lists the names and texts of gputune's own headers for nvrtcCreateProgram(), and returns their
 * number. They take precedence over headers in folders. The strings are never freed. */
size_t gt_device_headers_list(const char *names[GT_DEVICE_HEADERS_MAX],
                              const char *texts[GT_DEVICE_HEADERS_MAX]);
/* Returns the text of the gputune header with this name, or NULL. It is never freed. */
const char *gt_device_header_text(const char *name);
