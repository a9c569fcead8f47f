/* Cuts the code that kernels do not need out of a program's text: main(), launches, the host's
 * functions, variables and types. */
#pragma once

#include "base/status.h"

/* Copies `text` and blanks every declaration that the names in `roots` do not need, directly or
 * through what they name: kernels, references and whatever clauses mention. `read` is what decides:
 * the text with the branches of #if blanked that are surely left out; its places are those of
 * `text`. What cannot be told stays, as directives do. Lines keep their numbers, and `using
 * namespace X` gets a `namespace X {}` in front. *out is
 * the caller's to free(). ENOMEM. */
gputune_status gt_reach_cut(char **out, const char *text, const char *read, const char *roots);
