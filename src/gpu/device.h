/* Filling base/device.h from a driver. */
#pragma once

#include "base/device.h"
#include "base/status.h"
#include "gpu/driver.h"

/* How many devices there are; 0 is not an error. */
gputune_status gt_device_count(int *out, const gt_driver *driver);
/* All properties of one device, without a context. nvrtc_version is 0: see
 * gt_device_set_nvrtc(). */
gputune_status gt_device_query(gt_device *out, const gt_driver *driver, int ordinal);
/* The same without clock rates, for which the driver takes a millisecond (seen on an H200), and
 * without the environment, which is made from them. The caller fills in both: the rates from what
 * is known, or by gt_device_read_clock_rates(); then gt_device_environment(). */
gputune_status gt_device_identify(gt_device *out, const gt_driver *driver, int ordinal);
/* Asks the driver for memory_clock_khz and sm_clock_khz; 0 where it does not know them. */
gputune_status gt_device_read_clock_rates(gt_device *device, const gt_driver *driver);
/* Finds an ordinal by number, by UUID ("GPU-…"; a unique prefix is enough) or, for NULL, the
 * current context's device, else 0. ENODRIVER lists the devices. */
gputune_status gt_device_find(int *ordinal, const gt_driver *driver, const char *which);
/* Records NVRTC's version (13000; 0: none) and lowers max_parameter_bytes where that version is too
 * old for large kernel parameters (before 12.1). */
void gt_device_set_nvrtc(gt_device *device, int nvrtc_version);

/* The limits of a named architecture ("sm_80", "sm_90", "sm_100", …), for compiling without a GPU;
 * out->arch is its exact target (sm_90a for sm_90), or "sm_100f" where that is asked for, whose
 * code other GPUs of the family run too. What an architecture leaves open (counts, sizes) is that
 * of its best-known data-centre product. EINVAL lists the known names. */
gputune_status gt_device_for_arch(gt_device *out, const char *arch);
/* Adds what the driver does not report: carveout sizes and the largest cluster of a compute
 * capability. Reads cc and cluster_launch of *device. A capability that is newer than the table
 * counts as the newest known one of its generation. */
void gt_device_add_arch_facts(gt_device *device);
/* Writes the environment key into device->environment. It says for which GPUs stored times hold: it
 * has what decides about times, and nothing that differs between equal machines. */
void gt_device_environment(gt_device *device);

/* Copies between two buffers of the GPU, of 256 MB or an eighth of what is free, a few times, in
 * its primary context. *bytes_per_s: read plus written. EDEVMEM where its memory is full, ECUDA. */
gputune_status gt_copy_rate(double *bytes_per_s, const gt_driver *driver, int ordinal);
