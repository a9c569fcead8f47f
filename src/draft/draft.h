/* Writes a first template of CUDA programs that have none, by libclang (clang.h). It allocates and
 * does not free: it is for a process that makes one draft. */
#pragma once

#include "base/status.h"

#include <stddef.h>

/* The program that a draft is made of. */
typedef struct gt_draft_request {
    const char *path, *text;
    const char *kernel;           /* NULL: those that the file launches, or else all */
    const char *const *arguments; /* -I and -D, as a compiler takes them */
    size_t argument_count;
    const char *const *hosts; /* other files that may launch the kernels */
    size_t host_count;
} gt_draft_request;

/* Makes a template of what the kernels need of the program, with the pragmas that tell how the
 * program launches them. A line that begins with "// guess:" marks a value that was chosen; one
 * that begins with "// ?" is a question that the program does not answer, with its place.
 * `clangs` are paths of libclang to try first. ENOCOMPILER: there is no libclang. ENOTFOUND: no
 * such kernel. EUNSUPPORTED: no template can have it. *out is the caller's to free(). */
gputune_status gt_draft_make(char **out, const gt_draft_request *request, const char *const *clangs,
                             size_t clang_count);
