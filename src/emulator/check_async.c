/* Checks bulk copies, the mbarriers that count them, and launches that begin before the previous
 * launch has ended.
 *
 * Each mbarrier has a component in the vector clocks, which counts its completed phases. Another
 * component represents griddepcontrol.wait, which waits for the previous launch. A bulk copy moves
 * its bytes immediately, but reports them to its mbarrier only when no thread can continue without
 * them. A thread that does not wait, or waits for the wrong phase, therefore races with the copy.
 */
#include "emulator/check_stretch.h"

#include "base/number.h"
#include "base/text.h"
#include "emulator/mbarrier.h"

#include <stdlib.h>

/* Bytes that were copied but not yet reported to their mbarrier. */
typedef struct emu_transfer {
    emu_warp *warp;
    const emu_op *op;
    unsigned lane;
    uint8_t *at;
    uint32_t bytes;
} emu_transfer;

/* ---- mbarriers ---- */

static emu_block *block_of(emu_group *group, const uint8_t *at)
{
    for (uint32_t b = 0; b < group->block_count; b++) {
        emu_block *block = &group->blocks[b];
        if (at >= block->shared && at < block->shared + block->shared_bytes)
            return block;
    }
    return NULL;
}

/* Returns the slot of the mbarrier at `at`, and creates the slot at its first use. Returns NULL if
 * all slots are taken. Sets *component to the slot's component in the vector clocks. */
static emu_slot *slot_of(emu_group *group, const uint8_t *at, uint32_t *component)
{
    emu_block *block = block_of(group, at);
    if (!block)
        return NULL;
    emu_block_order *order = block->order;
    uint32_t s = 0;
    while (s < order->slot_count && order->slots[s].at != at)
        s++;
    if (s + 1 >= group->worker->check->slots)
        return NULL;
    if (s == order->slot_count) {
        order->slot_count++;
        order->slots[s] = (emu_slot){.at = at};
    }
    *component = order->warps[0].index + block->warp_count + 1 + s;
    return &order->slots[s];
}

static void name_barrier(char out[64], const emu_warp *warp, const uint8_t *at)
{
    const emu_block *block = block_of(warp->block->group, at);
    gt_snprintf(out, 64, "the mbarrier at byte %u of shared memory",
                block ? (unsigned)(at - block->shared) : 0);
}

void emu_check_mbarrier_init(emu_warp *warp, const emu_op *op, unsigned lane, const uint8_t *at)
{
    uint32_t component;
    const emu_warp_order *order = &warp->block->order->warps[warp->index];
    emu_slot *slot = slot_of(warp->block->group, at, &component);
    if (slot)
        slot->init = (emu_stamp){.warp = order->index + 1,
                                 .clock = order->clock,
                                 .line = op->line,
                                 .lane = (uint8_t)lane};
}

void emu_check_mbarrier_use(const emu_warp *warp, const emu_op *op, unsigned lane,
                            const uint8_t *at)
{
    char where[64];
    uint32_t component;
    const emu_slot *slot = slot_of(warp->block->group, at, &component);
    if (!slot || !slot->init.warp || emu_order_knows(warp, lane, &slot->init))
        return;
    name_barrier(where, warp, at);
    emu_check_report(warp, op, lane, "race", where, &slot->init,
                     "is used without synchronisation with its mbarrier.init");
}

void emu_check_mbarrier_arrive(emu_warp *warp, const emu_op *op, unsigned lane, const uint8_t *at,
                               uint32_t count, bool publishes)
{
    char where[64];
    uint64_t state;
    uint32_t component;
    emu_slot *slot = slot_of(warp->block->group, at, &component);
    memcpy(&state, at, sizeof state);
    name_barrier(where, warp, at);
    if (count > emu_mbarrier_pending(state))
        emu_check_report(warp, op, lane, "barrier", where, NULL,
                         "gets more arrivals in a phase than it was initialised for");
    if (slot && publishes)
        emu_order_arrive_at(warp, slot);
}

void emu_check_mbarrier_over(emu_warp *warp, const uint8_t *at, uint32_t lanes)
{
    uint32_t component;
    const emu_slot *slot = slot_of(warp->block->group, at, &component);
    if (slot)
        emu_order_observe(warp, &slot->complete, lanes);
}

/* Reports copies that were still in flight when their mbarrier completed the phase. */
static void report_early(const emu_check *check, const uint8_t *at)
{
    for (size_t i = 0; i < check->transfer_count; i++) {
        const emu_transfer *t = &check->transfers[i];
        char where[64];
        name_barrier(where, t->warp, at);
        if (t->at == at)
            emu_check_report(t->warp, t->op, t->lane, "barrier", where, NULL,
                             "ends a phase before this copy: expect_tx announced fewer bytes than "
                             "are copied");
    }
}

