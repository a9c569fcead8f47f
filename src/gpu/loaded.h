/* The code of one launch in one context, and its instances for streams and graphs. Used only by
 * launcher.c. All functions need this context to be current and the capture mode to be relaxed. */
#pragma once

#include "base/device.h"
#include "base/launch.h"
#include "gpu/driver.h"
#include "gpu/module.h"

#include <stdatomic.h>

enum { GT_LOADED_ATTRIBUTES = 6 };

/* Objects that only one stream at a time may use: a module with its own __constant__ symbols,
 * device buffers for blocks, scratch buffers for parameters, and arrays with their textures. */
typedef struct gt_instance {
    CUmodule module;
    CUfunction functions[GT_STEPS_MAX]; /* functions of the launch's kernels, in order */
    CUdeviceptr blocks[GT_BLOCK_MAX];   /* addresses of the blocks' copied parts; 0: not copied */
    unsigned owned_blocks;              /* bit i: the instance owns the buffer blocks[i] */
    CUdeviceptr scratch[GT_PARAMETER_MAX];
    uint8_t scratch_log2[GT_PARAMETER_MAX]; /* scratch[i] has at least 2^scratch_log2[i] bytes */
    uint64_t sizes_id; /* gt_launch_sizes.id of the latest launch; 0: the launch's own sizes */
    CUarray arrays[GT_TEXTURE_MAX]; /* NULL if the texture reads a buffer */
    CUtexObject textures[GT_TEXTURE_MAX];
    uint32_t guard_bytes; /* size of the guard zones around scratch buffers */
    bool owns_module;
} gt_instance;

/* A kernel of the launch. Its function is in the instance. */
typedef struct gt_loaded_kernel {
    char *symbol; /* name of the kernel in the image; owned */
    CUlaunchAttribute attributes[GT_LOADED_ATTRIBUTES];
    CUlaunchConfig config; /* launch configuration without the stream and the L2 window's address */
} gt_loaded_kernel;

/* A direct launch reads only adjacent members, from only.config to base.functions. */
typedef struct gt_loaded_launch {
    gt_loaded_kernel only; /* the kernel, if the launch has only one */
    const gt_driver *driver;
    bool is_direct; /* true if the caller's arguments are the kernel's parameters */
    /* true if each stream needs an instance, for blocks, scratch memory or arrays */
    bool needs_state;
    /* true if each instance needs its own module, for `constant` or `split` blocks */
    bool needs_module;
    bool has_l2;      /* true after gt_l2_attach() */
    gt_instance base; /* the first module and its functions; other members are unused */
    gt_context context;
    const gt_device *device;   /* the caller's */
    gt_launch_view launch;     /* points to the caller's arrays */
    gt_module *module;         /* a counted reference, which the launcher releases */
    gt_image image;            /* a copy of the image, if needs_module is true */
    gt_loaded_kernel *kernels; /* the kernels, one per step: &only or an array */
    size_t slot_bytes;         /* bytes of staging memory per launch; 0: no blocks are copied */
    atomic_bool base_taken;    /* true if an instance has taken the module of `base` */
    uint32_t guard_bytes;      /* size of the guard zones in new instances */
} gt_loaded_launch;

/* Loads the image, or shares `module` (may be NULL) if possible. Checks that the kernels fit the
 * device. The caller has set driver, context, device and launch. Call gt_loaded_free() even after a
 * failure. */
gputune_status gt_loaded_make(gt_loaded_launch *loaded, const gt_image *image, gt_module *module);
/* Frees everything except `module`. `alive`: the context exists and is current. */
void gt_loaded_free(gt_loaded_launch *loaded, bool alive);

/* Returns ECUDA if the launch's context is not current. */
gputune_status gt_loaded_check_context(const gt_loaded_launch *loaded);
/* Returns EINVAL if a kernel has more parameters than the launch. */
gputune_status gt_loaded_check_count(const gt_loaded_launch *loaded);
/* Sets *out to the occupancy of the first kernel (resident warps divided by the maximum). */
gputune_status gt_loaded_occupancy(double *out, const gt_loaded_launch *loaded);
/* Makes a texture object that reads `array`, or the buffer at `address` if `array` is NULL. */
gputune_status gt_loaded_texture(CUtexObject *out, const gt_loaded_launch *loaded,
                                 const gt_texture *texture, CUdeviceptr address, CUarray array);

/* Makes an instance. `sizes` may be NULL. */
gputune_status gt_instance_make(gt_instance *out, gt_loaded_launch *loaded,
                                const gt_launch_sizes *sizes);
/* Prepares an instance for a launch at other sizes. If its scratch memory is too small, waits for
 * the event `last` (may be NULL) and makes the instance again. Otherwise queues the zeroing of all
 * GT_SCRATCH_ZERO buffers on the stream. */
gputune_status gt_instance_resize(gt_instance *instance, gt_loaded_launch *loaded,
                                  const gt_launch_sizes *sizes, CUstream stream, CUevent last);
void gt_instance_free(gt_instance *instance, const gt_driver *driver);

/* Returns the size of a block in staging memory: `bytes` rounded up to a multiple of 256. */
static inline size_t gt_staged_bytes(uint32_t bytes)
{
    return ((size_t)bytes + 255) & ~(size_t)255;
}
