/* Runs the blocks of a cluster from their start until all threads have exited. */
#include "emulator/check.h"
#include "emulator/program.h"

#include <stdlib.h>

enum {
    CALL_RESERVE = 64 /* bytes of local memory that calls get in addition to the stack limit */
};

/* Shared memory is filled with these bytes when a block starts: 16 times the first byte, then 16
 * times the second, and so on. Any number read from 16 such bytes is NaN, hugely negative, zero or
 * hugely positive, whatever its type. So a kernel that reads unset memory gives wrong results. */
static const uint8_t garbage[] = {0xff, 0xfb, 0x00, 0x7b};

static void number_threads(emu_warp *warp, const uint32_t block[3])
{
    for (uint32_t lane = 0; lane < EMU_WARP; lane++) {
        uint32_t thread = warp->index * EMU_WARP + lane;
        warp->tid[0][lane] = (uint16_t)(thread % block[0]);
        warp->tid[1][lane] = (uint16_t)(thread / block[0] % block[1]);
        warp->tid[2][lane] = (uint16_t)(thread / block[0] / block[1]);
    }
}

static uint32_t local_bytes(const emu_run_state *run)
{
    const emu_kernel *kernel = run->launch->kernel;
    bool calls = run->function->callee_count || run->function->calls_indirectly;
    uint32_t bytes = kernel->local_bytes + (calls ? run->limits.stack_bytes + CALL_RESERVE : 0);
    return (bytes + 15) & ~15u;
}

static bool make_warp(emu_warp *warp, emu_block *block, emu_worker *worker, uint32_t index)
{
    const emu_run_state *run = worker->run;
    warp->worker = worker;
    warp->block = block;
    warp->index = index;
    warp->base[1] = run->launch->program->constants;
    warp->local_bytes = local_bytes(run);
    number_threads(warp, run->launch->block);
    warp->home = emu_frame_new(warp, run->function, NULL);
    if (warp->local_bytes)
        warp->local = calloc(EMU_WARP, warp->local_bytes);
    return warp->home && (warp->local || !warp->local_bytes);
}

static bool make_block(emu_block *block, emu_group *group, uint32_t rank)
{
    const emu_launch *launch = group->worker->run->launch;
    const emu_kernel *kernel = launch->kernel;
    block->group = group;
    block->rank = rank;
    block->thread_count = launch->block[0] * launch->block[1] * launch->block[2];
    block->warp_count = (block->thread_count + EMU_WARP - 1) / EMU_WARP;
    block->shared_bytes = launch->dynamic_shared_bytes
                              ? kernel->dynamic_shared_offset + launch->dynamic_shared_bytes
                              : kernel->static_shared_bytes;
    block->shared = aligned_alloc(128, (block->shared_bytes + 255) & ~127u);
    block->warps = calloc(block->warp_count, sizeof *block->warps);
    if (!block->shared || !block->warps)
        return false;
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (!make_warp(&block->warps[i], block, group->worker, i))
            return false;
    if (group->worker->check)
        block->order = emu_order_new(block);
    return block->order || !group->worker->check;
}

static emu_group *make_group(emu_worker *worker)
{
    emu_group *group = calloc(1, sizeof *group);
    if (!group)
        return NULL;
    group->worker = worker;
    group->blocks = calloc(worker->run->blocks_per_group, sizeof *group->blocks);
    for (uint32_t i = 0; group->blocks && i < worker->run->blocks_per_group; i++) {
        group->block_count++;
        if (!make_block(&group->blocks[i], group, i)) {
            emu_group_free(group);
            return NULL;
        }
    }
    if (group->blocks)
        return group;
    free(group);
    return NULL;
}

static void free_warp(emu_warp *warp)
{
    emu_frames_free(warp);
    emu_frame_free(warp->home);
    free(warp->local);
}

void emu_group_free(emu_group *group)
{
    if (!group)
        return;
    for (uint32_t b = 0; b < group->block_count; b++) {
        emu_block *block = &group->blocks[b];
        for (uint32_t w = 0; block->warps && w < block->warp_count; w++)
            free_warp(&block->warps[w]);
        emu_order_free(block);
        free(block->warps);
        free(block->shared);
    }
    free(group->blocks);
    free(group);
}

static void start_warp(emu_warp *warp)
{
    uint32_t threads = warp->block->thread_count - warp->index * EMU_WARP;
    uint32_t lanes = threads >= EMU_WARP ? UINT32_MAX : (1u << threads) - 1;
    emu_frame_clear(warp->home);
    warp->home->inside = lanes;
    warp->dead = ~lanes;
    warp->active = 0;
    warp->split_count = 0;
    warp->polls = false;
    warp->issued = warp->waits = 0;
    warp->turn = warp->patience = 0;
    memset(warp->cluster_phase, 0, sizeof warp->cluster_phase);
    emu_add_split(warp, warp->home, warp->home->function->first, lanes);
}

