/* Barriers of blocks and clusters, fences and waits. */
#include "emulator/check.h"
#include "emulator/decode.h"

#include <sched.h>

enum { LAUNCH_FAILED = 719, FLAG_COUNT = 1, FLAG_WAIT = 2, FLAG_FLIP = 4, FLAG_WITHIN = 8 };

typedef enum reduction { REDUCE_NONE, REDUCE_POPC, REDUCE_AND, REDUCE_OR } reduction;

/* ---- the block's barriers ---- */

static bool is_complete(const emu_block *block, const emu_barrier *barrier)
{
    if (barrier->arrived == 0)
        return false;
    return barrier->arrived >= (barrier->expected ? barrier->expected : block->live_threads);
}

static void write_result(emu_warp *warp, const emu_split *split, const emu_barrier *barrier)
{
    const emu_op *op = split->waiting_op;
    uint8_t *registers = split->frame->registers;
    if (op->count == REDUCE_POPC) {
        uint32_t *result = (uint32_t *)(registers + op->dst);
        EMU_FOR_LANES(lane, split->mask)
        result[lane] = barrier->count;
    } else if (op->count != REDUCE_NONE) {
        uint8_t *base = warp->base[0];
        warp->base[0] = registers;
        bool value = op->count == REDUCE_AND ? barrier->all != 0 : barrier->any != 0;
        emu_set_predicate(warp, op->dst, split->mask, value ? UINT32_MAX : 0);
        warp->base[0] = base;
    }
}

static void release(emu_block *block, unsigned index)
{
    emu_barrier *barrier = &block->barriers[index];
    if (block->order && index < EMU_BARRIERS)
        emu_order_release(block, index);
    for (uint32_t w = 0; w < block->warp_count; w++) {
        emu_warp *warp = &block->warps[w];
        for (unsigned i = 0; i < warp->split_count; i++) {
            emu_split *split = &warp->splits[i];
            if (split->state != EMU_AT_BARRIER || split->barrier != index)
                continue;
            write_result(warp, split, barrier);
            split->state = EMU_READY;
            warp->limit = 0;
        }
    }
    *barrier = (emu_barrier){.all = 1};
}

void emu_barriers_check(emu_block *block)
{
    for (unsigned i = 0; i < EMU_ALL_BARRIERS; i++)
        if (is_complete(block, &block->barriers[i]))
            release(block, i);
}

static void arrive(emu_warp *warp, const emu_op *op, emu_barrier *barrier)
{
    uint32_t bit = 1u << warp->index;
    if (op->flags & FLAG_COUNT)
        barrier->expected = ((const uint32_t *)emu_lanes(warp, op->b))[__builtin_ctz(warp->mask)];
    /* `expected` counts exited lanes too, so they arrive with the warp's first lanes */
    if (barrier->expected && !(barrier->warps & bit))
        barrier->arrived += emu_popcount(warp->dead);
    barrier->warps |= bit;
    barrier->arrived += emu_popcount(warp->mask);
    if (op->count == REDUCE_NONE)
        return;
    uint32_t value = emu_predicate(warp, op->c) ^ (op->flags & FLAG_FLIP ? UINT32_MAX : 0);
    uint32_t yes = value & warp->mask;
    barrier->count += emu_popcount(yes);
    barrier->all &= yes == warp->mask;
    barrier->any |= yes != 0;
}

static void bar(emu_warp *warp, const emu_op *op)
{
    const uint32_t *which = emu_lanes(warp, op->a);
    unsigned lane = (unsigned)__builtin_ctz(warp->mask), index = which[lane];
    emu_block *block = warp->block;
    if (index >= EMU_BARRIERS) {
        emu_raise(warp, op, LAUNCH_FAILED, lane, 0, "there is no barrier %u", index);
        return;
    }
    warp->worker->counters.block_barriers++;
    if (warp->worker->check)
        emu_order_arrive(warp, index);
    arrive(warp, op, &block->barriers[index]);
    if (op->flags & FLAG_WAIT)
        emu_wait(warp, op, warp->mask, EMU_AT_BARRIER, index, warp->pc);
    if (is_complete(block, &block->barriers[index]))
        release(block, index);
}

/* Waits for the other warps of the warpgroup. Unlike a barrier, the wait orders only matrix
 * products. */
void emu_warpgroup_wait(emu_warp *warp, const emu_op *op)
{
    unsigned index = EMU_BARRIERS + warp->index / EMU_WARPGROUP;
    emu_barrier *barrier = &warp->block->barriers[index];
    barrier->expected = EMU_WARPGROUP * EMU_WARP;
    barrier->arrived += EMU_WARP;
    emu_wait(warp, op, warp->mask, EMU_AT_BARRIER, index, warp->pc);
    if (is_complete(warp->block, barrier))
        release(warp->block, index);
}

