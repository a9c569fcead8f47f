/* Checks the compiler options that a template states. */
#pragma once

#include "kernel/text/expression.h"

/* Fails with ETEMPLATE for unknown options, and for options that open files or need a link step. */
gputune_status gt_compiler_option_check(const char *option, gt_place place);

/* Returns the text "NAME" or "NAME=value" after -D or --define-macro=, or NULL for other options.
 * If `undefines`, also accepts -U and --undefine-macro=. */
const char *gt_compiler_option_macro(const char *option, bool undefines);

/* Returns true if the option changes the meaning of a source. The reference then needs the same
 * option. */
bool gt_compiler_option_has_meaning(const char *option);
