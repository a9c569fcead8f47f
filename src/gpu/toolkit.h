/* The CUDA toolkit's headers and NVRTC, of an installation or of Python's wheels. */
#pragma once

#include "base/array.h"
#include "base/status.h"
#include "base/text.h"
#include <stddef.h>

typedef struct gt_toolkit {
    gt_texts folders; /* to be searched in this order */
    char *version;    /* "cuda 13.0 cccl 3.0.1", each part where it was found; owned */
    char *searched;   /* owned: for a message, what was looked through */
} gt_toolkit;

/* Finds the headers of the runtime (cuda_fp16.h, cooperative_groups.h, …) and of CCCL (cub,
 * cuda/std, thrust): beside the NVRTC that GPUTUNE_NVRTC names, else in the places where NVRTC is
 * looked for. Finding none is no failure: the lists are empty then. ENOMEM. gt_toolkit_free()
 * releases. */
gputune_status gt_toolkit_find(gt_toolkit *out);
void gt_toolkit_free(gt_toolkit *toolkit);

/* Names and paths for dlopen, best first. */
typedef struct gt_nvrtc_candidates {
    gt_texts paths;
    char *searched; /* owned: for a message, what was looked through */
    bool given;     /* by GPUTUNE_NVRTC: no others are tried */
} gt_nvrtc_candidates;

/* GPUTUNE_NVRTC (a file or folder) alone if it is set; else CUDA_HOME, the loader's path
 * (libnvrtc.so.13, .12, bare), the toolkit's default prefixes, the nvidia/PACKAGE/lib folders of
 * Python wheels (site-packages of VIRTUAL_ENV, of the prefix of python3 on PATH, of ~/.local).
 * ENOMEM. gt_nvrtc_candidates_free() releases. */
gputune_status gt_nvrtc_find(gt_nvrtc_candidates *out);
void gt_nvrtc_candidates_free(gt_nvrtc_candidates *candidates);

/* If `line`, the first error of a compiler's log, is about a file that could not be opened, appends
 * where it was looked for (the -I options) and what to install or to name. If it is about a name,
 * the headers that the source has as "// skipped: NAME". */
void gt_header_hint_append(gt_text *out, const char *line, const char *source,
                           const char *const *options, size_t option_count);

enum { GT_DEVICE_HEADERS_MAX = 128 };
/* Names and texts of all of them, as nvrtcCreateProgram() takes them: they come before those of any
 * folder. Returns how many there are; the arrays live for ever. */
size_t gt_device_header_list(const char *const **names, const char *const **texts);
/* The text of the one of that name, or NULL. */
const char *gt_device_header_text(const char *name);
