/* Makes the two texts that are compiled, one for the kernels and one for the judges, from the text
 * that was read, and makes the checks that need the functions' declarations. */
#pragma once

#include "kernel/template/parse.h"

/* Finds the functions that the clauses name, and notes their entries and template arguments.
 * ETEMPLATE for a function that is missing, or whose parameters differ from what the pragmas say.
 */
gputune_status gt_functions_check(gt_parse *p, const char *text);
/* If one of several functions with the name of a single kernel has the parameters that args() and
 * scratch() say, blanks those of the others in `text`, so that lines keep their numbers. */
void gt_overloads_blank(const gt_parse *parse, char *text);
/* Checks the functions of `text`, makes parts->kernel_body and parts->judge_body from it, and notes
 * which names of tunables and problem values occur. ETEMPLATE as above. */
gputune_status gt_bodies_make(gt_parse *parse, const char *text);
/* The first step that launches the function; step_count: none does. */
uint32_t gt_step_of(const gt_template_parts *parts, const char *name);
/* If the steps of a pipeline instantiate one C++ kernel with different template arguments, gives
 * each instance an entry of its own: "scan", "scan_launch3". The steps' entries must be known.
 * ETEMPLATE for an entry that becomes too long. */
gputune_status gt_instances_name(gt_template_parts *parts);
/* Blanks every declaration of these __global__ functions, or only the `instantiations` of them, in
 * the text, as far as they can be cut out; lines keep their numbers. */
void gt_functions_cut(char *text, const char *const *names, size_t count, bool instantiations);
/* Appends the token stream of a text: no comments, one blank between tokens, directives on lines of
 * their own, and no #line. */
void gt_tokens_append(gt_text *out, const char *text, size_t length);
