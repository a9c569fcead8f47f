/* The CUDA driver as a function table, from libcuda.so.1 or the emulator, by dlopen. */
#pragma once

#include "base/status.h"
#include "gpu/abi.h"

/* One opened driver; every member is a driver entry point of that name without "cu"
 * (abi_functions.h lists them), NULL for optional ones that this driver lacks. Process-wide and
 * never closed: drivers cannot be unloaded safely. Thread-safe. Tests may fill one by hand. */
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
    char name[256]; /* what it was opened as: "cuda", "emu:h200", a path */
    void *handle;   /* dlopen's */
} gt_driver;

/* Opens (once per process and name) "cuda", "emu[:PROFILE]" or a library's path; NULL:
 * GPUTUNE_DRIVER, else "cuda". Calls cuInit. The emulator's library is searched in
 * GPUTUNE_EMULATOR (a file or folder), beside this library or program, ../lib, the compiled-in
 * prefix. ENODRIVER says what was searched, and names the stub, a driver older than 12.0, or no
 * device; EINVAL an unknown name or profile. */
gputune_status gt_driver_open(const gt_driver **out, const char *name);
/* Whether that driver exists, and its version (13000 for 13.0). The driver is not started, because
 * cuInit takes a tenth of a second. Errors as above, except those that cuInit finds. */
gputune_status gt_driver_probe(int *version, const char *name);

/* Turns a CUresult into a status: OK for 0, else records "CALL: NAME (code): text". Out of memory
 * is EDEVMEM, the fatal codes ECRASHED (gt_cuda_fatal), else ECUDA. */
gputune_status gt_cuda_check(const gt_driver *driver, CUresult result, const char *call);
/* Whether the code means that this process (or its context) is lost: 226, 700, 702, 710, 714-719,
 * 721, 911 (CUDA 13.0's cuda.h, "must be terminated and relaunched"). */
bool gt_cuda_fatal(CUresult result);

/* GT_CUDA(driver, MemAlloc, &pointer, bytes): calls driver->MemAlloc and returns on failure. */
#define GT_CUDA(driver, function, ...)                                                             \
    GT_TRY(gt_cuda_check(driver, (driver)->function(__VA_ARGS__), "cu" #function))

/* The library's calls must not disturb a capture that another thread has begun. Between enter and
 * leave this thread is in relaxed capture mode. gt_relaxed_enter() returns the mode that
 * gt_relaxed_leave() restores. */
CUstreamCaptureMode gt_relaxed_enter(const gt_driver *driver);
void gt_relaxed_leave(const gt_driver *driver, CUstreamCaptureMode mode);
