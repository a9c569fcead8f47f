/* Occupancy: cuOccupancy*. */
#include "emulator/enter.h"
#include "emulator/module.h"
#include "emulator/occupancy.h"

static emu_block_needs needs_of(CUfunction function, int threads, size_t dynamic_bytes)
{
    return (emu_block_needs){.threads = threads,
                             .registers = emu_kernel_registers(function->kernel),
                             .shared_bytes = function->kernel->static_shared_bytes + dynamic_bytes,
                             .carveout_percent = function->settings.carveout_percent};
}

static int resident_blocks(CUfunction function, int threads, size_t dynamic_bytes)
{
    if (threads > emu_kernel_max_threads(function->kernel) ||
        dynamic_bytes > (size_t)emu_function_dynamic_limit(function)) {
        return 0;
    }
    emu_residency residency;
    const emu_block_needs needs = needs_of(function, threads, dynamic_bytes);
    emu_occupancy(&residency, &emu.profile, &needs);
    return residency.blocks;
}

EMU_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out, CUfunction function,
                                                                int threads, size_t dynamic_bytes)
{
    EMU_ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessor, EMU_USE);
    EMU_CHECK(out && threads > 0, CUDA_ERROR_INVALID_VALUE);
    EMU_TRY(emu_function_check(function));
    *out = resident_blocks(function, threads, dynamic_bytes);
    return CUDA_SUCCESS;
}

static int config_threads(const CUlaunchConfig *config)
{
    return (int)(config->blockDimX * config->blockDimY * config->blockDimZ);
}

static bool may_launch(CUfunction function, const CUlaunchConfig *config)
{
    return emu_attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) &&
           config->sharedMemBytes <= (unsigned)emu_function_dynamic_limit(function) &&
           config_threads(config) > 0 &&
           config_threads(config) <= emu_kernel_max_threads(function->kernel);
}

static int active_clusters(CUfunction function, const CUlaunchConfig *config, int size)
{
    const emu_block_needs needs =
        needs_of(function, config_threads(config), config->sharedMemBytes);
    return may_launch(function, config) ? emu_max_clusters(&emu.profile, &needs, size) : 0;
}

static int required_size(CUfunction function)
{
    int size = 1;
    for (int i = 0; i < 3; i++) {
        int side = function->settings.required_cluster[i];
        size *= side ? side : 1;
    }
    return size;
}

static int config_size(CUfunction function, const CUlaunchConfig *config)
{
    for (unsigned i = 0; i < config->numAttrs; i++) {
        const CUlaunchAttribute *attribute = &config->attrs[i];
        if (attribute->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
            return (int)(attribute->value.clusterDim.x * attribute->value.clusterDim.y *
                         attribute->value.clusterDim.z);
        }
    }
    return required_size(function);
}

static double largest_size(CUfunction function)
{
    return function->settings.non_portable_cluster ? emu.profile.cluster_size_max
                                                   : emu.profile.cluster_size_portable;
}

EMU_EXPORT CUresult cuOccupancyMaxActiveClusters(int *out, CUfunction function,
                                                 const CUlaunchConfig *config)
{
    EMU_ENTER(cuOccupancyMaxActiveClusters, EMU_USE);
    EMU_CHECK(out && config && (config->attrs || !config->numAttrs), CUDA_ERROR_INVALID_VALUE);
    EMU_TRY(emu_function_check(function));
    int size = config_size(function, config);
    EMU_CHECK(size > 0, CUDA_ERROR_INVALID_VALUE);
    bool allowed = size == 1 || (emu_attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) &&
                                 (double)size <= largest_size(function));
    if (!allowed && size <= (int)emu.profile.cluster_size_max) {
        return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    }
    *out = allowed ? active_clusters(function, config, size) : 0;
    return CUDA_SUCCESS;
}
