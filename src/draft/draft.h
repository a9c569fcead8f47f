/* A first template from a kernel that has none yet, or a part of one. */
#ifndef GT_DRAFT_H
#define GT_DRAFT_H

#include "kernel/template.h"

/* Writes the text of `path` again, with the pragmas in front of `kernel` that it lacks. What is
 * guessed is said in a comment that begins with "guess:", what was looked for in vain in one that
 * begins with "?". NULL for `kernel`: the one that has a kernel() pragma, or every kernel that the
 * text launches. Local headers are read by `include`, which may be NULL, as a template's are. *out
 * is the caller's, for free(). ENOTFOUND: no such kernel; EUNSUPPORTED: a kernel that a template
 * cannot have (surfaces, launches from the device, …), with the place; ETEMPLATE: pragmas that
 * cannot be read. */
gputune_status gt_draft_template(char **out, const char *path, const char *text, const char *kernel,
                                 gt_include_fn include, void *user);

#endif
