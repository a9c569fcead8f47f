/* The compiler options that a template may state. */
#pragma once

#include "kernel/text/expression.h"

/* Checks one option. ETEMPLATE refuses options of other compilers, and options that open files,
 * need a link step or are the engine's own; the message says what was found, why it is refused and
 * what was expected. */
gputune_status gt_compiler_option_check(const char *option, gt_place place);

/* Returns the text behind -D or --define-macro=, or with `undefines` also behind -U or
 * --undefine-macro=: "NAME" or "NAME=value"; NULL: the option is another one. */
const char *gt_compiler_option_macro(const char *option, bool undefines);

/* Returns whether the option changes what a source means, so that the reference needs it too. */
bool gt_compiler_option_has_meaning(const char *option);
