/* A first template from a kernel that has none yet, or a part of one. */
#pragma once

#include "kernel/template.h"

/* Another source file of the program, from 0; ENOTFOUND behind the last one. *out is the caller's.
 */
typedef gputune_status (*gt_neighbour_fn)(void *user, size_t index, gt_included *out);

/* Writes the text of `path` again, with the pragmas in front of `kernel` that it lacks. What is
 * guessed is said in a comment that begins with "guess:", what was looked for in vain in one that
 * begins with "?". NULL for `kernel`: the one that has a kernel() pragma, or every kernel that the
 * text launches. Local headers are read by `include`, which may be NULL, as a template's are. Where
 * the text itself does not say how a kernel is launched, or what is given to the function that
 * does, the files that `neighbour` finds are asked; it may be NULL. *out is the caller's, for
 * free(). ENOTFOUND: no such kernel; EUNSUPPORTED: a kernel that a template cannot have (surfaces,
 * launches from the device, …), with the place; ETEMPLATE: pragmas that cannot be read. */
gputune_status gt_draft_template(char **out, const char *path, const char *text, const char *kernel,
                                 gt_include_fn include, gt_neighbour_fn neighbour, void *user);