/* ---- bar.warp.sync ---- */

/* Lets the members of a mask continue when all of them wait, even at different instructions. */
static void meet_members(emu_warp *warp, emu_handler run, uint32_t members)
{
    uint32_t here = warp->dead;
    for (unsigned i = 0; i < warp->split_count; i++)
        if (warp->splits[i].state == EMU_AT_SYNC && warp->splits[i].waiting_op->run == run)
            here |= warp->splits[i].mask;
    if (members & ~here)
        return;
    if (warp->worker->check)
        emu_order_join(warp, members);
    for (unsigned i = 0; i < warp->split_count; i++) {
        emu_split *split = &warp->splits[i];
        if (split->state != EMU_AT_SYNC || split->waiting_op->run != run)
            continue;
        split->state = EMU_READY;
        split->pc++;
    }
}

static void warp_sync(emu_warp *warp, const emu_op *op)
{
    uint32_t members = emu_members(warp, op->a);
    if (!emu_gather(warp, op, members))
        meet_members(warp, warp_sync, members);
}

/* ---- the cluster's barrier ---- */

void emu_cluster_check(emu_group *group)
{
    if (group->cluster_arrived == 0 || group->cluster_arrived < group->live_threads)
        return;
    group->cluster_arrived = 0;
    group->cluster_phase++;
    if (group->worker->check)
        emu_order_cluster_release(group);
    for (uint32_t b = 0; b < group->block_count; b++)
        for (uint32_t w = 0; w < group->blocks[b].warp_count; w++) {
            emu_warp *warp = &group->blocks[b].warps[w];
            for (unsigned i = 0; i < warp->split_count; i++)
                if (warp->splits[i].state == EMU_AT_CLUSTER)
                    warp->splits[i].state = EMU_READY;
            warp->limit = 0;
        }
}

static void cluster_arrive(emu_warp *warp, const emu_op *op)
{
    emu_group *group = warp->block->group;
    (void)op;
    warp->worker->counters.cluster_barriers++;
    if (warp->worker->check)
        emu_order_cluster_arrive(warp);
    EMU_FOR_LANES(lane, warp->mask)
    warp->cluster_phase[lane] = group->cluster_phase + 1;
    group->cluster_arrived += emu_popcount(warp->mask);
    emu_cluster_check(group);
}

/* Makes each lane wait until the phase in which it arrived has ended. */
static void cluster_wait(emu_warp *warp, const emu_op *op)
{
    emu_group *group = warp->block->group;
    uint32_t waiting = 0;
    EMU_FOR_LANES(lane, warp->mask)
    waiting |= (uint32_t)((int32_t)(warp->cluster_phase[lane] - group->cluster_phase) > 0) << lane;
    if (waiting)
        emu_wait(warp, op, waiting, EMU_AT_CLUSTER, 0, warp->pc);
}

static void decode_cluster_barrier(emu_decoder *decoder)
{
    static const char *const kinds[] = {"arrive", "wait"};
    int kind = emu_take_one(decoder, kinds, 2);
    emu_take(decoder, "aligned");
    emu_take(decoder, "acquire");
    emu_take(decoder, "release");
    emu_take(decoder, "relaxed");
    emu_operands(decoder, 0, 0);
    decoder->op->run = kind < 0 ? NULL : kind ? cluster_wait : cluster_arrive;
}

static void decode_warp_sync(emu_decoder *decoder)
{
    if (!emu_take(decoder, "sync") || !emu_operands(decoder, 1, 1))
        return;
    decoder->op->run = warp_sync;
    decoder->op->a = emu_source(decoder, emu_operand(decoder, 0), 4);
}

static reduction decode_reduction(emu_decoder *decoder)
{
    static const char *const names[] = {"popc", "and", "or"};
    int which = emu_take_one(decoder, names, 3);
    emu_take(decoder, which == 0 ? "u32" : "pred");
    if (which < 0)
        emu_decode_fail(decoder, "needs popc, and or or");
    return (reduction)(which + 1);
}

static void decode_predicate(emu_decoder *decoder, const ptx_operand *operand)
{
    ptx_operand plain = *operand;
    plain.is_negated = false;
    decoder->op->flags |= operand->is_negated ? FLAG_FLIP : 0;
    decoder->op->c = emu_source(decoder, &plain, 0);
}

