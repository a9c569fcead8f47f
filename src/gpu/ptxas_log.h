/* Reads what the assembler's log (`ptxas -v`, through NVRTC) says of a kernel. */
#pragma once

#include "base/launch.h"
#include "base/status.h"

/* Sets the registers, spills (stores plus loads), shared, stack and constant memory of *out to
 * those of the entry function with the most registers; all are zero when the log names none. */
void gt_ptxas_parse(gt_resources *out, const char *log);

/* Sets *out to the most useful line of a failed compilation's log: the first error; else, for
 * static shared memory above the limit, which ptxas 13.0 refuses without a message, a line that
 * says so; else the last line. The caller frees *out. */
gputune_status gt_compile_error_line(char **out, const char *log);
