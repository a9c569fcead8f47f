/* Implements modules, which are loaded from PTX: cuModule*. */
#include "emulator/module.h"

#include "emulator/enter.h"
#include "emulator/queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATIC_SHARED_BYTES = 48 * 1024 };

typedef struct load_log {
    char *error;
    size_t error_bytes;
} load_log;

static CUresult refuse_image(const load_log *log, CUresult code, const char *message)
{
    emu_report(message);
    if (log->error && log->error_bytes) {
        snprintf(log->error, log->error_bytes, "%s", message);
    }
    return code;
}

static CUresult check_limits(const emu_program *program, const load_log *log)
{
    char why[256];
    size_t count = emu_program_kernel_count(program);
    for (size_t i = 0; i < count; i++) {
        const emu_kernel *kernel = emu_program_kernel_at(program, i);
        if (kernel->static_shared_bytes > STATIC_SHARED_BYTES) {
            snprintf(why, sizeof why,
                     "kernel %s uses too much shared data (%u bytes, %d max without dynamic)",
                     kernel->name, kernel->static_shared_bytes, STATIC_SHARED_BYTES);
            return refuse_image(log, CUDA_ERROR_INVALID_PTX, why);
        }
        if (kernel->const_bytes >
            (uint32_t)emu_attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY)) {
            snprintf(why, sizeof why, "kernel %s uses too much constant data (%u bytes)",
                     kernel->name, kernel->const_bytes);
            return refuse_image(log, CUDA_ERROR_INVALID_PTX, why);
        }
    }
    for (size_t i = 0; i < emu_program_global_count(program); i++) {
        if (emu_program_global_at(program, i)->is_external) {
            snprintf(why, sizeof why, "undefined variable %s: linking is not emulated",
                     emu_program_global_at(program, i)->name);
            return refuse_image(log, CUDA_ERROR_INVALID_PTX, why);
        }
    }
    return CUDA_SUCCESS;
}

/* Returns true for a cubin (ELF) or a fat binary. */
static bool is_binary(const void *data)
{
    static const unsigned char elf[4] = {0x7f, 'E', 'L', 'F'};
    static const uint32_t fat[2] = {0xba55ed50, 0x466243b1};
    return !memcmp(data, elf, 4) || !memcmp(data, &fat[0], 4) || !memcmp(data, &fat[1], 4);
}

/* Loads a program. Fails with 209 for machine code, 218 or 222 for text that is not supported or
 * needs too much shared or constant memory. The log then contains the reason. */
static CUresult load_program(emu_program **out, const void *data, const load_log *log)
{
    char why[512] = "";
    if (is_binary(data)) {
        return refuse_image(log, CUDA_ERROR_NO_BINARY_FOR_GPU,
                            "the image is machine code: the emulated device takes PTX");
    }
    CUresult code = (CUresult)emu_program_load(out, data, strlen(data), emu_compute_capability(),
                                               why, sizeof why);
    if (code) {
        return refuse_image(log, code, why);
    }
    code = check_limits(*out, log);
    if (code) {
        emu_program_free(*out);
    }
    return code;
}

static emu_settings default_settings(const emu_kernel *kernel)
{
    emu_settings settings = {.max_dynamic_bytes = -1, .carveout_percent = -1};
    for (int i = 0; i < 3; i++) {
        settings.required_cluster[i] = (int)kernel->cluster[i];
    }
    return settings;
}

static CUresult make_functions(CUmodule module)
{
    module->function_count = emu_program_kernel_count(module->program);
    module->functions = calloc(module->function_count + 1, sizeof *module->functions);
    EMU_CHECK(module->functions, CUDA_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < module->function_count; i++) {
        const emu_kernel *kernel = emu_program_kernel_at(module->program, i);
        module->functions[i] = (struct CUfunc_st){
            .module = module, .kernel = kernel, .settings = default_settings(kernel)};
    }
    return CUDA_SUCCESS;
}

static CUresult allocate_global(CUmodule module, size_t index)
{
    uint64_t bytes = emu_program_global_at(module->program, index)->bytes;
    return bytes ? (CUresult)emu_memory_allocate(&module->globals[index], bytes, EMU_MEMORY_MODULE,
                                                 NULL)
                 : CUDA_SUCCESS;
}

static void initialise_global(CUmodule module, size_t index)
{
    if (module->globals[index]) {
        emu_program_initialise(module->program, index, module->globals,
                               (void *)(uintptr_t)module->globals[index]);
    }
}

/* Allocates only used variables, because CUB's headers define a thousand unused variables. */
static CUresult make_globals(CUmodule module)
{
    const emu_program *program = module->program;
    size_t count = emu_program_global_count(program);
    module->globals = calloc(count + 1, sizeof *module->globals);
    EMU_CHECK(module->globals, CUDA_ERROR_OUT_OF_MEMORY);
    module->global_count = count;
    for (size_t i = 0; i < count; i++) {
        if (emu_program_global_at(program, i)->is_used) {
            EMU_TRY(allocate_global(module, i));
        }
    }
    for (size_t i = 0; i < count; i++) {
        initialise_global(module, i);
    }
    return CUDA_SUCCESS;
}

