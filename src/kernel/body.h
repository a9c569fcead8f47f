/* From the text that was read to the two texts that are compiled, with the checks that only the
 * functions' declarations allow. */
#pragma once

#include "kernel/parse.h"

/* Looks for the functions that the clauses name, and notes their entries and template arguments.
 * ETEMPLATE for one that is missing or takes other parameters than the pragmas say. */
gputune_status gt_functions_check(gt_parse *parse, const char *text);
/* Checks the functions of `text`, and makes parts->kernel_body and judge_body from it. Notes which
 * names occur. ETEMPLATE as above. */
gputune_status gt_bodies_make(gt_parse *parse, const char *text);
/* Whether the kernels' code has an array of dynamic shared memory, in any function, and no launch
 * gives it bytes. */
bool gt_template_lacks_shared(const gt_template *template);
/* Gives the steps of a pipeline that instantiate one C++ kernel with different arguments entries of
 * their own: "scan", "scan_launch3". The steps' entries must be known. */
gputune_status gt_instances_name(gt_template_parts *parts);
/* Puts into *text, which is replaced, the functions of those names. ETEMPLATE for one that cannot
 * be copied. */
gputune_status gt_instances_part(char **text, const gt_template_parts *parts);
/* Cuts every declaration of a __global__ function out of *text, which is replaced; lines keep their
 * numbers. */
gputune_status gt_functions_cut(char **text, const char *name);
/* Appends the token stream of a text: comments out, one blank between tokens, directives on lines
 * of their own, #line left out. */
void gt_tokens_append(gt_text *out, const char *text, size_t length);
