/* Makes the buffers' contents: inputs from a seed or the host's data, results, and tolerances. */
#pragma once

#include "farm/measure_state.h"

/* Loads the template's kernels of each gt_judge_kind. */
gputune_status gt_reference_load(gt_measure *measure, const gt_image *image);
void gt_reference_free(gt_measure *measure);

/* Fills all workspaces, or only the timed one, from `seed`, and runs the reference. ETEMPLATE if
 * the reference fails, or if its runs differ by more than the tolerance. */
gputune_status gt_contents_make(gt_measure *measure, uint64_t seed, bool timed_only);
/* Fills the buffers in measure->damage again, from the setup's seed. */
gputune_status gt_contents_refresh(gt_measure *measure);
/* For templates without a reference: makes a variant's results the expected results. */
gputune_status gt_contents_adopt(gt_measure *measure, gt_loaded *variant);
/* Names in out->loose an output of the timed workload whose tolerance exceeds the median of its
 * results, so almost any result would pass. The slots must contain the reference's results. */
gputune_status gt_contents_loose(gt_prepared *out, gt_measure *measure);

/* Queues the template's check kernel, if any, for the workspaces `from` to `to` - 1, and then a
 * table's checks (for one workspace, only the timed workload's). *into gets the findings. */
gputune_status gt_check_queue(gt_measure *measure, const gt_tasks *table, uint32_t from,
                              uint32_t to, gt_findings *into);
