/* Writes a first template for a kernel that has no pragmas yet, or only some of them. */
#pragma once

#include "kernel/template.h"

/* Gives another source file of the program; `index` counts them from 0. ENOTFOUND behind the last
 * file. The texts in *out are the caller's to free(). */
typedef gputune_status (*gt_neighbour_fn)(void *user, size_t index, gt_included *out);

/* Copies `text`, the contents of `path`, into *out and inserts the pragmas that `kernel` lacks in
 * front of it. A comment that begins with "guess:" marks what is guessed; one that begins with "?"
 * marks what was searched for in vain. NULL for `kernel`: the kernel that has a kernel() pragma, or
 * else every kernel that the text launches. `include` reads local headers, as for a template, and
 * may be NULL. If the text does not show how a kernel is launched, or with which arguments the
 * launching function is called, the files of `neighbour` are searched; `neighbour` may be NULL.
 * *out is the caller's to free(). ENOTFOUND: there is no such kernel. EUNSUPPORTED, with the place:
 * a template cannot have this kernel (surfaces, launches from the device, …). ETEMPLATE: the
 * pragmas cannot be read. */
gputune_status gt_draft_template(char **out, const char *path, const char *text, const char *kernel,
                                 gt_include_fn include, gt_neighbour_fn neighbour, void *user);
