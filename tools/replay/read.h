/* Reads recorded spaces: cache files of Kernel Tuner and T4 results. */
#pragma once

#include "base/status.h"
#include "base/text.h"
#include "replay/recorded.h"

/* Reads a plain or gzip file of at most 1 GB unpacked. If closing braces are missing at the end,
 * omits an incomplete last entry with a warning. Fails with ENOTFOUND, EIO or ENOMEM; with
 * ERECORDED, and path, line, what was found and what was expected; with ECANCELED if *cancel is not
 * 0 (`cancel` may be NULL). gt_recorded_free() releases *out. */
gputune_status gt_recorded_read(gt_recorded *out, const char *path, const gt_log *log,
                                const volatile int *cancel);

/* Appends the text of a regular file to *out. Fails with ENOTFOUND or EIO; with ERECORDED if
 * compressed data is truncated or damaged, or the text is longer than `most` bytes; with ECANCELED.
 * The message has the path. */
gputune_status gt_recorded_text(gt_text *out, const char *path, size_t most,
                                const volatile int *cancel);
