/* Judges the findings of the check kernel, and writes the messages of wrong variants. */
#pragma once

#include "farm/measure_state.h"

/* Raises measure->damage to `damage` if the status is a failure. Returns the status. */
gputune_status gt_damaged(gt_measure *measure, gt_damage damage, gputune_status status);
/* Judges a proof, or the winner's second proof (`after_race`). The message of EWRONG contains the
 * place, the value, the expected value, the tolerance, and a tolerance that would accept the
 * value. */
gputune_status gt_report_findings(gt_verified *out, gt_measure *measure, bool after_race);
/* Judges a launch of the data proof, whose state is `measure`. The message contains `words`. */
gputune_status gt_report_data_proof(gt_verified *out, gt_measure *measure, const char *words);
/* Judges guard zones and inputs, but no results. */
gputune_status gt_report_edges(gt_measure *measure, const gt_tasks *table, bool timed_only);
/* Writes "rtol = 1e-05, atol = 0, stol = 0" to `out` and returns it. Adds "by default" unless the
 * template states the tolerance. */
const char *gt_tolerance_text(char out[128], const gt_measure *measure, const gt_buffer_slot *slot);
