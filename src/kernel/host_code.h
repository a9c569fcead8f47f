/* Finds what of a program's text is for the host alone: main(), launches, what calls CUDA's runtime
 * or the parts of C++'s library that GPUs have not, and what uses these. */
#pragma once

#include "kernel/template_parts.h"

/* A copy of `text` in which the host's functions, variables and types outside of functions are
 * blank, and the functions of neither, and the classes that had parts of the host, that nothing
 * else reads, nor a pragma of the template's files (`parts`; NULL: there are none, and all kernels
 * stay); so are kernels that no pragma names. Lines keep their numbers. What else is declared for
 * the GPU, or cannot be told, stays. *out is the caller's to free(). ENOMEM. */
gputune_status gt_host_code_cut(char **out, const char *text, const gt_template_parts *parts);

/* Whether the header is for host code, so that no kernel misses it where it is not found. */
bool gt_header_is_hosts(const char *name);
/* Whether it is one of CUDA's whose device part, if any, the compiler knows without it, and which
 * it reads slowly or not at all, or a source in C. */
bool gt_header_is_known(const char *name);
