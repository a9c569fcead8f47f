/* Finds what of a program's text is for the host alone: main(), launches, what calls CUDA's runtime
 * or the parts of C++'s library that GPUs have not, and what uses these. */
#pragma once

#include "base/text.h"

/* A copy of `text` in which the host's functions, variables and types outside of functions are
 * blank; lines keep their numbers. What is declared for the GPU, or cannot be told, stays. *out is
 * the caller's to free(). ENOMEM. */
gputune_status gt_host_code_cut(char **out, const char *text);
