/* The functions of the CUDA driver (libcuda.so.1) or of the emulator, and CUDA contexts. */
#pragma once

#include "base/status.h"
#include "gpu/abi.h"

/* An opened driver. Its members are named like the functions of the driver, but without "cu" (see
 * abi_functions.h). Optional ones may be NULL. It is shared by the whole process, thread-safe, and
 * never closed, because it is not safe to unload a driver. A test may fill in another table. */
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
    struct gt_budget *budget; /* limit for the device memory allocated through this copy, or NULL */
} gt_driver;

/* Opens a driver and calls cuInit, once per process and name. `name` is "cuda", "emu[:PROFILE]" or
 * the path of a library. NULL means the value of GPUTUNE_DRIVER, or "cuda" if it is not set. Looks
 * for the emulator in GPUTUNE_EMULATOR (a file or a folder), next to this library or program, in
 * ../lib, and in the prefix set at compile time. Returns ENODRIVER if there is no device or no
 * driver 12.0 or newer, with a message that explains why and lists the searched places. Returns
 * EINVAL if the name or the profile is unknown. */
gputune_status gt_driver_open(const gt_driver **out, const char *name);
/* Returns the version of the driver (13000 for 13.0) without calling cuInit, which takes a tenth of
 * a second. Returns the same errors as gt_driver_open(), except those of cuInit. */
gputune_status gt_driver_probe(int *version, const char *name);

/* Converts a CUresult to a status. On failure, the message is "CALL: NAME (code): text". The status
 * is EDEVMEM if there is not enough memory, EBUSY if the GPU is in exclusive use, ENODRIVER if the
 * GPU is lost or faulty, ECRASHED if gt_cuda_fatal() is true, and ECUDA otherwise. */
gputune_status gt_cuda_check(const gt_driver *driver, CUresult result, const char *call);
/* Returns true if the process or the context cannot use CUDA any more after this error. These are
 * the errors after which, according to cuda.h, the process must be "terminated and relaunched", and
 * 999 (unknown), which may have the same effect. */
bool gt_cuda_fatal(CUresult result);

/* GT_CUDA(driver, MemAlloc, &pointer, bytes) calls driver->MemAlloc() and returns if it fails. */
#define GT_CUDA(driver, function, ...)                                                             \
    GT_TRY(gt_cuda_check(driver, (driver)->function(__VA_ARGS__), "cu" #function))

/* Sets the capture mode of the calling thread to relaxed, so calls of this library do not disturb a
 * capture in another thread. gt_relaxed_leave() restores the previous mode:
 *
 *     GT_SCOPED(gt_relaxed_leave) gt_relaxed relaxed = gt_relaxed_enter(driver); */
typedef struct gt_relaxed {
    const gt_driver *driver;
    CUstreamCaptureMode mode; /* the previous mode */
} gt_relaxed;
gt_relaxed gt_relaxed_enter(const gt_driver *driver);
void gt_relaxed_leave(const gt_relaxed *relaxed);

/* A CUDA context. If the primary context is reset, its id changes but not its handle. */
typedef struct gt_context {
    CUcontext handle;
    uint64_t id; /* id that is never used again in this process; 0 if unknown */
} gt_context;

/* Returns the id of the current context. Returns 0 if there is none or the driver has no ids. */
static inline uint64_t gt_context_id(const gt_driver *driver)
{
    unsigned long long id;
    return driver->CtxGetId && driver->CtxGetId(NULL, &id) == CUDA_SUCCESS ? id + 1 : 0;
}

/* The values that gt_context_leave() restores. */
typedef struct gt_context_visit {
    gt_relaxed relaxed;
    bool entered, pushed;
} gt_context_visit;

/* Makes a context current and sets the capture mode to relaxed. `entered` is false if the context
 * was destroyed or reset; gt_context_leave() then does nothing. */
gt_context_visit gt_context_enter(const gt_driver *driver, const gt_context *context);
void gt_context_leave(const gt_context_visit *visit);

/* Returns the current context. EINVAL if there is none, ECUDA if it was destroyed. */
gputune_status gt_context_current(gt_context *out, const gt_driver *driver);
