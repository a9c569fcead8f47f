/* Loading an image and launching it: parameter passing, cluster, carveout and dynamic shared memory
 * in one place for host and worker. */
#ifndef GT_GPU_LAUNCHER_H
#define GT_GPU_LAUNCHER_H

#include "base/device.h"
#include "base/launch.h"
#include "gpu/driver.h"

/* One variant loaded in the context that was current at load. Launches are thread-safe; a plan is
 * launched from several threads and on several streams at once (DESIGN.md "Passing parameters
 * safely"): for `constant` and `split` one module instance a stream up to GT_LAUNCHER_STREAMS, then
 * an event serialises; `global` and scratch likewise; copy, launch and event record are one
 * critical section; a staging slot is reused only after its event; stream capture as described
 * there. */
typedef struct gt_launcher gt_launcher;

enum { GT_LAUNCHER_STREAMS = 8 };

/* Loads the image and sets the function's attributes. Reads no user pointer. ECUDA when the driver
 * refuses (image, shared memory, cluster size that occupancy forbids: the message says which). The
 * image and launch are copied. */
gputune_status gt_launcher_load(gt_launcher **out, const gt_driver *driver, const gt_device *device,
                                const gt_image *image, const gt_launch *launch);
/* Another launch (problem size) of the image that `parent` has loaded, without loading it again:
 * the measure worker verifies each variant at two sizes, and a load costs as much as a
 * verification. The parent must outlive it. ECUDA as gt_launcher_load(). */
gputune_status gt_launcher_share(gt_launcher **out, gt_launcher *parent, const gt_launch *launch);
/* Waits for launches that use what it owns. Works from any context and thread. */
void gt_launcher_free(gt_launcher *launcher);

/* Launches on `stream`. `arguments` as in gputune_args: launch.argument_count pointers, in the
 * caller's order, block first where there is one. No checks of values here. ECAPTURE where a
 * capture makes it impossible, before the stream is touched. */
gputune_status gt_launcher_launch(gt_launcher *launcher, CUstream stream,
                                  const void *const *arguments);

/* The same without copying the pass block: the kernel reads what the last launch on this stream
 * copied, so that a capture of it times the kernel (with its clears) alone. Where nothing is copied
 * it is gt_launcher_launch(). */
gputune_status gt_launcher_launch_bare(gt_launcher *launcher, CUstream stream,
                                       const void *const *arguments);

/* What the driver says of the function: registers, local, shared; and occupancy as resident warps
 * over the SM's maximum at the launch's block and shared memory. */
gputune_status gt_launcher_resources(gt_launcher *launcher, gt_resources *out, double *occupancy);

/* Loads an image and fetches plain functions from it, for service and reference kernels. */
typedef struct gt_module gt_module;
gputune_status gt_module_load(gt_module **out, const gt_driver *driver, const gt_image *image);
gputune_status gt_module_function(CUfunction *out, gt_module *module, const char *name);
void gt_module_free(gt_module *module);

#endif
