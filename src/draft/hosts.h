/* What of a file is for the host alone, and no compiler of kernels should see. */
#pragma once

#include "draft/lines.h"

/* Puts between #ifndef __CUDACC_RTC__ and #endif, in the text of the file: headers of which no
 * kernel reads a name, those of `missing` that are no host's by their names, variables and
 * functions that are declared by types of the host, and #error. A header that is missing is said.
 * `text`: the file's with what it includes, as `program` and `lines` have it. */
gputune_status gt_hosts_put_aside(gt_lines *lines, const gt_program *program, const char *text,
                                  const char *file, char *const *missing, size_t count);
