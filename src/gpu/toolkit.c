/* Finds the CUDA toolkit, provides the headers of gputune, and explains why a header is missing. */
#include "gpu/toolkit.h"

#include "base/environment.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

extern const struct embedded {
    const char *name, *text;
} gt_device_headers[]; /* ends with an entry whose name is NULL */

/* Defines a header for kernels that use std::. The header includes the toolkit's cuda/std/NAME. */
#define TOOLKIT(name)                                                                              \
    {                                                                                              \
        name, "#pragma once\n#include <cuda/std/" name ">\n"                                       \
              "namespace std { using namespace cuda::std; }\n"                                     \
    }
static const struct embedded toolkits[] = {
    TOOLKIT("array"),    TOOLKIT("atomic"),      TOOLKIT("bit"),      TOOLKIT("complex"),
    TOOLKIT("concepts"), TOOLKIT("functional"),  TOOLKIT("iterator"), TOOLKIT("limits"),
    TOOLKIT("numeric"),  TOOLKIT("optional"),    TOOLKIT("ratio"),    TOOLKIT("span"),
    TOOLKIT("tuple"),    TOOLKIT("type_traits"), TOOLKIT("utility"),  TOOLKIT("variant")};

enum { TOOLKITS = sizeof toolkits / sizeof *toolkits };

/* Returns header number `index`, whose name is NULL after the last one. */
static const struct embedded *header_at(size_t index)
{
    return index < TOOLKITS ? &toolkits[index] : &gt_device_headers[index - TOOLKITS];
}

size_t gt_device_headers_list(const char *names[GT_DEVICE_HEADERS_MAX],
                              const char *texts[GT_DEVICE_HEADERS_MAX])
{
    size_t count = 0;
    for (; header_at(count)->name && count < GT_DEVICE_HEADERS_MAX; count++) {
        names[count] = header_at(count)->name;
        texts[count] = header_at(count)->text;
    }
    return count;
}

const char *gt_device_header_text(const char *name)
{
    size_t index = 0;
    while (header_at(index)->name && strcmp(header_at(index)->name, name) != 0) {
        index++;
    }
    return header_at(index)->text;
}

/* ---- places ---------------------------------------------------------------------------------- */

typedef enum cuda_root {
    ROOT_HOME,   /* CUDA_HOME */
    ROOT_LOADER, /* the dynamic loader's search path; has no folder of its own */
    ROOT_PREFIX, /* default installation folder of the toolkit; may contain '*' */
    ROOT_PYTHON  /* prefix of Python, where wheels may contain parts of CUDA */
} cuda_root;

/* Called for each folder. If the callback fails, the search ends. */
typedef gputune_status (*root_fn)(void *user, cuda_root kind, const char *folder);

static const char *const prefixes[] = {"/usr/local/cuda", "/usr/local/cuda-[0-9]*", "/opt/cuda"};

/* Finds the first python3 on PATH and sets *out to its prefix, such as "/usr". */
static gputune_status python_prefix(char **out)
{
    const char *path = gt_environment("PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        GT_FREED char *program = NULL;
        GT_TRY(gt_format(&program, "%.*s/python3", (int)length, path));
        GT_FREED char *real = gt_file_exists(program) ? realpath(program, NULL) : NULL;
        char *slash = real ? strrchr(real, '/') : NULL; /* end of PREFIX/bin */
        if (slash) {
            *slash = '\0';
            slash = strrchr(real, '/');
        }
        if (slash) {
            *slash = '\0';
            return gt_strdup(out, real);
        }
        path += length + (path[length] == ':');
    }
    return GPUTUNE_OK;
}

/* Visits CUDA_HOME, the loader's path, the default folders of the toolkit, and the prefixes of
 * Python (VIRTUAL_ENV, the first python3 on PATH, ~/.local), in this order. */
static gputune_status visit_roots(root_fn visit, void *user)
{
    const char *toolkit = gt_environment("CUDA_HOME"), *environment = gt_environment("VIRTUAL_ENV");
    const char *home = gt_environment("HOME");
    GT_FREED char *local = NULL;
    GT_FREED char *prefix = NULL;
    if (toolkit) {
        GT_TRY(visit(user, ROOT_HOME, toolkit));
    }
    GT_TRY(visit(user, ROOT_LOADER, NULL));
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        GT_TRY(visit(user, ROOT_PREFIX, prefixes[i]));
    }
    if (environment) {
        GT_TRY(visit(user, ROOT_PYTHON, environment));
    }
    GT_TRY(python_prefix(&prefix));
    if (prefix) {
        GT_TRY(visit(user, ROOT_PYTHON, prefix));
        if (strcmp(prefix, "/usr") == 0) {
            GT_TRY(visit(user, ROOT_PYTHON, "/usr/local"));
        }
    }
    if (home) {
        GT_TRY(gt_format(&local, "%s/.local", home));
        GT_TRY(visit(user, ROOT_PYTHON, local));
    }
    return GPUTUNE_OK;
}

