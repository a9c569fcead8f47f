/* Finds the CUDA toolkit's headers and NVRTC, in an installation or in Python's wheels. */
#pragma once

#include "base/array.h"
#include "base/status.h"
#include "base/text.h"
#include <stddef.h>

typedef struct gt_toolkit {
    gt_texts folders; /* folders of headers, in the order in which to search them */
    char *version;    /* "cuda 13.0 cccl 3.0.1", each part only where it was found; owned */
    gt_text searched; /* for a message: what was looked through */
} gt_toolkit;

/* Finds the headers of the runtime (cuda_fp16.h, cooperative_groups.h, …) and of CCCL (cub,
 * cuda/std, thrust): beside the NVRTC that GPUTUNE_NVRTC names, else in the places where NVRTC is
 * looked for. If it finds none, that is no failure: the list of folders is empty then. ENOMEM.
 * gt_toolkit_free() releases *out. */
gputune_status gt_toolkit_find(gt_toolkit *out);
void gt_toolkit_free(gt_toolkit *toolkit);

/* Names and paths of NVRTC for dlopen(), best first. */
typedef struct gt_nvrtc_candidates {
    gt_texts paths;
    gt_text searched; /* for a message: what was looked through */
} gt_nvrtc_candidates;

/* Lists where NVRTC may be: GPUTUNE_NVRTC (a file or folder) alone if it is set; else CUDA_HOME,
 * the loader's path (libnvrtc.so.13, .12, bare), the toolkit's default prefixes, the
 * nvidia/PACKAGE/lib folders of Python wheels (site-packages of VIRTUAL_ENV, of the prefix of
 * python3 on PATH, of ~/.local). ENOMEM. gt_nvrtc_candidates_free() releases *out, whatever
 * the status. */
gputune_status gt_nvrtc_find(gt_nvrtc_candidates *out);
void gt_nvrtc_candidates_free(gt_nvrtc_candidates *candidates);

/* Lists the files that match `pattern` below the site-packages folders in which the wheels of NVRTC
 * would be, best first. ENOMEM. gt_texts_free() releases *out, whatever the status. */
gputune_status gt_wheel_find(gt_texts *out, const char *pattern);

/* Appends a hint to *out, if there is one for `line`, the first error of a compiler's log. For an
 * unknown name, it names the headers that were not found, where they were looked for (the -I
 * options), and what to install or to name. For a missing member of namespace std, it says what
 * kernels have of C++'s library; for Thrust, which parts NVRTC compiles. */
void gt_header_hint_append(gt_text *out, const char *line, const gt_texts *missing,
                           const char *const *options, size_t option_count);

enum { GT_DEVICE_HEADERS_MAX = 128 };
/* Sets *names and *texts to the names and texts of all headers that gputune brings along, as
 * nvrtcCreateProgram() takes them; the compiler finds them before those of any folder. Returns how
 * many there are; the arrays live for ever. */
size_t gt_device_header_list(const char *const **names, const char *const **texts);
/* The text of the header of that name, or NULL. The text lives for ever. */
const char *gt_device_header_text(const char *name);
