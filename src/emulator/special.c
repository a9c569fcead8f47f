/* The special registers, such as %tid, %clock and %laneid. */
#include "emulator/special.h"

#include <time.h>

#define LAUNCH(warp) ((warp)->worker->run->launch)

static uint64_t zero(const emu_warp *warp, unsigned lane)
{
    (void)warp;
    (void)lane;
    return 0;
}

#define VECTOR(name, expression)                                                                   \
    static uint64_t name##_x(const emu_warp *warp, unsigned lane)                                  \
    {                                                                                              \
        enum { N = 0 };                                                                            \
        (void)lane;                                                                                \
        return expression;                                                                         \
    }                                                                                              \
    static uint64_t name##_y(const emu_warp *warp, unsigned lane)                                  \
    {                                                                                              \
        enum { N = 1 };                                                                            \
        (void)lane;                                                                                \
        return expression;                                                                         \
    }                                                                                              \
    static uint64_t name##_z(const emu_warp *warp, unsigned lane)                                  \
    {                                                                                              \
        enum { N = 2 };                                                                            \
        (void)lane;                                                                                \
        return expression;                                                                         \
    }

#define SCALAR(name, expression)                                                                   \
    static uint64_t name(const emu_warp *warp, unsigned lane)                                      \
    {                                                                                              \
        (void)warp;                                                                                \
        (void)lane;                                                                                \
        return expression;                                                                         \
    }

VECTOR(tid, warp->tid[N][lane])
VECTOR(ntid, LAUNCH(warp)->block[N])
VECTOR(ctaid, warp->block->ctaid[N])
VECTOR(nctaid, LAUNCH(warp)->grid[N])
VECTOR(clusterid, warp->block->ctaid[N] / warp->worker->run->cluster[N])
VECTOR(nclusterid, LAUNCH(warp)->grid[N] / warp->worker->run->cluster[N])
VECTOR(cluster_ctaid, warp->block->ctaid[N] % warp->worker->run->cluster[N])
VECTOR(cluster_nctaid, warp->worker->run->cluster[N])

SCALAR(cluster_ctarank, warp->block->rank)
SCALAR(cluster_nctarank, warp->block->group->block_count)
SCALAR(is_explicit_cluster, warp->block->group->block_count > 1)

static uint64_t laneid(const emu_warp *warp, unsigned lane)
{
    (void)warp;
    return lane;
}
SCALAR(lanemask_eq, 1u << lane)
SCALAR(lanemask_lt, (1u << lane) - 1)
SCALAR(lanemask_le, (2u << lane) - 1)
SCALAR(lanemask_ge, ~((1u << lane) - 1))
SCALAR(lanemask_gt, ~((2u << lane) - 1))
SCALAR(warpid, warp->index)
SCALAR(nwarpid, 64)
SCALAR(smid, warp->block->group->sm)
SCALAR(nsmid, warp->worker->run->limits.sm_count)
SCALAR(dynamic_shared, LAUNCH(warp)->dynamic_shared_bytes)
SCALAR(total_shared, warp->block->shared_bytes)
/* cooperative_groups reads the address of the grid's barriers from these registers */
SCALAR(envreg1, LAUNCH(warp)->grid_workspace >> 32)
SCALAR(envreg2, (uint32_t)LAUNCH(warp)->grid_workspace)

/* Returns the number of operations that this host thread has executed. */
static uint64_t clock_64(const emu_warp *warp, unsigned lane)
{
    uint64_t sum = 0;
    (void)lane;
    for (int i = 0; i < EMU_CLASS_COUNT; i++)
        sum += warp->worker->counters.issued[i];
    return sum;
}
SCALAR(clock_high, clock_64(warp, lane) >> 32)

static uint64_t globaltimer(const emu_warp *warp, unsigned lane)
{
    struct timespec now;
    (void)warp;
    (void)lane;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
SCALAR(globaltimer_high, globaltimer(warp, lane) >> 32)

#define NAMES(name)                                                                                \
    {"%" #name ".x", name##_x, true}, {"%" #name ".y", name##_y, true},                            \
    {                                                                                              \
        "%" #name ".z", name##_z, true                                                             \
    }

static const struct {
    const char *name;
    emu_special *value;
    bool is_uniform;
} registers[] = {
    {"%tid.x", tid_x, false},
    {"%tid.y", tid_y, false},
    {"%tid.z", tid_z, false},
    NAMES(ntid),
    NAMES(ctaid),
    NAMES(nctaid),
    NAMES(clusterid),
    NAMES(nclusterid),
    NAMES(cluster_ctaid),
    NAMES(cluster_nctaid),
    {"%cluster_ctarank", cluster_ctarank, true},
    {"%cluster_nctarank", cluster_nctarank, true},
    {"%is_explicit_cluster", is_explicit_cluster, true},
    {"%laneid", laneid, false},
    {"%lanemask_eq", lanemask_eq, false},
    {"%lanemask_lt", lanemask_lt, false},
    {"%lanemask_le", lanemask_le, false},
    {"%lanemask_ge", lanemask_ge, false},
    {"%lanemask_gt", lanemask_gt, false},
    {"%warpid", warpid, true},
    {"%nwarpid", nwarpid, true},
    {"%smid", smid, true},
    {"%nsmid", nsmid, true},
    {"%gridid", zero, true},
    {"%dynamic_smem_size", dynamic_shared, true},
    {"%total_smem_size", total_shared, true},
    {"%aggr_smem_size", total_shared, true},
    {"%envreg1", envreg1, true},
    {"%envreg2", envreg2, true},
    {"%clock", clock_64, true},
    {"%clock_hi", clock_high, true},
    {"%clock64", clock_64, true},
    {"%globaltimer", globaltimer, true},
    {"%globaltimer_lo", globaltimer, true},
    {"%globaltimer_hi", globaltimer_high, true},
    {"%current_graph_exec", zero, true},
};

emu_special *emu_special_find(const char *name, bool *is_uniform)
{
    for (size_t i = 0; i < sizeof registers / sizeof registers[0]; i++)
        if (strcmp(registers[i].name, name) == 0) {
            *is_uniform = registers[i].is_uniform;
            return registers[i].value;
        }
    return NULL;
}
