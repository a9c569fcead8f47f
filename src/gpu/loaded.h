/* The code of one launch in one context, and the instances of it that streams and graphs use. For
 * launcher.c only. The context must be current, and the thread in relaxed capture mode. */
#pragma once

#include "base/device.h"
#include "base/launch.h"
#include "gpu/driver.h"
#include "gpu/module.h"

#include <stdatomic.h>

enum { GT_LOADED_ATTRIBUTES = 6 };

/* Objects that only one stream at a time may use: a module with its own __constant__ symbols, the
 * device buffers of blocks, scratch buffers by parameter, and arrays with their textures. */
typedef struct gt_instance {
    CUmodule module;
    CUfunction functions[GT_STEPS_MAX]; /* the functions of the launch's kernels, in order */
    CUdeviceptr blocks[GT_BLOCK_MAX];   /* device address of the copied part of each block, which is
                                           a symbol, or a buffer if the block is passed as `global`;
                                           0: nothing is copied */
    unsigned owned_blocks;              /* bit i is set if the instance owns the buffer blocks[i] */
    CUdeviceptr scratch[GT_PARAMETER_MAX];
    uint8_t scratch_log2[GT_PARAMETER_MAX]; /* scratch[i] has at least 2^scratch_log2[i] bytes */
    uint64_t sizes_id; /* gt_launch_sizes.id of the latest launch; 0: the launch's own sizes */
    CUarray arrays[GT_TEXTURE_MAX]; /* the array of each texture; NULL: the texture reads a
                                       buffer */
    CUtexObject textures[GT_TEXTURE_MAX];
    uint32_t guard_bytes; /* size of the guards before and after each scratch buffer */
    bool owns_module;
} gt_instance;

/* One kernel of the launch. Its function is in the instance. */
typedef struct gt_loaded_kernel {
    const char *symbol; /* the kernel's name in the image; the module owns it */
    CUlaunchAttribute attributes[GT_LOADED_ATTRIBUTES];
    CUlaunchConfig config; /* all but the stream and the address of the level-2 window */
} gt_loaded_kernel;

/* A direct launch reads only the members from the end of `only` to the beginning of `base`. */
typedef struct gt_loaded_launch {
    gt_loaded_kernel only; /* the kernel of the launch, if there is only one */
    const gt_driver *driver;
    bool is_direct; /* true if the caller's arguments are the kernel's parameters, unchanged */
    /* true if each stream needs an instance: for blocks, scratch memory, arrays */
    bool needs_state;
    /* true if each instance needs its own module, for `constant` or `split` blocks */
    bool needs_module;
    bool has_l2;      /* gt_l2_attach() was called */
    gt_instance base; /* the first module and its functions; no other member is used */
    gt_context context;
    const gt_device *device;   /* the caller's */
    gt_launch_view launch;     /* a view with the caller's arrays */
    gt_module *module;         /* a reference, which the launcher drops */
    gt_image image;            /* a copy of the image, if needs_module */
    gt_loaded_kernel *kernels; /* the kernels by step: &only, or an array */
    size_t slot_bytes;         /* staging memory of one launch; 0: it copies no block */
    atomic_bool base_taken;    /* true if an instance has taken the module of `base` */
    uint32_t guard_bytes;      /* size of the guards in new instances */
} gt_loaded_launch;

/* Loads the image, or uses `module` if it is not NULL and can be shared, and checks that the
 * kernels fit the device. The caller has set driver, context, device and launch. Call
 * gt_loaded_free() even after a failure. */
gputune_status gt_loaded_make(gt_loaded_launch *loaded, const gt_image *image, gt_module *module);
/* Releases everything but `module`. `alive`: the context exists and is current. */
void gt_loaded_free(gt_loaded_launch *loaded, bool alive);

/* Checks that the launch's context is current. ECUDA if not. */
gputune_status gt_loaded_check_context(const gt_loaded_launch *loaded);
/* Returns EINVAL if a kernel has more parameters than the launch gives. */
gputune_status gt_loaded_check_count(const gt_loaded_launch *loaded);
/* Sets *out to the occupancy of the first kernel (resident warps over the maximum). */
gputune_status gt_loaded_occupancy(double *out, const gt_loaded_launch *loaded);
/* Makes a texture object that reads `array`, or the buffer at `address` if `array` is NULL. */
gputune_status gt_loaded_texture(CUtexObject *out, const gt_loaded_launch *loaded,
                                 const gt_texture *texture, CUdeviceptr address, CUarray array);

/* Makes an instance: its own module if it needs one, buffers, scratch and arrays. `sizes` may be
 * NULL. */
gputune_status gt_instance_make(gt_instance *out, gt_loaded_launch *loaded,
                                const gt_launch_sizes *sizes);
/* Prepares an instance for a launch at other sizes than its latest launch. If its scratch memory is
 * too small, waits for `last` (NULL: nothing uses the instance) and makes the instance again.
 * Otherwise zeroes on the stream the scratch memory that is zeroed before the first launch. */
gputune_status gt_instance_resize(gt_instance *instance, gt_loaded_launch *loaded,
                                  const gt_launch_sizes *sizes, CUstream stream, CUevent last);
void gt_instance_free(gt_instance *instance, const gt_driver *driver);

/* Returns the size of a block's staging memory: `bytes`, rounded up to 256. */
static inline size_t gt_staged_bytes(uint32_t bytes)
{
    return ((size_t)bytes + 255) & ~(size_t)255;
}
