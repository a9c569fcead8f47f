/* Removes the parts of a program that its kernels do not use. */
#pragma once

#include "base/status.h"

/* Copies `text` to *out and blanks each declaration that is neither named in `roots` nor used by a
 * kept declaration. If a name is after a ';' in `roots`, keeps only types, constants and device
 * code of this name. `read` is the same text with its disabled #if branches blanked. Keeps
 * directives, and text that cannot be classified. Line numbers do not change. The caller frees
 * *out. A line `#define NAME VALUE VALUE` in `roots` lists the values of a macro that the text does
 * not define. May return ENOMEM. */
gputune_status gt_reach_cut(char **out, const char *text, const char *read, const char *roots);
