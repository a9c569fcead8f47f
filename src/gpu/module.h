/* Loads images and functions. The message of a failure has the driver's own text. */
#pragma once

#include "base/launch.h"
#include "gpu/driver.h"

/* Loads a cubin, or PTX (NUL-terminated), into the current context. If PTX fails, the message has
 * the assembler's first error line. */
gputune_status gt_image_load(CUmodule *out, const gt_driver *driver, const gt_image *image);

/* Fetches a function and loads its code, which lazy loading may otherwise delay until the first
 * launch. */
gputune_status gt_function_load(CUfunction *out, const gt_driver *driver, CUmodule module,
                                const char *name);

typedef struct gt_view {
    CUdeviceptr own;     /* the address at which the memory can be written */
    CUdeviceptr address; /* the address of the view: the same bytes at the same offsets */
    size_t bytes; /* bytes mapped at each address; 0: emulated memory, whose allocations know their
                     size */
    CUmemGenericAllocationHandle memory;
} gt_view;

/* Allocates at least `bytes` bytes, not 0, with a view of them, in the current context, which is of
 * the device `ordinal`. Both addresses are multiples of 64 KiB. False where the driver or the
 * device cannot map memory so, or where memory is short: the caller uses ordinary memory then. */
bool gt_view_take(gt_view *out, const gt_driver *driver, int ordinal, uint64_t bytes);
/* Frees the memory and its view, in the context in which they were made. No work may use them any
 * more. */
void gt_view_free(const gt_view *view, const gt_driver *driver);
