/* Computes the modelled time of a kernel from its counters and the profile. */
#include "emulator/model.h"

#include "emulator/driver_abi.h"
#include "emulator/level2.h"

#include <math.h>

enum { SECTOR_BYTES = 32, LINE_SECTORS = 4 };

typedef struct model_input {
    const emu_profile *profile;
    const emu_kernel_shape *shape;
    const emu_counters *counters;
    double multiprocessors; /* number of SMs that run at least one block */
    double resident;        /* number of resident blocks per SM */
    double share;           /* fraction of all blocks that run on the busiest SM */
    double warps_per_block;
    double l2_bytes, dram_bytes;
} model_input;

static double at_least(double value, double least)
{
    return value > least ? value : least;
}

static double safe_ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* ---- cycles of one SM ---- */

static double count_issued(const model_input *in)
{
    double all = 0;
    for (int i = 0; i < EMU_CLASS_COUNT; i++) {
        all += i == EMU_CLASS_FOLDED ? 0 : (double)in->counters->issued[i];
    }
    return all;
}

static double issue_cycles(const model_input *in)
{
    return count_issued(in) * in->share / in->profile->issue_per_cycle;
}

static double unit_cycles(const model_input *in)
{
    const emu_profile *profile = in->profile;
    const struct {
        emu_class class;
        double per_cycle;
    } units[] = {
        {EMU_CLASS_ALU, profile->alu_per_cycle},   {EMU_CLASS_FMA, profile->fma_per_cycle},
        {EMU_CLASS_FP64, profile->fp64_per_cycle}, {EMU_CLASS_SFU, profile->sfu_per_cycle},
        {EMU_CLASS_LDST, profile->ldst_per_cycle}, {EMU_CLASS_WARP, profile->ldst_per_cycle}};
    double most = 0;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        most = at_least(most, (double)in->counters->issued[units[i].class] / units[i].per_cycle);
    }
    return most * in->share;
}

/* Returns how many cycles the L1 cache is busy. Hits, misses and local accesses look up lines. */
static double l1_cycles(const model_input *in)
{
    const emu_counters *counters = in->counters;
    double lines = (double)counters->global_load_lines + (double)counters->global_store_lines +
                   (double)counters->local_sectors / LINE_SECTORS;
    double shared = (double)counters->shared_wavefronts +
                    (double)counters->shared_atomic_serial * in->profile->shared_atomic_cycles;
    double constants = (double)counters->const_addresses;
    double line_cycles = 128 / in->profile->l1_bytes_per_cycle;
    return (lines * line_cycles + shared + constants) * in->share;
}

static double cluster_cycles(const model_input *in)
{
    const emu_counters *counters = in->counters;
    double sectors =
        (double)counters->cluster_sectors * SECTOR_BYTES / in->profile->cluster_bytes_per_cycle;
    double atomics =
        (double)counters->cluster_atomic_lanes / in->profile->cluster_atomics_per_cycle;
    return (sectors + atomics) * in->share;
}

static double launch_cycles(const model_input *in)
{
    const emu_profile *profile = in->profile;
    double block = profile->block_launch_cycles + in->warps_per_block * profile->warp_launch_cycles;
    if (in->shape->cluster_blocks > 1) {
        block += profile->cluster_launch_cycles / in->shape->cluster_blocks;
    }
    return block * in->shape->blocks * in->share;
}

static double l2_port_cycles(const model_input *in)
{
    return in->l2_bytes * in->share / in->profile->l2_port_bytes_per_cycle;
}

/* Returns the mean latency of a wait for global memory. A wait ends when its slowest sector
 * arrives. All n sectors of a wait hit with probability h^n if the hit rate is h. */
static double load_latency(const model_input *in)
{
    const emu_profile *profile = in->profile;
    const emu_counters *counters = in->counters;
    double sectors = (double)counters->global_load_sectors;
    double together = safe_ratio(sectors, at_least((double)counters->memory_waits, 1));
    double hit = safe_ratio((double)counters->global_load_l1_hits, sectors);
    double in_l2 = 1 - safe_ratio(in->dram_bytes, in->l2_bytes);
    double all_hit = pow(hit, together);
    double none_from_dram = pow(in_l2 > 0 ? in_l2 : 0, at_least(together * (1 - hit), 1));
    double beyond = profile->l2_latency_cycles * none_from_dram +
                    profile->dram_latency_cycles * (1 - none_from_dram);
    return profile->l1_latency_cycles * all_hit + beyond * (1 - all_hit);
}

