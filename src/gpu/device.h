/* Filling base/device.h: from a driver, or for an architecture without a GPU. */
#ifndef GT_GPU_DEVICE_H
#define GT_GPU_DEVICE_H

#include "base/device.h"
#include "gpu/driver.h"

/* How many devices there are; 0 is not an error. */
gputune_status gt_device_count(int *out, const gt_driver *driver);
/* All properties of one device, without a context. nvrtc_version is 0; the caller fills it. */
gputune_status gt_device_query(gt_device *out, const gt_driver *driver, int ordinal);
/* Finds an ordinal by number, UUID ("GPU-…"; a unique prefix is enough) or, for NULL, the current
 * context's device, else 0. ENODRIVER lists what there is. */
gputune_status gt_device_find(int *ordinal, const gt_driver *driver, const char *which);
/* Limits of a named architecture ("sm_80", "sm_90", "sm_100", …), for compiling without a GPU.
 * EINVAL lists the known ones. */
gputune_status gt_device_for_arch(gt_device *out, const char *arch);
/* The environment key of DESIGN.md "Records" into device->environment. */
void gt_device_environment(gt_device *device);

#endif
