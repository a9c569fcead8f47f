/* Checks the compiler options that a template states. */
#pragma once

#include "kernel/text/expression.h"

/* Fails with ETEMPLATE if the option is unknown, opens files, or needs a separate link step. */
gputune_status gt_compiler_option_check(const char *option, gt_place place);

/* If the option is -D or --define-macro=, returns its text "NAME" or "NAME=value", otherwise NULL.
 * If `undefines`, also accepts -U and --undefine-macro=. */
const char *gt_compiler_option_macro(const char *option, bool undefines);

/* Returns true if the option changes what a source means. The reference then needs it as well. */
bool gt_compiler_option_has_meaning(const char *option);
