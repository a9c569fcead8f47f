/* Cuts the code that is for the host alone out of a program's text: main(), launches, functions
 * that call CUDA's runtime or parts of C++'s library that GPUs lack, and the code that uses any of
 * these. */
#pragma once

#include "kernel/template_parts.h"

/* Copies `text` and blanks three things in it: the host's functions, variables and types; functions
 * that are marked for neither side, variables of types that are no numbers, and classes that lost
 * members, if neither the remaining code nor a pragma reads them; and kernels that no pragma names.
 * All other declarations for the GPU, and declarations that cannot be told, stay. Lines keep their
 * numbers. The pragmas are those of the template's files in `parts`; NULL: there are no pragmas,
 * and all kernels stay. *out is the caller's to free(). ENOMEM. */
gputune_status gt_host_code_cut(char **out, const char *text, const gt_template_parts *parts);

/* Whether a header of this name, or a source in C, is for host code, so that no kernel needs it
 * when it is not found. */
bool gt_header_is_hosts(const char *name);
/* Whether this is a header of CUDA that kernels do not need: NVRTC has its device part built in, if
 * there is one, and reads the header slowly or not at all. */
bool gt_header_is_known(const char *name);
/* Whether this is, by its name, a header of a library or of the toolkit. */
bool gt_header_is_toolkits(const char *name);
