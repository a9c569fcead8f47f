/* Choices that are not measured, because the user's environment or the caller orders them. */
#pragma once

#include "tuner/tune.h"

/* The template's default, whatever is stored; fails only where it does not compile. */
gputune_status gt_choose_default(gt_choice *out, gt_request *request);
/* The configuration that the text names, missing axes from the default. Unless an earlier tuning of
 * this scenario found it right, it is proved in a worker first. EINVAL if the template has no such
 * configuration, ENOVARIANT if constraints or the device exclude it; else what became of it. */
gputune_status gt_choose_forced(gt_choice *out, gt_request *request, const char *text);
