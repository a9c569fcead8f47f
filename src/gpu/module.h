/* Loads images and kernel functions. Maps device memory at two addresses. */
#pragma once

#include "base/array.h"
#include "base/launch.h"
#include "gpu/driver.h"

#include <stdatomic.h>

/* Loads a cubin or NUL-terminated PTX into the current context. If assembling PTX fails, the
 * message contains the first error line. */
gputune_status gt_image_load(CUmodule *out, const gt_driver *driver, const gt_image *image);

/* Gets a function and loads its code now. Lazy loading would do that at the first launch. */
gputune_status gt_function_load(CUfunction *out, const gt_driver *driver, CUmodule module,
                                const char *name);

/* An image that is loaded in one context, with a reference count. Launchers share a module unless
 * each needs its own __constant__ symbols. Those that share it must be loaded one at a time. */
typedef struct gt_module {
    const gt_driver *driver;
    gt_context context;
    CUmodule handle; /* NULL if each launcher has its own module */
    atomic_uint holders;
} gt_module;
/* Makes a module with one reference and no handle. ENOMEM. */
gputune_status gt_module_make(gt_module **out, const gt_driver *driver, const gt_context *context);
gt_module *gt_module_retain(gt_module *module);
/* Drops a reference; the last reference unloads the module. Works in any context and thread. */
void gt_module_release(gt_module *module);
/* Like gt_module_release(), but does not enter the context. `alive`: the module's context exists
 * and is current. NULL is allowed. */
void gt_module_drop(gt_module *module, bool alive);

typedef struct gt_view {
    CUdeviceptr own;     /* writable address */
    CUdeviceptr address; /* read-only address of the same memory */
    size_t bytes;        /* bytes mapped at each address; 0 with the emulator */
    CUmemGenericAllocationHandle memory;
} gt_view;

/* Allocates at least `bytes` > 0 bytes in the current context, which belongs to device `ordinal`.
 * Maps them at a writable and at a read-only address, both multiples of 64 KiB. Returns false if
 * such mappings are not supported or memory runs out; the caller then uses ordinary memory. */
bool gt_view_take(gt_view *out, const gt_driver *driver, int ordinal, uint64_t bytes);
/* Unmaps and frees the memory, in the context that allocated it. All work on it must have ended. */
void gt_view_free(const gt_view *view, const gt_driver *driver);
