/* Loads an image and launches its kernels, both in the host process and in the worker. Only this
 * module passes parameters, and sets clusters, carveouts and dynamic shared memory. */
#pragma once

#include "base/device.h"
#include "base/launch.h"
#include "gpu/driver.h"
#include "gpu/module.h"

/* A variant, loaded in the context that was current when the launcher was created. Several threads
 * may launch it, on several streams. If a launch copies parameter blocks or uses scratch memory,
 * each of up to GT_LAUNCHER_STREAMS streams has an instance with its own buffers, and with its own
 * module if a block is passed as `constant` or `split`. If there are more streams, they share these
 * instances, and their launches wait for each other. Other launches take a lock only for clears and
 * textures. A captured launch uses memory that belongs to the graph: each replay reads the
 * parameter blocks as they were during the capture. A graph may outlive the launcher. */
typedef struct gt_launcher gt_launcher;

enum { GT_LAUNCHER_STREAMS = 8 };

/* Loads the image and sets the attributes of its functions. The code is on the device when this
 * returns. If possible, the launcher shares `module`, which was loaded from the same image in the
 * current context and may be NULL. The image is copied if it is needed later. The device and the
 * arrays of the launch must outlive the launcher. The caller's buffers are not read. ECUDA if the
 * driver rejects the image, the shared memory or the cluster; the message gives the reason. EINVAL
 * if a grid is not a multiple of its cluster, the parameters do not fit, or there is no context. */
gputune_status gt_launcher_load_view(gt_launcher **out, const gt_driver *driver,
                                     const gt_device *device, const gt_image *image,
                                     gt_module *module, const gt_launch_view *launch);
/* Like gt_launcher_load_view(), for a gt_launch that must outlive the launcher. */
gputune_status gt_launcher_load(gt_launcher **out, const gt_driver *driver, const gt_device *device,
                                const gt_image *image, gt_module *module, const gt_launch *launch);
/* Returns a module for other launchers of the image, or NULL if it cannot be shared. */
gt_module *gt_launcher_module(const gt_launcher *launcher);
/* Returns EINVAL if a kernel has more parameters than the launch. The check asks the driver for a
 * parameter that should not exist. Tools report this failed call as an error of the application, so
 * the check should only be used for code that is not verified. */
gputune_status gt_launcher_check_count(const gt_launcher *launcher);
/* Waits for launches that use the memory or the module of the launcher, and frees the launcher. Can
 * be called in any context and thread. `launcher` may be NULL. */
void gt_launcher_free(gt_launcher *launcher);

/* Launches on `stream`. `arguments` are as in gputune_args: launch.argument_count pointers in the
 * caller's order, blocks first. Values are not checked. ECAPTURE if the launch is not possible in a
 * capture; the stream is then unchanged. ECUDA if the launcher's context is not current. */
gputune_status gt_launcher_launch(gt_launcher *launcher, CUstream stream,
                                  const void *const *arguments);

/* Like gt_launcher_launch(), but with other sizes. NULL means the sizes of the launch. The launch
 * must not have a sequence, blocks, textures or a level-2 window. If the scratch
 * memory is too small, this waits for earlier launches on the stream and then allocates more. */
gputune_status gt_launcher_launch_at(gt_launcher *launcher, const gt_launch_sizes *sizes,
                                     CUstream stream, const void *const *arguments);

/* Launches the kernels without copying the parameter blocks, so only the kernels are timed.
 * The kernels read the blocks that the last gt_launcher_launch() on this stream has copied. EINVAL
 * if there was none; captured launches do not count. If this call is captured, the graph uses the
 * instance of the stream. It may then be replayed only on this stream and by one thread. If there
 * are no copied blocks and no scratch memory, this is the same as gt_launcher_launch(). */
gputune_status gt_launcher_repeat(gt_launcher *launcher, CUstream stream,
                                  const void *const *arguments);

/* Sets aside as much level-2 cache as the variant needs, and resets persisting cache lines. Must be
 * called before each sample if variants with different l2_persist values are compared. The context
 * of the launcher must be current, and nothing else may use it. Does nothing if
 * launch.l2.used is false. */
gputune_status gt_launcher_prepare(gt_launcher *launcher);

/* Adds guard zones of `bytes`, a multiple of 256, around the scratch buffers of later launches. */
void gt_launcher_guard(gt_launcher *launcher, uint32_t bytes);

/* Returns the address of the scratch buffer that is used for a parameter in launches on this
 * stream. The buffer is created if necessary. A test can use the address to find out if a kernel
 * depends on the contents of scratch memory, or writes outside of it. *out is 0 if the parameter is
 * not scratch memory. ECAPTURE during a capture. */
gputune_status gt_launcher_scratch(CUdeviceptr *out, gt_launcher *launcher, CUstream stream,
                                   uint32_t parameter);

/* Returns the address and the size of a variable in the module, or 0 for both if there is none. */
gputune_status gt_launcher_variable(CUdeviceptr *out, size_t *bytes, gt_launcher *launcher,
                                    const char *name);

/* Returns the occupancy of the first kernel in *out: the resident warps divided by the maximum per
 * multiprocessor. The context of the launcher must be current. */
gputune_status gt_launcher_occupancy(double *out, const gt_launcher *launcher);

/* A kernel, for callers that launch it without the launcher. */
typedef struct gt_function_facts {
    CUfunction function; /* the function, with its attributes; valid while the launcher exists */
    const char *symbol;  /* name of the kernel in the image */
    int carveout_percent;
} gt_function_facts;
/* Returns the kernel of step `index` of a pipeline, or the only kernel if `index` is 0. ECUDA if
 * the context of the launcher is not current. */
gputune_status gt_launcher_function(gt_function_facts *out, const gt_launcher *launcher,
                                    uint32_t index);

/* Returns the percentage that makes the driver choose a carveout of `kb`, where `max_kb` is the
 * maximum. It is rounded down, because the driver rounds up to the next supported size. Returns -1
 * if `kb` is negative, or if the maximum is not known. */
int gt_carveout_percent(int kb, int max_kb);
