/* Identifies the GPU that CUDA would give this process, without starting the driver. */
#pragma once

#include "base/hash.h"
#include "base/status.h"

/* Sets *out to a hash of everything that decides which GPU CUDA gives to a process of this user on
 * this machine: the machine's boot, the kernel's driver, its GPUs and MIG instances, which of their
 * device files this process may open, the environment variables that the driver and the dynamic
 * linker read, the driver's library, and the two arguments. Two processes with the same hash get
 * the same GPU, so results can be looked up for it without the tenth of a second that cuInit takes.
 *
 * `driver` is "cuda" or a library's path, `device` a number or a UUID. ENOTFOUND if it cannot be
 * told: for the emulator's names, and where the NVIDIA driver has no files in /proc (WSL, gVisor, a
 * machine without a GPU). */
gputune_status gt_surroundings_find(gt_hash *out, const char *driver, const char *device);

/* The folder that stands for "/" in gt_surroundings_find(), "" except in tests. */
extern const char *gt_surroundings_root;
