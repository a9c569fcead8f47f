/* Removes the parts of a program that its kernels do not use. */
#pragma once

#include "base/status.h"

/* Copies `text` to *out and blanks each declaration that is not used by the names in `roots` or by
 * other declarations that are kept. `read` is the same text with its disabled #if branches blanked.
 * Keeps directives, and text that cannot be classified. Line numbers do not change. The caller
 * frees *out. In `roots`, `#define NAME VALUE VALUE` lists the values of a macro that the text does
 * not define. ENOMEM. */
gputune_status gt_reach_cut(char **out, const char *text, const char *read, const char *roots);
