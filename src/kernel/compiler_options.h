/* The compiler options that a template may state: which there are, and what is made of them. */
#pragma once

#include "kernel/binding.h"
#include "kernel/source.h"

/* Fails with ETEMPLATE where the option cannot be had: what was found, why it is refused, what was
 * expected. Options of other compilers, and those that open files, need a link step, or are the
 * engine's own are refused. */
gputune_status gt_compiler_option_check(const char *option, gt_place place);

/* Evaluates options() and maxreg() into out->options. Options that say what the source means
 * (--std, -D, -U) also go to the reference and the check (`kernel` false); those that say how it is
 * compiled do not. gt_source_free() releases what was made, also on failure. */
gputune_status gt_compiler_options_make(gt_source *out, const gt_binding *binding, bool kernel);

/* Whether an option's text can depend on the axis. */
bool gt_compiler_options_use(const gt_template *template, uint32_t axis);