/* ---- matches --------------------------------------------------------------------------------- */

typedef struct places {
    const char *const *items;
    size_t count;
} places;
#define PLACES(list) ((places){list, sizeof(list) / sizeof *(list)})

static gputune_status add_path(gt_texts *out, const char *path)
{
    return gt_texts_add(out, path, strlen(path));
}

static const char *const site_packages[] = {
    "/lib/python3*/site-packages", "/lib/python3*/dist-packages", "/lib/python3/dist-packages"};

/* Lists the files called `name` in the subfolders `below` of `root`, the newest versions first. If
 * `root` is a prefix of Python, searches the subfolder `part` of its site-packages instead. */
static gputune_status list_below(gt_texts *out, cuda_root kind, const char *root, places below,
                                 const char *part, const char *name)
{
    const bool python = kind == ROOT_PYTHON, is_pattern = kind == ROOT_PREFIX;
    below = python ? PLACES(site_packages) : below;
    for (size_t i = 0; i < below.count; i++) {
        GT_FREED char *pattern = NULL;
        GT_SCOPED(gt_texts_free) gt_texts matches = {0};
        GT_TRY(gt_format(&pattern, "%s%s%s%s", is_pattern ? root : "", below.items[i],
                         python ? part : "", name));
        GT_TRY(gt_matches_find(&matches, is_pattern ? "/" : root, pattern));
        for (size_t k = matches.count; k-- > 0;) {
            GT_TRY(add_path(out, matches.items[k]));
        }
    }
    return GPUTUNE_OK;
}

static void note_searched(gt_text *searched, const char *place)
{
    gt_text_printf(searched, "%s%s", searched->length ? ", " : "", place);
}

/* ---- NVRTC ----------------------------------------------------------------------------------- */

/* Newest first. */
static const char *const names[] = {"/libnvrtc.so.13", "/libnvrtc.so.12", "/libnvrtc.so"};
enum { NAMES = sizeof names / sizeof *names };

/* Subfolders that may contain libraries, in a toolkit or in the folder GPUTUNE_NVRTC. */
static const char *const library_folders[] = {"", "/lib64", "/lib", "/targets/*-linux/lib",
                                              "/nvidia/*/lib"};

static gputune_status search_libraries(void *user, cuda_root kind, const char *folder)
{
    gt_nvrtc_candidates *found = user;
    note_searched(&found->searched, kind == ROOT_LOADER ? "the loader's path" : folder);
    for (size_t n = 0; n < NAMES; n++) {
        GT_TRY(kind == ROOT_LOADER
                   ? add_path(&found->paths, names[n] + 1)
                   : list_below(&found->paths, kind, folder, PLACES(library_folders),
                                "/nvidia/*/lib", names[n]));
    }
    return GPUTUNE_OK;
}

gputune_status gt_nvrtc_find(gt_nvrtc_candidates *out)
{
    const char *given = gt_environment("GPUTUNE_NVRTC");
    *out = (gt_nvrtc_candidates){0};
    if (!given || gt_file_is_folder(given)) {
        return given ? search_libraries(out, ROOT_HOME, given) : visit_roots(search_libraries, out);
    }
    note_searched(&out->searched, given);
    return add_path(&out->paths, given);
}

void gt_nvrtc_candidates_free(gt_nvrtc_candidates *candidates)
{
    gt_texts_free(&candidates->paths);
    gt_text_free(&candidates->searched);
}

/* ---- other wheels ---------------------------------------------------------------------------- */

typedef struct wheel_search {
    gt_texts *out;
    const char *pattern;
} wheel_search;

static gputune_status search_wheels(void *user, cuda_root kind, const char *folder)
{
    const wheel_search *search = user;
    return kind == ROOT_PYTHON
               ? list_below(search->out, kind, folder, (places){0}, "/", search->pattern)
               : GPUTUNE_OK;
}

gputune_status gt_wheel_find(gt_texts *out, const char *pattern)
{
    wheel_search search = {out, pattern};
    return visit_roots(search_wheels, &search);
}

/* ---- headers --------------------------------------------------------------------------------- */

/* Subfolders that may contain headers, in a toolkit or in a folder that contains NVRTC. */
static const char *const header_folders[] = {"/include", "/targets/*-linux/include", "/*/include"};

