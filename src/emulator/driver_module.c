#include "emulator/module.h"
#include "emulator/queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATIC_SHARED_BYTES = 48 * 1024 };

void emu_image_release(emu_image *image)
{
    if (image && !--image->references) {
        emu_program_free(image->program);
        free(image);
    }
}

static CUresult refuse(const emu_load_log *log, CUresult code, const char *message)
{
    emu_say(message);
    if (log && log->error && log->error_bytes) {
        snprintf(log->error, log->error_bytes, "%s", message);
    }
    return code;
}

/* What ptxas would refuse when it assembles the text. */
static CUresult check_limits(const emu_program *program, const emu_load_log *log)
{
    char why[256];
    size_t count = emu_program_kernel_count(program);
    for (size_t i = 0; i < count; i++) {
        const emu_kernel *kernel = emu_program_kernel_at(program, i);
        if (kernel->static_shared_bytes > STATIC_SHARED_BYTES) {
            snprintf(why, sizeof why,
                     "kernel %s uses too much shared data (%u bytes, %d max without dynamic)",
                     kernel->name, kernel->static_shared_bytes, STATIC_SHARED_BYTES);
            return refuse(log, CUDA_ERROR_INVALID_PTX, why);
        }
        if (kernel->const_bytes >
            (uint32_t)emu_attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY)) {
            snprintf(why, sizeof why, "kernel %s uses too much constant data (%u bytes)",
                     kernel->name, kernel->const_bytes);
            return refuse(log, CUDA_ERROR_INVALID_PTX, why);
        }
    }
    for (size_t i = 0; i < emu_program_global_count(program); i++) {
        if (emu_program_global_at(program, i)->is_external) {
            snprintf(why, sizeof why, "undefined variable %s: linking is not emulated",
                     emu_program_global_at(program, i)->name);
            return refuse(log, CUDA_ERROR_INVALID_PTX, why);
        }
    }
    return CUDA_SUCCESS;
}

/* A cubin is an ELF file; fat binaries begin with either of two numbers. */
static bool is_binary(const void *data)
{
    static const unsigned char elf[4] = {0x7f, 'E', 'L', 'F'};
    static const uint32_t fat[2] = {0xba55ed50, 0x466243b1};
    return !memcmp(data, elf, 4) || !memcmp(data, &fat[0], 4) || !memcmp(data, &fat[1], 4);
}

CUresult emu_image_load(emu_image **out, const void *data, const emu_load_log *log)
{
    char why[512] = "";
    EMU_CHECK(data, CUDA_ERROR_INVALID_VALUE);
    if (is_binary(data)) {
        return refuse(log, CUDA_ERROR_NO_BINARY_FOR_GPU,
                      "the image is machine code: the emulated device takes PTX");
    }
    emu_image *image = calloc(1, sizeof *image);
    EMU_CHECK(image, CUDA_ERROR_OUT_OF_MEMORY);
    CUresult code = (CUresult)emu_program_load(&image->program, data, strlen(data),
                                               emu_compute_capability(), why, sizeof why);
    if (code) {
        free(image);
        return refuse(log, code, why);
    }
    image->references = 1;
    code = check_limits(image->program, log);
    if (code) {
        emu_image_release(image);
        return code;
    }
    *out = image;
    return CUDA_SUCCESS;
}

emu_settings emu_default_settings(const emu_kernel *kernel)
{
    emu_settings settings = {.max_dynamic_bytes = -1, .carveout_percent = -1};
    for (int i = 0; i < 3; i++) {
        settings.required_cluster[i] = (int)kernel->cluster[i];
    }
    return settings;
}

static CUresult make_functions(CUmodule module)
{
    size_t count = emu_program_kernel_count(module->image->program);
    module->functions = calloc(count + 1, sizeof *module->functions);
    module->settings = calloc(count + 1, sizeof *module->settings);
    EMU_CHECK(module->functions && module->settings, CUDA_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < count; i++) {
        const emu_kernel *kernel = emu_program_kernel_at(module->image->program, i);
        module->settings[i] = emu_default_settings(kernel);
        module->functions[i] = (struct CUfunc_st){.kind = EMU_KIND_FUNCTION,
                                                  .module = module,
                                                  .kernel = kernel,
                                                  .settings = &module->settings[i]};
    }
    return CUDA_SUCCESS;
}

