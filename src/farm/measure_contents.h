/* Makes the contents of buffers: inputs from a seed or the host's data, results, and tolerances. */
#pragma once

#include "farm/measure_state.h"

/* Loads the kernels of the template for each gt_judge_kind. */
gputune_status gt_reference_load(gt_measure *measure, const gt_image *image);
void gt_reference_free(gt_measure *measure);

/* Fills all workspaces, or only the timed one, with contents made from `seed`, and runs the
 * reference. ETEMPLATE if the reference fails, or if its runs differ by more than the tolerance. */
gputune_status gt_contents_make(gt_measure *measure, uint64_t seed, bool timed_only);
/* Must be called after a variant has failed with `status`, because it may have changed any memory.
 * Returns `status`, or ECRASHED if it has changed expected results or data of the host. */
gputune_status gt_contents_doubt(gt_measure *measure, gputune_status status);
/* If measure->damaged is set, fills all buffers again, with contents made from the setup's seed.
 * The reference runs again only if the expected results were computed for another seed. */
gputune_status gt_contents_refresh(gt_measure *measure);
/* For templates without a reference: runs a variant, whose results become the expected results. */
gputune_status gt_contents_adopt(gt_measure *measure, gt_loaded *variant);
/* Sets *out to true if the reference changes a number of an inout buffer, which is filled with a
 * constant. Examines only the first elements. */
gputune_status gt_contents_changed(bool *out, gt_measure *measure, const gt_buffer_slot *slot,
                                   const gt_number *number);
/* Looks for an output of the timed workload whose tolerance is larger than the median of its
 * results, so almost any result would pass. Sets out->loose to its name. The buffers must
 * contain the results of the reference. */
gputune_status gt_contents_loose(gt_prepared *out, gt_measure *measure);

/* Queues the template's check kernel, if there is one, for the workspaces `from` to `to` - 1. Then
 * queues the checks of a table: all of them or, if `to` - `from` is 1, those of the timed workload.
 * The findings are written to *into. */
gputune_status gt_check_queue(gt_measure *measure, const gt_tasks *table, uint32_t from,
                              uint32_t to, gt_findings *into);
