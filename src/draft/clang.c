/* Finds and loads libclang. */
#include "draft/clang.h"

#include "base/environment.h"
#include "base/text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

gt_clang cx;

enum { OLDEST = 17, NEWEST = 30 };

static bool load_library(void *library)
{
#define CX_LOAD(result, name, parameters)                                                          \
    if (!(*(void **)&cx.name = dlsym(library, "clang_" #name))) {                                  \
        return false;                                                                              \
    }
    CX_FUNCTIONS(CX_LOAD)
#undef CX_LOAD
    return true;
}

/* Loads a library. Returns false if it cannot be loaded or is too old. */
static bool try_library(gt_text *tried, const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library && load_library(library)) {
        return true;
    }
    if (library) {
        gt_text_printf(tried, "%s%s is older than %d", tried->length ? ", " : "", path, OLDEST);
        dlclose(library);
    }
    return false;
}

static bool try_system(gt_text *tried)
{
    for (int version = NEWEST; version >= OLDEST; version--) {
        char names[3][64];
        (void)snprintf(names[0], sizeof names[0], "libclang-%d.so.%d", version, version);
        (void)snprintf(names[1], sizeof names[1], "libclang-%d.so.1", version);
        (void)snprintf(names[2], sizeof names[2], "/usr/lib/llvm-%d/lib/libclang.so.1", version);
        for (int i = 0; i < 3; i++) {
            if (try_library(tried, names[i])) {
                return true;
            }
        }
    }
    return try_library(tried, "libclang.so.1") || try_library(tried, "libclang.so");
}

gputune_status gt_clang_open(const char *const *paths, size_t count)
{
    GT_SCOPED(gt_text_free) gt_text tried = {0};
    const char *own = gt_environment("GPUTUNE_LIBCLANG");
    bool done = own && try_library(&tried, own);
    for (size_t i = 0; !own && !done && i < count; i++) {
        done = try_library(&tried, paths[i]);
    }
    if (done || (!own && try_system(&tried))) {
        return GPUTUNE_OK;
    }
    return gt_fail(GPUTUNE_ENOCOMPILER,
                   "drafting needs libclang %d or newer, but %s%s%s%s; install Debian's package "
                   "libclang1-19, or PyPI's libclang into a virtual environment, or set "
                   "GPUTUNE_LIBCLANG to the path of a suitable library",
                   OLDEST, own ? "GPUTUNE_LIBCLANG names another file" : "none was found",
                   tried.length ? " (" : "", gt_text_string(&tried), tried.length ? ")" : "");
}