void emu_check_mbarrier_change(emu_group *group, const uint8_t *at, uint64_t before)
{
    uint64_t now;
    uint32_t component;
    memcpy(&now, at, sizeof now);
    emu_slot *slot = slot_of(group, at, &component);
    group->idle = 0;
    if (!slot || emu_mbarrier_parity(now) == emu_mbarrier_parity(before))
        return;
    report_early(group->worker->check, at);
    emu_order_complete(slot, component);
}

void emu_check_poll(emu_warp *warp, const emu_op *op, unsigned lane, const uint8_t *at)
{
    emu_warp_order *order = &warp->block->order->warps[warp->index];
    warp->polls = true;
    order->poll.op = op;
    order->poll.at = at;
    order->poll.lane = lane;
}

static void report_poll(const emu_warp *warp)
{
    uint64_t state;
    uint32_t component;
    char where[64], what[160];
    const emu_warp_order *order = &warp->block->order->warps[warp->index];
    memcpy(&state, order->poll.at, sizeof state);
    const emu_slot *slot = slot_of(warp->block->group, order->poll.at, &component);
    name_barrier(where, warp, order->poll.at);
    enum { TOO_MANY = 1 << 19 };
    uint32_t pending = emu_mbarrier_pending(state);
    long long bytes = emu_mbarrier_bytes(state);
    char arrivals[64] = "got too many arrivals";
    if (pending < TOO_MANY && bytes < 0)
        gt_snprintf(arrivals, sizeof arrivals, "got %lld bytes more than were announced", -bytes);
    else if (pending < TOO_MANY)
        gt_snprintf(arrivals, sizeof arrivals, "lacks %u arrival%s and %lld bytes", pending,
                    gt_plural(pending), bytes);
    gt_snprintf(
        what, sizeof what,
        "is waited for here forever: in its phase of parity %u, after %u completed phases, it %s",
        emu_mbarrier_parity(state), slot ? slot->completed : 0, arrivals);
    emu_check_report(warp, order->poll.op, order->poll.lane, "barrier", where, NULL, what);
}

bool emu_check_polls(const emu_group *group)
{
    bool any = false;
    for (uint32_t b = 0; b < group->block_count; b++)
        for (uint32_t w = 0; w < group->blocks[b].warp_count; w++) {
            const emu_warp *warp = &group->blocks[b].warps[w];
            if (warp->polls && emu_warp_is_ready(warp)) {
                report_poll(warp);
                any = true;
            }
        }
    return any;
}

/* ---- the previous launch ---- */

static uint32_t wait_component(const emu_block *block)
{
    return block->order->warps[0].index + block->warp_count;
}

void emu_check_grid_wait(emu_warp *warp)
{
    warp->worker->check->waited = true;
    emu_order_note(warp, wait_component(warp->block));
}

void emu_check_grid_trigger(emu_warp *warp)
{
    emu_block_order *order = warp->block->order;
    bool early = false;
    if (order->has_triggered)
        return;
    EMU_FOR_LANES(lane, warp->mask)
    early |= !emu_check_has_waited(warp, lane);
    order->has_triggered = true;
    warp->worker->check->early_blocks += early;
}

bool emu_check_has_waited(const emu_warp *warp, unsigned lane)
{
    const emu_group *group = warp->block->group;
    for (uint32_t b = 0; warp->worker->check->slots && b < group->block_count; b++) {
        const emu_stamp wait = {
            .how = EMU_HOW_PHASE, .group = wait_component(&group->blocks[b]) + 1, .clock = 1};
        if (emu_order_knows(warp, lane, &wait))
            return true;
    }
    return false;
}

/* ---- bulk copies ---- */

/* Reports a copy if no fence has made the initialisation of its mbarrier visible to the copy. */
static void look_at_init(const emu_warp *warp, const emu_op *op, unsigned lane,
                         const emu_slot *slot)
{
    char where[64];
    if (!slot->init.warp || emu_order_is_proxied(warp, lane, &slot->init, true))
        return;
    name_barrier(where, warp, slot->at);
    emu_check_report(warp, op, lane, "race", where, &slot->init,
                     "is used by a copy without a fence.mbarrier_init or fence.proxy.async after "
                     "its mbarrier.init");
}

void emu_check_copy_begin(emu_warp *warp, const emu_op *op, unsigned lane, const uint8_t *at,
                          emu_stamp *stamp)
{
    emu_warp_order *order = &warp->block->order->warps[warp->index];
    uint32_t component;
    emu_slot *slot = at ? slot_of(warp->block->group, at, &component) : NULL;
    *stamp = (emu_stamp){0};
    if (slot) {
        if (op->count == 0) /* st.async, whose count is not 0, does not use the async proxy */
            look_at_init(warp, op, lane, slot);
        *stamp =
            (emu_stamp){.how = EMU_HOW_PHASE, .group = component + 1, .clock = slot->completed + 1};
    } else if (!at) {
        *stamp = (emu_stamp){.how = EMU_HOW_BULK, .group = order->bulk[lane].group + 1};
        order->bulk_line[lane] = op->line;
        order->bulk_group[lane] = order->bulk[lane].group;
    }
    order->copying = stamp;
}

