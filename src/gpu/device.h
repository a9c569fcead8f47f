/* Reads a gt_device (base/device.h) from a driver or makes one for an architecture. */
#pragma once

#include "base/device.h"
#include "base/status.h"
#include "gpu/driver.h"

/* Gets the number of devices; 0 is not an error. */
gputune_status gt_device_count(int *out, const gt_driver *driver);
/* Reads all properties except nvrtc_version (gt_device_set_nvrtc()). Needs no context. */
gputune_status gt_device_query(gt_device *out, const gt_driver *driver, int ordinal);
/* Like gt_device_query(), without the clock rates, which take the driver a millisecond (H200), and
 * the environment key, which depends on them. The caller sets the rates, from a store or by
 * gt_device_read_clock_rates(), and then calls gt_device_environment(). */
gputune_status gt_device_identify(gt_device *out, const gt_driver *driver, int ordinal);
/* Reads memory_clock_khz and sm_clock_khz; 0 if the driver does not know them. */
gputune_status gt_device_read_clock_rates(gt_device *device, const gt_driver *driver);
/* Finds the ordinal of a device. `which` is a number or a UUID ("GPU-…" or a unique prefix of it);
 * NULL means the device of the current context, or 0 if there is none. The message of ENODRIVER
 * lists the devices. */
gputune_status gt_device_find(int *ordinal, const gt_driver *driver, const char *which);
/* Sets NVRTC's version (13000; 0: none). Lowers max_parameter_bytes if the version is too old for
 * large kernel parameters (before 12.1). */
void gt_device_set_nvrtc(gt_device *device, int nvrtc_version);

/* Makes a device for a named architecture ("sm_80", "sm_90", "sm_100", …), to compile without a
 * GPU. out->arch is the exact target (sm_90a for sm_90). A family target such as "sm_100f" is kept,
 * because its code also runs on other GPUs of the family. Counts and sizes that vary within the
 * architecture are those of its best-known data-centre product. The message of EINVAL lists the
 * known names. */
gputune_status gt_device_for_arch(gt_device *out, const char *arch);
/* Sets properties that the driver does not report: the carveout sizes and the largest cluster, from
 * cc and cluster_launch. A compute capability newer than the table is treated as the newest known
 * one of its generation. */
void gt_device_add_arch_facts(gt_device *device);
/* Sets device->environment, the key of the GPUs for which stored times are valid. The key covers
 * all properties that affect times, and no property that differs between equal machines. */
void gt_device_environment(gt_device *device);

/* Measures the GPU's copy rate in the current context, with two buffers of `most_bytes` or an
 * eighth of the free memory, in `copies` copies. *bytes_per_s counts bytes read plus bytes written.
 * Returns EDEVMEM if GPU memory is full, ECUDA if CUDA fails. */
gputune_status gt_copy_rate(double *bytes_per_s, const gt_driver *driver, size_t most_bytes,
                            int copies);
/* Measures the copy rate in the device's primary context. */
gputune_status gt_device_copy_rate(double *bytes_per_s, const gt_driver *driver, int ordinal);
