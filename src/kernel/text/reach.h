/* Cuts what kernels do not need out of a program's text. */
#pragma once

#include "base/status.h"

/* Copies `text` and blanks every declaration that the names in `roots` do not need, directly or
 * through others. `read` is the same text without the lines that #if surely leave out. Directives
 * and unreadable text stay; lines keep their numbers. The caller frees *out. ENOMEM. */
gputune_status gt_reach_cut(char **out, const char *text, const char *read, const char *roots);
