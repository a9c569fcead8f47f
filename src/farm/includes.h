/* Finds included files, and the header folders for compile workers. #include "name" is searched for
 * next to the including file, then in the template folder. Such a file becomes part of the
 * template. All other names, and all <names>, are headers that the compiler reads: gputune's own
 * headers (gpu/toolkit.h), then headers in the named folders (gputune_open_options.include_paths,
 * GPUTUNE_INCLUDE), then headers of the toolkit. Other files are never read, except those in the
 * template's own folder. */
#pragma once

#include "base/array.h"
#include "kernel/template/template.h"

typedef struct gt_includes gt_includes; /* not thread-safe */

/* Opens a finder, which gt_includes_close() frees. `shared` is the template folder, `paths` are the
 * named folders. EINVAL if a path is not a folder. */
gputune_status gt_includes_open(gt_includes **out, const char *shared, const char *const *paths,
                                size_t path_count);
void gt_includes_close(gt_includes *includes);
/* Replaces the template folder. ENOMEM. */
gputune_status gt_includes_share(gt_includes *includes, const char *shared);

/* Begins a template. Until the next call, gt_includes_find() may also read the folder of
 * `template_path`; NULL if the template is a text in memory. ENOMEM. */
gputune_status gt_includes_begin(gt_includes *includes, const char *template_path);
/* Finds an included file. `user` is the gt_includes, so this function can be a gt_include_fn. A
 * header's digest covers the header and all headers that it includes. For headers of the toolkit,
 * the digest covers only the toolkit's version. */
gputune_status gt_includes_find(void *user, const gt_include *include, gt_included *out);

/* Returns the real paths of the files read since gt_includes_begin(), except the toolkit's. Valid
 * until the next gt_includes_begin(). */
const gt_texts *gt_includes_read(const gt_includes *includes);

/* Gets one compiler option -IFOLDER per folder, in search order. `includes` owns them. ENOMEM. */
gputune_status gt_includes_options(const char *const **out, size_t *count, gt_includes *includes);
