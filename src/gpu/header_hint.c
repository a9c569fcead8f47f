/* Explains a missing header: where it was looked for, and what brings it. */
#include "gpu/header_hint.h"

#include <string.h>

#define ELSE ", or set CUDA_HOME"
static const char cccl[] = "install CCCL (the CUDA toolkit, or pip install nvidia-cuda-cccl)" ELSE;
static const char runtime[] = "install the CUDA toolkit, or pip install nvidia-cuda-runtime" ELSE;
static const char both[] =
    "install the CUDA toolkit, or pip install nvidia-cuda-runtime nvidia-cuda-cccl" ELSE;
static const char random_header[] =
    "install the CUDA toolkit, or pip install nvidia-curand and name its include folder by -I" ELSE;

/* By how the names begin; the first that fits. */
static const struct hint {
    const char *begins, *advice;
} hints[] = {
    {"cub/", cccl},     {"cuda/", cccl},
    {"nv/", cccl},      {"thrust/", cccl},
    {"curand", random_header}, {"crt/", "pip install nvidia-cuda-crt" ELSE},
    {"cu", both},       {"cooperative_groups", both},
    {"mma.h", runtime}, {"vector_", runtime},
    {"sm_", runtime},   {"device_", runtime},
};

static void append_advice(gt_text *out, const char *name)
{
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        if (strncmp(name, hints[i].begins, strlen(hints[i].begins)) == 0) {
            gt_text_append(out, hints[i].advice);
            return;
        }
    }
    gt_text_append(out, strpbrk(name, "./")
                            ? "name its folder by -I, include_paths or GPUTUNE_INCLUDE"
                            : "kernels have no C++ standard library; leave it out where "
                              "__CUDACC_RTC__ is defined");
}

static void append_folders(gt_text *out, const char *const *options, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(options[i], "-I", 2) == 0) {
            gt_text_printf(out, "%s%s", any ? ", " : "; looked in ", options[i] + 2);
            any = true;
        }
    }
    gt_text_append(out, any ? "; " : "; no toolkit was found, and no folder is named; ");
}

/* What the source says that was left out, where something is missing. */
static void append_skipped(gt_text *out, const char *line, const char *source)
{
    static const char mark[] = "// skipped: ";
    bool any = false;
    if (!strstr(line, "undefined") && !strstr(line, "no member")) {
        return;
    }
    for (const char *at = source; (at = strstr(at, mark)); any = true) {
        at += sizeof mark - 1;
        gt_text_append(out, any ? ", " : "; not found, and left out as for the host alone: ");
        gt_text_append_bytes(out, at, strcspn(at, "\n"));
    }
}

void gt_header_hint_append(gt_text *out, const char *line, const char *source,
                           const char *const *options, size_t option_count)
{
    static const char words[] = "cannot open source file \"";
    const char *at = strstr(line, words);
    size_t length = at ? strcspn(at + sizeof words - 1, "\"") : 0;
    char name[128];
    if (strstr(line, "namespace \"std\" has no member")) {
        gt_text_append(out,
                       "; kernels have of C++'s library what the toolkit has as <cuda/std/...>; "
                       "expected host code between #ifndef __CUDACC_RTC__ and #endif");
    }
    append_skipped(out, line, source);
    if (length == 0 || length >= sizeof name) {
        return;
    }
    memcpy(name, at + sizeof words - 1, length);
    name[length] = '\0';
    append_folders(out, options, option_count);
    append_advice(out, name);
}
