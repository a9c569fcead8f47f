/* What the assembler's log (`ptxas -v`, through NVRTC) says of a kernel. */
#pragma once

#include "base/launch.h"
#include "base/status.h"

/* Registers, spills (stores plus loads), shared, stack and constant memory of the entry function
 * with the most registers; all zero when the log names none. */
void gt_ptxas_parse(gt_resources *out, const char *log);

/* The most useful line of a failed compile's log: the first error; for static shared memory above
 * the limit, which ptxas 13.0 refuses without a message, a line that says so; else the last line.
 */
gputune_status gt_compile_error_line(char **out, const char *log);
