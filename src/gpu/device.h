/* Reads the properties of a GPU from a driver, or fills them in for a known architecture. */
#pragma once

#include "base/device.h"
#include "base/status.h"
#include "gpu/driver.h"

/* Returns the number of devices in *out. It may be 0. */
gputune_status gt_device_count(int *out, const gt_driver *driver);
/* Reads all properties except the NVRTC version (see gt_device_set_nvrtc()). Needs no context. */
gputune_status gt_device_query(gt_device *out, const gt_driver *driver, int ordinal);
/* Like gt_device_query(), but does not set the clock rates and the environment key, because reading
 * the clock rates takes a millisecond on an H200. The caller takes them from a store or calls
 * gt_device_read_clock_rates(), and then calls gt_device_environment(). */
gputune_status gt_device_identify(gt_device *out, const gt_driver *driver, int ordinal);
/* Sets memory_clock_khz and sm_clock_khz, or sets them to 0 if the driver does not report them. */
gputune_status gt_device_read_clock_rates(gt_device *device, const gt_driver *driver);
/* Finds a device and returns its ordinal. `which` is an ordinal, a UUID ("GPU-…"), or the beginning
 * of a UUID if it is unique. NULL means the device of the current context, or 0 if there is no
 * context. If there is no such device, returns ENODRIVER with a message that lists all devices. */
gputune_status gt_device_find(int *ordinal, const gt_driver *driver, const char *which);
/* Sets the version of NVRTC (13000 for 13.0; 0 if there is none), and lowers max_parameter_bytes
 * for versions before 12.1, which do not support large kernel parameters. */
void gt_device_set_nvrtc(gt_device *device, int nvrtc_version);

/* Fills in a device for an architecture such as "sm_80", "sm_90" or "sm_100", to compile without a
 * GPU. out->arch becomes the exact target, such as sm_90a for sm_90. A family target such as
 * "sm_100f" is kept, because its code also runs on the other GPUs of the family. Properties that
 * vary within an architecture are those of its best-known product. If the name is unknown, returns
 * EINVAL with a message that lists the known names. */
gputune_status gt_device_for_arch(gt_device *out, const char *arch);
/* Sets the carveout sizes and the maximum cluster size, which drivers do not report. A compute
 * capability that is newer than the table gets the newest values of its generation. */
void gt_device_add_arch_facts(gt_device *device);
/* Computes device->environment, a key that is equal for equal GPUs. It depends on all properties
 * that affect times, and on none that may differ between two equal machines. */
void gt_device_environment(gt_device *device);

/* Measures how fast the GPU copies memory in the current context by `copies` copies between two
 * buffers. The size of a buffer is `most_bytes`, but at most an eighth of the free memory.
 * *bytes_per_s counts bytes read and bytes written. EDEVMEM if there is not enough GPU memory. */
gputune_status gt_copy_rate(double *bytes_per_s, const gt_driver *driver, size_t most_bytes,
                            int copies);
/* Measures the copy rate in the primary context of the device. */
gputune_status gt_device_copy_rate(double *bytes_per_s, const gt_driver *driver, int ordinal);
