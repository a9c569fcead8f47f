/* Computes the launches per sample, the number of buffer sets, and the memory of a setup. */
#pragma once

#include "farm/job.h"
#include "gpu/budget.h"

enum {
    GT_GUARD_FRONT = 1024,   /* bytes of the guard zone before a buffer */
    GT_GUARD_BACK = 4096,    /* bytes of the guard zone after a buffer */
    GT_ALIGNMENT_MAX = 4096, /* largest alignment that callers can promise */
    GT_LAUNCHES_MAX = 256,   /* maximum number of launches in one graph */
    /* poison of expected results and of scratch; NaN in every float type */
    GT_POISON_FIRST = 0xff,
    GT_POISON_SECOND = 0x7b, /* poison of expected results before the reference runs again */
    GT_POISON_ZERO = 0,
    GT_POISON_NEGATIVE = 0xfb,
    /* Mixed poison of outputs and shared memory. It consists of four values, which alternate every
     * 16 bytes: NaN, a huge negative number, zero, a huge positive number. GT_POISON_MIXED + i
     * begins with the value i (see poison_byte() in service_tasks.cu). */
    GT_POISON_MIXED = 0
};

static inline uint32_t gt_guard_seed(uint32_t buffer)
{
    return 0x35 + 7 * buffer;
}

/* Returns the number of launches in a sample for the objective `kernel`. A full sample is at least
 * 200 us long, because two events cost about 2 us and have a resolution of 0.5 us. It has at least
 * 5 launches (a brief sample: 2) unless fewer launches take 2 ms, and at most GT_LAUNCHES_MAX. A
 * quick sample has 1 launch or, if a launch takes less than 50 us, enough launches for 100 us. */
uint32_t gt_plan_launches(double launch_ns, gt_sample_length length);
/* Returns by what fraction a quick sample exceeds a brief one even without noise. The first launch
 * of a sample takes longer, because the multiprocessors must fetch code and constants: on an H200,
 * 0.7 to 5.4 us for `polynomial`, and -0.4 to 3.2 us for `reduce` (tools/bench/notes/race.md). */
double gt_plan_quick_doubt(double launch_ns);
/* Returns the number of launches in a sample for the objective `launch`: enough for 2 ms (0.5 ms if
 * `quick`), at most 2000. */
uint32_t gt_plan_burst(double launch_ns, bool quick);
/* Returns the number of launches in a sample for the objective `latency`: 100, or fewer (down to 3)
 * if these take more than 1 s. If `quick`, at most 25, or fewer (down to 9) if these take more than
 * 1 ms. The sample is the median of their times. */
uint32_t gt_plan_singles(double launch_ns, bool quick);

/* Returns the number of buffer sets that the launches of a cold sample use in turn. Together the
 * sets are twice as large as L2, but there are at most GT_LAUNCHES_MAX, and all sets except the
 * first must fit into `spare_bytes`. */
uint32_t gt_plan_rotations(int64_t l2_bytes, uint64_t working_set_bytes, uint64_t set_bytes,
                           uint64_t spare_bytes);

/* Returns the number of buffer sets that hot samples use in turn: several, because the speed of L2
 * depends on addresses, or 1 if the buffers do not fit into L2. */
uint32_t gt_plan_hot_sets(int64_t l2_bytes, uint64_t working_set_bytes, uint64_t set_bytes,
                          uint64_t spare_bytes);

/* Returns the sum of the sizes of all buffers. */
uint64_t gt_plan_working_set(const gt_workload *workload);
/* Returns the size of a buffer set. Sets offsets[i] to the offset of buffer i, which is a multiple
 * of 1 KB, or of 4 KB if a buffer needs that. */
uint64_t gt_plan_set(uint64_t offsets[GT_PARAMETER_MAX], const gt_workload *workload);

/* Returns by how many bytes to move an odd-tail buffer to give it only the promised alignment. */
uint32_t gt_plan_skew(const gt_workload *workload, uint32_t buffer);
/* Returns the number of bytes to allocate for a buffer with its guard zones. */
uint64_t gt_plan_slot_bytes(const gt_workload *workload, uint32_t buffer, bool timed);
/* Returns the address of a buffer in an allocation at `base`. It is after the front guard zone, at
 * a multiple of 1 KB or of 4 KB, and moved by gt_plan_skew() unless `timed`. */
uint64_t gt_plan_place(const gt_workload *workload, uint32_t buffer, bool timed, uint64_t base);
/* Returns true if the initial contents of a buffer must be kept: for inout buffers, and for inputs
 * with data from the host. */
bool gt_plan_needs_pristine(const gt_buffer *buffer, bool live);
/* Returns the size of an output's expected results; 0 for an input. */
uint64_t gt_plan_expected_bytes(const gt_buffer *buffer);
/* Returns the size of the output `scale` of the reference and sets *type; 0: no such output. */
uint64_t gt_plan_scale_bytes(const gt_workload *workload, gt_type *type);

/* Returns how much device memory the driver needs for the buffers of the workloads. Further buffer
 * sets and the sweep buffer are not counted. `live` is set by gt_live_buffers(). */
uint64_t gt_plan_device_bytes(const gt_driver *driver, const gt_workload *workloads, uint32_t count,
                              const uint64_t *live);
/* Returns how much device memory a variant needs in addition to its code. */
uint64_t gt_plan_variant_bytes(const gt_launch *launch);
