/* Finds what templates include, and gives the compile workers the folders of headers.
 *
 * "name" is looked for beside the including file and in the template folder, and there it is one of
 * the template's own files: its text becomes part of the template. What is not found there, and
 * <name>, is a header, which the compiler reads: one of the engine's own (gpu/toolkit.h), or
 * in the named folders (gputune_open_options.include_paths, then GPUTUNE_INCLUDE, separated by
 * colons), or the toolkit's. No file outside of the template's own folder, the template folder, the
 * named folders and the toolkit is read. */
#pragma once

#include "kernel/template.h"

typedef struct gt_includes gt_includes; /* calls are the caller's to serialise */

/* `shared`: the template folder. EINVAL when one of `paths` is no folder. */
gputune_status gt_includes_open(gt_includes **out, const char *shared, const char *const *paths,
                                size_t path_count);
void gt_includes_close(gt_includes *includes);
/* Another template folder. ENOMEM. */
gputune_status gt_includes_share(gt_includes *includes, const char *shared);

/* Begins a template at that path: only its own folder is open to it besides the others. NULL: a
 * text in memory, which has none. ENOMEM. */
gputune_status gt_includes_begin(gt_includes *includes, const char *template_path);
/* A gt_include_fn; `user` is the gt_includes. A header's digest is of its content and that of all
 * it includes, a toolkit's of its version. */
gputune_status gt_includes_find(void *user, const gt_include *include, gt_included *out);

/* The compiler's options -IFOLDER, in the order of the search; they live as long as `includes`.
 * ENOMEM. */
gputune_status gt_includes_options(const char *const **out, size_t *count, gt_includes *includes);
