/* Reads recorded spaces, which are cache files of Kernel Tuner or T4 results. */
#pragma once

#include "base/status.h"
#include "base/text.h"
#include "replay/recorded.h"

/* Reads a plain or gzip file of at most 1 GB unpacked. If closing braces are missing at the end,
 * leaves out an incomplete last entry and logs a warning. Fails with ENOTFOUND, EIO or ENOMEM; with
 * ERECORDED (the message has path, line and what was expected); or with ECANCELED if *cancel is not
 * 0 (`cancel` may be NULL). Free *out with gt_recorded_free(). */
gputune_status gt_recorded_read(gt_recorded *out, const char *path, const gt_log *log,
                                const volatile int *cancel);

/* Appends the text of a regular file to *out. Fails with ENOTFOUND or EIO; with ERECORDED if
 * compressed data is truncated or damaged, or if the text is longer than `most` bytes; or with
 * ECANCELED. The message contains the path. */
gputune_status gt_recorded_text(gt_text *out, const char *path, size_t most,
                                const volatile int *cancel);
