/* Makes the contents of the buffers: inputs from a seed or from data of the host, expected results
 * by the reference, and tolerances. */
#pragma once

#include "farm/measure_state.h"

/* Loads the judging kernels (gt_judge_kind) that the template has. */
gputune_status gt_reference_load(gt_measure *measure, const gt_image *image);
void gt_reference_free(gt_measure *measure);

/* Fills every workspace, or only the timed one, from `seed`, and runs the reference. ETEMPLATE if
 * the reference fails, or if two runs of the reference differ by more than the tolerance. */
gputune_status gt_contents_make(gt_measure *measure, uint64_t seed, bool timed_only);
/* Fills the buffers that measure->damage names again, from the setup's seed. */
gputune_status gt_contents_refresh(gt_measure *measure);
/* If there is no reference, makes this variant's results the expected ones. */
gputune_status gt_contents_adopt(gt_measure *measure, gt_loaded *variant);
/* Reports an output of the timed workload whose tolerance exceeds the median of its results, so
 * almost any result would pass. The slots must hold the reference's results. */
gputune_status gt_contents_loose(gt_prepared *out, gt_measure *measure);

/* Queues the check of a table, whose findings are written to *into. Runs the template's check
 * kernel first, if there is one, on the workspaces `from` to `to` - 1. If there is only one
 * workspace, checks only the timed tasks. */
gputune_status gt_check_queue(gt_measure *measure, const gt_tasks *table, uint32_t from,
                              uint32_t to, gt_findings *into);
