/* Where templates and the prelude are. */
#pragma once

#include "base/status.h"

/* *folder is the one whose kernels are known by name: `given`, GPUTUNE_TEMPLATES, or where the
 * prelude is. *home has the prelude, gputune.cuh: one of these two, beside this library or program
 * (templates,
 * ../templates, ../share/gputune/templates, gputune/share/templates). Both are the caller's.
 * ENOTFOUND: there is no such folder, or no prelude; the message lists where it was looked for. */
gputune_status gt_template_folders(char **folder, char **home, const char *given);
