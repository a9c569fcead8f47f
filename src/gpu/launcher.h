/* Loading an image and launching it: parameter passing, cluster, carveout and dynamic shared memory
 * in one place for host and worker. */
#pragma once

#include "base/device.h"
#include "base/launch.h"
#include "gpu/driver.h"

/* One variant loaded in the context that was current at load. Launches are thread-safe; a plan is
 * launched from several threads and on several streams at once.
 *
 * A kernel without pass copy, scratch and clear is launched without any lock. `constant` and
 * `split` have one module instance for each of up to GT_LAUNCHER_STREAMS streams; further streams
 * take turns, in an order that events keep. `global` and scratch have device buffers in the same
 * way. Clears, copy, launch and event record are one critical section, and a staging slot is reused
 * only after its event. In a captured launch, instance, buffers and staging memory belong to the
 * graph, and every replay uses the block's bytes of the time of capture. A graph holds what its
 * launches use, the module too, and may outlive the launcher; but not one that shares another's
 * module (gt_launcher_share()). */
typedef struct gt_launcher gt_launcher;

enum { GT_LAUNCHER_STREAMS = 8 };

/* Loads the image and sets the function's attributes; the code is on the device when this returns.
 * Reads no user pointer. ECUDA when the driver refuses (image, shared memory, cluster size that
 * occupancy forbids: the message says which), EINVAL for a launch that contradicts itself or the
 * kernel's parameters, or without a current context. The image is copied; the launch must outlive
 * the launcher. */
gputune_status gt_launcher_load(gt_launcher **out, const gt_driver *driver, const gt_device *device,
                                const gt_image *image, const gt_launch *launch);
/* Another launch (problem size) of the image that `parent` has loaded, as a rule without loading it
 * again: the measure worker verifies each variant at two sizes, and a load costs as much as a
 * verification. The parent must outlive it. Fails as gt_launcher_load() does. */
gputune_status gt_launcher_share(gt_launcher **out, gt_launcher *parent, const gt_launch *launch);
/* Waits for launches that use what it owns. Works from any context and thread. NULL is allowed. */
void gt_launcher_free(gt_launcher *launcher);

/* Launches on `stream`. `arguments` as in gputune_args: launch.argument_count pointers, in the
 * caller's order, block first where there is one. No checks of values here. ECAPTURE where a
 * capture makes it impossible, before the stream is touched; ECUDA when another context than the
 * launcher's is current. */
gputune_status gt_launcher_launch(gt_launcher *launcher, CUstream stream,
                                  const void *const *arguments);

/* The same without copying the pass block: the kernel sees the one that the last
 * gt_launcher_launch() on this stream copied (a captured launch leaves none). EINVAL when there was
 * none. For timing kernels alone: what is captured by it uses the stream's own instance, so the
 * graph must be replayed on that stream, by one thread; scratch memory is that of the launches
 * outside the graph. The same as gt_launcher_launch() for kernels without pass copies and scratch.
 */
gputune_status gt_launcher_repeat(gt_launcher *launcher, CUstream stream,
                                  const void *const *arguments);

/* Before a sample of one of several variants with an l2_persist axis: sets aside exactly what this
 * one asks for, and forgets the lines that persist. Not for contexts that others use; in the
 * launcher's context. Nothing for other kernels. */
gputune_status gt_launcher_prepare(gt_launcher *launcher);

/* From now on scratch memory has so many bytes in front of each buffer and behind it, a multiple of
 * 256. Before the first launch. */
void gt_launcher_guard(gt_launcher *launcher, uint32_t bytes);

/* Fills the scratch memory that launches on this stream use, and its guards, with a byte, behind
 * what is queued there: to see whether a kernel relies on what it finds in it. Nothing for a kernel
 * without. ECAPTURE during a capture. */
gputune_status gt_launcher_poison(gt_launcher *launcher, CUstream stream, uint8_t byte);

/* Where the scratch memory of a parameter is that launches on this stream use, once
 * gt_launcher_poison() has filled it; else 0. */
gputune_status gt_launcher_scratch(CUdeviceptr *out, gt_launcher *launcher, CUstream stream,
                                   uint32_t parameter);

/* Where a variable of the launcher's module is, and its bytes; 0 and 0 without one of that name. */
gputune_status gt_launcher_variable(CUdeviceptr *out, size_t *bytes, gt_launcher *launcher,
                                    const char *name);

/* What the driver says of the function: registers, local, shared, constant bytes (spills 0); and
 * occupancy as resident warps over the SM's maximum at the launch's block, cluster and shared
 * memory. */
gputune_status gt_launcher_resources(gt_launcher *launcher, gt_resources *out, double *occupancy);

/* What others need to launch the kernel themselves. */
typedef struct gt_function_facts {
    CUfunction function; /* its attributes are set; lives as long as the launcher */
    const char *symbol;  /* its name in the image */
    int carveout_percent;
} gt_function_facts;
/* Of a pipeline, the step `index`; of one kernel, index 0. ECUDA unless the launcher's context is
 * current. */
gputune_status gt_launcher_function(gt_function_facts *out, const gt_launcher *launcher,
                                    uint32_t index);

/* The carveout hint in percent that makes the driver choose `kb` of an SM's `max_kb`: it takes the
 * next larger size that the architecture has, so the fraction is rounded down. */
int gt_carveout_percent(int kb, int max_kb);
