/* The numbers of measuring: launches of a sample, copies of the buffers, memory of a setup. Pure
 * functions. */
#pragma once

#include "farm/job.h"

enum {
    GT_GUARD_FRONT = 1024,   /* bytes of the guard zone before each buffer */
    GT_GUARD_BACK = 4096,    /* bytes of the guard zone behind each buffer */
    GT_ALIGNMENT_MAX = 4096, /* largest alignment in bytes that a caller may promise */
    GT_LAUNCHES_MAX = 256,   /* most launches in one graph */
    /* Poison, as the value of a byte: */
    GT_POISON_FIRST = 0xff,  /* for expected results and scratch: NaN in every float type */
    GT_POISON_SECOND = 0x7b, /* for expected results, in the reference's second run */
    GT_POISON_ZERO = 0,      /* for scratch */
    GT_POISON_NEGATIVE = 0xfb,
    /* Mixed poison, for outputs and shared memory, has four parts in turn, of 16 bytes each: NaN,
     * negative and huge, zero, positive and huge. GT_POISON_MIXED + 0 to 3 each begin with another
     * part (poison_byte() in service_tasks.cu). */
    GT_POISON_MIXED = 0
};

/* The seed of the pattern in the guard zones of a buffer. */
static inline uint32_t gt_guard_seed(uint32_t buffer)
{
    return 0x35 + 7 * buffer;
}

/* Returns the number of launches in one sample of the objective `kernel`. A full sample has enough
 * launches for 200 us, at most GT_LAUNCHES_MAX, because an event pair costs about 2 us and events
 * resolve 0.5 us. It has at least 5, or as many as fill 2 ms if those are fewer. A brief sample is
 * alike, with at least 2. A quick sample has 1 launch, or enough for 100 us if a launch takes less
 * than 50 us. */
uint32_t gt_plan_launches(double launch_ns, gt_sample_length length);
/* Returns the fraction by which a quick sample of a variant may differ from its brief ones, beside
 * noise. The first launch of a sample takes longer, until the SMs have read code and constants: on
 * an H200 0.7 to 5.4 us for variants of `polynomial`, -0.4 to 3.2 us for those of `reduce`
 * (tools/bench/notes/race.md). */
double gt_plan_quick_doubt(double launch_ns);
/* Returns the number of launches in one sample of the objective `launch`: enough for 2 ms (quick:
 * 0.5 ms), from 1 to 2000. */
uint32_t gt_plan_burst(double launch_ns, bool quick);
/* Returns the number of launches in one sample of the objective `latency`, whose median is the
 * sample: 100; quick: as many as fill 1 ms, from 9 to 25. */
uint32_t gt_plan_singles(double launch_ns, bool quick);

/* Returns the number of sets of buffers over which cold samples rotate: enough for the launches to
 * touch twice as much as L2 holds, from 1 to GT_LAUNCHES_MAX. `spare_bytes` must hold all but one.
 */
uint32_t gt_plan_rotations(int64_t l2_bytes, uint64_t working_set_bytes, uint64_t set_bytes,
                           uint64_t spare_bytes);

/* Returns the number of sets of buffers over which hot samples take turns: a few, because the speed
 * of L2 depends on the addresses. 1 if L2 does not hold the working set. */
uint32_t gt_plan_hot_sets(int64_t l2_bytes, uint64_t working_set_bytes, uint64_t set_bytes,
                          uint64_t spare_bytes);

/* Returns the most bytes that one launch can read or write: those of all buffers. */
uint64_t gt_plan_working_set(const gt_workload *workload);
/* Returns the bytes of one set of buffers. offsets[i] is the place of buffer i in the set, a
 * multiple of 1 KB or of the buffers' alignment. */
uint64_t gt_plan_set(uint64_t offsets[GT_PARAMETER_MAX], const gt_workload *workload);

/* Returns the bytes to add to a well aligned address for a buffer of the odd-tail workload: it then
 * has exactly the alignment that kernels may assume. */
uint32_t gt_plan_skew(const gt_workload *workload, uint32_t buffer);
/* Returns the bytes of one buffer's allocation, guard zones included. */
uint64_t gt_plan_slot_bytes(const gt_workload *workload, uint32_t buffer, bool timed);
/* Returns the address of a buffer in an allocation of gt_plan_slot_bytes() at `base`: behind the
 * front guard zone, at a multiple of 1 KB or of its alignment; without `timed`, exactly at its
 * alignment. */
uint64_t gt_plan_place(const gt_workload *workload, uint32_t buffer, bool timed, uint64_t base);
/* Returns true if a buffer needs an untouched copy: if it is inout, or its data were sent. */
bool gt_plan_needs_pristine(const gt_buffer *buffer, bool live);
/* Returns the bytes of the expected results of an output; 0 for an input. */
uint64_t gt_plan_expected_bytes(const gt_buffer *buffer);
/* Returns the bytes of the reference's output `scale`, and sets *type to its element type; 0 if
 * there is none. */
uint64_t gt_plan_scale_bytes(const gt_workload *workload, gt_type *type);

/* Returns the bytes that verifying needs on the device, without rotated sets and the sweep's
 * buffer. Bit i of live[w] is set if the data of buffer i of workload w were sent. */
uint64_t gt_plan_device_bytes(const gt_workload *workloads, uint32_t count, const uint64_t *live);
