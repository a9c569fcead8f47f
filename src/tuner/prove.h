/* Proves configurations in a worker, without measuring them. */
#pragma once

#include "tuner/history.h"
#include "tuner/tune.h"

enum { GT_PROVE_MAX = 3 };

/* Compiles at most GT_PROVE_MAX configurations of the request's space, proves them in a worker, and
 * fills `choice` with the first one that is right: its code, and the code of its variant for any
 * alignment, if that variant is another one and right too. Leaves out configurations that `history`
 * (may be NULL) knows to fail. Stores the code of the right ones, the proof (for the data and sizes
 * in gt_request.proved_at), and the failures that are final there. If none is right, fails as
 * gt_field_verdict() says, and fills nothing. A failure of the default is noted in the request. */
gputune_status gt_prove(gt_choice *choice, gt_request *request, const gt_config *configs,
                        size_t count, const gt_history *history);

/* Whether this call may wait until an answer that is not proved here is proved. It may not if the
 * caller wants the answer at once, or if no worker process would run the proof. */
bool gt_may_prove(const gt_request *request);
