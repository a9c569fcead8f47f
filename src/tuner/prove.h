/* Proving given configurations in a worker, without measuring. */
#pragma once

#include "tuner/history.h"
#include "tuner/tune.h"

enum { GT_PROVE_MAX = 3 };

/* Compiles at most GT_PROVE_MAX configurations of the request's space, proves them in a worker, and
 * fills `choice` with the first one that is right: its code, and that of its variant for any
 * alignment, if that is another and right too. What `history` (may be NULL) knows to fail is left
 * out. Stores the code of what is right, that it is right at what the request is proved at, and
 * which of them failed for good there. Fails as the best of them did, and fills nothing; where that
 * is the default, the request notes it. */
gputune_status gt_prove(gt_choice *choice, gt_request *request, const gt_config *configs,
                        size_t count, const gt_history *history);

/* Whether an answer that is not proved here may be proved by this call, which then waits for it:
 * not where it wants its answer at once, and not where no worker process does it. */
bool gt_may_prove(const gt_request *request);
