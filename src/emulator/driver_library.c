/* Libraries: cuLibrary*, cuKernel*. A library has a module in each context where one of its kernels
 * was needed. It is made then, and goes with the context or the library. */
#include "emulator/enter.h"
#include "emulator/module.h"
#include "emulator/queue.h"

#include <stdlib.h>
#include <string.h>

/* ---- the library ---- */

static CUresult make_kernels(CUlibrary library)
{
    library->kernel_count = emu_program_kernel_count(library->program);
    library->kernels = calloc(library->kernel_count + 1, sizeof *library->kernels);
    EMU_CHECK(library->kernels, CUDA_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < library->kernel_count; i++) {
        library->kernels[i] = (struct CUkern_st){
            .library = library,
            .index = i,
            .settings = emu_settings_default(emu_program_kernel_at(library->program, i))};
    }
    return CUDA_SUCCESS;
}

void emu_library_release(CUlibrary library)
{
    if (--library->references) {
        return;
    }
    emu_program_free(library->program);
    emu_handle_free(library->kernels);
    emu_handle_free(library);
}

/* Takes over the program. */
static CUresult new_library(CUlibrary *out, emu_program *program)
{
    CUlibrary library = calloc(1, sizeof *library);
    if (!library) {
        emu_program_free(program);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    library->references = 1;
    library->program = program;
    CUresult code = make_kernels(library);
    if (code) {
        emu_library_release(library);
        return code;
    }
    emu_handle_add(&library->handle, library, EMU_KIND_LIBRARY, NULL);
    for (size_t i = 0; i < library->kernel_count; i++) {
        emu_handle_add(&library->kernels[i].handle, &library->kernels[i], EMU_KIND_KERNEL, NULL);
    }
    *out = library;
    return CUDA_SUCCESS;
}

/* Needs no context. Options of the library are hints. */
EMU_EXPORT CUresult cuLibraryLoadData(CUlibrary *out, const void *data, CUjit_option *options,
                                      void **values, unsigned count,
                                      CUlibraryOption *library_options, void **library_values,
                                      unsigned library_count)
{
    EMU_ENTER(cuLibraryLoadData, EMU_INITIALIZED | EMU_NO_STICKY_ERROR | EMU_UNSAFE);
    EMU_CHECK(out && data && (!count || (options && values)), CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(!library_count || (library_options && library_values), CUDA_ERROR_INVALID_VALUE);
    const emu_load_log log = emu_load_log_of(count, options, values);
    emu_program *program;
    EMU_TRY(emu_image_decode(&program, data, &log));
    return new_library(out, program);
}

/* Waits for the work of the contexts where it is loaded. Lock held. */
static CUresult unload(CUlibrary library)
{
    EMU_CHECK(emu_handle_is(library, EMU_KIND_LIBRARY), CUDA_ERROR_INVALID_HANDLE);
    emu_handle_drop(&library->handle);
    for (size_t i = 0; i < library->kernel_count; i++) {
        emu_handle_drop(&library->kernels[i].handle);
    }
    CUresult code = CUDA_SUCCESS;
    while (library->modules) {
        CUmodule module = library->modules;
        CUresult joined = emu_queue_join_context(module->handle.context);
        code = code ? code : joined;
        if (library->modules == module) { /* its context may have ended meanwhile */
            emu_module_unload(module);
        }
    }
    emu_library_release(library);
    return code;
}

EMU_EXPORT CUresult cuLibraryUnload(CUlibrary library)
{
    EMU_ENTER(cuLibraryUnload, EMU_INITIALIZED | EMU_NO_STICKY_ERROR | EMU_UNSAFE);
    emu_lock();
    CUresult code = unload(library);
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuLibraryGetKernel(CUkernel *out, CUlibrary library, const char *name)
{
    EMU_ENTER(cuLibraryGetKernel, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    EMU_CHECK(out && name && *name, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(emu_handle_is(library, EMU_KIND_LIBRARY), CUDA_ERROR_INVALID_HANDLE);
    for (size_t i = 0; i < library->kernel_count; i++) {
        if (!strcmp(emu_program_kernel_at(library->program, i)->name, name)) {
            *out = &library->kernels[i];
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_NOT_FOUND;
}

/* ---- in a context ---- */

static CUmodule find_module(CUlibrary library, CUcontext context)
{
    CUmodule module = library->modules;
    while (module && module->handle.context != context) {
        module = module->next;
    }
    return module;
}

/* Lock held. */
static CUresult load_into(CUmodule *out, CUlibrary library, CUcontext context)
{
    *out = find_module(library, context);
    if (*out) {
        return CUDA_SUCCESS;
    }
    EMU_TRY(emu_module_new(out, library->program, library, context));
    for (size_t i = 0; i < library->kernel_count; i++) {
        (*out)->functions[i].settings = library->kernels[i].settings;
    }
    (*out)->next = library->modules;
    library->modules = *out;
    return CUDA_SUCCESS;
}

static CUresult function_in(CUfunction *out, CUkernel kernel, CUcontext context)
{
    CUmodule module;
    EMU_CHECK(emu_handle_is(kernel, EMU_KIND_KERNEL), CUDA_ERROR_INVALID_HANDLE);
    EMU_CHECK(context->alive, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EMU_TRY(load_into(&module, kernel->library, context));
    *out = &module->functions[kernel->index];
    return CUDA_SUCCESS;
}

CUresult emu_function_resolve(CUfunction *function, CUcontext context)
{
    if (!emu_handle_is(*function, EMU_KIND_KERNEL)) {
        return emu_function_check(*function);
    }
    emu_lock();
    CUresult code = function_in(function, (CUkernel)(void *)*function, context);
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuKernelGetFunction(CUfunction *out, CUkernel kernel)
{
    EMU_ENTER(cuKernelGetFunction, EMU_USE | EMU_UNSAFE);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    emu_lock();
    CUresult code = function_in(out, kernel, emu_context_top());
    emu_unlock();
    return code;
}

/* ---- attributes ---- */

/* In every context, but where cuFuncSetAttribute() says otherwise. Lock held. */
static CUresult set_everywhere(CUkernel kernel, CUfunction_attribute attribute, int value)
{
    EMU_CHECK(emu_handle_is(kernel, EMU_KIND_KERNEL), CUDA_ERROR_INVALID_HANDLE);
    CUlibrary library = kernel->library;
    const emu_kernel *code = emu_program_kernel_at(library->program, kernel->index);
    EMU_TRY(emu_settings_set(&kernel->settings, code, attribute, value));
    for (CUmodule module = library->modules; module; module = module->next) {
        CUfunction function = &module->functions[kernel->index];
        if (!(function->own_settings >> attribute & 1)) {
            emu_settings_set(&function->settings, code, attribute, value);
        }
    }
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                                         CUdevice device)
{
    EMU_ENTER(cuKernelSetAttribute, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    EMU_CHECK(device == 0, CUDA_ERROR_INVALID_DEVICE);
    emu_lock();
    CUresult code = set_everywhere(kernel, attribute, value);
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuKernelGetAttribute(int *out, CUfunction_attribute attribute, CUkernel kernel,
                                         CUdevice device)
{
    EMU_ENTER(cuKernelGetAttribute, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    EMU_CHECK(out && (unsigned)attribute < CU_FUNC_ATTRIBUTE_MAX, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(device == 0, CUDA_ERROR_INVALID_DEVICE);
    EMU_CHECK(emu_handle_is(kernel, EMU_KIND_KERNEL), CUDA_ERROR_INVALID_HANDLE);
    struct CUfunc_st function = {.kernel =
                                     emu_program_kernel_at(kernel->library->program, kernel->index),
                                 .settings = kernel->settings};
    *out = emu_function_attribute(&function, attribute);
    return CUDA_SUCCESS;
}
