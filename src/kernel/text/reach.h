/* Cuts the code that kernels do not need out of a program's text: main(), launches, the host's
 * functions, variables and types. */
#pragma once

#include "base/status.h"

/* Copies `text` and blanks every declaration that the names in `roots` do not need, directly or
 * through other names: kernels, references and all names in clauses. `read` is the text that is
 * searched for declarations: the same text with the branches of #if blanked that are surely left
 * out, so that places agree. Declarations that cannot be read stay, as directives do. Lines keep
 * their numbers, and `using namespace X` gets a `namespace X {}` in front. The caller frees *out.
 * ENOMEM. */
gputune_status gt_reach_cut(char **out, const char *text, const char *read, const char *roots);
