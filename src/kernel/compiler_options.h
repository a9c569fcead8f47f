/* The compiler options that a template may state: checks them, and evaluates them for a source. */
#pragma once

#include "kernel/binding.h"
#include "kernel/source.h"

/* Checks one option. ETEMPLATE refuses options of other compilers, and options that open files,
 * need a link step or are the engine's own; the message says what was found, why it is refused and
 * what was expected. */
gputune_status gt_compiler_option_check(const char *option, gt_place place);

/* What stands behind -D or --define-macro=, or with `undefines` also behind -U or
 * --undefine-macro=: "NAME" or "NAME=value"; NULL: the option is another one. */
const char *gt_compiler_option_macro(const char *option, bool undefines);

/* Evaluates options() and maxreg() into out->options. With `kernel` false, for the reference and
 * the check, only options that change the source's meaning (--std, -D, -U) are taken, and registers
 * are limited to what their blocks can have.
 * gt_source_free() releases the options, also on failure. */
gputune_status gt_compiler_options_make(gt_source *out, const gt_binding *binding, bool kernel);

/* Whether the text of an option can depend on the axis. */
bool gt_compiler_options_use(const gt_template *template, uint32_t axis);
