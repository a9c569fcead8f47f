/* Finds the files that templates include, and the folders of headers for the compile workers.
 *
 * "name" is searched beside the including file, then in the template folder. A file found there
 * becomes part of the template. Any other "name", and every <name>, is a header, which the compiler
 * reads. It is one of gputune's own (gpu/toolkit.h), or in the named folders
 * (gputune_open_options.include_paths, then GPUTUNE_INCLUDE, separated by colons), or the
 * toolkit's. No file outside of the template's own folder, the template folder, the named folders
 * and the toolkit is read. */
#pragma once

#include "base/array.h"
#include "kernel/template/template.h"

typedef struct gt_includes gt_includes; /* for one thread at a time */

/* Opens a finder. `shared` is the template folder, `paths` are the named folders. *out is the
 * caller's, for gt_includes_close(). EINVAL when one of `paths` is no folder. */
gputune_status gt_includes_open(gt_includes **out, const char *shared, const char *const *paths,
                                size_t path_count);
void gt_includes_close(gt_includes *includes);
/* Makes `shared` the template folder from now on. ENOMEM. */
gputune_status gt_includes_share(gt_includes *includes, const char *shared);

/* Begins a template: besides the folders that are open to all templates, gt_includes_find() reads
 * only the folder of `template_path`. NULL: the template is a text in memory, without a folder of
 * its own. ENOMEM. */
gputune_status gt_includes_begin(gt_includes *includes, const char *template_path);
/* Finds one included file; a gt_include_fn, whose `user` is the gt_includes. The digest of a header
 * covers its content and that of all headers that it includes; for a header of the toolkit it
 * covers the toolkit's version. */
gputune_status gt_includes_find(void *user, const gt_include *include, gt_included *out);

/* Returns the paths, without links, of the files that were read since gt_includes_begin(), except
 * the toolkit's. Lives until the next gt_includes_begin(). */
const gt_texts *gt_includes_read(const gt_includes *includes);

/* Gets the compiler's options -IFOLDER, in the order of the search. They live as long as
 * `includes`. ENOMEM. */
gputune_status gt_includes_options(const char *const **out, size_t *count, gt_includes *includes);
