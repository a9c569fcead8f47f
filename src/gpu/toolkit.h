/* Finds NVRTC and the headers of CUDA, in a toolkit or in Python wheels. */
#pragma once

#include "base/array.h"
#include "base/status.h"
#include "base/text.h"
#include <stddef.h>

typedef struct gt_toolkit {
    gt_texts folders; /* include folders in search order */
    char *version;    /* the parts found, such as "cuda 13.0 cccl 3.0.1"; owned */
    gt_text searched; /* searched places, for messages */
} gt_toolkit;

/* Finds the headers of CUDA (cuda_fp16.h, cooperative_groups.h, …) and of CCCL (cub, cuda/std,
 * thrust). Searches beside the NVRTC in GPUTUNE_NVRTC, if set, then all folders where NVRTC may be.
 * The list of folders may be empty. ENOMEM. Release *out with gt_toolkit_free(). */
gputune_status gt_toolkit_find(gt_toolkit *out);
void gt_toolkit_free(gt_toolkit *toolkit);

/* Names and paths of NVRTC to pass to dlopen(), best first. */
typedef struct gt_nvrtc_candidates {
    gt_texts paths;
    gt_text searched; /* searched places, for messages */
} gt_nvrtc_candidates;

/* Lists where NVRTC may be. If GPUTUNE_NVRTC (a file or folder) is set, lists nothing else.
 * Otherwise searches CUDA_HOME; the loader's path (libnvrtc.so.13, then .12, then without a
 * version); the toolkit's default prefixes; and the nvidia/PACKAGE/lib folders of Python wheels in
 * the site-packages of VIRTUAL_ENV, of the prefix of python3 on PATH, and of ~/.local. ENOMEM.
 * Release *out with gt_nvrtc_candidates_free(), even after a failure. */
gputune_status gt_nvrtc_find(gt_nvrtc_candidates *out);
void gt_nvrtc_candidates_free(gt_nvrtc_candidates *candidates);

/* Lists the files that match `pattern` in the site-packages folders where wheels of NVRTC may be,
 * best first. ENOMEM. Release *out with gt_texts_free(), even after a failure. */
gputune_status gt_wheel_find(gt_texts *out, const char *pattern);

/* Appends a hint about `line`, the first error in a compiler's log. If a member of namespace std or
 * a part of Thrust is missing, or an option that only nvcc has, the hint explains what kernels can
 * use instead. If a name is unknown, it lists the missing headers, the searched folders (-I), and
 * what to install or pass. */
void gt_header_hint_append(gt_text *out, const char *line, const gt_texts *missing,
                           const char *const *options, size_t option_count);

enum { GT_DEVICE_HEADERS_MAX = 128 };
/* Gets the names and texts of the headers that come with gputune, for nvrtcCreateProgram(). They
 * take precedence over headers in folders. Returns their number. The arrays are never freed. */
size_t gt_device_header_list(const char *const **names, const char *const **texts);
/* Returns the text of gputune's header with this name, or NULL. The text is never freed. */
const char *gt_device_header_text(const char *name);
