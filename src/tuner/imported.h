/* Stored results that are not proved here yet: imported, made at another size of their bucket, or
 * judged by what another process had for a reference. */
#pragma once

#include "tuner/tune.h"

/* Whether a stored winner was proved as the source that the request generates of it now, and at
 * what the request is proved at. */
bool gt_is_proved(const gt_winner *winner, const gt_request *request, const gt_config *config);

/* Chooses the fastest stored result that would answer the request if it was proved; proves it in a
 * worker, and stores that. ENOTFOUND, silently, if there is none; with a warning, if it is not
 * right or cannot be proved. */
gputune_status gt_choose_imported(gt_choice *out, gt_request *request);