/* The parts of a CUDA toolkit, which may be in different folders. The version of a part is the
 * value of `macro` in `header`. */
enum { PARTS = 2 };
static const struct part {
    const char *name, *header, *macro;
    /* divisors that extract the numbers of the version from the macro's value; 0: no such number */
    int major, minor, patch;
} parts[PARTS] = {
    {"cuda", "cuda_runtime_api.h", "#define CUDART_VERSION", 1000, 10, 0},
    {"cccl", "cub/version.cuh", "#define CUB_VERSION", 100000, 100, 1},
};

typedef struct finder {
    gt_toolkit *found;
    bool have[PARTS];
    long versions[PARTS]; /* value of each part's version macro */
} finder;

static bool note_parts(finder *finder, const char *folder)
{
    bool any = false;
    for (int i = 0; i < PARTS; i++) {
        GT_FREED char *path = NULL;
        GT_FREED char *text = NULL;
        if (finder->have[i] || gt_format(&path, "%s/%s", folder, parts[i].header) < 0) {
            continue;
        }
        if (gt_file_exists(path) && gt_file_read(&text, NULL, path) == GPUTUNE_OK) {
            const char *macro = strstr(text, parts[i].macro);
            finder->versions[i] = macro ? strtol(macro + strlen(parts[i].macro), NULL, 10) : 0;
            finder->have[i] = any = true;
        }
    }
    return any;
}

static gputune_status add_folder(finder *finder, const char *folder)
{
    char *real = realpath(folder, NULL);
    return real ? gt_texts_take(&finder->found->folders, real) : GPUTUNE_OK;
}

static bool is_complete(const finder *finder)
{
    return finder->have[0] && finder->have[1];
}

static gputune_status search_headers(void *user, cuda_root kind, const char *folder)
{
    finder *finder = user;
    if (kind == ROOT_LOADER || is_complete(finder)) {
        return GPUTUNE_OK;
    }
    GT_SCOPED(gt_texts_free) gt_texts folders = {0};
    note_searched(&finder->found->searched, folder);
    GT_TRY(list_below(&folders, kind, folder, PLACES(header_folders), "/nvidia/*/include", ""));
    for (size_t i = 0; i < folders.count && !is_complete(finder); i++) {
        GT_FREED char *cccl = NULL; /* folder of CCCL in toolkit 13 and newer */
        GT_TRY(gt_format(&cccl, "%s/cccl", folders.items[i]));
        if (note_parts(finder, folders.items[i])) {
            GT_TRY(add_folder(finder, folders.items[i]));
        }
        if (note_parts(finder, cccl)) {
            GT_TRY(add_folder(finder, cccl));
        }
    }
    return GPUTUNE_OK;
}

/* Searches near NVRTC. For PREFIX/lib64/libnvrtc.so.13 this is PREFIX, and for
 * nvidia/cu13/lib/libnvrtc.so.13 it is all wheels in `nvidia`. */
