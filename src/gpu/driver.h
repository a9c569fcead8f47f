/* A function table of the CUDA driver (libcuda.so.1) or the emulator, and CUDA contexts. */
#pragma once

#include "base/status.h"
#include "gpu/abi.h"

/* An opened driver. Its functions are named like the driver's, but without "cu" (abi_functions.h);
 * optional ones may be NULL. All users in the process share the table, which is thread-safe and
 * never closed, because unloading a driver is not safe. A test may fill in its own table. */
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
    bool emulated;  /* EmuProfileName is present */
    bool started;   /* cuInit succeeded */
    char name[256]; /* name or path of the driver, such as "cuda" or "emu:h200" */
    void *handle;
    struct gt_budget *budget; /* limits device memory for users of this copy; NULL: no limit */
} gt_driver;

/* Opens a driver, once per process and name, and calls cuInit. `name` is "cuda", "emu[:PROFILE]" or
 * the path of a library; NULL means GPUTUNE_DRIVER, or "cuda" if that variable is unset. The
 * emulator is searched for in GPUTUNE_EMULATOR (a file or folder), beside this library or program,
 * in ../lib, and in the prefix set at compile time. ENODRIVER if there is no driver 12.0 or newer,
 * or no device; the message gives the reason and lists the searched places. EINVAL for an unknown
 * name or profile. */
gputune_status gt_driver_open(const gt_driver **out, const char *name);
/* Gets the driver's version (13000 for 13.0) without cuInit, which takes a tenth of a second. Fails
 * like gt_driver_open(), except for errors that only cuInit detects. */
gputune_status gt_driver_probe(int *version, const char *name);

/* Converts a CUresult to a status. On failure, sets the message "CALL: NAME (code): text". Out of
 * memory becomes EDEVMEM; a GPU in exclusive use, EBUSY; a lost or faulty GPU, ENODRIVER; a fatal
 * code (gt_cuda_fatal), ECRASHED; any other error, ECUDA. */
gputune_status gt_cuda_check(const gt_driver *driver, CUresult result, const char *call);
/* Returns true if no more CUDA work is possible in this process or context after the error. This
 * holds for the codes after which, as CUDA 13.0's cuda.h states, the process must be "terminated
 * and relaunched", and for 999 (unknown), which may have the same effect. */
bool gt_cuda_fatal(CUresult result);

/* GT_CUDA(driver, MemAlloc, &pointer, bytes) calls driver->MemAlloc and returns if it fails. */
#define GT_CUDA(driver, function, ...)                                                             \
    GT_TRY(gt_cuda_check(driver, (driver)->function(__VA_ARGS__), "cu" #function))

/* gt_relaxed_enter() puts the calling thread into relaxed capture mode, so the library's calls do
 * not disturb another thread's capture. Returns the previous mode for gt_relaxed_leave(). */
CUstreamCaptureMode gt_relaxed_enter(const gt_driver *driver);
void gt_relaxed_leave(const gt_driver *driver, CUstreamCaptureMode mode);

/* A CUDA context. Resetting the primary context changes its id, but not its handle. */
typedef struct gt_context {
    CUcontext handle;
    uint64_t id; /* id that is never reused within the process; 0: unknown */
} gt_context;

/* Returns the current context's id; 0 without a context, or if the driver does not report ids. */
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

/* Makes `context` current, pushing it if necessary, and enters relaxed capture mode. ECUDA if the
 * context was destroyed or reset; then do not call gt_context_leave(). */
gputune_status gt_context_enter(gt_context_visit *out, const gt_driver *driver,
                                const gt_context *context);
void gt_context_leave(const gt_context_visit *visit, const gt_driver *driver);

/* Gets the current context. EINVAL if there is none, ECUDA if the context was destroyed. */
gputune_status gt_context_current(gt_context *out, const gt_driver *driver);
