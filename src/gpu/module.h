/* Loads images and functions; messages include the driver's text. Maps device memory twice. */
#pragma once

#include "base/launch.h"
#include "gpu/driver.h"

/* Loads a cubin, or NUL-terminated PTX, into the current context. If PTX fails, the message has the
 * assembler's first error line. */
gputune_status gt_image_load(CUmodule *out, const gt_driver *driver, const gt_image *image);

/* Gets a function and loads its code now; lazy loading would wait for the first launch. */
gputune_status gt_function_load(CUfunction *out, const gt_driver *driver, CUmodule module,
                                const char *name);

typedef struct gt_view {
    CUdeviceptr own;     /* writable address of the memory */
    CUdeviceptr address; /* read-only address of the same bytes */
    size_t bytes; /* bytes mapped at each address; 0: emulated memory, where allocations know their
                     size */
    CUmemGenericAllocationHandle memory;
} gt_view;

/* Allocates at least `bytes` > 0 bytes with a view of them, in the current context of the device
 * `ordinal`. Both addresses are multiples of 64 KiB. Returns false if the driver or device cannot
 * map memory this way or memory is short; the caller then uses ordinary memory. */
bool gt_view_take(gt_view *out, const gt_driver *driver, int ordinal, uint64_t bytes);
/* Frees the memory and its view, in the context that made them, after all work on them has
 * ended. */
void gt_view_free(const gt_view *view, const gt_driver *driver);
