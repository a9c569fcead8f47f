/* Finds files that templates include, and the header folders for the compile workers.
 *
 * A "name" is searched next to the including file, then in the template folder. A file found there
 * becomes part of the template. Any other "name", and every <name>, is a header that the compiler
 * reads. It may be one of gputune's own headers (gpu/toolkit.h), a header in one of the named
 * folders (gputune_open_options.include_paths, then GPUTUNE_INCLUDE, separated by colons), or a
 * header of the toolkit. Files outside of these folders and the template's own folder are never
 * read. */
#pragma once

#include "base/array.h"
#include "kernel/template/template.h"

typedef struct gt_includes gt_includes; /* only one thread at a time may use a gt_includes */

/* Opens a finder, which the caller closes with gt_includes_close(). `shared` is the template
 * folder, `paths` are the named folders. EINVAL if an element of `paths` is not a folder. */
gputune_status gt_includes_open(gt_includes **out, const char *shared, const char *const *paths,
                                size_t path_count);
void gt_includes_close(gt_includes *includes);
/* Replaces the template folder. ENOMEM. */
gputune_status gt_includes_share(gt_includes *includes, const char *shared);

/* Begins a template. Until the next call, gt_includes_find() may also read the folder of
 * `template_path`. NULL: the template is a text in memory. ENOMEM. */
gputune_status gt_includes_begin(gt_includes *includes, const char *template_path);
/* Finds an included file. Can be used as a gt_include_fn; `user` is the gt_includes. A header's
 * digest is computed from the header and all headers that it includes; for headers of the toolkit,
 * from the toolkit's version. */
gputune_status gt_includes_find(void *user, const gt_include *include, gt_included *out);

/* Returns the real paths of the files that were read since gt_includes_begin(), without those of
 * the toolkit. Valid until the next gt_includes_begin(). */
const gt_texts *gt_includes_read(const gt_includes *includes);

/* Sets *out to the compiler options -IFOLDER, in search order, and *count to their number.
 * `includes` owns them. ENOMEM. */
gputune_status gt_includes_options(const char *const **out, size_t *count, gt_includes *includes);
