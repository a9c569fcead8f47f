/* Identifies the GPU that CUDA would give to this process, without starting the driver. */
#pragma once

#include "base/hash.h"
#include "base/status.h"

/* Hashes everything that determines which GPU CUDA gives to this user's processes: the machine's
 * boot, the kernel's driver, its GPUs and MIG instances, the device files that this process may
 * open, the environment variables that the driver and the dynamic linker read, the driver's
 * library, and the two arguments. Processes with the same hash get the same GPU, so stored results
 * can be looked up without the tenth of a second of cuInit.
 *
 * `driver` is "cuda" or a library's path, `device` a number or a UUID. ENOTFOUND if the GPU cannot
 * be determined: for the emulator, and if the NVIDIA driver has no files in /proc (WSL, gVisor, no
 * GPU). */
gputune_status gt_surroundings_find(gt_hash *out, const char *driver, const char *device);

/* The folder used as "/" by gt_surroundings_find(); "" except in tests. */
extern const char *gt_surroundings_root;
