/* Where CUDA may be installed: toolkits, and Python's wheels. */
#ifndef GT_GPU_CUDA_ROOTS_H
#define GT_GPU_CUDA_ROOTS_H

#include "base/status.h"

typedef enum gt_cuda_root {
    GT_ROOT_HOME,   /* CUDA_HOME */
    GT_ROOT_LOADER, /* no folder: the place in the order where the loader's path is tried */
    GT_ROOT_PREFIX, /* a toolkit's default prefix; may hold '*' */
    GT_ROOT_PYTHON  /* the prefix of a Python installation, whose wheels may have parts of CUDA */
} gt_cuda_root;

/* Is told of one folder; a failure ends the walk. */
typedef gputune_status (*gt_cuda_root_fn)(void *user, gt_cuda_root kind, const char *folder);

/* Calls `visit` for every place, in this order: CUDA_HOME, the loader, the toolkit's default
 * prefixes, and the prefixes of VIRTUAL_ENV, of the first python3 on PATH and of ~/.local. */
gputune_status gt_cuda_roots(gt_cuda_root_fn visit, void *user);

#endif
