/* Configurations that are proved in a worker without measuring: given ones; stored results that are
 * not proved here yet (imported, made at another size of their bucket, or judged by what another
 * process had for a reference); what the caller or the user's environment orders. */
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

/* Whether a stored winner was proved as the source that the request generates of it now, and at
 * what the request is proved at. */
bool gt_is_proved(const gt_winner *winner, const gt_request *request, const gt_config *config);

/* Chooses the fastest stored result that would answer the request if it was proved; proves it in a
 * worker, and stores that. ENOTFOUND, silently, if there is none; with a warning, if it is not
 * right or cannot be proved. */
gputune_status gt_choose_imported(gt_choice *out, gt_request *request);

/* The template's default, whatever is stored; fails only where it does not compile. */
gputune_status gt_choose_default(gt_choice *out, gt_request *request);
/* The configuration that the text names, missing axes from the default. Unless an earlier tuning of
 * this scenario found it right, it is proved in a worker first. EINVAL if the template has no such
 * configuration, ENOVARIANT if constraints or the device exclude it; else what became of it. */
gputune_status gt_choose_forced(gt_choice *out, gt_request *request, const char *text);
