/* Drafts a template from a CUDA program, which libclang parses (clang.h). Memory is never freed, so
 * call this only in a process that makes one draft and ends. */
#pragma once

#include "base/status.h"

#include <stddef.h>

typedef struct gt_draft_request {
    const char *path, *text;
    const char *kernel; /* NULL: the file's launched kernels, or all of the file if none is */
    const char *const *arguments; /* compiler options -I and -D */
    size_t argument_count;
    const char *const *hosts; /* other files that may launch the kernels */
    size_t host_count;
} gt_draft_request;

/* Drafts a template: the code that the kernels need, and pragmas for how the program launches them.
 * A "// guess:" line reports a guessed value; a "// ?" line asks for a fact that the program does
 * not show. `clangs` are libclang paths to try first. The caller frees *out. ENOCOMPILER without
 * libclang, ENOTFOUND if there is no such kernel, EUNSUPPORTED if templates cannot express it. */
gputune_status gt_draft_make(char **out, const gt_draft_request *request, const char *const *clangs,
                             size_t clang_count);
