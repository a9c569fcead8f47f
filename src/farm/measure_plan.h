/* Computes the launches per sample, the number of buffer sets, and the memory of a setup. */
#pragma once

#include "farm/job.h"
#include "gpu/budget.h"

enum {
    GT_GUARD_FRONT = 1024,   /* bytes of the guard zone before a buffer */
    GT_GUARD_BACK = 4096,    /* bytes of the guard zone after a buffer */
    GT_ALIGNMENT_MAX = 4096, /* largest alignment that callers can promise */
    GT_LAUNCHES_MAX = 256,   /* maximum number of launches in one graph */
    /* poison for expected results and scratch; NaN in every float type */
    GT_POISON_FIRST = 0xff,
    GT_POISON_SECOND = 0x7b, /* poison for expected results before the reference's second run */
    GT_POISON_ZERO = 0,
    GT_POISON_NEGATIVE = 0xfb,
    /* Mixed poison, for outputs and shared memory. It consists of four values, which alternate
     * every 16 bytes: NaN, a huge negative number, zero, a huge positive number. The poison
     * GT_POISON_MIXED + i begins with the value i (see poison_byte() in service_tasks.cu). */
    GT_POISON_MIXED = 0
};

static inline uint32_t gt_guard_seed(uint32_t buffer)
{
    return 0x35 + 7 * buffer;
}

/* Returns the number of launches in a sample for the objective `kernel`, at most GT_LAUNCHES_MAX. A
 * full or brief sample is at least 200 us long, because two events cost about 2 us and have a
 * resolution of 0.5 us. A full sample has at least 5 launches and a brief sample at least 2, but
 * fewer are enough if they take 2 ms. A quick sample has 1 launch or, if a launch takes less than
 * 50 us, enough launches for 100 us. */
uint32_t gt_plan_launches(double launch_ns, gt_sample_length length);
/* Returns the fraction by which a quick sample exceeds a brief one on average. The first launch of
 * a sample takes longer, because the multiprocessors must fetch code and constants: on an H200, 0.7
 * to 5.4 us for `polynomial`, and -0.4 to 3.2 us for `reduce` (tools/bench/notes/race.md). */
double gt_plan_quick_doubt(double launch_ns);
/* Returns the number of launches in a sample for the objective `launch`: enough for 2 ms (0.5 ms if
 * `quick` is true), at most 2000. */
uint32_t gt_plan_burst(double launch_ns, bool quick);
/* Returns the number of launches in a sample for the objective `latency`. The sample is the median
 * of their times. A full sample takes about 1 s and has 3 to 100 launches. A quick sample takes
 * about 1 ms and has 9 to 25 launches, but never more than a full sample. */
uint32_t gt_plan_singles(double launch_ns, bool quick);

/* Returns the number of buffer sets that the launches of a cold sample use in turn. Together the
 * sets are twice as large as L2, but there are at most GT_LAUNCHES_MAX, and all sets except the
 * first must fit into `spare_bytes`. */
uint32_t gt_plan_rotations(int64_t l2_bytes, uint64_t working_set_bytes, uint64_t set_bytes,
                           uint64_t spare_bytes);

/* Returns the number of buffer sets that hot samples use in turn. This is 1 if the buffers do not
 * fit into L2; otherwise several, because the speed of L2 depends on addresses. */
uint32_t gt_plan_hot_sets(int64_t l2_bytes, uint64_t working_set_bytes, uint64_t set_bytes,
                          uint64_t spare_bytes);

/* Returns the sum of the sizes of all buffers. */
uint64_t gt_plan_working_set(const gt_workload *workload);
/* Returns the size of a buffer set. Sets offsets[i] to the offset of buffer i, which is a multiple
 * of 1 KB, or of 4 KB if a buffer needs that. */
uint64_t gt_plan_set(uint64_t offsets[GT_PARAMETER_MAX], const gt_workload *workload);

/* Returns the offset in bytes that gives an odd-tail buffer only the promised alignment. */
uint32_t gt_plan_skew(const gt_workload *workload, uint32_t buffer);
/* Returns the number of bytes to allocate for a buffer with its guard zones. */
uint64_t gt_plan_slot_bytes(const gt_workload *workload, uint32_t buffer, bool timed);
/* Returns the address of a buffer in an allocation at `base`. The address is a multiple of 1 KB or
 * 4 KB after the front guard zone, plus gt_plan_skew() unless `timed` is true. */
uint64_t gt_plan_place(const gt_workload *workload, uint32_t buffer, bool timed, uint64_t base);
/* Returns true if the initial contents of a buffer must be kept: for inout buffers, and for inputs
 * with data from the host. */
bool gt_plan_needs_pristine(const gt_buffer *buffer, bool live);
/* Returns the size of an output's expected results; 0 for an input. */
uint64_t gt_plan_expected_bytes(const gt_buffer *buffer);
/* Returns the size of the reference's output `scale` and sets *type; 0: there is no such output. */
uint64_t gt_plan_scale_bytes(const gt_workload *workload, gt_type *type);

/* Returns how much device memory the driver needs for the buffers of the workloads. Further buffer
 * sets and the sweep buffer are not counted. `live` is set by gt_live_buffers(). */
uint64_t gt_plan_device_bytes(const gt_driver *driver, const gt_workload *workloads, uint32_t count,
                              const uint64_t *live);
/* Returns how much device memory a variant needs in addition to its code. */
uint64_t gt_plan_variant_bytes(const gt_launch *launch);
