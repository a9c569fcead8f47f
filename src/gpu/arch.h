/* What is known of architectures without asking a GPU. */
#ifndef GT_GPU_ARCH_H
#define GT_GPU_ARCH_H

#include "base/device.h"
#include "base/status.h"

/* The target that code for a GPU of compute capability `cc` is compiled for: the GPU itself, with
 * all that only it has ("sm_80", "sm_90a", "sm_120a"). wgmma and tcgen05 need the `a`. */
void gt_arch_exact(char *out, size_t bytes, int cc);
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

#endif
