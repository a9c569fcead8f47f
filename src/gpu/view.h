/* Device memory at two addresses: at one it can be written, at the other only read. A kernel that
 * writes to the view faults, as with any address that it may not write. */
#pragma once

#include "gpu/driver.h"

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
