/* What is known of headers by their names. */
#pragma once

#include <stdbool.h>

/* Whether a header of this name, or a source in C, is for host code, so that no kernel needs it
 * when it is not found. */
bool gt_header_is_hosts(const char *name);
/* Whether this is a header of CUDA that kernels do not need: NVRTC has its device part built in, if
 * there is one, and reads the header slowly or not at all. */
bool gt_header_is_known(const char *name);
/* Whether this is, by its name, a header of a library or of the toolkit. */
bool gt_header_is_toolkits(const char *name);
