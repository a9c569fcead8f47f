/* The CUDA toolkit's headers, of an installation or of Python's wheels. */
#ifndef GT_GPU_TOOLKIT_H
#define GT_GPU_TOOLKIT_H

#include "base/array.h"

typedef struct gt_toolkit {
    GT_ARRAY(char *) folders; /* to be searched in this order; owned */
    char *version;            /* "cuda 13.0 cccl 3.0.1", each part where it was found; owned */
    char *searched;           /* owned: for a message, what was looked through */
} gt_toolkit;

/* Finds the headers of the runtime (cuda_fp16.h, cooperative_groups.h, …) and of CCCL (cub,
 * cuda/std, thrust): beside the NVRTC that GPUTUNE_NVRTC names, else in the places of cuda_roots.h.
 * Finding none is no failure: the lists are empty then. ENOMEM. gt_toolkit_free() releases. */
gputune_status gt_toolkit_find(gt_toolkit *out);
void gt_toolkit_free(gt_toolkit *toolkit);

#endif
