/* Reads a GPU's properties from a driver, or fills them in for a named architecture. */
#pragma once

#include "base/device.h"
#include "base/status.h"
#include "gpu/driver.h"

/* Gets the number of devices, which may be 0. */
gputune_status gt_device_count(int *out, const gt_driver *driver);
/* Reads all properties except nvrtc_version (gt_device_set_nvrtc()). Needs no context. */
gputune_status gt_device_query(gt_device *out, const gt_driver *driver, int ordinal);
/* Like gt_device_query(), but does not set the clock rates and the environment key, because reading
 * the clock rates takes a millisecond (H200). The caller gets the rates from a store or from
 * gt_device_read_clock_rates(), and then calls gt_device_environment(). */
gputune_status gt_device_identify(gt_device *out, const gt_driver *driver, int ordinal);
/* Sets memory_clock_khz and sm_clock_khz; 0 if the driver does not report a rate. */
gputune_status gt_device_read_clock_rates(gt_device *device, const gt_driver *driver);
/* Finds the ordinal of a device. `which` is an ordinal, a UUID ("GPU-…") or a unique prefix of a
 * UUID. NULL means the device of the current context, or 0 without a context. On ENODRIVER, the
 * message lists the devices. */
gputune_status gt_device_find(int *ordinal, const gt_driver *driver, const char *which);
/* Sets NVRTC's version (13000 for 13.0; 0: no NVRTC). For NVRTC before 12.1, which does not support
 * large kernel parameters, lowers max_parameter_bytes. */
void gt_device_set_nvrtc(gt_device *device, int nvrtc_version);

/* Fills in a device for a named architecture ("sm_80", "sm_90", "sm_100", …), to compile without a
 * GPU. out->arch is the exact target, such as sm_90a for sm_90. A family target such as "sm_100f"
 * is kept, because its code also runs on other GPUs of the family. Properties that vary within an
 * architecture are those of its best-known product. On EINVAL, the message lists the known
 * names. */
gputune_status gt_device_for_arch(gt_device *out, const char *arch);
/* Sets the carveout sizes and the largest cluster, which drivers do not report. If the compute
 * capability is newer than the table, uses the newest known one of its generation. */
void gt_device_add_arch_facts(gt_device *device);
/* Sets device->environment, a key that is the same for equal GPUs. It covers all properties that
 * affect times, and none that differs between equal machines. */
void gt_device_environment(gt_device *device);

/* Measures the GPU's copy rate in the current context with `copies` copies between two buffers.
 * Each buffer has `most_bytes`, or an eighth of the free memory if that is less. *bytes_per_s
 * counts bytes read and bytes written. EDEVMEM if GPU memory is full, ECUDA if CUDA fails. */
gputune_status gt_copy_rate(double *bytes_per_s, const gt_driver *driver, size_t most_bytes,
                            int copies);
/* Measures the copy rate in the device's primary context. */
gputune_status gt_device_copy_rate(double *bytes_per_s, const gt_driver *driver, int ordinal);
