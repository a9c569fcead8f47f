/* The CUDA driver as a function table, from libcuda.so.1 or the emulator, by dlopen. */
#ifndef GT_GPU_DRIVER_H
#define GT_GPU_DRIVER_H

#include "base/status.h"
#include "gpu/abi.h"

/* One opened driver; every member is a driver entry point of that name without "cu" (see abi.h's
 * list), NULL for optional ones that this driver lacks. Process-wide and never closed: drivers
 * cannot be unloaded safely. Thread-safe. */
typedef struct gt_driver gt_driver;

/* Opens (once per process and name) "cuda", "emu[:PROFILE]" or a library's path; NULL:
 * GPUTUNE_DRIVER, else "cuda". Calls cuInit. ENODRIVER says what was searched, and names the stub,
 * a driver older than 12.0, or no device. */
gputune_status gt_driver_open(const gt_driver **out, const char *name);

/* Turns a CUresult into a status: OK for 0, else records "CALL: NAME (code): text". Out of memory
 * is EDEVMEM, the fatal codes ECRASHED (FACTS: 226, 700, 702, 710, 714-719, 721, 911), else ECUDA.
 */
gputune_status gt_cuda_check(const gt_driver *driver, CUresult result, const char *call);
/* Whether the code means that this process (or its context) is lost. */
bool gt_cuda_fatal(CUresult result);

/* GT_CUDA(driver, MemAlloc, &pointer, bytes): calls driver->MemAlloc and returns on failure. */
#define GT_CUDA(driver, function, ...)                                                             \
    GT_TRY(gt_cuda_check(driver, (driver)->function(__VA_ARGS__), "cu" #function))

#endif
