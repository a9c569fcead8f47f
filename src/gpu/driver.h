/* The CUDA driver as a function table, from libcuda.so.1 or the emulator, by dlopen; and its
 * contexts. */
#pragma once

#include "base/status.h"
#include "gpu/abi.h"

/* One opened driver; every function member is the entry point of that name without "cu"
 * (abi_functions.h lists them), or NULL for an optional one that this driver lacks. The table is
 * shared by the whole process, thread-safe and never closed, because drivers cannot be unloaded
 * safely. Tests may fill a table by hand. */
typedef struct gt_driver {
/* NOLINTBEGIN(bugprone-macro-parentheses): the arguments are declarators */
#define GT_DRIVER_MEMBER(member, symbol, version, need, parameters) CUresult(*member) parameters;
    GT_DRIVER_LIST(GT_DRIVER_MEMBER)
#undef GT_DRIVER_MEMBER
#define GT_EMULATOR_MEMBER(member, symbol, type, parameters) type(*member) parameters;
    GT_EMULATOR_LIST(GT_EMULATOR_MEMBER)
#undef GT_EMULATOR_MEMBER
    /* NOLINTEND(bugprone-macro-parentheses) */
    int version;    /* 13000 for 13.0 */
    bool emulated;  /* EmuProfileName is there */
    bool started;   /* cuInit succeeded */
    char name[256]; /* the name or path by which it was opened: "cuda", "emu:h200", a path */
    void *handle;   /* the handle that dlopen() returned */
} gt_driver;

/* Opens a driver, once per process and name, and calls cuInit. `name` is "cuda", "emu[:PROFILE]" or
 * the path of a library; NULL: the value of GPUTUNE_DRIVER, else "cuda". The emulator's library is
 * looked for in GPUTUNE_EMULATOR (a file or folder), beside this library or program, in ../lib, and
 * in the compiled-in prefix. ENODRIVER: there is no driver, only the stub, one older than 12.0, or
 * no device; the message says which, and where it was looked for. EINVAL: an unknown name or
 * profile. */
gputune_status gt_driver_open(const gt_driver **out, const char *name);
/* Finds out whether the driver exists, and sets *version (13000 for 13.0). Does not start the
 * driver, because cuInit takes a tenth of a second. Fails as gt_driver_open() does, but not for
 * what only cuInit finds. */
gputune_status gt_driver_probe(int *version, const char *name);

/* Turns a CUresult into a status: OK for 0; else it records the message "CALL: NAME (code): text".
 * Out of memory becomes EDEVMEM, a GPU in use by others EBUSY, one that is lost or has a fault of
 * its own ENODRIVER, a fatal code (gt_cuda_fatal) ECRASHED, and any other ECUDA. */
gputune_status gt_cuda_check(const gt_driver *driver, CUresult result, const char *call);
/* Whether the code means that this process, or its context, can do no more CUDA work: 226, 700,
 * 702, 710, 714-719, 721, 911 (CUDA 13.0's cuda.h, "must be terminated and relaunched"); or, as 999
 * (unknown), may mean it. */
bool gt_cuda_fatal(CUresult result);

/* GT_CUDA(driver, MemAlloc, &pointer, bytes): calls driver->MemAlloc and returns on failure. */
#define GT_CUDA(driver, function, ...)                                                             \
    GT_TRY(gt_cuda_check(driver, (driver)->function(__VA_ARGS__), "cu" #function))

/* The library's calls must not disturb a capture that another thread has begun. gt_relaxed_enter()
 * puts this thread into relaxed capture mode and returns the mode before, which gt_relaxed_leave()
 * restores. */
CUstreamCaptureMode gt_relaxed_enter(const gt_driver *driver);
void gt_relaxed_leave(const gt_driver *driver, CUstreamCaptureMode mode);

/* A CUDA context. A primary context that was reset is another context with the same handle. */
typedef struct gt_context {
    CUcontext handle;
    uint64_t id; /* unique among all contexts that this process has or had; 0: the driver does not
                    tell */
} gt_context;

/* The id of the current context; 0 where there is none, or the driver does not tell. */
static inline uint64_t gt_context_id(const gt_driver *driver)
{
    unsigned long long id;
    return driver->CtxGetId && driver->CtxGetId(NULL, &id) == CUDA_SUCCESS ? id + 1 : 0;
}

/* What gt_context_enter() changed. */
typedef struct gt_context_visit {
    CUstreamCaptureMode mode;
    bool pushed;
} gt_context_visit;

/* Makes `context` current (pushes it if another one is current) and puts this thread into relaxed
 * capture mode. ECUDA when the context is gone or was reset; do not call gt_context_leave()
 * then. */
gputune_status gt_context_enter(gt_context_visit *out, const gt_driver *driver,
                                const gt_context *context);
void gt_context_leave(const gt_context_visit *visit, const gt_driver *driver);

/* Sets *out to the current context. EINVAL when none is current, ECUDA when it is destroyed. */
gputune_status gt_context_current(gt_context *out, const gt_driver *driver);
