/* Implements functions (cuFunc*), and the limits of their kernels. */
#include "emulator/enter.h"
#include "emulator/module.h"
#include "emulator/occupancy.h"

enum { SHARED_BYTES = 48 * 1024 };

static uint32_t block_volume(const uint32_t dimensions[3])
{
    uint32_t threads = dimensions[0];
    for (int i = 1; i < 3; i++) {
        threads *= dimensions[i] ? dimensions[i] : 1;
    }
    return threads;
}

static uint32_t bound_threads(const emu_kernel *kernel)
{
    uint32_t required = block_volume(kernel->required_threads),
             most = block_volume(kernel->max_threads);
    return required ? required : most;
}

static uint32_t max_registers_for(uint32_t threads)
{
    uint32_t warps = (threads + EMU_WARP - 1) / EMU_WARP;
    uint32_t step = (uint32_t)emu.profile.register_granularity / EMU_WARP;
    uint32_t all = (uint32_t)emu_attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
    uint32_t each = all / (warps * EMU_WARP);
    return step ? each / step * step : each;
}

/* Estimates how many registers the machine code uses. In 50 variants of axpy, copy, gather,
 * histogram and paramsum for sm_90 (toolkit 13.0), ptxas used 0.33 to 0.9 times the maximum number
 * of live values, on average 0.47 times, because it reorders and recomputes values. */
static uint32_t estimate_registers(uint32_t live)
{
    const double part = 0.47;
    double registers = part * live;
    return registers < 8 ? 8 : registers > 255 ? 255 : (uint32_t)registers;
}

int emu_kernel_registers(const emu_kernel *kernel)
{
    uint32_t registers = estimate_registers(kernel->registers);
    uint32_t blocks = kernel->min_blocks ? kernel->min_blocks : 1;
    uint32_t threads = bound_threads(kernel) * blocks;
    uint32_t cap = threads ? max_registers_for(threads) : 255;
    if (kernel->max_registers && kernel->max_registers < cap) {
        cap = kernel->max_registers;
    }
    return (int)(registers < cap ? registers : cap);
}

int emu_kernel_max_threads(const emu_kernel *kernel)
{
    int most = emu_attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    int bound = (int)bound_threads(kernel);
    if (bound && bound < most) {
        most = bound;
    }
    int registers = emu_kernel_registers(kernel);
    int all = emu_attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
    while (most > EMU_WARP && emu_block_registers(&emu.profile, most, registers) > all) {
        most -= EMU_WARP;
    }
    return most;
}

int emu_function_dynamic_limit(CUfunction function)
{
    int left = SHARED_BYTES - (int)function->kernel->static_shared_bytes;
    int set = function->settings.max_dynamic_bytes;
    return set >= 0 ? set : left;
}

static int read_local_bytes(CUfunction function)
{
    return (int)function->kernel->local_bytes;
}

static int read_max_threads(CUfunction function)
{
    return emu_kernel_max_threads(function->kernel);
}

static int read_static_shared(CUfunction function)
{
    return (int)function->kernel->static_shared_bytes;
}

static int read_const_bytes(CUfunction function)
{
    return (int)function->kernel->const_bytes;
}

static int read_registers(CUfunction function)
{
    return emu_kernel_registers(function->kernel);
}

static int read_compute_capability(CUfunction function)
{
    (void)function;
    return emu_compute_capability();
}

static int read_carveout(CUfunction function)
{
    return function->settings.carveout_percent;
}

static int read_cluster_must_be_set(CUfunction function)
{
    return function->kernel->explicit_cluster && !function->settings.required_cluster[0];
}

static int read_cluster_width(CUfunction function)
{
    return function->settings.required_cluster[0];
}

static int read_cluster_height(CUfunction function)
{
    return function->settings.required_cluster[1];
}

static int read_cluster_depth(CUfunction function)
{
    return function->settings.required_cluster[2];
}

static int read_non_portable(CUfunction function)
{
    return function->settings.non_portable_cluster;
}

static int read_scheduling(CUfunction function)
{
    return function->settings.scheduling_policy;
}

static int read_zero(CUfunction function)
{
    (void)function;
    return 0;
}

static int (*const readers[CU_FUNC_ATTRIBUTE_MAX])(CUfunction) = {
    [CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = read_max_threads,
    [CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = read_static_shared,
    [CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = read_const_bytes,
    [CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES] = read_local_bytes,
    [CU_FUNC_ATTRIBUTE_NUM_REGS] = read_registers,
    [CU_FUNC_ATTRIBUTE_PTX_VERSION] = read_compute_capability,
    [CU_FUNC_ATTRIBUTE_BINARY_VERSION] = read_compute_capability,
    [CU_FUNC_ATTRIBUTE_CACHE_MODE_CA] = read_zero,
    [CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = emu_function_dynamic_limit,
    [CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = read_carveout,
    [CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET] = read_cluster_must_be_set,
    [CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH] = read_cluster_width,
    [CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT] = read_cluster_height,
    [CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH] = read_cluster_depth,
    [CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED] = read_non_portable,
    [CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE] = read_scheduling,
};

CUresult emu_function_check(CUfunction function)
{
    return emu_handle_is(function, EMU_KIND_FUNCTION) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

EMU_EXPORT CUresult cuFuncGetAttribute(int *out, CUfunction_attribute attribute,
                                       CUfunction function)
{
    EMU_ENTER(cuFuncGetAttribute, EMU_USE);
    EMU_CHECK(out && (unsigned)attribute < CU_FUNC_ATTRIBUTE_MAX, CUDA_ERROR_INVALID_VALUE);
    EMU_TRY(emu_function_check(function));
    *out = readers[attribute](function);
    return CUDA_SUCCESS;
}

static int optin_bytes(const emu_kernel *kernel)
{
    return emu_attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) -
           (int)kernel->static_shared_bytes;
}

EMU_EXPORT CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                                       int value)
{
    EMU_ENTER(cuFuncSetAttribute, EMU_USE);
    EMU_TRY(emu_function_check(function));
    emu_settings *settings = &function->settings;
    const struct {
        CUfunction_attribute attribute;
        int low, high;
        int *field;
    } rules[] = {
        {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0, optin_bytes(function->kernel),
         &settings->max_dynamic_bytes},
        {CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, -1, 100, &settings->carveout_percent},
        {CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 0, 1,
         &settings->non_portable_cluster},
        {CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 0, 2,
         &settings->scheduling_policy},
        {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 0, 65535, &settings->required_cluster[0]},
        {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, 0, 65535, &settings->required_cluster[1]},
        {CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, 0, 65535, &settings->required_cluster[2]},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (rules[i].attribute == attribute) {
            bool ok = value >= rules[i].low && value <= rules[i].high;
            *rules[i].field = ok ? value : *rules[i].field;
            return ok ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_ERROR_INVALID_VALUE;
}

EMU_EXPORT CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
                                       size_t *bytes)
{
    EMU_ENTER(cuFuncGetParamInfo, EMU_USE);
    EMU_TRY(emu_function_check(function));
    const emu_kernel *kernel = function->kernel;
    EMU_CHECK(offset && index < kernel->param_count, CUDA_ERROR_INVALID_VALUE);
    *offset = kernel->params[index].offset;
    if (bytes) {
        *bytes = kernel->params[index].bytes;
    }
    return CUDA_SUCCESS;
}

/* Does nothing, because functions are loaded with their module. */
EMU_EXPORT CUresult cuFuncLoad(CUfunction function)
{
    EMU_ENTER(cuFuncLoad, EMU_USE);
    return emu_function_check(function);
}
