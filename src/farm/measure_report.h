/* Judges the check kernel's findings, and writes the messages about wrong variants. */
#pragma once

#include "farm/measure_state.h"

/* Judges a proof or, if `after_race` is true, the second proof of a winner. On EWRONG, the message
 * has the location, the value, the expected value, the tolerance, and a tolerance that would accept
 * the value. */
gputune_status gt_report_findings(gt_verified *out, const gt_measure *measure, bool after_race);
/* Judges a launch of a data proof, whose state is `measure`. Messages about wrong results end with
 * `words`. */
gputune_status gt_report_data_proof(gt_verified *out, const gt_measure *measure, const char *words);
/* Judges only the guard zones and the inputs. */
gputune_status gt_report_edges(const gt_measure *measure, const gt_tasks *table, bool timed_only,
                               const gt_findings *findings);
/* Formats a tolerance as "rtol = 1e-05, atol = 0, stol = 0", followed by "by default" unless the
 * template states the tolerance. Returns `out`. */
const char *gt_tolerance_text(char out[128], const gt_measure *measure, const gt_buffer_slot *slot);
