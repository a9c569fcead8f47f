/* Loads an image and launches its kernels. Only this module implements parameter passing, clusters,
 * carveouts and dynamic shared memory; the host process and the worker both use it. */
#pragma once

#include "base/device.h"
#include "base/launch.h"
#include "gpu/driver.h"
#include "gpu/module.h"

/* A variant, loaded in the context that was current at load. Several threads may launch it, on
 * several streams.
 *
 * A kernel without pass copies, scratch memory and clears is launched without a lock. A kernel with
 * them has an instance (buffers, and a module if a block is passed as `constant` or `split`) for
 * each of up to GT_LAUNCHER_STREAMS streams; further streams take turns, and events keep their
 * order. A captured launch uses memory that belongs to the graph, and every replay uses the block's
 * bytes at the time of capture. A graph may outlive the launcher. */
typedef struct gt_launcher gt_launcher;

enum { GT_LAUNCHER_STREAMS = 8 };

/* Loads the image and sets the functions' attributes. The code is on the device when this returns.
 * `module` was loaded from the same image in the current context, so the image need not be loaded
 * again; it may be NULL. The image is copied if it is needed later; the device and the arrays of
 * the launch must outlive the launcher. Does not read the caller's buffers. ECUDA if the
 * driver refuses the image, the shared memory, or a cluster that does not fit; the message says
 * which. EINVAL for a grid that is not a multiple of its cluster, for parameters that differ from
 * the kernel's, and without a current context. */
gputune_status gt_launcher_load_view(gt_launcher **out, const gt_driver *driver,
                                     const gt_device *device, const gt_image *image,
                                     gt_module *module, const gt_launch_view *launch);
/* Loads a gt_launch, which must outlive the launcher. */
gputune_status gt_launcher_load(gt_launcher **out, const gt_driver *driver, const gt_device *device,
                                const gt_image *image, gt_module *module, const gt_launch *launch);
/* Returns the module, for another launcher of the same image; NULL if it cannot be shared. */
gt_module *gt_launcher_module(const gt_launcher *launcher);
/* Returns EINVAL if a kernel has more parameters than the launch gives. Use this only for code that
 * was never verified: it asks the driver for one parameter too many, and tools report that failed
 * call as a mistake of the application. */
gputune_status gt_launcher_check_count(const gt_launcher *launcher);
/* Waits for the launches that use the launcher's memory or module, then releases the launcher.
 * Works in any context and thread. NULL is allowed. */
void gt_launcher_free(gt_launcher *launcher);

/* Launches on `stream`. `arguments` are as in gputune_args: launch.argument_count pointers in the
 * caller's order, blocks first. Their values are not checked. ECAPTURE if a capture makes the
 * launch impossible, before the stream is touched; ECUDA if the launcher's context is not
 * current. */
gputune_status gt_launcher_launch(gt_launcher *launcher, CUstream stream,
                                  const void *const *arguments);

/* Launches like gt_launcher_launch(), but at other sizes, or at the launch's own sizes if `sizes`
 * is NULL. The launch must have no sequence, blocks, tensor maps, textures or window of level-2
 * cache. A stream's scratch memory grows as needed; the call then waits until this launcher's
 * launches on the stream have ended. */
gputune_status gt_launcher_launch_at(gt_launcher *launcher, const gt_launch_sizes *sizes,
                                     CUstream stream, const void *const *arguments);

/* Launches without copying the pass blocks, to time the kernels only: the kernels read the blocks
 * that the last gt_launcher_launch() on this stream copied. Returns EINVAL without such a launch; a
 * captured launch does not count. If the stream is being captured, the launch uses the stream's own
 * instance, so the graph must be replayed on that stream, by one thread. Without pass copies and
 * scratch memory this is the same as gt_launcher_launch(). */
gputune_status gt_launcher_repeat(gt_launcher *launcher, CUstream stream,
                                  const void *const *arguments);

/* Call this before a sample if several variants with an l2_persist axis are compared. Sets aside
 * exactly as much level-2 cache as this variant requests, and resets the lines that persist. Call
 * it in the launcher's context, which must not be a context that others use. Does nothing for other
 * kernels. */
gputune_status gt_launcher_prepare(gt_launcher *launcher);

/* Puts guards of `bytes` bytes (a multiple of 256) around scratch buffers of later launches. */
void gt_launcher_guard(gt_launcher *launcher, uint32_t bytes);

/* Sets *out to the address of the scratch buffer that launches on this stream use for a parameter,
 * and makes the buffer if needed. A test can then see whether a kernel relies on the contents of
 * its scratch memory, or writes outside it. Sets *out to 0 if the parameter is not scratch memory.
 * ECAPTURE during a capture. */
gputune_status gt_launcher_scratch(CUdeviceptr *out, gt_launcher *launcher, CUstream stream,
                                   uint32_t parameter);

/* Sets *out to the address of a variable of the launcher's module, and *bytes to its size; both are
 * 0 if no variable has that name. */
gputune_status gt_launcher_variable(CUdeviceptr *out, size_t *bytes, gt_launcher *launcher,
                                    const char *name);

/* Sets *out to the occupancy (resident warps over the multiprocessor's maximum) for the first
 * kernel's block, cluster and shared memory. Call it in the launcher's context. */
gputune_status gt_launcher_occupancy(double *out, const gt_launcher *launcher);

/* A kernel, for a caller that launches it itself. */
typedef struct gt_function_facts {
    CUfunction function; /* a function whose attributes are set; lives as long as the launcher */
    const char *symbol;  /* the kernel's name in the image */
    int carveout_percent;
} gt_function_facts;
/* Sets *out to the facts of step `index` of a pipeline; a single kernel has index 0. ECUDA unless
 * the launcher's context is current. */
gputune_status gt_launcher_function(gt_function_facts *out, const gt_launcher *launcher,
                                    uint32_t index);

/* Returns the carveout in percent that makes the driver choose `kb` of a multiprocessor's `max_kb`.
 * Rounds down, because the driver takes the next larger size that the architecture has. */
int gt_carveout_percent(int kb, int max_kb);
