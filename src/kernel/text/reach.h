/* Removes the parts of a program that its kernels do not need. */
#pragma once

#include "base/status.h"

/* Copies `text` and blanks every declaration that the names in `roots` do not need, directly or
 * through others. `read` is the same text without the lines that #if leave out. Directives and
 * unreadable text stay; line numbers do not change. The caller frees *out. ENOMEM. */
gputune_status gt_reach_cut(char **out, const char *text, const char *read, const char *roots);
