/* A guess at how variants rank, from what the compiler says and the launch alone. Pure. */
#pragma once

#include "base/device.h"
#include "base/launch.h"

/* The number of blocks of this launch that one multiprocessor holds at a time. It is limited by
 * threads, registers (allocated by warp in units of 256, CUDA C++ Programming Guide,
 * "Multiprocessor Level"), shared memory and the block limit. 0: not even one block fits. */
int gt_resident_blocks(const gt_device *device, const gt_kernel_step *step,
                       const gt_resources *resources);

/* Estimates the speed of a variant: the larger the value, the faster the variant is likely to be.
 * Values compare only among variants of one kernel and size. The value is the product of three
 * fractions: how much of the memory latency the bytes in flight hide (Little's law), how full the
 * last wave of blocks is, and what spilling leaves. `access_bytes`: the bytes that a thread loads
 * in one access. */
double gt_estimate(const gt_device *device, const gt_kernel_step *step,
                   const gt_resources *resources, uint32_t access_bytes);
