/* Allocates the buffers of workloads, with guard zones and copies, and copies the host's data. */
#pragma once

#include "farm/measure_state.h"

/* Allocates device memory, which gt_memory_free() frees. */
gputune_status gt_memory_take(CUdeviceptr *out, gt_measure *measure, uint64_t bytes);
/* Frees all device memory and pinned memory. */
void gt_memory_free(gt_measure *measure);
/* Allocates the sweep buffer, and the memory for accumulators and findings of the check kernel. */
gputune_status gt_memory_service(gt_measure *measure);
/* Sets bit i of out[w] if the setup contains data for buffer i of workload w. */
void gt_live_buffers(uint64_t out[GT_WORKLOAD_MAX], const gt_measure_setup *setup);
/* Checks that a setup fits into the device memory and the memory limit, and sets
 * measure->reserved_bytes. Allocates nothing. EDEVMEM if the setup does not fit. */
gputune_status gt_memory_precheck(gt_measure *measure, const gt_measure_setup *setup);
/* Returns true if enough memory is free to measure the copy rate with buffers larger than L2. */
bool gt_memory_suffices_for_copies(const gt_measure *measure);
/* Copies the data of the setup to pristine copies, pass blocks and expected results. IPC mappings
 * are closed afterwards. EINVAL if the size of the data is not the size of the buffer. */
gputune_status gt_inputs_copy(gt_measure *measure, const gt_measure_setup *setup);

/* Allocates a workspace's buffers, pass blocks and scalars. Bit i of `live` is set if the setup
 * contains data for buffer i (gt_live_buffers()). */
gputune_status gt_workspace_allocate(gt_measure *measure, gt_workspace *workspace, uint64_t live);
/* Updates the scalars and numbers of a workspace. Their addresses do not change. */
gputune_status gt_workspace_values(gt_measure *measure, gt_workspace *workspace);
/* Allocates a workspace's arguments and, if it is the timed one, as many buffer sets as fit. */
gputune_status gt_workspace_rotate(gt_measure *measure, gt_workspace *workspace);
/* Sets the arguments of a launch. They point to elements of `addresses`, the addresses of the
 * buffers, and into the workspace. */
void gt_workspace_bind(const void **arguments, const gt_workspace *workspace,
                       const CUdeviceptr *addresses);
void gt_workspace_free(gt_workspace *workspace);

/* Queues copies of the timed workspace's inputs to read-only memory (measure->guard). If there is
 * no read-only memory for an input, launches use the input itself. */
gputune_status gt_guard_inputs(gt_measure *measure);
/* Unmaps the read-only memory. No queued launch may use it. */
void gt_guard_free(gt_measure *measure);
