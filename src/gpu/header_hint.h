/* What to do about a header that the compiler did not find. */
#pragma once

#include "base/text.h"

/* If `line`, the first error of a compiler's log, is about a file that could not be opened, appends
 * where it was looked for (the -I options) and what to install or to name. If it is about a name,
 * the headers that the source has as "// skipped: NAME". */
void gt_header_hint_append(gt_text *out, const char *line, const char *source,
                           const char *const *options, size_t option_count);
