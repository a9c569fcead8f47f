/* Implements and checks kernel launches: cuLaunchKernel, cuLaunchKernelEx. */
#include "emulator/check.h"
#include "emulator/driver_texture.h"
#include "emulator/enter.h"
#include "emulator/model.h"
#include "emulator/module.h"
#include "emulator/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL_PARAM_BYTES = 4096, /* maximum size of the parameters before CUDA 12.1 */
    LARGE_PARAM_DRIVER = 12010,
    LARGE_PARAM_CC = 70,
    GRID_WORKSPACE_BYTES = 64
};

typedef struct launch_request {
    CUfunction function;
    unsigned grid[3], block[3];
    unsigned cluster[3]; /* cluster size; zeros: the kernel's own cluster size */
    unsigned dynamic_shared_bytes;
    void **params;        /* pointers to the parameters, or NULL */
    void **extra;         /* describes a buffer that contains all parameters, or NULL */
    int carveout_percent; /* preferred carveout in per cent; -1: the function's preference */
    bool cooperative, programmatic;
} launch_request;

typedef struct kernel_command {
    emu_command command;
    CUmodule module;
    const emu_kernel *kernel;
    uint32_t grid[3], block[3], cluster[3];
    uint32_t dynamic_shared_bytes;
    uint32_t stack_bytes;
    int registers, carveout_percent;
    bool cooperative, programmatic;
    _Alignas(16) unsigned char params[];
} kernel_command;

/* ---- running ---- */

/* Finds the allocation that contains an address, in any context, as on an H200. Within the malloc()
 * heap of the kernel's context, only blocks that malloc() returned count as allocations. */
static bool find_memory(void *context, uint64_t address, emu_range *out)
{
    emu_allocation what;
    if (!emu_memory_lookup(&what, address)) {
        return false;
    }
    *out = (emu_range){
        .base = what.base, .end = what.base + what.bytes, .is_read_only = what.read_only};
    return emu_heap_narrow(&((CUcontext)context)->heap, address, out);
}

static uint64_t allocate_heap(void *context, uint64_t bytes)
{
    return emu_heap_allocate(&((CUcontext)context)->heap, bytes, context);
}

static bool release_heap(void *context, uint64_t address)
{
    return emu_heap_release(&((CUcontext)context)->heap, address);
}

static const emu_texture *find_texture(void *context, uint64_t object)
{
    (void)context;
    return emu_texture_find(object);
}

static void print_text(void *context, const char *text, size_t bytes)
{
    (void)context;
    fwrite(text, 1, bytes, stdout);
    fflush(stdout);
}

static uint32_t grid_volume(const uint32_t dimensions[3])
{
    return dimensions[0] * dimensions[1] * dimensions[2];
}

/* Collects the buffers that a launch may access, for the L2 model. Every aligned 8-byte value in
 * the parameters is treated as a buffer if it is a device address. */
static void note_buffers(emu_kernel_shape *shape, const kernel_command *kernel)
{
    for (size_t at = 0; at + 8 <= kernel->kernel->param_bytes; at += 8) {
        uint64_t value;
        emu_allocation what;
        memcpy(&value, kernel->params + at, sizeof value);
        if (shape->buffer_count == EMU_SHAPE_BUFFERS || value < 65536 ||
            !emu_memory_lookup(&what, value)) {
            continue;
        }
        shape->buffers[shape->buffer_count++] =
            (emu_buffer){.address = value, .bytes = (double)(what.base + what.bytes - value)};
    }
}

static emu_kernel_shape shape_of(const kernel_command *kernel)
{
    emu_kernel_shape shape = {.needs = {.threads = (int)grid_volume(kernel->block),
                                        .registers = kernel->registers,
                                        .shared_bytes = kernel->kernel->dynamic_shared_offset +
                                                        kernel->dynamic_shared_bytes,
                                        .carveout_percent = kernel->carveout_percent},
                              .blocks = (double)kernel->grid[0] * kernel->grid[1] * kernel->grid[2],
                              .cluster_blocks = (int)grid_volume(kernel->cluster),
                              .param_bytes = kernel->kernel->param_bytes};
    if (!kernel->dynamic_shared_bytes) {
        shape.needs.shared_bytes = kernel->kernel->static_shared_bytes;
    }
    emu_occupancy(&shape.residency, &emu.profile, &shape.needs);
    note_buffers(&shape, kernel);
    return shape;
}

static void report_fault(const emu_fault *fault)
{
    char message[sizeof emu.message], near[160];
    int code = emu_is_fatal(fault->code) ? fault->code : CUDA_ERROR_LAUNCH_FAILED;
    if (code == CUDA_ERROR_ILLEGAL_ADDRESS && fault->address >> EMU_TAG_SHIFT == 0) {
        emu_memory_describe(near, sizeof near, fault->address);
        snprintf(message, sizeof message, "%s (%s)", fault->message, near);
    } else {
        snprintf(message, sizeof message, "%s", fault->message);
    }
    emu_set_sticky_error(code, message);
}

