/* Loads an image and launches its kernels, in the host process and in the worker. Only this module
 * implements parameter passing, clusters, carveouts and dynamic shared memory. */
#pragma once

#include "base/device.h"
#include "base/launch.h"
#include "gpu/driver.h"
#include "gpu/module.h"

/* A variant, loaded in the context that was current at load. Several threads may launch it, on
 * several streams. If a launch copies parameter blocks or uses scratch memory, each of up to
 * GT_LAUNCHER_STREAMS streams has an instance with its own buffers. The instance also has its own
 * module if a block is passed as `constant` or `split`. Further streams share these instances in
 * the order of their launches. Other launches take a lock only for clears and textures. A captured
 * launch uses memory that belongs to the graph; every replay reads the contents that the parameter
 * blocks had at the capture. A graph may outlive the launcher. */
typedef struct gt_launcher gt_launcher;

enum { GT_LAUNCHER_STREAMS = 8 };

/* Loads the image and sets the functions' attributes. The code is on the device when this returns.
 * `module` (may be NULL), loaded from the same image in the current context, is shared if possible.
 * The image is copied if it is needed later. The device and the arrays of the launch must outlive
 * the launcher. Does not read the caller's buffers. ECUDA if the driver refuses the image, the
 * shared memory or the cluster; the message names the cause. EINVAL if a grid is not a multiple of
 * its cluster, if the parameters differ from the kernel's, or if there is no current context. */
gputune_status gt_launcher_load_view(gt_launcher **out, const gt_driver *driver,
                                     const gt_device *device, const gt_image *image,
                                     gt_module *module, const gt_launch_view *launch);
/* Loads a gt_launch, which must outlive the launcher. */
gputune_status gt_launcher_load(gt_launcher **out, const gt_driver *driver, const gt_device *device,
                                const gt_image *image, gt_module *module, const gt_launch *launch);
/* Returns the module for other launchers of the same image, or NULL if it cannot be shared. */
gt_module *gt_launcher_module(const gt_launcher *launcher);
/* Returns EINVAL if a kernel has more parameters than the launch. Use this only for unverified
 * code: the check asks the driver for one parameter too many, and tools report that failed call as
 * an error of the application. */
gputune_status gt_launcher_check_count(const gt_launcher *launcher);
/* Waits for launches that use the launcher's memory or module, then frees the launcher. Works in
 * any context and thread. NULL is allowed. */
void gt_launcher_free(gt_launcher *launcher);

/* Launches on `stream`. `arguments` are as in gputune_args: launch.argument_count pointers in the
 * caller's order, blocks first. The values are not checked. ECAPTURE if a capture makes the launch
 * impossible; the stream is then unchanged. ECUDA if the launcher's context is not current. */
gputune_status gt_launcher_launch(gt_launcher *launcher, CUstream stream,
                                  const void *const *arguments);

/* Like gt_launcher_launch(), but at other sizes (NULL: the launch's own sizes). The launch must
 * have no sequence, blocks, tensor maps, textures or level-2 window. Scratch memory grows as
 * needed; before that, this call waits for the launcher's launches on the stream. */
gputune_status gt_launcher_launch_at(gt_launcher *launcher, const gt_launch_sizes *sizes,
                                     CUstream stream, const void *const *arguments);

/* Launches without copying the parameter blocks, to time only the kernels. The kernels read the
 * blocks that the last gt_launcher_launch() on this stream copied. EINVAL without such a launch;
 * captured launches do not count. If this call is captured, the graph uses the stream's own
 * instance, so only one thread may replay it, and only on that stream. Without copied blocks and
 * scratch memory, this equals gt_launcher_launch(). */
gputune_status gt_launcher_repeat(gt_launcher *launcher, CUstream stream,
                                  const void *const *arguments);

/* Sets aside as much level-2 cache as this variant requests, and resets persisting cache lines. To
 * compare variants with an l2_persist axis, call this before each sample, in the launcher's
 * context, which must not be shared. Does nothing for other kernels. */
gputune_status gt_launcher_prepare(gt_launcher *launcher);

/* Surrounds scratch buffers of later launches with guard zones of `bytes`, a multiple of 256. */
void gt_launcher_guard(gt_launcher *launcher, uint32_t bytes);

/* Gets the address of the scratch buffer that this stream's launches use for a parameter; makes the
 * buffer if needed. With it, a test can detect whether a kernel relies on the contents of scratch
 * memory or writes outside it. *out is 0 if the parameter is not scratch memory. ECAPTURE during a
 * capture. */
gputune_status gt_launcher_scratch(CUdeviceptr *out, gt_launcher *launcher, CUstream stream,
                                   uint32_t parameter);

/* Gets the address and size of a variable in the launcher's module; both are 0 if there is none. */
gputune_status gt_launcher_variable(CUdeviceptr *out, size_t *bytes, gt_launcher *launcher,
                                    const char *name);

/* Sets *out to the occupancy of the first kernel: resident warps divided by the multiprocessor's
 * maximum. Call this in the launcher's context. */
gputune_status gt_launcher_occupancy(double *out, const gt_launcher *launcher);

/* A kernel, for callers that launch it themselves. */
typedef struct gt_function_facts {
    CUfunction function; /* function with its attributes set; valid until the launcher is freed */
    const char *symbol;  /* the kernel's name in the image */
    int carveout_percent;
} gt_function_facts;
/* Gets the kernel of step `index` of a pipeline (0 for a single kernel). ECUDA if the launcher's
 * context is not current. */
gputune_status gt_launcher_function(gt_function_facts *out, const gt_launcher *launcher,
                                    uint32_t index);

/* Returns the percentage with which the driver chooses a carveout of `kb` from `max_kb` per
 * multiprocessor. Rounds down, because the driver rounds up to a supported size. */
int gt_carveout_percent(int kb, int max_kb);
