/* The compiler options that a template may state. */
#pragma once

#include "kernel/text/expression.h"

/* Fails with ETEMPLATE for other compilers' options, and those that open files or link. */
gputune_status gt_compiler_option_check(const char *option, gt_place place);

/* Returns the text behind -D or --define-macro=, or with `undefines` also behind -U or
 * --undefine-macro=: "NAME" or "NAME=value"; NULL: the option is another one. */
const char *gt_compiler_option_macro(const char *option, bool undefines);

/* Returns whether the option changes what a source means, so that the reference needs it too. */
bool gt_compiler_option_has_meaning(const char *option);
