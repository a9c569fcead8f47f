/* Where NVRTC may be. */
#ifndef GT_GPU_NVRTC_FIND_H
#define GT_GPU_NVRTC_FIND_H

#include "base/array.h"

/* Names and paths for dlopen, best first. */
typedef struct gt_nvrtc_candidates {
    GT_ARRAY(char *) paths; /* owned */
    char *searched;         /* owned: for a message, what was looked through */
    bool given;             /* by GPUTUNE_NVRTC: no others are tried */
} gt_nvrtc_candidates;

/* GPUTUNE_NVRTC (a file or folder) alone if it is set; else CUDA_HOME, the loader's path
 * (libnvrtc.so.13, .12, bare), the toolkit's default prefixes, the nvidia/PACKAGE/lib folders of
 * Python wheels (site-packages of VIRTUAL_ENV, of the prefix of python3 on PATH, of ~/.local).
 * ENOMEM. gt_nvrtc_candidates_free() releases. */
gputune_status gt_nvrtc_find(gt_nvrtc_candidates *out);
void gt_nvrtc_candidates_free(gt_nvrtc_candidates *candidates);

#endif
