/* Modules: a decoded program with variables of its own, in one context. */
#pragma once

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
};

struct CUmod_st {
    emu_handle handle;
    atomic_int references; /* the handle, and each launch in flight or in a graph */
    bool unloaded;         /* by the program; under the lock */
    emu_program *program;
    size_t function_count;
    struct CUfunc_st *functions;
    size_t global_count;
    uint64_t *globals; /* device address of each, 0 before it is allocated */
};

/* Ends the module's handle and those of its functions; its memory goes with the last launch. Lock
 * held. */
void emu_module_unload(CUmodule module);
/* Gives up one reference. Lock held or not. */
void emu_module_release(CUmodule module);

/* Whether this is a function of a loaded module, in whatever context; 400 else. */
CUresult emu_function_check(CUfunction function);

/* Most threads a block may have by launch bounds and registers. */
int emu_kernel_max_threads(const emu_kernel *kernel);
/* Registers a thread, as capped by launch bounds. */
int emu_kernel_registers(const emu_kernel *kernel);
/* Most dynamic shared memory a launch of the function may ask for. */
int emu_function_dynamic_limit(CUfunction function);
