/* Modules: a decoded program with variables of its own, in one context. Libraries: a program that
 * has a module in each context where one of its kernels was needed. */
#ifndef EMU_MODULE_H
#define EMU_MODULE_H

#include "emulator/context.h"
#include "emulator/driver.h"

/* What cuFuncSetAttribute changes. */
typedef struct emu_settings {
    int max_dynamic_bytes; /* -1: what is left of the 48 KB */
    int carveout_percent;  /* -1: the driver's choice */
    int non_portable_cluster;
    int scheduling_policy;
    int required_cluster[3];
} emu_settings;

struct CUfunc_st {
    emu_handle handle;
    CUmodule module;
    const emu_kernel *kernel;
    emu_settings settings;
    unsigned
        own_settings; /* bit CU_FUNC_ATTRIBUTE_*: set for this function, whatever its kernel's */
};

struct CUmod_st {
    emu_handle handle;
    atomic_int references; /* the handle, and each launch in flight or in a graph */
    bool unloaded;         /* by the program; under the lock */
    emu_program *program;  /* the module's, or its library's */
    size_t function_count;
    struct CUfunc_st *functions;
    size_t global_count;
    uint64_t *globals; /* device address of each, 0 before it is allocated */
    CUlibrary library; /* NULL: none */
    CUmodule next;     /* of the same library; under the lock */
};

/* The handle that stands for a function in every context. */
struct CUkern_st {
    emu_handle handle;
    CUlibrary library;
    size_t index; /* of the function in a module */
    emu_settings settings;
};

struct CUlib_st {
    emu_handle handle;
    atomic_int references; /* the handle, and each module */
    emu_program *program;
    size_t kernel_count;
    struct CUkern_st *kernels;
    CUmodule modules; /* one a context; under the lock */
};

/* Where a load may write what went wrong. */
typedef struct emu_load_log {
    char *error;
    size_t error_bytes;
} emu_load_log;

/* Where the options of a load ask for it. */
emu_load_log emu_load_log_of(unsigned count, const CUjit_option *options, void *const *values);

/* Decodes an image. 209 for a cubin or fat binary, 218 and 222 for text that the machine refuses or
 * that exceeds shared or constant memory; the log and emuLastMessage say why. */
CUresult emu_image_decode(emu_program **out, const void *data, const emu_load_log *log);
/* What the functions of a kernel are set to at first. */
emu_settings emu_settings_default(const emu_kernel *kernel);

/* A module of the program in a context. `library`: it is one of that library's, which owns the
 * program; NULL: the module takes over the program, also on failure. */
CUresult emu_module_new(CUmodule *out, emu_program *program, CUlibrary library, CUcontext context);
/* Ends the module's handle and those of its functions; its memory goes with the last launch. Lock
 * held. */
void emu_module_unload(CUmodule module);
/* Gives up one reference. Lock held or not. */
void emu_module_release(CUmodule module);

/* Gives up one reference. Lock held or not. */
void emu_library_release(CUlibrary library);

/* Whether this is a function of a loaded module, in whatever context; 400 else. */
CUresult emu_function_check(CUfunction function);
/* The same; and a library's kernel, passed as a function, becomes its function in the context,
 * where the library is loaded if it is not. Lock not held. */
CUresult emu_function_resolve(CUfunction *function, CUcontext context);

/* An attribute, below CU_FUNC_ATTRIBUTE_MAX, as cuFuncGetAttribute() tells it. */
int emu_function_attribute(CUfunction function, CUfunction_attribute attribute);
/* Changes an attribute within its limits; 1 for one that cannot be set, or not to that. */
CUresult emu_settings_set(emu_settings *settings, const emu_kernel *kernel,
                          CUfunction_attribute attribute, int value);

/* Most threads a block may have by launch bounds and registers. */
int emu_kernel_max_threads(const emu_kernel *kernel);
/* Registers a thread, as capped by launch bounds. */
int emu_kernel_registers(const emu_kernel *kernel);
/* Most dynamic shared memory a launch of the function may ask for. */
int emu_function_dynamic_limit(CUfunction function);

#endif
