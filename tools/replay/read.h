/* Reads recorded spaces: cache files of Kernel Tuner and T4 results. */
#pragma once

#include "base/log.h"
#include "base/text.h"
#include "replay/recorded.h"

/* Reads a whole regular file, plain or gzip, of at most 1 GB unpacked. Closing braces may be
 * missing at its end; an entry that is cut there is left out, with a warning to the log. ENOTFOUND,
 * EIO, ENOMEM; ERECORDED names the path, the line, what was found and what was expected. ECANCELED
 * once *cancel (may be NULL) is not 0. *out is the caller's, for gt_recorded_free(). */
gputune_status gt_recorded_read(gt_recorded *out, const char *path, const gt_log *log,
                                const volatile int *cancel);

/* Appends the whole text of a regular file to *out. ENOTFOUND, EIO; ERECORDED where the packed data
 * is cut or damaged, or where the text is longer than `most` bytes; ECANCELED. The message names
 * the path. */
gputune_status gt_recorded_text(gt_text *out, const char *path, size_t most,
                                const volatile int *cancel);
