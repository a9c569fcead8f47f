/* Allocates the workloads' buffers, with guard zones and copies, and copies data from the host. */
#pragma once

#include "farm/measure_state.h"

/* Allocates device memory, which gt_memory_free() frees. */
gputune_status gt_memory_take(CUdeviceptr *out, gt_measure *measure, uint64_t bytes);
/* Frees all device memory and pinned memory. */
void gt_memory_free(gt_measure *measure);
/* Allocates the sweep buffer, and the check kernel's findings and accumulators. */
gputune_status gt_memory_service(gt_measure *measure);
/* Sets bit i of out[w] if the setup has data for buffer i of workload w. */
void gt_live_buffers(uint64_t out[GT_WORKLOAD_MAX], const gt_measure_setup *setup);
/* Returns EDEVMEM, before any allocation, if the setup exceeds the device's memory or the memory
 * limit. Sets measure->reserved_bytes. */
gputune_status gt_memory_precheck(gt_measure *measure, const gt_measure_setup *setup);
/* Returns true if the memory suffices to measure the copy rate with buffers larger than L2. */
bool gt_memory_suffices_for_copies(const gt_measure *measure);
/* Copies the setup's data to the pristine copies, pass blocks and expected results, and closes IPC
 * mappings. EINVAL if data and buffer differ in size. */
gputune_status gt_inputs_copy(gt_measure *measure, const gt_measure_setup *setup);

/* Allocates a workspace's buffers, pass blocks and scalars. `live`: see gt_live_buffers(). */
gputune_status gt_workspace_allocate(gt_measure *measure, gt_workspace *workspace, uint64_t live);
/* Writes a workspace's current scalars and numbers to the addresses that these already have. */
gputune_status gt_workspace_values(gt_measure *measure, gt_workspace *workspace);
/* Allocates a workspace's arguments and, for the timed workspace, as many buffer sets as fit. */
gputune_status gt_workspace_rotate(gt_measure *measure, gt_workspace *workspace);
/* Writes a launch's arguments, which point into `addresses` (of the buffers) or the workspace. */
void gt_workspace_bind(const void **arguments, const gt_workspace *workspace,
                       const CUdeviceptr *addresses);
void gt_workspace_free(gt_workspace *workspace);

/* Queues copying the timed workspace's inputs to read-only memory (measure->guard). Uses an input
 * in place if it cannot be copied to such memory. */
gputune_status gt_guard_inputs(gt_measure *measure);
/* Unmaps the read-only memory, which no queued launch may use. */
void gt_guard_free(gt_measure *measure);
