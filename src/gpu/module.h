/* Loads images and functions. Failures carry the driver's own message. */
#ifndef GT_GPU_MODULE_H
#define GT_GPU_MODULE_H

#include "base/launch.h"
#include "gpu/driver.h"

/* Loads a cubin, or PTX (NUL-terminated) with the assembler's first error line in the message, into
 * the current context. */
gputune_status gt_image_load(CUmodule *out, const gt_driver *driver, const gt_image *image);

/* Fetches a function and loads its code, which lazy loading may otherwise delay until the first
 * launch. */
gputune_status gt_function_load(CUfunction *out, const gt_driver *driver, CUmodule module,
                                const char *name);

#endif
