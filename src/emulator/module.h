/* Loaded code: a program's text once, an instance of its variables per context. */
#ifndef EMU_MODULE_H
#define EMU_MODULE_H

#include "emulator/driver.h"

/* A decoded program, shared by the instances of it. */
typedef struct emu_image {
    atomic_int references;
    emu_program *program;
} emu_image;

/* What cuFuncSetAttribute and cuKernelSetAttribute change. */
typedef struct emu_settings {
    int max_dynamic_bytes; /* -1: what is left of the 48 KB */
    int carveout_percent;  /* -1: the driver's choice */
    int non_portable_cluster;
    int scheduling_policy;
    int required_cluster[3];
} emu_settings;

struct CUfunc_st {
    emu_kind kind;
    CUmodule module;
    const emu_kernel *kernel;
    emu_settings *settings;
};

struct CUmod_st {
    emu_kind kind;
    atomic_int references; /* the handle or context, and each launch in flight */
    CUcontext context;
    CUmodule next; /* in the context */
    emu_image *image;
    size_t global_count;
    uint64_t *globals; /* device address of each, 0 before it is allocated */
    struct CUfunc_st *functions;
    emu_settings *settings; /* of each function, unless a library's kernels share theirs */
};

struct CUkern_st {
    emu_kind kind;
    CUlibrary library;
    size_t index;
    emu_settings settings;
};

struct CUlib_st {
    emu_kind kind;
    emu_image *image;
    size_t kernel_count;
    struct CUkern_st *kernels;
    size_t instance_count;
    CUmodule *instances;
};

/* Where a load may write what went wrong. */
typedef struct emu_load_log {
    char *error;
    size_t error_bytes;
} emu_load_log;

/* Decodes PTX text. 209 for a cubin or fat binary, 218 and 222 for text that the machine refuses or
 * that exceeds shared or constant memory; the log and emuLastMessage say why. */
CUresult emu_image_load(emu_image **out, const void *data, const emu_load_log *log);
void emu_image_release(emu_image *image);

/* An instance with its own variables, initialised, in the context's list. Lock held. */
CUresult emu_module_new(CUmodule *out, CUcontext context, emu_image *image);
/* Address and size of a variable (either may be NULL); 500 for an unknown name. */
CUresult emu_module_global(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name);
/* Lock held or not. */
void emu_module_release(CUmodule module);

/* The function behind a handle that may also be a CUkernel (driver calls that launch take both), in
 * the current context. 400 for none. */
CUresult emu_function_resolve(CUfunction *out, CUfunction handle);
/* The instance of a library for the current context, made at first use. Lock held. */
CUresult emu_library_instance(CUmodule *out, CUlibrary library);

/* Most threads a block may have by launch bounds and registers. */
int emu_kernel_max_threads(const emu_kernel *kernel);
/* Registers a thread, as capped by launch bounds. */
int emu_kernel_registers(const emu_kernel *kernel);
/* Most dynamic shared memory a launch of the function may ask for. */
int emu_function_dynamic_limit(CUfunction function);

emu_settings emu_default_settings(const emu_kernel *kernel);

#endif
