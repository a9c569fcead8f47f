/* Finds the parts of a file that are for the host alone, and hides them from the kernels' compiler.
 */
#pragma once

#include "draft/lines.h"

/* Encloses host-only parts of the file in #ifndef __CUDACC_RTC__ and #endif: #include of files from
 * which no kernel reads a name, variables and functions declared with the host's types, and #error
 * lines. Inserts a comment at each #include of one of the headers in `missing`, which were not
 * found. `file` is the file's own text. `text` is the joined text (the file with what it
 * includes), from which `program` and `lines` were made. */
gputune_status gt_hosts_put_aside(gt_lines *lines, const gt_program *program, const char *text,
                                  const char *file, const gt_texts *missing);
