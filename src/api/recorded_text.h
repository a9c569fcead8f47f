/* Reads a file's text, and unpacks gzip. */
#pragma once

#include "base/text.h"

/* Appends the whole text of a regular file to *out. ENOTFOUND, EIO; ERECORDED where the packed data
 * is cut or damaged, or where the text is longer than `most` bytes; ECANCELED. The message names
 * the path. */
gputune_status gt_recorded_text(gt_text *out, const char *path, size_t most,
                                const volatile int *cancel);