static CUresult make_globals(CUmodule module)
{
    const emu_program *program = module->image->program;
    size_t count = emu_program_global_count(program);
    module->globals = calloc(count + 1, sizeof *module->globals);
    EMU_CHECK(module->globals, CUDA_ERROR_OUT_OF_MEMORY);
    module->global_count = count;
    for (size_t i = 0; i < count; i++) {
        uint64_t bytes = emu_program_global_at(program, i)->bytes;
        if (bytes) {
            EMU_TRY(
                (CUresult)emu_memory_allocate(&module->globals[i], bytes, EMU_MEMORY_MODULE, NULL));
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (module->globals[i]) {
            emu_program_initialise(program, i, module->globals,
                                   (void *)(uintptr_t)module->globals[i]);
        }
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
    emu_image_release(module->image);
    free(module->globals);
    free(module->functions);
    free(module->settings);
    module->kind = 0;
    free(module);
}

CUresult emu_module_new(CUmodule *out, CUcontext context, emu_image *image)
{
    CUmodule module = calloc(1, sizeof *module);
    EMU_CHECK(module, CUDA_ERROR_OUT_OF_MEMORY);
    module->kind = EMU_KIND_MODULE;
    module->references = 1;
    module->context = context;
    module->image = image;
    image->references++;
    CUresult code = make_functions(module);
    code = code ? code : make_globals(module);
    if (code) {
        emu_module_release(module);
        return code;
    }
    module->next = context->modules;
    context->modules = module;
    *out = module;
    return CUDA_SUCCESS;
}

static CUresult load(CUmodule *out, const void *data, const emu_load_log *log)
{
    EMU_CHECK(out && data, CUDA_ERROR_INVALID_VALUE);
    emu_image *image;
    EMU_TRY(emu_image_load(&image, data, log));
    emu_lock();
    CUresult code = emu_module_new(out, emu_current(), image);
    emu_unlock();
    emu_image_release(image);
    return code;
}

EMU_EXPORT CUresult cuModuleLoadData(CUmodule *out, const void *data)
{
    EMU_ENTER(cuModuleLoadData, EMU_USE | EMU_UNSAFE);
    return load(out, data, NULL);
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
    emu_load_log log = {
        .error = (char *)(uintptr_t)option_size(count, options, values, CU_JIT_ERROR_LOG_BUFFER),
        .error_bytes = option_size(count, options, values, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)};
    return load(out, data, &log);
}

static bool unlink_module(CUmodule module)
{
    for (CUmodule *at = &module->context->modules; *at; at = &(*at)->next) {
        if (*at == module) {
            *at = module->next;
            return true;
        }
    }
    return false;
}

EMU_EXPORT CUresult cuModuleUnload(CUmodule module)
{
    EMU_ENTER(cuModuleUnload, EMU_USE | EMU_UNSAFE);
    EMU_CHECK(EMU_IS(module, EMU_KIND_MODULE), CUDA_ERROR_INVALID_HANDLE);
    emu_lock();
    CUresult code = emu_queue_join_context(module->context);
    bool found = !code && unlink_module(module);
    emu_unlock();
    EMU_TRY(code);
    EMU_CHECK(found, CUDA_ERROR_INVALID_HANDLE);
    emu_module_release(module);
    return CUDA_SUCCESS;
}

static CUresult find_function(CUfunction *out, CUmodule module, const char *name)
{
    size_t count = emu_program_kernel_count(module->image->program);
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(module->functions[i].kernel->name, name)) {
            *out = &module->functions[i];
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_NOT_FOUND;
}

EMU_EXPORT CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name)
{
    EMU_ENTER(cuModuleGetFunction, EMU_USE);
    EMU_CHECK(out && name && *name, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(EMU_IS(module, EMU_KIND_MODULE), CUDA_ERROR_INVALID_HANDLE);
    return find_function(out, module, name);
}

EMU_EXPORT CUresult cuModuleGetFunctionCount(unsigned *out, CUmodule module)
{
    EMU_ENTER(cuModuleGetFunctionCount, EMU_USE);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(EMU_IS(module, EMU_KIND_MODULE), CUDA_ERROR_INVALID_HANDLE);
    *out = (unsigned)emu_program_kernel_count(module->image->program);
    return CUDA_SUCCESS;
}

CUresult emu_module_global(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
    for (size_t i = 0; i < module->global_count; i++) {
        const emu_global *global = emu_program_global_at(module->image->program, i);
        if (strcmp(global->name, name) != 0) {
            continue;
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

EMU_EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module,
                                         const char *name)
{
    EMU_ENTER(cuModuleGetGlobal, EMU_USE);
    EMU_CHECK(name && (address || bytes), CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(EMU_IS(module, EMU_KIND_MODULE), CUDA_ERROR_INVALID_HANDLE);
    return emu_module_global(address, bytes, module, name);
}
EMU_ALIAS(cuModuleGetGlobal, cuModuleGetGlobal_v2);

/* Everything is loaded at once here. */
EMU_EXPORT CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    EMU_ENTER(cuModuleGetLoadingMode, EMU_READY);
    EMU_CHECK(mode, CUDA_ERROR_INVALID_VALUE);
    *mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
}
