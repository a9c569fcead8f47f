/* Loads images and their functions, and maps device memory at two addresses. */
#pragma once

#include "base/array.h"
#include "base/launch.h"
#include "gpu/driver.h"

#include <stdatomic.h>

/* Loads a cubin, or PTX that ends with NUL, into the current context. If PTX cannot be assembled,
 * the message contains the first line of the error. */
gputune_status gt_image_load(CUmodule *out, const gt_driver *driver, const gt_image *image);

/* Finds a function and loads its code now. With lazy loading, the first launch would do so. */
gputune_status gt_function_load(CUfunction *out, const gt_driver *driver, CUmodule module,
                                const char *name);

/* An image that is loaded in a context, with a reference count. Launchers share a module unless
 * each of them needs its own __constant__ symbols. Launchers that share a module must be loaded one
 * at a time. */
typedef struct gt_module {
    const gt_driver *driver;
    gt_context context;
    CUmodule handle; /* the loaded image; NULL if each launcher has its own */
    atomic_uint holders;
} gt_module;
/* Creates a module with one reference and without a handle. May return ENOMEM. */
gputune_status gt_module_make(gt_module **out, const gt_driver *driver, const gt_context *context);
gt_module *gt_module_retain(gt_module *module);
/* Drops a reference. The last one unloads the module. Can be called in any context and thread. */
void gt_module_release(gt_module *module);
/* Like gt_module_release(), but does not change the context. `alive` is true if the context of the
 * module exists and is current. `module` may be NULL. */
void gt_module_drop(gt_module *module, bool alive);

typedef struct gt_view {
    CUdeviceptr own;     /* writable address */
    CUdeviceptr address; /* read-only address of the same memory */
    size_t bytes;        /* number of bytes mapped at each address; 0 with the emulator */
    CUmemGenericAllocationHandle memory;
} gt_view;

/* Allocates `bytes` > 0 bytes or more in the current context, which must be a context of device
 * `ordinal`. The memory is mapped at a writable and at a read-only address; both are multiples of
 * 64 KiB. Returns false if this is not supported or there is not enough memory. */
bool gt_view_take(gt_view *out, const gt_driver *driver, int ordinal, uint64_t bytes);
/* Unmaps and frees the memory in the context that was used to allocate it. The caller makes sure
 * that no kernel uses the memory any more. */
void gt_view_free(const gt_view *view, const gt_driver *driver);
