/* Loads an image and launches its kernels. Parameter passing, cluster, carveout and dynamic shared
 * memory are implemented here alone, for the host process and the worker. */
#pragma once

#include "base/device.h"
#include "base/launch.h"
#include "gpu/driver.h"

/* A launcher is one variant, loaded in the context that was current at load. Launches are
 * thread-safe: several threads may launch a plan, on several streams at once.
 *
 * A kernel without pass copy, scratch and clear is launched without any lock. A kernel whose block
 * is passed as `constant` or `split` has one module instance for each of up to GT_LAUNCHER_STREAMS
 * streams; further streams take turns, and events keep their order. Blocks passed as `global` and
 * scratch have device buffers for each stream in the same way. Clears, copy, launch and event
 * record of one launch are one critical section, and a staging slot is reused only after its event.
 * In a captured launch, instance, buffers and staging memory belong to the graph, and every replay
 * uses the block's bytes of the time of capture. A graph holds all that its launches use, the
 * module too, and may outlive the launcher. */
typedef struct gt_launcher gt_launcher;

enum { GT_LAUNCHER_STREAMS = 8 };

/* An image that is loaded in one context, with a count of references. Launchers of one image share
 * it, unless they need a __constant__ symbol of their own. */
typedef struct gt_module gt_module;
gt_module *gt_module_retain(gt_module *module);
/* Drops a reference; the last one unloads the module. Works from any context and thread. */
void gt_module_release(gt_module *module);
/* The context that the module is loaded in. */
const gt_context *gt_module_context(const gt_module *module);

/* Loads the image and sets the function's attributes; the code is on the device when this returns.
 * `module` is one that was loaded from the same image in the current context, so that the image
 * need not be loaded again; NULL: none. One call at a time may use a module. Reads no pointer of
 * the user's. ECUDA when the driver refuses the image, the shared memory, or a cluster size that
 * occupancy forbids; the message says which. EINVAL for a grid that is no multiple of its cluster,
 * for other parameters than the kernel's, and without a current context. The image is copied if it
 * is needed later; the device and the launch, which must be sound, must outlive the launcher. */
gputune_status gt_launcher_load(gt_launcher **out, const gt_driver *driver, const gt_device *device,
                                const gt_image *image, gt_module *module, const gt_launch *launch);
/* The launcher's module, for another launcher of the same image; NULL: it cannot be shared. */
gt_module *gt_launcher_module(const gt_launcher *launcher);
/* EINVAL where a kernel has more parameters than the launch gives. A call of the driver that fails
 * where all is well tells it, which tools report as an application's mistake: only code that was
 * never proved is asked. */
gputune_status gt_launcher_check_count(const gt_launcher *launcher);
/* Waits for the launches that use the launcher's memory or module, then releases the launcher.
 * Works from any context and thread. NULL is allowed. */
void gt_launcher_free(gt_launcher *launcher);

/* Launches on `stream`. `arguments` are as in gputune_args: launch.argument_count pointers, in the
 * caller's order, blocks first where there are some. Their values are not checked. ECAPTURE where a
 * capture makes it impossible, before the stream is touched; ECUDA when another context than the
 * launcher's is current. */
gputune_status gt_launcher_launch(gt_launcher *launcher, CUstream stream,
                                  const void *const *arguments);

/* Launches without copying the pass block: the kernel sees the block that the last
 * gt_launcher_launch() on this stream copied (a captured launch leaves none). EINVAL when there was
 * none. This is for timing kernels alone: a launch that it captures uses the stream's own instance,
 * so the graph must be replayed on that stream, by one thread, and uses the scratch memory of the
 * launches outside the graph. For kernels without pass copies and scratch it does what
 * gt_launcher_launch() does. */
gputune_status gt_launcher_repeat(gt_launcher *launcher, CUstream stream,
                                  const void *const *arguments);

/* Call this before a sample of one of several variants with an l2_persist axis. It sets aside
 * exactly as much of the level-2 cache as this variant asks for, and resets the lines that persist
 * in it. Only in the launcher's context, and not in a context that others use. Does nothing for
 * other kernels. */
gputune_status gt_launcher_prepare(gt_launcher *launcher);

/* Puts guards of `bytes` bytes, a multiple of 256, in front of each scratch buffer and behind it.
 * Call it before the first launch. */
void gt_launcher_guard(gt_launcher *launcher, uint32_t bytes);

/* Sets *out to the address of the scratch buffer that launches on this stream use for a parameter;
 * makes the buffer if no launch has. So a test can see whether a kernel relies on what its scratch
 * memory holds, or writes around it. 0 for a parameter that is no scratch. ECAPTURE during a
 * capture. */
gputune_status gt_launcher_scratch(CUdeviceptr *out, gt_launcher *launcher, CUstream stream,
                                   uint32_t parameter);

/* Sets *out to the address of a variable of the launcher's module, and *bytes to its size; both are
 * 0 if no variable has that name. */
gputune_status gt_launcher_variable(CUdeviceptr *out, size_t *bytes, gt_launcher *launcher,
                                    const char *name);

/* Sets *out to the number of resident warps over the SM's maximum, for the first kernel's block,
 * cluster and shared memory. */
gputune_status gt_launcher_occupancy(double *out, gt_launcher *launcher);

/* The facts with which a caller can launch the kernel by its own code. */
typedef struct gt_function_facts {
    CUfunction function; /* has its attributes set; lives as long as the launcher */
    const char *symbol;  /* its name in the image */
    int carveout_percent;
} gt_function_facts;
/* Sets *out to the facts of step `index` of a pipeline; a single kernel has index 0. ECUDA unless
 * the launcher's context is current. */
gputune_status gt_launcher_function(gt_function_facts *out, const gt_launcher *launcher,
                                    uint32_t index);

/* The carveout hint in percent that makes the driver choose `kb` of an SM's `max_kb`. The driver
 * takes the next larger size that the architecture has, so the percentage is rounded down. */
int gt_carveout_percent(int kb, int max_kb);