static gputune_status search_beside(finder *finder, const char *given)
{
    GT_FREED char *real = realpath(given, NULL);
    bool folder = real && gt_file_is_folder(real);
    for (int up = folder ? 0 : 1; real && up <= 3; up++) {
        char *slash = up ? strrchr(real, '/') : NULL;
        if (slash == real || (up && !slash)) {
            break;
        }
        if (slash) {
            *slash = '\0';
        }
        if (up != 1 || folder) {
            GT_TRY(search_headers(finder, ROOT_HOME, real));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_toolkit_find(gt_toolkit *out)
{
    GT_SCOPED(gt_toolkit_free) gt_toolkit found = {0};
    finder finder = {.found = &found};
    const char *given = gt_environment("GPUTUNE_NVRTC");
    if (given) {
        GT_TRY(search_beside(&finder, given));
    }
    GT_TRY(visit_roots(search_headers, &finder));
    GT_SCOPED(gt_text_free) gt_text version = {0};
    for (int i = 0; i < PARTS; i++) {
        const struct part *part = &parts[i];
        const long number = finder.versions[i];
        if (finder.have[i]) {
            gt_text_printf(&version, "%s%s %ld.%ld", version.length ? " " : "", part->name,
                           number / part->major, number % part->major / part->minor);
        }
        if (finder.have[i] && part->patch) {
            gt_text_printf(&version, ".%ld", number % part->minor / part->patch);
        }
    }
    GT_TRY(gt_text_take(&found.version, &version));
    *out = gt_take(&found);
    return GPUTUNE_OK;
}

void gt_toolkit_free(gt_toolkit *toolkit)
{
    gt_texts_free(&toolkit->folders);
    free(toolkit->version);
    gt_text_free(&toolkit->searched);
    *toolkit = (gt_toolkit){0};
}

/* ---- hints --------------------------------------------------------------------------------------
 */

static void append_folders(gt_text *out, const char *const *options, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(options[i], "-I", 2) == 0) {
            gt_text_printf(out, "%s%s", any ? ", " : "; looked in ", options[i] + 2);
            any = true;
        }
    }
    gt_text_append(out, any ? "; " : "; no toolkit was found, and no include folder is given; ");
}

static const char thrust_hint[] =
    "NVRTC does not compile algorithms of Thrust or for the whole GPU; kernels may use "
    "thrust::complex, pair, tuple, its functors and iterators, and CUB's functions for warps and "
    "blocks";
static const char std_hint[] =
    "expected an #include of its header, such as <type_traits>, which the toolkit must have in "
    "<cuda/std/...>, or host code between #ifndef __CUDACC_RTC__ and #endif";
static const char standard_hint[] = "expected options(\"--std=c++20\") in a pragma";

/* Returns true if the error `line` is in a header of a folder that is not the toolkit's. */
static bool is_in_folder(const char *line, const char *folder)
{
    const size_t length = strlen(folder);
    finder toolkit = {0};
    return strncmp(line, folder, length) == 0 && line[length] == '/' &&
           !note_parts(&toolkit, folder);
}

/* Errors of NVRTC that nvcc does not report, and what a kernel can use instead. */
static const struct known_error {
    const char *part, *hint;
} known_errors[] = {
    {"thrust/", thrust_hint},
    {"/cub/", thrust_hint}, /* errors in CUB, too, because Thrust calls CUB */
    {"namespace \"std\" has no member", std_hint},
    {"qualified name is not allowed", std_hint}, /* for std::vector<T> in a class template */
    {"error: expected an expression", "nvcc accepts a ?: b, NVRTC does not: write a ? a : b"},
    {"error: expected a \":\"",
     "nvcc accepts case 1 ... 3 and a ?: b, NVRTC does not: write each case, and a ? a : b"},
    {"data member initializer is not allowed", standard_hint}, /* as in struct { int x : 3 = 1; } */
    {"on lambda requires --extended-lambda", "NVRTC has no such option; leave __device__ out, "
                                             "because a lambda in a kernel needs none"},
    {"device-side kernel launch",
     "gputune does not support kernels that launch kernels (dynamic parallelism); give each kernel "
     "a launch() clause"},
    {"Unresolved extern function",
     "no file that is compiled defines it; #include the file with its definition"},
    {"C++20", standard_hint},
    {"__COUNTER__", "nvcc has __COUNTER__, NVRTC does not: use another number, such as __LINE__"},
    {"identifier \"concept\" is undefined", standard_hint},
    {"more than one instance of overloaded function",
     "for NVRTC, give the function arguments of one type, as in pow(x, 2.0f) for a float x"},
    {"int64_t *\"", "NVRTC's int64_t is long long, and its size_t is unsigned long"},
};

void gt_header_hint_append(gt_text *out, const char *line, const gt_texts *missing,
                           const char *const *options, size_t option_count)
{
    static const char *const words[] = {"is undefined", "has no member", "must be a class",
                                        "is not a template", "storage class or type specifier"};
    for (size_t i = 0; i < option_count; i++) {
        if (strncmp(options[i], "-I", 2) == 0 && is_in_folder(line, options[i] + 2)) {
            gt_text_printf(out,
                           "; headers of include folders are compiled as they are; leave out %s if "
                           "the kernel does not need them, because headers that are not found are "
                           "skipped, or put host code between #ifndef __CUDACC_RTC__ and #endif",
                           options[i]);
            return;
        }
    }
    for (size_t i = 0; i < sizeof known_errors / sizeof *known_errors; i++) {
        if (strstr(line, known_errors[i].part)) {
            gt_text_printf(out, "; %s", known_errors[i].hint);
            return;
        }
    }
    /* these errors may be due to a header that was not found */
    bool misses_name = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        misses_name |= strstr(line, words[i]) != NULL;
    }
    if (missing->count == 0 || !misses_name) {
        return;
    }
    for (size_t i = 0; i < missing->count; i++) {
        gt_text_printf(out, "%s%s",
                       i ? ", " : "; headers that were not found: ", missing->items[i]);
    }
    append_folders(out, options, option_count);
    gt_text_append(out, "install the CUDA toolkit or set CUDA_HOME, or pass the header's folder "
                        "with -I, include_paths or GPUTUNE_INCLUDE");
}
