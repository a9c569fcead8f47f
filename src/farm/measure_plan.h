/* Computes numbers for measuring: launches per sample, sets of buffers, memory of a setup. Pure
 * functions. */
#pragma once

#include "farm/job.h"
#include "gpu/budget.h"

enum {
    GT_GUARD_FRONT = 1024,   /* bytes of the guard zone before a buffer */
    GT_GUARD_BACK = 4096,    /* bytes of the guard zone after a buffer */
    GT_ALIGNMENT_MAX = 4096, /* largest alignment that a caller may promise */
    GT_LAUNCHES_MAX = 256,   /* maximum number of launches in one graph */
    /* The values of poison bytes. */
    GT_POISON_FIRST = 0xff,  /* for expected results and scratch: NaN in every float type */
    GT_POISON_SECOND = 0x7b, /* for expected results in the reference's second run */
    GT_POISON_ZERO = 0,
    GT_POISON_NEGATIVE = 0xfb,
    /* Outputs and shared memory get mixed poison, which changes every 16 bytes: NaN, negative and
     * huge, zero, positive and huge. GT_POISON_MIXED + 0 to 3 begin with a different one of these
     * (poison_byte() in service_tasks.cu). */
    GT_POISON_MIXED = 0
};

/* Returns the seed of a buffer's guard zones. */
static inline uint32_t gt_guard_seed(uint32_t buffer)
{
    return 0x35 + 7 * buffer;
}

/* Returns the number of launches of a sample for the objective `kernel`. A full sample fills 200
 * us, but has at most GT_LAUNCHES_MAX launches, because an event pair costs about 2 us and events
 * resolve 0.5 us. It has at least 5 launches, or as many as fill 2 ms. A brief sample is like a
 * full one, but with at least 2 launches. A quick sample has 1 launch, or fills 100 us if a launch
 * takes less than 50 us. */
uint32_t gt_plan_launches(double launch_ns, gt_sample_length length);
/* Returns the fraction by which quick and brief samples may differ, apart from noise. The first
 * launch of a sample takes longer, until the multiprocessors have read code and constants: on an
 * H200 by 0.7 to 5.4 us for `polynomial`, by -0.4 to 3.2 us for `reduce`
 * (tools/bench/notes/race.md). */
double gt_plan_quick_doubt(double launch_ns);
/* Returns the number of launches of a sample for the objective `launch`, from 1 to 2000: they fill
 * 2 ms, or 0.5 ms if `quick`. */
uint32_t gt_plan_burst(double launch_ns, bool quick);
/* Returns the number of launches of a sample for the objective `latency`: 100, or if `quick`, 9 to
 * 25 that fill 1 ms. The sample is their median. */
uint32_t gt_plan_singles(double launch_ns, bool quick);

/* Returns the number of sets of buffers over which cold samples rotate. Together the sets are twice
 * as large as L2. There are at most GT_LAUNCHES_MAX sets, and all except one must fit into
 * `spare_bytes`. */
uint32_t gt_plan_rotations(int64_t l2_bytes, uint64_t working_set_bytes, uint64_t set_bytes,
                           uint64_t spare_bytes);

/* Returns the number of sets of buffers over which hot samples rotate: a few, because the speed of
 * L2 depends on addresses, or 1 if a working set does not fit into L2. */
uint32_t gt_plan_hot_sets(int64_t l2_bytes, uint64_t working_set_bytes, uint64_t set_bytes,
                          uint64_t spare_bytes);

/* Returns the bytes of all buffers. */
uint64_t gt_plan_working_set(const gt_workload *workload);
/* Returns the bytes of a set of buffers. Sets offsets[i] to the offset of buffer i, a multiple of 1
 * KB or of the alignment. */
uint64_t gt_plan_set(uint64_t offsets[GT_PARAMETER_MAX], const gt_workload *workload);

/* Returns how many bytes to add to a well-aligned address, so a buffer of the odd-tail workload has
 * only the alignment that kernels may assume. */
uint32_t gt_plan_skew(const gt_workload *workload, uint32_t buffer);
/* Returns the bytes of a buffer's allocation, with guard zones. */
uint64_t gt_plan_slot_bytes(const gt_workload *workload, uint32_t buffer, bool timed);
/* Returns the buffer's address in such an allocation, which begins at `base`: after the front guard
 * zone, at a multiple of 1 KB or of the alignment, plus the skew unless `timed`. */
uint64_t gt_plan_place(const gt_workload *workload, uint32_t buffer, bool timed, uint64_t base);
/* Returns true if a buffer needs an unchanged copy: if it is inout, or an input with data from the
 * host. */
bool gt_plan_needs_pristine(const gt_buffer *buffer, bool live);
/* Returns the bytes of an output's expected results, or 0 for an input. */
uint64_t gt_plan_expected_bytes(const gt_buffer *buffer);
/* Returns the bytes of the reference's output `scale`, or 0 if there is none. Sets *type to its
 * type. */
uint64_t gt_plan_scale_bytes(const gt_workload *workload, gt_type *type);

/* Returns the device memory of the workloads' buffers, as the driver allocates it, without rotated
 * sets and the sweep buffer. `live` contains the bits of gt_live_buffers(). */
uint64_t gt_plan_device_bytes(const gt_driver *driver, const gt_workload *workloads, uint32_t count,
                              const uint64_t *live);
/* Returns the device memory of a variant's launch, without its code. */
uint64_t gt_plan_variant_bytes(const gt_launch *launch);
