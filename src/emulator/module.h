/* Modules: a decoded program with its own variables, in one context. */
#pragma once

#include "emulator/context.h"
#include "emulator/driver.h"

/* Settings of cuFuncSetAttribute. */
typedef struct emu_settings {
    int max_dynamic_bytes; /* -1: the rest of the 48 KB */
    int carveout_percent;  /* -1: chosen by the driver */
    int non_portable_cluster;
    int scheduling_policy;
    int required_cluster[3];
} emu_settings;

struct CUfunc_st {
    emu_handle handle;
    CUmodule module;
    const emu_kernel *kernel;
    emu_settings settings;
};

struct CUmod_st {
    emu_handle handle;
    atomic_int references; /* the handle, and each launch in flight or in a graph */
    bool unloaded;         /* by the application; guarded by the lock */
    emu_program *program;
    size_t function_count;
    struct CUfunc_st *functions;
    size_t global_count;
    uint64_t *globals; /* device addresses; 0 before allocation */
};

/* Invalidates the handles of the module and its functions; the last launch frees the memory. Lock
 * held. */
void emu_module_unload(CUmodule module);
/* Releases one reference. Lock held or not. */
void emu_module_release(CUmodule module);

/* Checks that this is a function of a loaded module, in any context; 400 otherwise. */
CUresult emu_function_check(CUfunction function);

/* Returns the maximum threads of a block by launch bounds and registers. */
int emu_kernel_max_threads(const emu_kernel *kernel);
/* Returns the registers per thread, limited by launch bounds. */
int emu_kernel_registers(const emu_kernel *kernel);
/* Returns the maximum dynamic shared memory of a launch. */
int emu_function_dynamic_limit(CUfunction function);
