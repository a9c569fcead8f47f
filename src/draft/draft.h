/* Drafts a template from a CUDA program, which it parses with libclang (see clang.h). It never
 * frees its memory, so call it only in a process that makes one draft and exits. */
#pragma once

#include "base/status.h"

#include <stddef.h>

typedef struct gt_draft_request {
    const char *path, *text;
    const char *kernel; /* a name; NULL: all launched kernels, or all if none is launched */
    const char *const *arguments; /* the compiler options -I and -D */
    size_t argument_count;
    const char *const *hosts; /* paths of other files that may launch the kernels */
    size_t host_count;
} gt_draft_request;

/* Drafts a template: the code that the kernels need, with pragmas that describe how the program
 * launches them. A "// guess:" line marks guessed values. A "// ?" line asks for something that the
 * program does not show. `clangs` are libclang paths to try first. The caller frees *out. Returns
 * ENOCOMPILER if libclang is missing, ENOTFOUND if the program has no such kernel, and EUNSUPPORTED
 * if a template cannot express a kernel. */
gputune_status gt_draft_make(char **out, const gt_draft_request *request, const char *const *clangs,
                             size_t clang_count);
