/* The code of a launch in one context, and its instances for streams and graphs. Only launcher.c
 * uses it. The context must be current and the capture mode relaxed in all functions. */
#pragma once

#include "base/device.h"
#include "base/launch.h"
#include "gpu/driver.h"
#include "gpu/module.h"

#include <stdatomic.h>

enum { GT_LOADED_ATTRIBUTES = 6 };

/* The objects of a launch that only one stream at a time may use: a module with its own
 * __constant__ symbols, buffers for blocks, scratch buffers, and arrays with their textures. */
typedef struct gt_instance {
    CUmodule module;
    CUfunction functions[GT_STEPS_MAX]; /* function of each kernel of the launch */
    CUdeviceptr blocks[GT_BLOCK_MAX];   /* address that each block is copied to; 0 if not copied */
    unsigned owned_blocks;              /* bit i is set if blocks[i] is a buffer of this instance */
    CUdeviceptr scratch[GT_PARAMETER_MAX];
    uint8_t scratch_log2[GT_PARAMETER_MAX]; /* log2 of the size of scratch[i], rounded down */
    uint64_t sizes_id; /* gt_launch_sizes.id of the current sizes; 0: the sizes of gt_launch */
    CUarray arrays[GT_TEXTURE_MAX]; /* the array of each texture; NULL if it reads from a buffer */
    CUtexObject textures[GT_TEXTURE_MAX];
    uint32_t guard_bytes; /* size of each guard zone around the scratch buffers */
    bool owns_module;
} gt_instance;

/* A kernel of the launch. The instances contain its functions. */
typedef struct gt_loaded_kernel {
    char *symbol; /* name of the kernel in the image; owned */
    CUlaunchAttribute attributes[GT_LOADED_ATTRIBUTES];
    CUlaunchConfig config; /* complete, except for the stream and the address of the L2 window */
} gt_loaded_kernel;

/* A direct launch reads only the members from `only.config` to `base.functions`, side by side. */
typedef struct gt_loaded_launch {
    gt_loaded_kernel only; /* the kernel, if the launch has only one */
    const gt_driver *driver;
    bool is_direct; /* true if the arguments can be passed to the kernel unchanged */
    /* true if each stream needs an instance, for blocks, scratch memory or arrays */
    bool needs_state;
    /* true if each instance needs its own module, for `constant` or `split` blocks */
    bool needs_module;
    bool has_l2;          /* true after gt_l2_attach() was called */
    int carveout_percent; /* percentage for the carveout; -1: the driver chooses */
    gt_instance base;     /* only `module` and `functions` are set */
    gt_context context;
    const gt_device *device;   /* the caller's */
    gt_launch_view launch;     /* points to arrays of the caller */
    gt_module *module;         /* the launcher holds one reference */
    gt_image image;            /* a copy of the image if needs_module is true */
    gt_loaded_kernel *kernels; /* one kernel for each step: &only or an array */
    size_t slot_bytes;         /* bytes of staging memory for a launch; 0 if no blocks are copied */
    atomic_bool base_taken;    /* true if an instance already uses the module of `base` */
    uint32_t guard_bytes;      /* size of the guard zones for new instances */
} gt_loaded_launch;

/* Loads the image or shares `module`, which may be NULL, and checks if the kernels can run on the
 * device. The caller must have set driver, context, device and launch. gt_loaded_free() must be
 * called even if this fails. */
gputune_status gt_loaded_make(gt_loaded_launch *loaded, const gt_image *image, gt_module *module);
/* Frees everything except `module`. `alive` is true if the context exists and is current. */
void gt_loaded_free(gt_loaded_launch *loaded, bool alive);

/* Returns ECUDA if the context of the launch is not current. */
gputune_status gt_loaded_check_context(const gt_loaded_launch *loaded);
/* Returns EINVAL if a kernel has more parameters than the launch. */
gputune_status gt_loaded_check_count(const gt_loaded_launch *loaded);
/* Returns the occupancy of the first kernel in *out: resident warps divided by the maximum. */
gputune_status gt_loaded_occupancy(double *out, const gt_loaded_launch *loaded);
/* Creates a texture object for `array`, or for the buffer at `address` if `array` is NULL. */
gputune_status gt_loaded_texture(CUtexObject *out, const gt_loaded_launch *loaded,
                                 const gt_texture *texture, CUdeviceptr address, CUarray array);

/* Makes an instance. `sizes` may be NULL. */
gputune_status gt_instance_make(gt_instance *out, gt_loaded_launch *loaded,
                                const gt_launch_sizes *sizes);
/* Prepares an instance for a launch at other sizes. If the scratch memory is too small, waits for
 * the event `last`, which may be NULL, and creates the instance again. Otherwise, zeroes all
 * GT_SCRATCH_ZERO buffers on the stream. */
gputune_status gt_instance_resize(gt_instance *instance, gt_loaded_launch *loaded,
                                  const gt_launch_sizes *sizes, CUstream stream, CUevent last);
void gt_instance_free(gt_instance *instance, const gt_driver *driver);

/* Returns the size of a block in staging memory, which is rounded up to a multiple of 256. */
static inline size_t gt_staged_bytes(uint32_t bytes)
{
    return ((size_t)bytes + 255) & ~(size_t)255;
}
