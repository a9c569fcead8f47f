/* A first template from a kernel that has none yet, or a part of one. */
#ifndef GT_DRAFT_H
#define GT_DRAFT_H

#include "base/status.h"

/* Writes the text of `path` again, with the pragmas in front of `kernel` that it lacks. What is
 * guessed is said in a comment that begins with "guess:". NULL for `kernel`: the one that has a
 * kernel() pragma, or the text's only one. Reads no other file. *out is the caller's, for free().
 * ENOTFOUND: no such kernel; EINVAL: several, and none named (the message lists them);
 * EUNSUPPORTED: a kernel that a template cannot have (textures, launches from the device, …), with
 * the place; ETEMPLATE: pragmas that cannot be read. */
gputune_status gt_draft_template(char **out, const char *path, const char *text,
                                 const char *kernel);

#endif