/* Decodes bar.sync a{,b}, bar.arrive a,b and bar.red.op d,a{,b},p. */
static void decode_block_barrier(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    static const char *const kinds[] = {"sync", "arrive", "red"};
    int kind = emu_take_one(decoder, kinds, 3);
    emu_take(decoder, "cta");
    emu_take(decoder, "aligned");
    size_t at = 0, last = decoder->in->operand_count;
    if (kind < 0 || !emu_operands(decoder, 1, 4))
        return;
    if (kind == 2) {
        op->count = (uint8_t)decode_reduction(decoder);
        op->dst = emu_target(decoder, emu_operand(decoder, at++), op->count == REDUCE_POPC ? 4 : 0);
        decode_predicate(decoder, emu_operand(decoder, --last));
    }
    op->a = emu_source(decoder, emu_operand(decoder, at++), 4);
    if (at < last) {
        op->b = emu_source(decoder, emu_operand(decoder, at), 4);
        op->flags |= FLAG_COUNT;
    }
    op->flags |= kind == 1 ? 0 : FLAG_WAIT;
    op->run = bar;
}

void emu_decode_bar(emu_decoder *decoder)
{
    decoder->op->unit = EMU_CLASS_BARRIER;
    if (emu_take(decoder, "warp"))
        decode_warp_sync(decoder);
    else if (emu_take(decoder, "cluster"))
        decode_cluster_barrier(decoder);
    else
        decode_block_barrier(decoder);
}

/* ---- fences ---- */

static void fence(emu_warp *warp, const emu_op *op)
{
    if (warp->worker->check)
        emu_order_fence(warp, op->flags & FLAG_WITHIN);
    atomic_thread_fence(memory_order_seq_cst);
}

static void proxy_fence(emu_warp *warp, const emu_op *op)
{
    fence(warp, op);
    if (warp->worker->check)
        emu_order_proxy_fence(warp);
}

static void mbarrier_fence(emu_warp *warp, const emu_op *op)
{
    if (warp->worker->check)
        emu_order_init_fence(warp);
    fence(warp, op);
}

/* Runs griddepcontrol. It only informs the sanitizer, because launches do not really overlap. */
static void grid_control(emu_warp *warp, const emu_op *op)
{
    if (!warp->worker->check)
        return;
    if (op->flags & FLAG_WAIT)
        emu_check_grid_wait(warp);
    else
        emu_check_grid_trigger(warp);
}

/* Decodes griddepcontrol, membar.* and fence.*. All fences act like the strongest fence. */
void emu_decode_fence(emu_decoder *decoder)
{
    static const char *const words[] = {"sc",
                                        "acq_rel",
                                        "acquire",
                                        "release",
                                        "cta",
                                        "cluster",
                                        "gpu",
                                        "sys",
                                        "gl",
                                        "proxy",
                                        "alias",
                                        "async",
                                        "global",
                                        "shared::cta",
                                        "shared::cluster",
                                        "mbarrier_init",
                                        "wait",
                                        "launch_dependents",
                                        "sync_restrict::shared::cta",
                                        "sync_restrict::shared::cluster"};
    enum { CTA = 4, PROXY = 9, ASYNC = 11, INIT = 15, WAIT = 16 };
    bool taken[sizeof words / sizeof words[0]] = {false};
    for (int word; (word = emu_take_one(decoder, words, sizeof words / sizeof words[0])) >= 0;)
        taken[word] = true;
    emu_operands(decoder, 0, 0);
    decoder->op->unit = EMU_CLASS_BARRIER;
    decoder->op->flags = taken[WAIT] ? FLAG_WAIT : taken[CTA] && !taken[PROXY] ? FLAG_WITHIN : 0;
    decoder->op->run = decoder->lengths[0] == strlen("griddepcontrol") ? grid_control
                       : taken[INIT]                                   ? mbarrier_fence
                       : taken[ASYNC]                                  ? proxy_fence
                                                                       : fence;
}

/* Runs nanosleep: lets other warps run, because the thread may be waiting for them. */
static void nanosleep_op(emu_warp *warp, const emu_op *op)
{
    (void)op;
    warp->yields = true;
    warp->limit = 0;
    sched_yield();
}

void emu_decode_nanosleep(emu_decoder *decoder)
{
    emu_take(decoder, "u32");
    if (emu_operands(decoder, 1, 1))
        decoder->op->a = emu_source(decoder, emu_operand(decoder, 0), 4);
    decoder->op->unit = EMU_CLASS_BARRIER;
    decoder->op->run = nanosleep_op;
}
