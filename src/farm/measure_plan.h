/* Computes launches per sample, buffer sets, and the memory of a setup. Pure functions. */
#pragma once

#include "farm/job.h"
#include "gpu/budget.h"

enum {
    GT_GUARD_FRONT = 1024,   /* size of the guard zone before a buffer */
    GT_GUARD_BACK = 4096,    /* size of the guard zone after a buffer */
    GT_ALIGNMENT_MAX = 4096, /* largest alignment that callers can promise */
    GT_LAUNCHES_MAX = 256,   /* maximum number of launches in one graph */
    GT_POISON_FIRST = 0xff,  /* poison of expected results and scratch: NaN in all float types */
    GT_POISON_SECOND = 0x7b, /* poison of expected results in the reference's second run */
    GT_POISON_ZERO = 0,
    GT_POISON_NEGATIVE = 0xfb,
    /* Mixed poison for outputs and shared memory. It repeats four values, for 16 bytes each: NaN,
     * negative and huge, zero, positive and huge. GT_POISON_MIXED + 0 to 3 select the first of
     * these (poison_byte() in service_tasks.cu). */
    GT_POISON_MIXED = 0
};

static inline uint32_t gt_guard_seed(uint32_t buffer)
{
    return 0x35 + 7 * buffer;
}

/* Returns the number of launches in a sample for the objective `kernel`. A full sample fills 200
 * us, because an event pair costs about 2 us and events resolve 0.5 us. It has at most
 * GT_LAUNCHES_MAX launches, and at least 5 (a brief sample: 2) unless fewer launches fill 2 ms. A
 * quick sample has 1 launch, or fills 100 us if a launch takes less than 50 us. */
uint32_t gt_plan_launches(double launch_ns, gt_sample_length length);
/* Returns by what fraction quick samples exceed brief ones without noise. The first launch of a
 * sample takes longer, because the multiprocessors must read code and constants: on an H200 by 0.7
 * to 5.4 us for `polynomial`, by -0.4 to 3.2 us for `reduce` (tools/bench/notes/race.md). */
double gt_plan_quick_doubt(double launch_ns);
/* Returns the number of launches in a sample for the objective `launch`: 1 to 2000 launches that
 * fill 2 ms, or 0.5 ms if `quick`. */
uint32_t gt_plan_burst(double launch_ns, bool quick);
/* Returns the number of launches in a sample for the objective `latency`: 100 launches or, if
 * `quick`, 9 to 25 launches that fill 1 ms, but at most as many as fill 1 s, and at least 3. The
 * sample is the median of their times. */
uint32_t gt_plan_singles(double launch_ns, bool quick);

/* Returns the number of buffer sets over which cold samples rotate. Together they are twice as
 * large as L2. There are at most GT_LAUNCHES_MAX sets, and all but one fit into `spare_bytes`. */
uint32_t gt_plan_rotations(int64_t l2_bytes, uint64_t working_set_bytes, uint64_t set_bytes,
                           uint64_t spare_bytes);

/* Returns the number of buffer sets over which hot samples rotate: a few, because the speed of L2
 * depends on addresses, or 1 if the working set is larger than L2. */
uint32_t gt_plan_hot_sets(int64_t l2_bytes, uint64_t working_set_bytes, uint64_t set_bytes,
                          uint64_t spare_bytes);

/* Returns the total size of all buffers. */
uint64_t gt_plan_working_set(const gt_workload *workload);
/* Returns the size of a buffer set. Sets offsets[i], a multiple of 1 KB and of the alignment. */
uint64_t gt_plan_set(uint64_t offsets[GT_PARAMETER_MAX], const gt_workload *workload);

/* Returns the bytes by which to move an odd-tail buffer, so it is aligned only as promised. */
uint32_t gt_plan_skew(const gt_workload *workload, uint32_t buffer);
/* Returns the size of a buffer's allocation, with guard zones. */
uint64_t gt_plan_slot_bytes(const gt_workload *workload, uint32_t buffer, bool timed);
/* Returns the buffer's address in an allocation at `base`: after the front guard zone, at a
 * multiple of 1 KB or of the alignment, plus the skew unless `timed`. */
uint64_t gt_plan_place(const gt_workload *workload, uint32_t buffer, bool timed, uint64_t base);
/* Returns true for inout buffers and for inputs with data from the host. */
bool gt_plan_needs_pristine(const gt_buffer *buffer, bool live);
/* Returns the size of an output's expected results; 0 for an input. */
uint64_t gt_plan_expected_bytes(const gt_buffer *buffer);
/* Returns the size of the reference's output `scale` and sets *type; 0 without such an output. */
uint64_t gt_plan_scale_bytes(const gt_workload *workload, gt_type *type);

/* Returns the device memory that the driver uses for the workloads' buffers, without further buffer
 * sets and the sweep buffer. `live` is a result of gt_live_buffers(). */
uint64_t gt_plan_device_bytes(const gt_driver *driver, const gt_workload *workloads, uint32_t count,
                              const uint64_t *live);
/* Returns the device memory that a variant's launch allocates, without its code. */
uint64_t gt_plan_variant_bytes(const gt_launch *launch);