/* Returns how many cycles a warp takes if its instructions and its waits never overlap. */
static double warp_cycles(const model_input *in, double instructions, double waits, double warps)
{
    const emu_profile *profile = in->profile;
    const emu_counters *counters = in->counters;
    double each = 1 / at_least(warps, 1);
    return instructions * profile->instruction_latency_cycles + waits * load_latency(in) +
           (double)counters->shared_requests * each * profile->shared_latency_cycles +
           (double)counters->cluster_requests * each * profile->cluster_latency_cycles +
           (double)counters->const_requests * each * profile->constant_latency_cycles +
           (double)counters->block_barriers * each * profile->barrier_cycles +
           (double)counters->cluster_barriers * each * profile->cluster_barrier_cycles;
}

static double latency_cycles(const model_input *in)
{
    double warps = at_least((double)in->counters->warps, 1);
    double life = warp_cycles(in, count_issued(in) / warps,
                              (double)in->counters->memory_waits / warps, warps) +
                  in->profile->block_latency_cycles;
    double waves = in->shape->blocks / (in->multiprocessors * in->resident);
    /* the last wave, if incomplete, overlaps by about half with the wave before it */
    return life * (waves <= 1 ? 1 : (waves + ceil(waves)) / 2);
}

static double path_cycles(const model_input *in)
{
    return warp_cycles(in, (double)in->counters->longest_warp, (double)in->counters->longest_waits,
                       at_least((double)in->counters->warps, 1));
}

/* ---- seconds of the device ---- */

static double l2_seconds(const model_input *in)
{
    return in->l2_bytes / in->profile->l2_bytes_per_second;
}

static double dram_seconds(const model_input *in)
{
    return in->dram_bytes / in->profile->dram_bytes_per_second;
}

static double atomic_seconds(const model_input *in)
{
    const emu_counters *counters = in->counters;
    double throughput =
        (double)counters->global_atomic_sectors / in->profile->atomic_sectors_per_second;
    double serial =
        (double)counters->hottest_address_lanes * in->profile->atomic_same_address_ns / 1e9;
    return at_least(throughput, serial);
}

typedef double (*term)(const model_input *in);

static const term cycle_terms[] = {issue_cycles,  unit_cycles,    l1_cycles,      cluster_cycles,
                                   launch_cycles, l2_port_cycles, latency_cycles, path_cycles};
static const term second_terms[] = {l2_seconds, dram_seconds, atomic_seconds};

/* Returns the 8-norm of the terms: the longest one, plus 9% if a second one has the same length. */
static double combine_terms(const model_input *in)
{
    double sum = 0;
    for (size_t i = 0; i < sizeof cycle_terms / sizeof cycle_terms[0]; i++) {
        sum += pow(cycle_terms[i](in) / in->profile->clock_hz * 1e9, 8);
    }
    for (size_t i = 0; i < sizeof second_terms / sizeof second_terms[0]; i++) {
        sum += pow(second_terms[i](in) * 1e9, 8);
    }
    return pow(sum, 1.0 / 8);
}

static void set_traffic(model_input *in)
{
    const emu_counters *counters = in->counters;
    double sectors = (double)counters->global_load_sectors - (double)counters->global_load_l1_hits +
                     (double)counters->global_store_sectors +
                     (double)counters->global_atomic_sectors;
    in->l2_bytes = sectors * SECTOR_BYTES;
    double capacity = in->profile->attribute[CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE];
    in->dram_bytes =
        emu_level2_pass(in->shape->buffers, in->shape->buffer_count, in->l2_bytes, capacity);
}

static void set_placement(model_input *in)
{
    const emu_kernel_shape *shape = in->shape;
    double blocks = at_least(shape->blocks, 1);
    double usable = emu_cluster_multiprocessors(in->profile, shape->cluster_blocks);
    usable = at_least(usable, 1);
    in->multiprocessors = blocks < usable ? blocks : usable;
    in->resident = at_least(shape->residency.blocks, 1);
    if (shape->cluster_blocks > 1 &&
        in->resident > in->profile->cluster_blocks_per_multiprocessor) {
        in->resident = in->profile->cluster_blocks_per_multiprocessor;
    }
    in->share = ceil(blocks / in->multiprocessors) / blocks;
    in->warps_per_block = ceil(shape->needs.threads / (double)EMU_WARP);
}

double emu_model_kernel(const emu_profile *profile, const emu_kernel_shape *shape,
                        const emu_counters *counters)
{
    model_input in = {.profile = profile, .shape = shape, .counters = counters};
    set_placement(&in);
    set_traffic(&in);
    return profile->kernel_fixed_ns + combine_terms(&in);
}
