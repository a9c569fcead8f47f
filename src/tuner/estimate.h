/* A guess at how variants rank, from what the compiler says and the launch alone. Pure. */
#pragma once

#include "base/device.h"
#include "base/launch.h"

/* Blocks of this launch that one multiprocessor holds at a time: limited by threads, registers
 * (allocated by warp in units of 256, CUDA C++ Programming Guide, "Multiprocessor Level"), shared
 * memory and the block limit. 0: it does not fit. */
int gt_resident_blocks(const gt_device *device, const gt_kernel_step *step,
                       const gt_resources *resources);

/* Larger is likely faster; comparable among variants of one kernel and size only. The product of
 * three fractions: how much of the memory latency the bytes in flight hide (Little's law), how full
 * the last wave of blocks is, and what spilling leaves. `access_bytes` is what a thread loads at
 * once. */
double gt_estimate(const gt_device *device, const gt_kernel_step *step,
                   const gt_resources *resources, uint32_t access_bytes);
