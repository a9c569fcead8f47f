/* The numbers of measuring: how many launches make a sample, how many copies of the buffers keep L2
 * cold, how much memory it all takes. Pure. */
#pragma once

#include "farm/job.h"

enum {
    GT_GUARD_FRONT = 1024,   /* bytes before each buffer */
    GT_GUARD_BACK = 4096,    /* bytes after it */
    GT_ALIGNMENT_MAX = 4096, /* the most that a caller may promise */
    GT_LAUNCHES_MAX = 256,   /* of one graph */
    GT_POISON_FIRST = 0xff,  /* bytes of expected results and scratch: NaN in every float type, */
    GT_POISON_SECOND = 0x7b, /* and of expected results in the reference's second run */
    GT_POISON_ZERO = 0,      /* of scratch */
    GT_POISON_NEGATIVE = 0xfb,
    GT_POISON_MIXED = 0 /* of outputs and shared memory: GT_POISON_MIXED + 0 to 3 have 16 bytes of
                           NaN, negative and huge, zero, and positive and huge in turn, and begin
                           with another of them (poison_byte() in service_tasks.cu) */
};

/* The seed of the pattern in the guard zones of a buffer. */
static inline uint32_t gt_guard_seed(uint32_t buffer)
{
    return 0x35 + 7 * buffer;
}

/* Launches of one `kernel` sample whose launch takes `launch_ns`. Full: enough for 200 us and at
 * least 5 (an event pair costs about 2 us, and events have 0.5 us), but no more than fill 2 ms when
 * one launch is long. Brief: the same with at least 2. Quick: 1, or enough for 100 us below 50 us.
 */
uint32_t gt_plan_launches(double launch_ns, gt_sample_length length);
/* Back-to-back launches of one `launch` sample: enough for 2 ms (quick: 0.5 ms), 1 ... 2000. */
uint32_t gt_plan_burst(double launch_ns, bool quick);
/* Launches of one `latency` sample, of which the median counts: 100; quick: as many as fill 1 ms,
 * 9 ... 25. */
uint32_t gt_plan_singles(double launch_ns, bool quick);

/* Sets of the buffers to rotate over: as many as exceed twice the L2 (at most GT_LAUNCHES_MAX), but
 * no more than `spare_bytes` hold beside the first; at least 1. */
uint32_t gt_plan_rotations(int64_t l2_bytes, uint64_t working_set_bytes, uint64_t set_bytes,
                           uint64_t spare_bytes);

/* The same for data that stay in L2: how fast that is depends on where they lie, so that samples
 * take turns over a few sets. 1 for what L2 does not hold. */
uint32_t gt_plan_hot_sets(int64_t l2_bytes, uint64_t working_set_bytes, uint64_t set_bytes,
                          uint64_t spare_bytes);

/* Bytes read or written by one launch at most: all buffers. */
uint64_t gt_plan_working_set(const gt_workload *workload);
/* Bytes of one rotated set, each buffer at a multiple of 1 KB or of its alignment; offsets[i] is
 * buffer i's place. */
uint64_t gt_plan_set(uint64_t offsets[GT_PARAMETER_MAX], const gt_workload *workload);

/* What is added to a well aligned address for the awkward workload's buffer, so that it has exactly
 * the alignment that kernels may assume, and no better. */
uint32_t gt_plan_skew(const gt_workload *workload, uint32_t buffer);
/* What one buffer's allocation takes, guards included. */
uint64_t gt_plan_slot_bytes(const gt_workload *workload, uint32_t buffer, bool timed);
/* Where the buffer begins in an allocation of that many bytes at `base`: behind the front guard, at
 * a multiple of 1 KB or its alignment (timed), or at exactly its alignment. */
uint64_t gt_plan_place(const gt_workload *workload, uint32_t buffer, bool timed, uint64_t base);
/* Whether a buffer needs an untouched copy: inout, or the caller's own data. */
bool gt_plan_needs_pristine(const gt_buffer *buffer, bool live);
/* Bytes of the expected results of an output, 0 for an input. */
uint64_t gt_plan_expected_bytes(const gt_buffer *buffer);
/* The reference's `scale` output: its bytes (0 without) and element type. */
uint64_t gt_plan_scale_bytes(const gt_workload *workload, gt_type *type);

/* All that verifying needs on the device, without rotated sets and the sweep's buffer. live[w]: bit
 * i set where the data of buffer i of workload w are sent. */
uint64_t gt_plan_device_bytes(const gt_workload *workloads, uint32_t count, const uint64_t *live);
