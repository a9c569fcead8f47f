/* Loads images and functions. Failures carry the driver's own message. */
#pragma once

#include "base/launch.h"
#include "gpu/driver.h"

/* Loads a cubin, or PTX (NUL-terminated) with the assembler's first error line in the message, into
 * the current context. */
gputune_status gt_image_load(CUmodule *out, const gt_driver *driver, const gt_image *image);

/* Fetches a function and loads its code, which lazy loading may otherwise delay until the first
 * launch. */
gputune_status gt_function_load(CUfunction *out, const gt_driver *driver, CUmodule module,
                                const char *name);

/* A loaded image whose functions are wanted: the service kernels. */
typedef struct gt_module gt_module;
/* Loads the image in the current context. *out is the caller's, for gt_module_free(). */
gputune_status gt_module_load(gt_module **out, const gt_driver *driver, const gt_image *image);
/* Fetches a kernel that gt_image_entry() finds in the module's image. */
gputune_status gt_module_function(CUfunction *out, gt_module *module, const gt_image *image,
                                  const char *name);
/* Works from any context and thread. NULL is allowed. */
void gt_module_free(gt_module *module);

typedef struct gt_view {
    CUdeviceptr own;     /* where it can be written */
    CUdeviceptr address; /* the view: the same bytes, offsets alike */
    size_t bytes;        /* mapped at each; 0: the emulator's, whose allocations know it */
    CUmemGenericAllocationHandle memory;
} gt_view;

/* At least `bytes` bytes, not 0, in the current context of that device. Both addresses are
 * multiples of 64 KiB. False where driver or device cannot map memory so, and where there is too
 * little memory: the caller takes ordinary memory then. */
bool gt_view_take(gt_view *out, const gt_driver *driver, int ordinal, uint64_t bytes);
/* In the same context; nothing may use it any more. */
void gt_view_free(const gt_view *view, const gt_driver *driver);
