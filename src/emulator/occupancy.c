/* Computes how many blocks fit on an SM, and how many clusters on the device. */
#include "emulator/occupancy.h"

#include "emulator/driver_abi.h"

enum { WARP = 32, PARTITIONS = 4 /* the registers of an SM are divided into four parts */ };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int round_up(int value, int step)
{
    return step > 1 ? (value + step - 1) / step * step : value;
}

int emu_block_registers(const emu_profile *profile, int threads, int registers)
{
    int warps = round_up((threads + WARP - 1) / WARP, PARTITIONS);
    return warps * round_up(registers * WARP, (int)profile->register_granularity);
}

/* Returns how many blocks fit on an SM if shared memory is unlimited. */
static int blocks_by_threads(const emu_profile *profile, const emu_block_needs *needs)
{
    const int *attribute = profile->attribute;
    int warps = (needs->threads + WARP - 1) / WARP;
    int most_warps = attribute[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR] / WARP;
    int blocks = attribute[CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR];
    if (warps < 1) {
        return 0;
    }
    blocks = smaller(blocks, most_warps / warps);
    int warp_registers = round_up(needs->registers * WARP, (int)profile->register_granularity);
    int part = attribute[CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR] / PARTITIONS;
    return warp_registers ? smaller(blocks, part / warp_registers * PARTITIONS / warps) : blocks;
}

static size_t block_shared(const emu_profile *profile, const emu_block_needs *needs)
{
    return needs->shared_bytes +
           (size_t)profile->attribute[CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK];
}

/* Returns the smallest carveout that has at least `bytes` bytes, or the largest carveout. */
static size_t carveout_for(const emu_profile *profile, size_t bytes)
{
    size_t size = 0;
    for (int i = 0; i < profile->carveout_kb.count; i++) {
        size = (size_t)(profile->carveout_kb.value[i] * 1024);
        if (size >= bytes) {
            break;
        }
    }
    return size;
}

static size_t chosen_carveout(const emu_profile *profile, const emu_block_needs *needs, int blocks)
{
    size_t one = block_shared(profile, needs);
    if (needs->carveout_percent < 0) {
        return carveout_for(profile, one * (size_t)blocks);
    }
    size_t most =
        (size_t)profile->attribute[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR];
    size_t wanted = most * (size_t)needs->carveout_percent / 100;
    return carveout_for(profile, wanted > one ? wanted : one);
}

void emu_occupancy(emu_residency *out, const emu_profile *profile, const emu_block_needs *needs)
{
    int blocks = blocks_by_threads(profile, needs);
    size_t limit = chosen_carveout(profile, needs, blocks);
    size_t by_shared = limit / block_shared(profile, needs);
    out->blocks = (size_t)blocks < by_shared ? blocks : (int)by_shared;
    out->shared_limit_bytes = limit;
    size_t unified = (size_t)profile->unified_cache_bytes;
    out->l1_bytes = unified > limit ? unified - limit : 0;
}

int emu_cluster_multiprocessors(const emu_profile *profile, int size)
{
    if (size <= 1) {
        return profile->attribute[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT];
    }
    int usable = 0;
    for (int i = 0; i < profile->gpc_multiprocessors.count; i++) {
        usable += (int)profile->gpc_multiprocessors.value[i] / size * size;
    }
    return usable;
}

int emu_max_clusters(const emu_profile *profile, const emu_block_needs *needs, int size)
{
    if (size < 1 || size > (int)profile->cluster_size_max) {
        return 0;
    }
    emu_residency residency;
    emu_block_needs most_shared = *needs;
    most_shared.carveout_percent = 100;
    emu_occupancy(&residency, profile, &most_shared);
    int blocks = smaller(residency.blocks, (int)profile->cluster_blocks_per_multiprocessor);
    return emu_cluster_multiprocessors(profile, size) / size * blocks;
}
