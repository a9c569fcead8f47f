/* The loaded rules of a tuner, which make plans at sizes for which the tuner has no plan. */
#pragma once

#include "api/plan.h"

typedef struct gt_rules gt_rules;

/* Makes an empty list. Fails only with ENOMEM. */
gputune_status gt_rules_open(gt_rules **out);
/* Frees the list. Call it after the pool of its plans has ended. NULL is allowed. */
void gt_rules_close(gt_rules *rules);
/* Records that a rule was stored, so later calls look up rules again. */
void gt_rules_note_change(gt_rules *rules);

/* Makes the plan that a stored rule chooses for a call. The first call for a kernel and options
 * looks up the rule and loads its variants. Calls for other sizes then need no SQL, worker or
 * compiler. If the kernel's plans can be resized (gt_plan_resize()), they need no system calls
 * either. ENOTFOUND if no rule applies to the call; the reason is logged once unless it depends on
 * the sizes. The caller releases *out. Thread-safe. */
gputune_status gt_rules_plan(gputune_plan **out, gt_terms *terms, const gt_plan_call *call);
