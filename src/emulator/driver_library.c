#include "emulator/module.h"
#include "emulator/queue.h"

#include <stdlib.h>
#include <string.h>

static void free_library(CUlibrary library)
{
    for (size_t i = 0; i < library->instance_count; i++) {
        emu_module_release(library->instances[i]);
    }
    emu_image_release(library->image);
    free(library->instances);
    free(library->kernels);
    free(library);
}

static CUresult make_kernels(CUlibrary library)
{
    size_t count = emu_program_kernel_count(library->image->program);
    library->kernels = calloc(count + 1, sizeof *library->kernels);
    EMU_CHECK(library->kernels, CUDA_ERROR_OUT_OF_MEMORY);
    library->kernel_count = count;
    for (size_t i = 0; i < count; i++) {
        library->kernels[i] = (struct CUkern_st){
            .kind = EMU_KIND_KERNEL,
            .library = library,
            .index = i,
            .settings = emu_default_settings(emu_program_kernel_at(library->image->program, i))};
    }
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuLibraryLoadData(CUlibrary *out, const void *code, CUjit_option *jit,
                                      void **jit_values, unsigned jit_count,
                                      CUlibraryOption *options, void **values, unsigned count)
{
    EMU_ENTER(cuLibraryLoadData, EMU_READY | EMU_SOUND);
    EMU_CHECK(out && code && (!count || (options && values)), CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(!jit_count || (jit && jit_values), CUDA_ERROR_INVALID_VALUE);
    emu_load_log log = {0};
    for (unsigned i = 0; i < jit_count; i++) {
        if (jit[i] == CU_JIT_ERROR_LOG_BUFFER) {
            log.error = jit_values[i];
        } else if (jit[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
            log.error_bytes = (size_t)(uintptr_t)jit_values[i];
        }
    }
    CUlibrary library = calloc(1, sizeof *library);
    EMU_CHECK(library, CUDA_ERROR_OUT_OF_MEMORY);
    library->kind = EMU_KIND_LIBRARY;
    CUresult code_or_error = emu_image_load(&library->image, code, &log);
    code_or_error = code_or_error ? code_or_error : make_kernels(library);
    if (code_or_error) {
        free_library(library);
        return code_or_error;
    }
    *out = library;
    return CUDA_SUCCESS;
}

/* An instance lives in its context's list too; the context may have gone before the library. */
static void unlink_instance(CUmodule module)
{
    for (CUmodule *at = &module->context->modules; *at; at = &(*at)->next) {
        if (*at == module) {
            *at = module->next;
            emu_module_release(module);
            return;
        }
    }
}

static CUresult join_instances(CUlibrary library)
{
    for (size_t i = 0; i < library->instance_count; i++) {
        if (!library->instances[i]->context->destroyed) {
            EMU_TRY(emu_queue_join_context(library->instances[i]->context));
        }
    }
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuLibraryUnload(CUlibrary library)
{
    EMU_ENTER(cuLibraryUnload, EMU_READY | EMU_SOUND);
    EMU_CHECK(EMU_IS(library, EMU_KIND_LIBRARY), CUDA_ERROR_INVALID_HANDLE);
    emu_lock();
    CUresult code = join_instances(library);
    for (size_t i = 0; !code && i < library->instance_count; i++) {
        unlink_instance(library->instances[i]);
    }
    emu_unlock();
    EMU_TRY(code);
    library->kind = 0;
    free_library(library);
    return CUDA_SUCCESS;
}

/* Kernels and functions share settings, so that an attribute set on a kernel holds in every
 * context. CUkern_st embeds them; the instance points at each. */
static void share_settings(CUmodule module, CUlibrary library)
{
    for (size_t i = 0; i < library->kernel_count; i++) {
        module->functions[i].settings = &library->kernels[i].settings;
    }
}

CUresult emu_library_instance(CUmodule *out, CUlibrary library)
{
    CUcontext context = emu_current();
    EMU_CHECK(context, CUDA_ERROR_INVALID_CONTEXT);
    for (size_t i = 0; i < library->instance_count; i++) {
        if (library->instances[i]->context == context) {
            *out = library->instances[i];
            return CUDA_SUCCESS;
        }
    }
    size_t bytes = (library->instance_count + 1) * sizeof library->instances[0];
    CUmodule *instances = realloc(library->instances, bytes);
    EMU_CHECK(instances, CUDA_ERROR_OUT_OF_MEMORY);
    library->instances = instances;
    EMU_TRY(emu_module_new(out, context, library->image));
    share_settings(*out, library);
    (*out)->references++; /* the context's list holds one, the library the other */
    instances[library->instance_count++] = *out;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuLibraryGetKernel(CUkernel *out, CUlibrary library, const char *name)
{
    EMU_ENTER(cuLibraryGetKernel, EMU_READY | EMU_SOUND);
    EMU_CHECK(out && name, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(EMU_IS(library, EMU_KIND_LIBRARY), CUDA_ERROR_INVALID_HANDLE);
    for (size_t i = 0; i < library->kernel_count; i++) {
        if (!strcmp(emu_program_kernel_at(library->image->program, i)->name, name)) {
            *out = &library->kernels[i];
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_NOT_FOUND;
}

EMU_EXPORT CUresult cuLibraryGetKernelCount(unsigned *out, CUlibrary library)
{
    EMU_ENTER(cuLibraryGetKernelCount, EMU_READY | EMU_SOUND);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(EMU_IS(library, EMU_KIND_LIBRARY), CUDA_ERROR_INVALID_HANDLE);
    *out = (unsigned)library->kernel_count;
    return CUDA_SUCCESS;
}

static CUresult instance(CUmodule *out, CUlibrary library)
{
    emu_lock();
    CUresult code = emu_library_instance(out, library);
    emu_unlock();
    return code;
}

EMU_EXPORT CUresult cuLibraryGetModule(CUmodule *out, CUlibrary library)
{
    EMU_ENTER(cuLibraryGetModule, EMU_USE);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(EMU_IS(library, EMU_KIND_LIBRARY), CUDA_ERROR_INVALID_HANDLE);
    return instance(out, library);
}

EMU_EXPORT CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library,
                                       const char *name)
{
    EMU_ENTER(cuLibraryGetGlobal, EMU_USE);
    EMU_CHECK(name && (address || bytes), CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(EMU_IS(library, EMU_KIND_LIBRARY), CUDA_ERROR_INVALID_HANDLE);
    CUmodule module;
    EMU_TRY(instance(&module, library));
    return emu_module_global(address, bytes, module, name);
}

static CUresult kernel_function(CUfunction *out, CUkernel kernel)
{
    CUmodule module;
    EMU_TRY(instance(&module, kernel->library));
    *out = &module->functions[kernel->index];
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuKernelGetFunction(CUfunction *out, CUkernel kernel)
{
    EMU_ENTER(cuKernelGetFunction, EMU_USE);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(EMU_IS(kernel, EMU_KIND_KERNEL), CUDA_ERROR_INVALID_HANDLE);
    return kernel_function(out, kernel);
}

EMU_EXPORT CUresult cuKernelGetLibrary(CUlibrary *out, CUkernel kernel)
{
    EMU_ENTER(cuKernelGetLibrary, EMU_READY | EMU_SOUND);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    EMU_CHECK(EMU_IS(kernel, EMU_KIND_KERNEL), CUDA_ERROR_INVALID_HANDLE);
    *out = kernel->library;
    return CUDA_SUCCESS;
}

CUresult emu_function_resolve(CUfunction *out, CUfunction handle)
{
    if (EMU_IS(handle, EMU_KIND_FUNCTION)) {
        *out = handle;
        return CUDA_SUCCESS;
    }
    CUkernel kernel = (CUkernel)(void *)handle;
    EMU_CHECK(EMU_IS(kernel, EMU_KIND_KERNEL), CUDA_ERROR_INVALID_HANDLE);
    return kernel_function(out, kernel);
}
