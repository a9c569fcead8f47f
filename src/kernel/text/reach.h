/* Removes the parts of a program that its kernels do not need. */
#pragma once

#include "base/status.h"

/* Copies `text` to *out and blanks every declaration that the names in `roots` do not need,
 * directly or through other declarations. `read` is the same text without disabled #if branches.
 * Directives and text that cannot be classified are kept. Line numbers do not change. The caller
 * frees *out. ENOMEM. */
gputune_status gt_reach_cut(char **out, const char *text, const char *read, const char *roots);