void emu_module_release(CUmodule module)
{
    if (--module->references) {
        return;
    }
    for (size_t i = 0; i < module->global_count; i++) {
        if (module->globals[i]) {
            emu_memory_release(module->globals[i], EMU_MEMORY_MODULE);
        }
    }
    emu_program_free(module->program);
    free(module->globals);
    emu_handle_free(module->functions);
    emu_handle_free(module);
}

void emu_module_unload(CUmodule module)
{
    module->unloaded = true;
    emu_handle_drop(&module->handle);
    for (size_t i = 0; i < module->function_count; i++) {
        emu_handle_drop(&module->functions[i].handle);
    }
    emu_module_release(module);
}

static void add_handles(CUmodule module, CUcontext context)
{
    emu_handle_add(&module->handle, module, EMU_KIND_MODULE, context);
    for (size_t i = 0; i < module->function_count; i++) {
        struct CUfunc_st *function = &module->functions[i];
        emu_handle_add(&function->handle, function, EMU_KIND_FUNCTION, context);
    }
}

static CUresult new_module(CUmodule *out, emu_program *program)
{
    CUmodule module = calloc(1, sizeof *module);
    if (!module) {
        emu_program_free(program);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    module->references = 1;
    module->program = program;
    CUresult code = make_functions(module);
    code = code ? code : make_globals(module);
    if (code) {
        emu_module_release(module);
        return code;
    }
    add_handles(module, emu_context_top());
    *out = module;
    return CUDA_SUCCESS;
}

static CUresult load_module(CUmodule *out, const void *data, const load_log *log)
{
    EMU_CHECK(out && data, CUDA_ERROR_INVALID_VALUE);
    emu_program *program;
    EMU_TRY(load_program(&program, data, log));
    return new_module(out, program);
}

EMU_EXPORT CUresult cuModuleLoadData(CUmodule *out, const void *data)
{
    EMU_ENTER(cuModuleLoadData, EMU_USE | EMU_UNSAFE);
    const load_log none = {0};
    return load_module(out, data, &none);
}

static size_t option_size(unsigned count, const CUjit_option *options, void *const *values,
                          CUjit_option wanted)
{
    for (unsigned i = 0; i < count; i++) {
        if (options[i] == wanted) {
            return (size_t)(uintptr_t)values[i];
        }
    }
    return 0;
}

EMU_EXPORT CUresult cuModuleLoadDataEx(CUmodule *out, const void *data, unsigned count,
                                       CUjit_option *options, void **values)
{
    EMU_ENTER(cuModuleLoadDataEx, EMU_USE | EMU_UNSAFE);
    EMU_CHECK(!count || (options && values), CUDA_ERROR_INVALID_VALUE);
    load_log log = {
        .error = (char *)(uintptr_t)option_size(count, options, values, CU_JIT_ERROR_LOG_BUFFER),
        .error_bytes = option_size(count, options, values, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)};
    return load_module(out, data, &log);
}

/* Accepts a module of another context, as on an H200. */
static CUresult check_module(CUmodule module)
{
    return emu_handle_is(module, EMU_KIND_MODULE) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* Waits for the work of the module's context, then unloads the module. */
EMU_EXPORT CUresult cuModuleUnload(CUmodule module)
{
    EMU_ENTER(cuModuleUnload, EMU_USE | EMU_UNSAFE);
    emu_lock();
    CUresult code = check_module(module);
    code = code ? code : emu_queue_join_context(module->handle.context);
    if (!code) {
        emu_module_unload(module);
    }
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name)
{
    EMU_ENTER(cuModuleGetFunction, EMU_USE);
    EMU_CHECK(out && name && *name, CUDA_ERROR_INVALID_VALUE);
    EMU_TRY(check_module(module));
    for (size_t i = 0; i < module->function_count; i++) {
        if (!strcmp(module->functions[i].kernel->name, name)) {
            *out = &module->functions[i];
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_NOT_FOUND;
}

EMU_EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module,
                                         const char *name)
{
    EMU_ENTER(cuModuleGetGlobal, EMU_USE);
    EMU_CHECK(name && (address || bytes), CUDA_ERROR_INVALID_VALUE);
    EMU_TRY(check_module(module));
    for (size_t i = 0; i < module->global_count; i++) {
        const emu_global *global = emu_program_global_at(module->program, i);
        if (strcmp(global->name, name) != 0) {
            continue;
        }
        if (!module->globals[i]) {
            EMU_TRY(allocate_global(module, i));
            initialise_global(module, i);
        }
        if (address) {
            *address = module->globals[i];
        }
        if (bytes) {
            *bytes = global->bytes;
        }
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
}
