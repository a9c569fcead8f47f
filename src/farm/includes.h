/* Finds included files, and the header folders for the compile workers. A file in quotes is
 * searched for in the folder of the including file and then in the template folder. If it is found
 * there, it becomes part of the template. All other files are headers that only the compiler reads.
 * They are searched for among gputune's own headers (gpu/toolkit.h), then in the folders of
 * gputune_open_options.include_paths and GPUTUNE_INCLUDE, then in the toolkit. Apart from these
 * folders and the template's own folder, no files are read. */
#pragma once

#include "base/array.h"
#include "kernel/template/template.h"

typedef struct gt_includes gt_includes; /* not thread-safe */

/* Opens a finder, which the caller closes with gt_includes_close(). `shared` is the template
 * folder; `paths` are the folders of gputune_open_options. EINVAL if a path is not a folder. */
gputune_status gt_includes_open(gt_includes **out, const char *shared, const char *const *paths,
                                size_t path_count);
void gt_includes_close(gt_includes *includes);
/* Sets the template folder. Returns OK or ENOMEM. */
gputune_status gt_includes_share(gt_includes *includes, const char *shared);

/* Must be called before the #includes of a template are searched for. Until the next call, files in
 * the folder of `template_path` may be read. `template_path` is NULL if the template is not in a
 * file. Returns OK or ENOMEM. */
gputune_status gt_includes_begin(gt_includes *includes, const char *template_path);
/* Finds an included file. `user` is the gt_includes, so this function can be used as a
 * gt_include_fn. The digest of a header covers the header itself and all headers that it includes.
 * Headers of the toolkit are not read; the digest covers the version of the toolkit instead. */
gputune_status gt_includes_find(void *user, const gt_include *include, gt_included *out);

/* Returns the real paths of the files that were read since gt_includes_begin(), except those of the
 * toolkit. Valid until the next call of gt_includes_begin(). */
const gt_texts *gt_includes_read(const gt_includes *includes);

/* Returns compiler options -IFOLDER for all folders in the order in which they are searched. They
 * belong to `includes`. Fails with ENOMEM if memory runs out. */
gputune_status gt_includes_options(const char *const **out, size_t *count, gt_includes *includes);
