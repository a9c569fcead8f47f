/* Proves configurations in a worker, without measuring them. These are configurations that the
 * caller gives; stored results that are not proved here yet (imported, made at another size of
 * their bucket, or judged by another process's reference); and configurations that the caller or
 * the user's environment forces. */
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

/* Whether a stored winner was proved with the source that the request generates for it now, and
 * with the data and sizes of the request's proof (gt_request.proved_at). */
bool gt_is_proved(const gt_winner *winner, const gt_request *request, const gt_config *config);

/* Chooses the fastest stored result that would answer the request if it was proved here, proves it
 * in a worker, and stores the proof. ENOTFOUND if there is no such result, and, with a warning, if
 * the result is wrong or cannot be proved. */
gputune_status gt_choose_imported(gt_choice *out, gt_request *request);

/* Chooses the template's default, whatever is stored; fails only if the default does not
 * compile. */
gputune_status gt_choose_default(gt_choice *out, gt_request *request);
/* Chooses the configuration that `text` names; axes that the text leaves out have the default's
 * values. The configuration is first proved in a worker, unless an earlier tuning of this scenario
 * found it right. EINVAL if the template has no such configuration, ENOVARIANT if constraints or
 * the device exclude it; else the status of its compile or proof. */
gputune_status gt_choose_forced(gt_choice *out, gt_request *request, const char *text);