static double run_kernel(emu_command *command, double start_ns)
{
    const kernel_command *kernel = (const kernel_command *)command;
    (void)start_ns;
    emu_kernel_shape shape = shape_of(kernel);
    const emu_limits limits = {
        .sm_count = (uint32_t)emu_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        .blocks_per_sm = (uint32_t)(shape.residency.blocks > 0 ? shape.residency.blocks : 1),
        .l1_bytes = (uint32_t)shape.residency.l1_bytes,
        .stack_bytes = kernel->stack_bytes,
        .workers = emu.workers};
    const emu_memory memory = {.find = find_memory,
                               .texture = find_texture,
                               .allocate = allocate_heap,
                               .release = release_heap,
                               .context = kernel->module->handle.context};
    emu_launch launch = {.program = kernel->module->program,
                         .kernel = kernel->kernel,
                         .dynamic_shared_bytes = kernel->dynamic_shared_bytes,
                         .params = kernel->params,
                         .globals = kernel->module->globals,
                         .limits = &limits,
                         .memory = &memory,
                         .print = print_text,
                         .is_programmatic = kernel->programmatic,
                         .cancel = &emu.cancel};
    memcpy(launch.grid, kernel->grid, sizeof launch.grid);
    memcpy(launch.block, kernel->block, sizeof launch.block);
    memcpy(launch.cluster, kernel->cluster, sizeof launch.cluster);
    launch.check = emu_check_join(&launch);
    emu_counters counters = {0};
    emu_fault fault = {.code = CUDA_ERROR_OUT_OF_MEMORY, .message = "no memory for grid barriers"};
    bool ready =
        !kernel->cooperative || emu_memory_allocate(&launch.grid_workspace, GRID_WORKSPACE_BYTES,
                                                    EMU_MEMORY_MODULE, kernel->module) == 0;
    if (kernel->module->unloaded) { /* a graph may launch a kernel after its module was unloaded */
        fault.code = CUDA_ERROR_LAUNCH_FAILED;
        snprintf(fault.message, sizeof fault.message,
                 "kernel %.80s is launched by a graph, and its module was unloaded",
                 kernel->kernel->name);
        ready = false;
    }
    bool failed = !ready || emu_run(&launch, &counters, &fault) != 0;
    if (failed &&
        !(ready && launch.check)) { /* in a checked launch, a fault is a finding and not an error */
        report_fault(&fault);
    }
    if (launch.check) {
        emu_check_settle(launch.check);
    }
    if (launch.grid_workspace) {
        emu_memory_release(launch.grid_workspace, EMU_MEMORY_MODULE);
    }
    return emu_model_kernel(&emu.profile, &shape, &counters);
}

static void release_kernel(emu_command *command)
{
    emu_module_release(((kernel_command *)command)->module);
}

static const emu_command_class kernel_class = {
    .run = run_kernel, .release = release_kernel, .is_kernel = true};

/* ---- checking ---- */

