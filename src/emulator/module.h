/* Modules and their functions. A module is a program whose variables belong to a context. */
#pragma once

#include "emulator/context.h"
#include "emulator/driver.h"

/* Settings of cuFuncSetAttribute. */
typedef struct emu_settings {
    int max_dynamic_bytes; /* limit of dynamic shared memory; -1: 48 KB minus static memory */
    int carveout_percent;  /* preferred carveout in per cent; -1: the driver chooses */
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
    atomic_int references; /* references from the handle, from launches and from graphs */
    bool unloaded;         /* true after cuModuleUnload; protected by the lock */
    emu_program *program;
    size_t function_count;
    struct CUfunc_st *functions;
    size_t global_count;
    uint64_t *globals; /* device addresses; 0: not allocated */
};

/* Makes the handles of the module and of its functions invalid. The module is freed after its last
 * launch. Call it with the lock held. */
void emu_module_unload(CUmodule module);
/* Releases a reference. The lock may be held, but need not be. */
void emu_module_release(CUmodule module);

/* Fails with 400 if `function` is not a valid handle. Its module may be in any context. */
CUresult emu_function_check(CUfunction function);

/* Returns the maximum number of threads in a block that launch bounds and registers allow. */
int emu_kernel_max_threads(const emu_kernel *kernel);
/* Returns the number of registers per thread that launch bounds allow. */
int emu_kernel_registers(const emu_kernel *kernel);
/* Returns the maximum dynamic shared memory of a launch, in bytes. */
int emu_function_dynamic_limit(CUfunction function);
