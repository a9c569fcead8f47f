/* Fills a gt_device (base/device.h) from a driver. */
#pragma once

#include "base/device.h"
#include "base/status.h"
#include "gpu/driver.h"

/* Sets *out to the number of devices; 0 is not an error. */
gputune_status gt_device_count(int *out, const gt_driver *driver);
/* Reads all properties of one device; needs no context. nvrtc_version stays 0:
 * gt_device_set_nvrtc() sets it. */
gputune_status gt_device_query(gt_device *out, const gt_driver *driver, int ordinal);
/* The same without clock rates, because the driver takes a millisecond to tell them (seen on an
 * H200), and without the environment key, which is computed from them. The caller fills in both:
 * the rates from those that are stored, or by gt_device_read_clock_rates(); then the key by
 * gt_device_environment(). */
gputune_status gt_device_identify(gt_device *out, const gt_driver *driver, int ordinal);
/* Sets memory_clock_khz and sm_clock_khz to what the driver says; 0 where the driver does not
 * know. */
gputune_status gt_device_read_clock_rates(gt_device *device, const gt_driver *driver);
/* Finds the ordinal of a device. `which` is a number or a UUID ("GPU-…"; a unique prefix is
 * enough); NULL: the device of the current context, else 0. The message of ENODRIVER lists the
 * devices. */
gputune_status gt_device_find(int *ordinal, const gt_driver *driver, const char *which);
/* Makes a device of the facts that are stored with results (environment, name, arch, origin,
 * mig_profile, counts, sizes, rates and versions), without the driver: its architecture decides the
 * rest. Its uuid is empty, its ordinal -1. ENOTFOUND if that device has another environment key:
 * then the GPU differs from its architecture, or the stored facts are damaged. */
gputune_status gt_device_restore(gt_device *device);
/* Records NVRTC's version (13000; 0: none) and lowers max_parameter_bytes where that version is too
 * old for large kernel parameters (before 12.1). */
void gt_device_set_nvrtc(gt_device *device, int nvrtc_version);

/* The limits of a named architecture ("sm_80", "sm_90", "sm_100", …), for compiling without a GPU;
 * out->arch is the exact target (sm_90a for sm_90), or "sm_100f" where `arch` is that: other GPUs
 * of the family run its code too. Counts and sizes that the architecture leaves open are those of
 * its best-known data-centre product. The message of EINVAL lists the known names. */
gputune_status gt_device_for_arch(gt_device *out, const char *arch);
/* Sets what the driver does not report: the carveout sizes and the largest cluster of the compute
 * capability. Reads cc and cluster_launch of *device. A capability that is newer than the table
 * counts as the newest known one of its generation. */
void gt_device_add_arch_facts(gt_device *device);
/* Writes the environment key into device->environment. The key says for which GPUs stored times
 * hold: it covers all properties that determine times, and none that differs between equal
 * machines. */
void gt_device_environment(gt_device *device);

/* Measures how fast the GPU copies between two of its buffers, of `most_bytes` or an eighth of the
 * free memory, a few times, in the current context. *bytes_per_s counts bytes read plus bytes
 * written. EDEVMEM where the GPU's memory is full, ECUDA. */
gputune_status gt_copy_rate(double *bytes_per_s, const gt_driver *driver, size_t most_bytes,
                            int copies);
/* The same in the device's primary context. */
gputune_status gt_device_copy_rate(double *bytes_per_s, const gt_driver *driver, int ordinal);