static CUresult check_dimensions(const launch_request *request, const emu_kernel *kernel)
{
    unsigned threads = 1;
    for (int i = 0; i < 3; i++) {
        unsigned most_grid =
            (unsigned)emu_attribute((CUdevice_attribute)(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i));
        unsigned most_block =
            (unsigned)emu_attribute((CUdevice_attribute)(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i));
        unsigned grid = request->grid[i], block = request->block[i];
        if (!grid || grid > most_grid || !block || block > most_block) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        threads *= block;
        if (threads > (unsigned)emu_attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    unsigned bound[3] = {0};
    memcpy(bound, kernel->required_threads[0] ? kernel->required_threads : kernel->max_threads,
           sizeof bound);
    for (int i = 1; i < 3; i++) {
        bound[i] = bound[i] ? bound[i] : 1;
    }
    return !bound[0] || threads <= grid_volume(bound) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult check_resources(const launch_request *request, CUfunction function)
{
    int threads = (int)(request->block[0] * request->block[1] * request->block[2]);
    int registers =
        emu_block_registers(&emu.profile, threads, emu_kernel_registers(function->kernel));
    if (registers > emu_attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)) {
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    }
    if (request->dynamic_shared_bytes > (unsigned)emu_function_dynamic_limit(function)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    bool large = function->kernel->param_bytes > SMALL_PARAM_BYTES;
    bool allowed = emu.profile.driver_version >= LARGE_PARAM_DRIVER &&
                   emu_compute_capability() >= LARGE_PARAM_CC;
    return !large || allowed ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

/* Uses the cluster of the launch request or, if the request has none, the cluster of the kernel. */
static void choose_cluster(uint32_t cluster[3], const launch_request *request, CUfunction function)
{
    const int *required = function->settings.required_cluster;
    for (int i = 0; i < 3; i++) {
        unsigned asked = request->cluster[0] ? request->cluster[i] : (unsigned)required[i];
        cluster[i] = asked ? asked : 1;
    }
}

static CUresult check_cluster(const uint32_t cluster[3], const launch_request *request,
                              CUfunction function)
{
    uint64_t size = (uint64_t)cluster[0] * cluster[1] * cluster[2];
    if (size == 1) {
        return CUDA_SUCCESS;
    }
    bool non_portable = function->settings.non_portable_cluster;
    double most = non_portable ? emu.profile.cluster_size_max : emu.profile.cluster_size_portable;
    if (!emu_attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) || (double)size > most) {
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    }
    for (int i = 0; i < 3; i++) {
        if (request->grid[i] % cluster[i]) {
            return CUDA_ERROR_INVALID_CLUSTER_SIZE;
        }
    }
    const emu_block_needs needs = {
        .threads = (int)(request->block[0] * request->block[1] * request->block[2]),
        .registers = emu_kernel_registers(function->kernel),
        .shared_bytes = function->kernel->static_shared_bytes + request->dynamic_shared_bytes,
        .carveout_percent = -1};
    return emu_max_clusters(&emu.profile, &needs, (int)size) ? CUDA_SUCCESS
                                                             : CUDA_ERROR_INVALID_CLUSTER_SIZE;
}

static CUresult check_cooperative(const launch_request *request, CUfunction function)
{
    const emu_block_needs needs = {
        .threads = (int)(request->block[0] * request->block[1] * request->block[2]),
        .registers = emu_kernel_registers(function->kernel),
        .shared_bytes = function->kernel->static_shared_bytes + request->dynamic_shared_bytes,
        .carveout_percent = -1};
    emu_residency residency;
    if (!request->cooperative) {
        return CUDA_SUCCESS;
    }
    emu_occupancy(&residency, &emu.profile, &needs);
    double most =
        (double)residency.blocks * emu_attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    return (double)request->grid[0] * request->grid[1] * request->grid[2] <= most
               ? CUDA_SUCCESS
               : CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
}

static CUresult copy_extra(unsigned char *to, const emu_kernel *kernel, void **extra)
{
    const void *buffer = NULL;
    size_t bytes = 0;
    for (size_t i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
        if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER) {
            buffer = extra[i + 1];
        } else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[i + 1]) {
            bytes = *(const size_t *)extra[i + 1];
        } else {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    EMU_CHECK(buffer && bytes >= kernel->param_bytes, CUDA_ERROR_INVALID_VALUE);
    memcpy(to, buffer, kernel->param_bytes);
    return CUDA_SUCCESS;
}

static CUresult copy_params(unsigned char *to, const emu_kernel *kernel, void **params,
                            void **extra)
{
    EMU_CHECK(!params || !extra, CUDA_ERROR_INVALID_VALUE);
    if (!kernel->param_count) {
        return CUDA_SUCCESS;
    }
    if (extra) {
        return copy_extra(to, kernel, extra);
    }
    EMU_CHECK(params, CUDA_ERROR_INVALID_VALUE);
    for (uint32_t i = 0; i < kernel->param_count; i++) {
        EMU_CHECK(params[i], CUDA_ERROR_INVALID_VALUE);
        memcpy(to + kernel->params[i].offset, params[i], kernel->params[i].bytes);
    }
    return CUDA_SUCCESS;
}

static void fill_command(kernel_command *kernel, const launch_request *request, CUfunction function,
                         const uint32_t cluster[3])
{
    kernel->module = function->module;
    kernel->module->references++;
    kernel->kernel = function->kernel;
    memcpy(kernel->grid, request->grid, sizeof kernel->grid);
    memcpy(kernel->block, request->block, sizeof kernel->block);
    memcpy(kernel->cluster, cluster, sizeof kernel->cluster);
    kernel->dynamic_shared_bytes = request->dynamic_shared_bytes;
    kernel->stack_bytes = (uint32_t)function->handle.context->stack_bytes;
    kernel->registers = emu_kernel_registers(function->kernel);
    kernel->cooperative = request->cooperative;
    kernel->programmatic = request->programmatic;
    kernel->carveout_percent = request->carveout_percent >= 0 ? request->carveout_percent
                                                              : function->settings.carveout_percent;
}

/* Creates the command of a launch. Fails like hardware: with 1 for invalid dimensions, shared
 * memory or parameters, 701 for too many registers, 720 for a cooperative grid that is too large,
 * 801 for more than 4096 bytes of parameters before driver 12.1, 912 for an invalid cluster. */
static CUresult new_kernel(kernel_command **out, const launch_request *request)
{
    CUfunction function = request->function;
    EMU_CHECK(request->carveout_percent >= -1 && request->carveout_percent <= 100,
              CUDA_ERROR_INVALID_VALUE);
    EMU_TRY(check_dimensions(request, function->kernel));
    EMU_TRY(check_resources(request, function));
    uint32_t cluster[3];
    choose_cluster(cluster, request, function);
    EMU_TRY(check_cluster(cluster, request, function));
    EMU_TRY(check_cooperative(request, function));
    kernel_command *kernel =
        emu_command_new(&kernel_class, sizeof *kernel + function->kernel->param_bytes + 16);
    EMU_CHECK(kernel, CUDA_ERROR_OUT_OF_MEMORY);
    fill_command(kernel, request, function, cluster);
    CUresult code = copy_params(kernel->params, function->kernel, request->params, request->extra);
    if (code) {
        emu_command_release(&kernel->command);
        return code;
    }
    *out = kernel;
    return CUDA_SUCCESS;
}

/* ---- entry points ---- */

/* Checks that the function and the stream belong to the same context, which need not be current.
 * Default streams belong to the current context. */
static CUresult check_objects(CUfunction function, CUstream stream)
{
    EMU_TRY(emu_function_check(function));
    CUcontext context = function->handle.context;
    bool together = stream <= CU_STREAM_PER_THREAD
                        ? context == emu_context_top()
                        : emu_handle_is_of(stream, EMU_KIND_STREAM, context);
    return together ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* Passing a large parameter block takes additional host time. */
static CUresult launch_kernel(const launch_request *request, CUstream stream)
{
    EMU_TRY(check_objects(request->function, stream));
    kernel_command *kernel;
    EMU_TRY(new_kernel(&kernel, request));
    double params = kernel->kernel->param_bytes;
    double large = params > SMALL_PARAM_BYTES ? params - SMALL_PARAM_BYTES : 0;
    emu_host_spend(emu.profile.host_launch_ns + large / 1024 * emu.profile.parameter_ns_per_kb);
    return emu_run_on(stream, &kernel->command, false);
}

EMU_EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared_bytes, CUstream stream,
                                   void **params, void **extra)
{
    EMU_ENTER(cuLaunchKernel, EMU_USE);
    const launch_request request = {.function = function,
                                    .grid = {grid_x, grid_y, grid_z},
                                    .block = {block_x, block_y, block_z},
                                    .dynamic_shared_bytes = shared_bytes,
                                    .params = params,
                                    .extra = extra,
                                    .carveout_percent = -1};
    return launch_kernel(&request, stream);
}

/* Checks an access policy window, which has no effect on the model. */
static CUresult check_window(const CUlaunchAttribute *attribute)
{
    size_t most = (size_t)emu_attribute(CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE);
    float ratio = attribute->value.accessPolicyWindow.hitRatio;
    return attribute->value.accessPolicyWindow.num_bytes <= most && ratio >= 0 && ratio <= 1 &&
                   attribute->value.accessPolicyWindow.missProp != CU_ACCESS_PROPERTY_PERSISTING
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

/* Ignores valid attributes that do not affect the model, such as the priority. A programmatic
 * launch still waits for the previous launch; only the sanitizer assumes that both overlap. */
static CUresult apply_attribute(launch_request *request, const CUlaunchAttribute *attribute)
{
    switch (attribute->id) {
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        request->cluster[0] = attribute->value.clusterDim.x;
        request->cluster[1] = attribute->value.clusterDim.y;
        request->cluster[2] = attribute->value.clusterDim.z;
        return request->cluster[0] && request->cluster[1] && request->cluster[2]
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_INVALID_VALUE;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        request->carveout_percent = (int)attribute->value.sharedMemCarveout;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        return check_window(attribute);
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
        request->programmatic = attribute->value.programmaticStreamSerializationAllowed != 0;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        request->cooperative = attribute->value.cooperative != 0;
        return CUDA_SUCCESS;
    default:
        return (unsigned)attribute->id < 32 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
}

EMU_EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                                     void **params, void **extra)
{
    EMU_ENTER(cuLaunchKernelEx, EMU_USE);
    EMU_CHECK(config && (config->attrs || !config->numAttrs), CUDA_ERROR_INVALID_VALUE);
    launch_request request = {.function = function,
                              .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                              .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                              .dynamic_shared_bytes = config->sharedMemBytes,
                              .params = params,
                              .extra = extra,
                              .carveout_percent = -1};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        EMU_TRY(apply_attribute(&request, &config->attrs[i]));
    }
    return launch_kernel(&request, config->hStream);
}
