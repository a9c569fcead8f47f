/* The CUDA driver as a function table, from libcuda.so.1 or the emulator, and its contexts. */
#pragma once

#include "base/status.h"
#include "gpu/abi.h"

/* An opened driver. Function members are named like the entry points without "cu"
 * (abi_functions.h); optional ones may be NULL. The process shares the table, which is thread-safe
 * and never closed, because drivers cannot be unloaded safely. A test may fill in its own table. */
typedef struct gt_driver {
/* NOLINTBEGIN(bugprone-macro-parentheses): the arguments are declarators */
#define GT_DRIVER_MEMBER(member, symbol, version, need, parameters) CUresult(*member) parameters;
    GT_DRIVER_LIST(GT_DRIVER_MEMBER)
#undef GT_DRIVER_MEMBER
#define GT_EMULATOR_MEMBER(member, symbol, type, parameters) type(*member) parameters;
    GT_EMULATOR_LIST(GT_EMULATOR_MEMBER)
#undef GT_EMULATOR_MEMBER
    /* NOLINTEND(bugprone-macro-parentheses) */
    int version;              /* 13000 for 13.0 */
    bool emulated;            /* EmuProfileName is present */
    bool started;             /* cuInit succeeded */
    char name[256];           /* the name or path that opened it: "cuda", "emu:h200", a path */
    void *handle;             /* the handle that dlopen() returned */
    struct gt_budget *budget; /* limits the device memory of this copy's users; NULL: no limit */
} gt_driver;

/* Opens a driver, once per process and name, and calls cuInit. `name` is "cuda", "emu[:PROFILE]" or
 * the path of a library; NULL means GPUTUNE_DRIVER, or "cuda" if that variable is unset. The
 * emulator is searched for in GPUTUNE_EMULATOR (a file or folder), beside this library or program,
 * in ../lib, and in the compiled-in prefix. ENODRIVER if there is no driver, only the stub, a
 * driver older than 12.0, or no device; the message gives the reason and lists the searched places.
 * EINVAL for an unknown name or profile. */
gputune_status gt_driver_open(const gt_driver **out, const char *name);
/* Sets *version (13000 for 13.0) if the driver exists. Does not start it, because cuInit takes a
 * tenth of a second. Fails like gt_driver_open(), except for errors that only cuInit detects. */
gputune_status gt_driver_probe(int *version, const char *name);

/* Converts a CUresult to a status, and sets the message "CALL: NAME (code): text" on failure. Out
 * of memory becomes EDEVMEM, a GPU that others use exclusively EBUSY, a lost or faulty GPU
 * ENODRIVER, a fatal code (gt_cuda_fatal) ECRASHED, and any other ECUDA. */
gputune_status gt_cuda_check(const gt_driver *driver, CUresult result, const char *call);
/* Returns true if this process or its context can do no more CUDA work after this error code: 226,
 * 700, 702, 710, 714-719, 721, 911 (CUDA 13.0's cuda.h, "must be terminated and relaunched"), or
 * 999 (unknown), which may have the same effect. */
bool gt_cuda_fatal(CUresult result);

/* GT_CUDA(driver, MemAlloc, &pointer, bytes): calls driver->MemAlloc and returns on failure. */
#define GT_CUDA(driver, function, ...)                                                             \
    GT_TRY(gt_cuda_check(driver, (driver)->function(__VA_ARGS__), "cu" #function))

/* gt_relaxed_enter() puts the calling thread into relaxed capture mode, because the library's calls
 * must not disturb a capture that another thread began. Returns the previous mode for
 * gt_relaxed_leave(). */
CUstreamCaptureMode gt_relaxed_enter(const gt_driver *driver);
void gt_relaxed_leave(const gt_driver *driver, CUstreamCaptureMode mode);

/* A CUDA context. After a reset, the primary context has the same handle but another id. */
typedef struct gt_context {
    CUcontext handle;
    uint64_t id; /* unique among this process's current and former contexts; 0: unknown */
} gt_context;

/* Returns the id of the current context; 0 if there is none or the driver does not report it. */
static inline uint64_t gt_context_id(const gt_driver *driver)
{
    unsigned long long id;
    return driver->CtxGetId && driver->CtxGetId(NULL, &id) == CUDA_SUCCESS ? id + 1 : 0;
}

/* The state that gt_context_leave() restores. */
typedef struct gt_context_visit {
    CUstreamCaptureMode mode;
    bool pushed;
} gt_context_visit;

/* Makes `context` current, pushing it if another one is current, and enters relaxed capture mode.
 * ECUDA if the context was destroyed or reset; then do not call gt_context_leave(). */
gputune_status gt_context_enter(gt_context_visit *out, const gt_driver *driver,
                                const gt_context *context);
void gt_context_leave(const gt_context_visit *visit, const gt_driver *driver);

/* Gets the current context. EINVAL if there is none, ECUDA if it was destroyed. */
gputune_status gt_context_current(gt_context *out, const gt_driver *driver);
