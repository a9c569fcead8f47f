/* Allocates the buffers of the workloads, including guard zones, pristine copies and rotated sets.
 * Copies the data that the host sends. */
#pragma once

#include "farm/measure_state.h"

/* Allocates device memory, which gt_memory_free() frees. */
gputune_status gt_memory_take(CUdeviceptr *out, gt_measure *measure, uint64_t bytes);
/* Frees all device memory and pinned memory. */
void gt_memory_free(gt_measure *measure);
/* Allocates the sweep buffer, and the findings and accumulators of the check kernel. */
gputune_status gt_memory_service(gt_measure *measure);
/* Sets bit i of out[w] if the setup contains data for buffer i of workload w. */
void gt_live_buffers(uint64_t out[GT_WORKLOAD_MAX], const gt_measure_setup *setup);
/* Fails with EDEVMEM, before anything is allocated, if the setup does not fit into the device or
 * its memory limit. Sets measure->reserved_bytes. */
gputune_status gt_memory_precheck(gt_measure *measure, const gt_measure_setup *setup);
/* Returns true if enough memory is left to measure the rate of copies, for which the buffers must
 * be larger than L2. */
bool gt_memory_suffices_for_copies(const gt_measure *measure);
/* Copies the data of the setup to the pristine copies, blocks and expected results, and closes IPC
 * mappings. EINVAL if the size of data differs from that of their buffer. */
gputune_status gt_inputs_copy(gt_measure *measure, const gt_measure_setup *setup);

/* Allocates a workspace's buffers, blocks and scalars. `live` contains the bits of
 * gt_live_buffers(). */
gputune_status gt_workspace_allocate(gt_measure *measure, gt_workspace *workspace, uint64_t live);
/* Writes the values of a workspace's scalars and numbers again, to the same addresses. */
gputune_status gt_workspace_values(gt_measure *measure, gt_workspace *workspace);
/* Allocates a workspace's argument arrays. For the timed workspace, also allocates as many sets of
 * buffers as memory permits. */
gputune_status gt_workspace_rotate(gt_measure *measure, gt_workspace *workspace);
/* Writes the arguments that a caller would pass to launch on these buffers. They point into
 * `addresses` and the workspace. */
void gt_workspace_bind(const void **arguments, const gt_workspace *workspace,
                       const CUdeviceptr *addresses);
void gt_workspace_free(gt_workspace *workspace);

/* Queues copies of the timed workspace's inputs to read-only memory (measure->guard). If the device
 * has no such memory, inputs are used in place. */
gputune_status gt_guard_inputs(gt_measure *measure);
/* Unmaps the read-only memory. No queued launch may use it. */
void gt_guard_free(gt_measure *measure);