void emu_check_product_begin(const emu_warp *warp, emu_stamp *stamp)
{
    emu_warp_order *order = &warp->block->order->warps[warp->index];
    *stamp = (emu_stamp){.how = EMU_HOW_PRODUCT, .group = order->products[0].group + 1};
    order->copying = stamp;
}

void emu_check_copy_end(const emu_warp *warp)
{
    warp->block->order->warps[warp->index].copying = NULL;
}

void emu_check_transfer(emu_warp *warp, const emu_op *op, unsigned lane, uint8_t *at,
                        uint32_t bytes)
{
    emu_check *check = warp->worker->check;
    if (emu_check_grow((void **)&check->transfers, check->transfer_count, &check->transfer_capacity,
                       sizeof *check->transfers))
        check->transfers[check->transfer_count++] =
            (emu_transfer){.warp = warp, .op = op, .lane = lane, .at = at, .bytes = bytes};
}

static emu_transfer take_transfer(emu_check *check, size_t index)
{
    emu_transfer taken = check->transfers[index];
    memmove(check->transfers + index, check->transfers + index + 1,
            (--check->transfer_count - index) * sizeof taken);
    return taken;
}

bool emu_check_deliver(emu_group *group)
{
    emu_check *check = group->worker->check;
    for (size_t i = 0; i < check->transfer_count; i++) {
        if (check->transfers[i].warp->block->group != group)
            continue;
        const emu_transfer t = take_transfer(check, i);
        uint64_t before, now;
        memcpy(&before, t.at, sizeof before);
        now = emu_mbarrier_transfer(before, t.bytes);
        memcpy(t.at, &now, sizeof now);
        emu_check_mbarrier_change(group, t.at, before);
        return true;
    }
    return false;
}

/* ---- end of a block ---- */

static void look_at_transfers(emu_check *check, const emu_block *block)
{
    for (size_t i = 0; i < check->transfer_count;) {
        if (block_of(block->group, check->transfers[i].at) != block) {
            i++;
            continue;
        }
        const emu_transfer t = take_transfer(check, i);
        emu_check_report(t.warp, t.op, t.lane, "race", "", NULL,
                         "this copy into shared memory may be incomplete when the block ends: no "
                         "thread has waited for it");
    }
}

static void look_at_groups(const emu_block *block)
{
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const emu_warp_order *order = &block->order->warps[w];
        for (unsigned lane = 0; lane < EMU_WARP; lane++) {
            emu_op op = {.line = order->bulk_line[lane]};
            if (order->bulk_group[lane] > order->read[lane].waited)
                emu_check_report(&block->warps[w], &op, lane, "race", "", NULL,
                                 "this copy may still read shared memory when the block ends: its "
                                 "thread has not waited for it");
        }
    }
}

static const emu_warp *find_other_warp(const emu_block *block, const emu_stamp *stamp)
{
    const emu_group *group = block->group;
    for (uint32_t b = 0; stamp->warp && b < group->block_count; b++) {
        uint32_t place = stamp->warp - 1 - group->blocks[b].order->warps[0].index;
        if (&group->blocks[b] != block && place < group->blocks[b].warp_count)
            return &group->blocks[b].warps[place];
    }
    return NULL;
}

/* Reports another block's access to this block's shared memory if this block may have ended. */
static void check_other_warp(const emu_block *block, const emu_stamp *stamp, size_t at)
{
    char where[64];
    const emu_warp *from = find_other_warp(block, stamp);
    for (uint32_t w = 0; from && w < block->warp_count; w++)
        for (unsigned lane = 0; lane < EMU_WARP; lane++)
            if (emu_order_knows(&block->warps[w], lane, stamp))
                return;
    if (!from)
        return;
    emu_op op = {.line = stamp->line};
    gt_snprintf(where, sizeof where, "byte %zu of another block's shared memory", at);
    emu_check_report(from, &op, stamp->lane, "race", where, NULL,
                     stamp->how & EMU_HOW_WRITE ? "is written when that block may have ended"
                                                : "is read when that block may have ended");
}

void emu_check_block_end(emu_block *block)
{
    emu_check *check = block->group->worker->check;
    const emu_block_order *order = block->order;
    look_at_transfers(check, block);
    look_at_groups(block);
    for (size_t i = 0; block->group->block_count > 1 && i < order->cell_count; i++) {
        const emu_cell *cell = &order->cells[i];
        check_other_warp(block, &cell->write, i << check->shift);
        check_other_warp(block, &cell->read[0], i << check->shift);
        check_other_warp(block, &cell->read[1], i << check->shift);
    }
}