/* Fills the block's shared memory with the bytes of `garbage`, beginning with index `first`. */
static void spoil_shared(emu_block *block, uint32_t first)
{
    for (uint32_t at = 0; at < block->shared_bytes; at += 16) {
        uint32_t left = block->shared_bytes - at;
        memset(block->shared + at, garbage[(first + at / 16) % sizeof garbage],
               left < 16 ? left : 16);
    }
}

static void start_block(emu_block *block, uint64_t group_index)
{
    const emu_run_state *run = block->group->worker->run;
    const uint32_t *grid = run->launch->grid, *cluster = run->cluster;
    uint64_t wide = grid[0] / cluster[0], high = grid[1] / cluster[1];
    block->ctaid[0] = (uint32_t)(group_index % wide) * cluster[0] + block->rank % cluster[0];
    block->ctaid[1] =
        (uint32_t)(group_index / wide % high) * cluster[1] + block->rank / cluster[0] % cluster[1];
    block->ctaid[2] =
        (uint32_t)(group_index / wide / high) * cluster[2] + block->rank / cluster[0] / cluster[1];
    block->live_threads = block->thread_count;
    for (int i = 0; i < EMU_ALL_BARRIERS; i++)
        block->barriers[i] = (emu_barrier){.all = 1};
    spoil_shared(block, run->poison + (uint32_t)group_index);
    if (block->order)
        emu_order_start(block);
    for (uint32_t i = 0; i < block->warp_count; i++)
        start_warp(&block->warps[i]);
}

emu_group *emu_group_start(emu_worker *worker, uint64_t index, uint32_t sm)
{
    emu_group *group = worker->spare ? worker->spare : make_group(worker);
    worker->spare = NULL;
    if (!group)
        return NULL;
    group->next = NULL;
    group->sm = sm;
    group->live_threads = 0;
    if (group->hottest)
        memset(group->hot, 0, sizeof group->hot);
    group->hottest = 0;
    group->cluster_arrived = group->cluster_phase = group->idle = 0;
    for (uint32_t i = 0; i < group->block_count; i++) {
        start_block(&group->blocks[i], index);
        group->live_threads += group->blocks[i].thread_count;
    }
    return group;
}

/* Runs each ready warp once. Sets *moved unless all of them stopped at a pending mbarrier. */
static uint64_t run_block(emu_block *block, bool *moved)
{
    uint64_t used = 0;
    for (uint32_t i = 0; block->live_threads && i < block->warp_count; i++)
        if (emu_warp_is_ready(&block->warps[i])) {
            used += emu_warp_run(&block->warps[i], block->group->worker->run->quantum);
            *moved |= !block->warps[i].polls;
        }
    return used;
}

/* Returns true if a checked launch can never continue. Call it if no warp has made progress. */
static bool is_stuck(emu_group *group)
{
    enum { MOST_IDLE = 1024 };
    if (emu_check_deliver(group))
        return false;
    return group->idle++ >= MOST_IDLE;
}

emu_progress emu_group_run(emu_group *group, uint64_t budget)
{
    const atomic_int *stop = &group->worker->run->stop;
    for (uint64_t used = 0; used < budget && !atomic_load(stop);) {
        uint64_t before = used;
        bool moved = false;
        for (uint32_t i = 0; i < group->block_count; i++)
            used += run_block(&group->blocks[i], &moved);
        if (group->live_threads == 0)
            return EMU_ENDED;
        if (moved)
            group->idle = 0;
        else if (group->worker->check ? is_stuck(group) || used == before : used == before)
            return EMU_STUCK;
    }
    return EMU_SPENT;
}

void emu_group_end(emu_group *group)
{
    emu_worker *worker = group->worker;
    emu_counters *counters = &worker->counters;
    counters->hottest_address_lanes += group->hottest;
    for (uint32_t b = 0; b < group->block_count; b++) {
        const emu_block *block = &group->blocks[b];
        counters->warps += block->warp_count;
        for (uint32_t w = 0; w < block->warp_count; w++) {
            const emu_warp *warp = &block->warps[w];
            if (warp->issued > counters->longest_warp)
                counters->longest_warp = warp->issued;
            if (warp->waits > counters->longest_waits)
                counters->longest_waits = warp->waits;
        }
    }
    if (worker->spare)
        emu_group_free(group);
    else
        worker->spare = group;
}
