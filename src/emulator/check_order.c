/* Maintains the happens-before order with vector clocks that warps pass to each other. */
#include "emulator/check_stretch.h"

#include <stdlib.h>

/* A vector clock. Components outside its range are 0. It is not modified while it is shared. */
struct emu_clock {
    uint32_t references, first, count;
    uint32_t at[];
};

/* A place in memory where warps have published their clocks. */
typedef struct emu_place {
    const uint8_t *at;
    emu_knowledge knowledge;
    emu_knowledge within; /* clocks that only the warps of one block can acquire */
    uint32_t block;       /* component of the first warp of that block, plus one; 0: no block */
} emu_place;

enum { RING = 16 };

/* ---- clocks ---- */

static emu_clock *retain_clock(emu_clock *clock)
{
    if (clock)
        clock->references++;
    return clock;
}

static void release_clock(emu_clock *clock)
{
    if (clock && --clock->references == 0)
        free(clock);
}

static void drop_knowledge(emu_knowledge *place)
{
    release_clock(place->order);
    release_clock(place->proxied);
    release_clock(place->fenced);
    *place = (emu_knowledge){0};
}

static uint32_t clock_of(const emu_clock *clock, uint32_t warp)
{
    bool has = clock && warp >= clock->first && warp - clock->first < clock->count;
    return has ? clock->at[warp - clock->first] : 0;
}

static bool covers_clock(const emu_clock *a, const emu_clock *b)
{
    if (b->first < a->first || b->first + b->count > a->first + a->count)
        return false;
    const uint32_t *at = a->at + (b->first - a->first);
    for (uint32_t i = 0; i < b->count; i++)
        if (at[i] < b->at[i])
            return false;
    return true;
}

static void raise_to(emu_clock *to, const emu_clock *from)
{
    uint32_t *at = to->at + (from->first - to->first);
    for (uint32_t i = 0; i < from->count; i++)
        at[i] = from->at[i] > at[i] ? from->at[i] : at[i];
}

/* Copies a clock, and extends its range by the components [first, end). If `of` is NULL, the copy
 * is all zero. Returns NULL if memory runs out. */
static emu_clock *copy_range(const emu_clock *of, uint32_t first, uint32_t end)
{
    if (of) {
        first = of->first < first ? of->first : first;
        end = of->first + of->count > end ? of->first + of->count : end;
    }
    emu_clock *clock = calloc(1, sizeof *clock + (end - first) * sizeof *clock->at);
    if (clock) {
        clock->references = 1;
        clock->first = first;
        clock->count = end - first;
        if (of)
            raise_to(clock, of);
    }
    return clock;
}

/* Merges `more`, which may be NULL, into *place by taking the maximum of each component. */
static void learn_clock(emu_clock **place, emu_clock *more)
{
    if (!more || *place == more || (*place && covers_clock(*place, more)))
        return;
    if (!*place || covers_clock(more, *place)) {
        release_clock(*place);
        *place = retain_clock(more);
        return;
    }
    emu_clock *joined = copy_range(*place, more->first, more->first + more->count);
    if (!joined)
        return;
    raise_to(joined, more);
    release_clock(*place);
    *place = joined;
}

static void learn_knowledge(emu_knowledge *place, const emu_knowledge *more)
{
    learn_clock(&place->order, more->order);
    learn_clock(&place->proxied, more->proxied);
    learn_clock(&place->fenced, more->fenced);
}

/* Copies a clock and raises one of its components to at least `clock`. If `place` is NULL, the
 * other components are 0. Returns NULL if memory runs out. */
static emu_clock *set_component(const emu_clock *place, uint32_t component, uint32_t clock)
{
    emu_clock *out = copy_range(place, component, component + 1);
    if (out && out->at[component - out->first] < clock)
        out->at[component - out->first] = clock;
    return out;
}

/* ---- warps ---- */

static emu_warp_order *order_of(const emu_warp *warp)
{
    return &warp->block->order->warps[warp->index];
}

static void mark_synchronised(emu_warp_order *order, uint32_t lanes)
{
    EMU_FOR_LANES(lane, lanes)
    order->ordered[lane] = order->clock;
}

/* Merges clocks that only some lanes of a warp have learned into the clocks of the whole warp. */
static void share_clock(emu_warp_order *order)
{
    learn_knowledge(&order->known, &order->some);
    drop_knowledge(&order->some);
    order->some_lanes = 0;
}

/* Returns the warp's clocks, including its own clock, and then advances its own clock. */
static emu_knowledge take_now(const emu_warp *warp)
{
    emu_warp_order *order = order_of(warp);
    mark_synchronised(order, warp->mask);
    emu_knowledge now = {.order = set_component(order->known.order, order->index, order->clock),
                         .proxied = retain_clock(order->known.proxied),
                         .fenced = retain_clock(order->known.fenced)};
    learn_clock(&now.fenced, order->fenced.order);
    if (order->some_lanes & warp->mask)
        learn_knowledge(&now, &order->some);
    order->clock++;
    return now;
}

static void know_clock(emu_warp_order *order, uint32_t lanes, uint32_t clock)
{
    if (lanes == UINT32_MAX) {
        order->full = clock > order->full ? clock : order->full;
        share_clock(order);
        return;
    }
    if (order->some_lanes & lanes)
        order->some_lanes |= lanes;
    EMU_FOR_LANES(a, lanes)
    {
        EMU_FOR_LANES(b, lanes)
        order->know[a][b] = clock;
    }
}

/* Merges clocks. If they contain the warp's own clock, all lanes are ordered up to that clock. */
static void warp_learns(emu_warp_order *order, const emu_knowledge *more)
{
    uint32_t own = clock_of(more->order, order->index);
    learn_knowledge(&order->known, more);
    order->full = own > order->full ? own : order->full;
}

/* Merges the clocks from volatile reads and, if `fenced` is true, also those from relaxed reads. */
static void settle_reads(emu_warp_order *order, bool fenced)
{
    warp_learns(order, &order->observed);
    drop_knowledge(&order->observed);
    if (!fenced)
        return;
    warp_learns(order, &order->relaxed);
    drop_knowledge(&order->relaxed);
}

void emu_order_join(emu_warp *warp, uint32_t members)
{
    emu_warp_order *order = order_of(warp);
    settle_reads(order, false);
    mark_synchronised(order, members & ~warp->dead);
    know_clock(order, members | warp->dead, order->clock++);
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Returns up to which clock a component's accesses are ordered before the lane's access. Clocks
 * that volatile and relaxed reads found count only if the access is a store or a strong read. */
static uint32_t known_clock(const emu_warp_order *order, unsigned lane, uint32_t component)
{
    uint32_t clock = clock_of(order->known.order, component);
    if (order->some_lanes >> lane & 1)
        clock = larger(clock, clock_of(order->some.order, component));
    if (!order->reads_weakly) {
        clock = larger(clock, clock_of(order->relaxed.order, component));
        clock = larger(clock, clock_of(order->observed.order, component));
    }
    return clock;
}

static const emu_warp *warp_of(const emu_group *group, uint32_t component)
{
    for (uint32_t b = 0; b < group->block_count; b++) {
        const emu_block *block = &group->blocks[b];
        uint32_t place = component - block->order->warps[0].index;
        if (place < block->warp_count)
            return &block->warps[place];
    }
    return NULL;
}

static const emu_groups *groups_of(const emu_warp_order *writer, const emu_stamp *stamp)
{
    if (!(stamp->how & EMU_HOW_BULK))
        return &writer->async[stamp->lane];
    return stamp->how & EMU_HOW_WRITE ? &writer->bulk[stamp->lane] : &writer->read[stamp->lane];
}

/* Returns true if one of the warps that compute the wgmma product is known to have waited for it
 * before the lane's access. The product has then ended. */
static bool knows_product(const emu_warp *warp, unsigned lane, const emu_stamp *stamp,
                          const emu_warp *from)
{
    const emu_block *block = from->block;
    uint32_t first = from->index / EMU_WARPGROUP * EMU_WARPGROUP, group = stamp->group - 1;
    for (uint32_t w = first; w < first + EMU_WARPGROUP && w < block->warp_count; w++) {
        const emu_warp_order *order = order_of(&block->warps[w]);
        const emu_groups *groups = &order->products[stamp->lane];
        bool recent = group + RING > groups->waited;
        if (group <= groups->waited &&
            (order == order_of(warp) || known_clock(order_of(warp), lane, order->index) >=
                                            (recent ? groups->at[group % RING] : 0)))
            return true;
    }
    return false;
}

bool emu_order_knows(const emu_warp *warp, unsigned lane, const emu_stamp *stamp)
{
    const emu_warp_order *order = order_of(warp);
    uint32_t clock = stamp->clock, other = stamp->warp - 1;
    if (stamp->how & EMU_HOW_PHASE)
        return known_clock(order, lane, stamp->group - 1) >= clock;
    const emu_warp *from = warp_of(warp->block->group, other);
    if (from && stamp->how & EMU_HOW_PRODUCT)
        return knows_product(warp, lane, stamp, from);
    if (from) {
        const emu_warp_order *writer = order_of(from);
        if (stamp->group) {
            const emu_groups *groups = groups_of(writer, stamp);
            uint32_t group = stamp->group - 1;
            if (group > groups->waited)
                return false;
            if (group + RING > groups->waited)
                clock = groups->at[group % RING];
        }
        /* accesses of an exited thread after its last ordering operation are never ordered */
        if (from->dead >> stamp->lane & 1 && clock > writer->ordered[stamp->lane])
            return false;
    }
    if (other != order->index)
        return known_clock(order, lane, other) >= clock;
    return stamp->lane == lane || clock <= order->full || order->know[lane][stamp->lane] >= clock;
}

/* A proxy fence counts if it was executed by the thread of the access or a thread ordered after
 * it. */
bool emu_order_is_proxied(const emu_warp *warp, unsigned lane, const emu_stamp *stamp,
                          bool of_mbarrier)
{
    const emu_warp_order *order = order_of(warp);
    uint32_t other = stamp->warp - 1;
    const emu_warp *from = warp_of(warp->block->group, other);
    if (from && order_of(from)->proxied[stamp->lane] >= stamp->clock)
        return true;
    if (from && of_mbarrier && order_of(from)->initialised[stamp->lane] >= stamp->clock)
        return true;
    return clock_of(order->known.proxied, other) >= stamp->clock ||
           (order->some_lanes >> lane & 1 && clock_of(order->some.proxied, other) >= stamp->clock);
}

bool emu_order_knows_start(const emu_warp *warp, unsigned lane, const emu_block *block)
{
    for (uint32_t w = 0; w < block->warp_count; w++)
        if (known_clock(order_of(warp), lane, block->order->warps[w].index))
            return true;
    return block == warp->block;
}

/* ---- barriers ---- */

static void note_arrival(emu_knowledge *place, const emu_warp *warp)
{
    emu_knowledge now = take_now(warp);
    learn_knowledge(place, &now);
    drop_knowledge(&now);
}

void emu_order_arrive(emu_warp *warp, unsigned barrier)
{
    settle_reads(order_of(warp), false);
    note_arrival(&warp->block->order->barriers[barrier], warp);
}

void emu_order_release(emu_block *block, unsigned barrier)
{
    emu_knowledge *all = &block->order->barriers[barrier];
    for (uint32_t w = 0; w < block->warp_count; w++) {
        emu_warp *warp = &block->warps[w];
        uint32_t lanes = emu_check_barrier(warp, barrier);
        if (!lanes)
            continue;
        know_clock(order_of(warp), lanes | warp->dead, clock_of(all->order, order_of(warp)->index));
        learn_knowledge(&order_of(warp)->known, all);
    }
    drop_knowledge(all);
}

void emu_order_cluster_arrive(emu_warp *warp)
{
    settle_reads(order_of(warp), false);
    note_arrival(&warp->block->group->blocks[0].order->cluster, warp);
}

void emu_order_cluster_release(emu_group *group)
{
    emu_knowledge *all = &group->blocks[0].order->cluster;
    for (uint32_t b = 0; b < group->block_count; b++)
        for (uint32_t w = 0; w < group->blocks[b].warp_count; w++) {
            share_clock(&group->blocks[b].order->warps[w]);
            warp_learns(&group->blocks[b].order->warps[w], all);
        }
    drop_knowledge(all);
}

void emu_order_arrive_at(emu_warp *warp, emu_slot *slot)
{
    note_arrival(&slot->arriving, warp);
}

void emu_order_complete(emu_slot *slot, uint32_t component)
{
    slot->completed++;
    learn_knowledge(&slot->complete, &slot->arriving);
    drop_knowledge(&slot->arriving);
    emu_clock *clock = set_component(slot->complete.order, component, slot->completed);
    learn_clock(&slot->complete.order, clock);
    release_clock(clock);
}

void emu_order_observe(emu_warp *warp, const emu_knowledge *acquired, uint32_t lanes)
{
    emu_warp_order *order = order_of(warp);
    uint32_t own = clock_of(acquired->order, order->index);
    if ((lanes | order->some_lanes | warp->dead) == UINT32_MAX) {
        if (order->some_lanes)
            share_clock(order);
        warp_learns(order, acquired);
        return;
    }
    order->some_lanes |= lanes;
    learn_knowledge(&order->some, acquired);
    EMU_FOR_LANES(a, lanes)
    for (unsigned b = 0; b < EMU_WARP; b++)
        if (order->know[a][b] < own)
            order->know[a][b] = own;
}

void emu_order_note(emu_warp *warp, uint32_t component)
{
    emu_knowledge acquired = {.order = set_component(NULL, component, 1)};
    if (acquired.order)
        emu_order_observe(warp, &acquired, warp->mask);
    drop_knowledge(&acquired);
}

/* ---- fences and publishing ---- */

void emu_order_fence(emu_warp *warp, bool within)
{
    emu_warp_order *order = order_of(warp);
    emu_knowledge *fenced = within ? &order->within : &order->fenced;
    settle_reads(order, !within);
    drop_knowledge(fenced);
    *fenced = take_now(warp);
}

void emu_order_proxy_fence(emu_warp *warp)
{
    emu_warp_order *order = order_of(warp);
    bool all = (warp->mask | warp->dead) == UINT32_MAX;
    uint32_t own = all ? order->clock : order->full;
    emu_clock *now = set_component(order->known.order, order->index, own);
    EMU_FOR_LANES(lane, warp->mask)
    order->proxied[lane] = order->clock;
    learn_clock(&order->known.proxied, now);
    release_clock(now);
    if (order->some_lanes & warp->mask)
        learn_clock(&order->known.proxied, order->some.order);
}

void emu_order_init_fence(emu_warp *warp)
{
    emu_warp_order *order = order_of(warp);
    EMU_FOR_LANES(lane, warp->mask)
    order->initialised[lane] = order->clock;
}

/* Returns the entry for the address `at`, or a free entry if there is none. */
static emu_place *find_place(emu_check *check, const uint8_t *at)
{
    size_t mask = check->place_capacity - 1;
    size_t i = ((uintptr_t)at >> 2) * 0x9e3779b97f4a7c15u >> 20 & mask;
    while (check->places[i].at && check->places[i].at != at)
        i = (i + 1) & mask;
    return &check->places[i];
}

static bool make_room(emu_check *check)
{
    enum { FIRST = 256 };
    if (check->place_count * 2 < check->place_capacity)
        return true;
    size_t old_capacity = check->place_capacity;
    emu_place *old = check->places;
    emu_place *places = calloc(old_capacity ? old_capacity * 2 : FIRST, sizeof *places);
    if (!places)
        return false;
    check->places = places;
    check->place_capacity = old_capacity ? old_capacity * 2 : FIRST;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].at)
            *find_place(check, old[i].at) = old[i];
    free(old);
    return true;
}

static emu_knowledge take_acquired(emu_warp *warp, bool now)
{
    const emu_warp_order *order = order_of(warp);
    if (now)
        return take_now(warp);
    emu_knowledge acquired = {0};
    learn_knowledge(&acquired, &order->fenced);
    learn_clock(&acquired.order, order->known.fenced);
    return acquired;
}

void emu_order_publish(emu_warp *warp, const uint8_t *place, bool now, bool within)
{
    emu_check *check = warp->worker->check;
    uint32_t block = order_of(&warp->block->warps[0])->index + 1;
    emu_knowledge acquired = take_acquired(warp, now && !within), inner = {0};
    if (now && within)
        inner = take_now(warp);
    else
        learn_knowledge(&inner, &order_of(warp)->within);
    if ((acquired.order || inner.order) && make_room(check)) {
        emu_place *noted = find_place(check, place);
        check->place_count += !noted->at;
        noted->at = place;
        learn_knowledge(&noted->knowledge, &acquired);
        if (inner.order && noted->block != block)
            drop_knowledge(&noted->within);
        noted->block = inner.order ? block : noted->block;
        learn_knowledge(&noted->within, &inner);
    }
    drop_knowledge(&acquired);
    drop_knowledge(&inner);
}

void emu_order_acquire(emu_warp *warp, const uint8_t *place, unsigned flags)
{
    emu_check *check = warp->worker->check;
    emu_warp_order *order = order_of(warp);
    if (!check->place_count)
        return;
    const emu_place *noted = find_place(check, place);
    if (flags & EMU_ACCESS_RELAXED)
        learn_knowledge(&order->relaxed, &noted->knowledge);
    else if (flags & EMU_ACCESS_VOLATILE && !(flags & EMU_ACCESS_RELEASE))
        learn_knowledge(&order->observed, &noted->knowledge);
    else
        warp_learns(order, &noted->knowledge);
    if (noted->block == order_of(&warp->block->warps[0])->index + 1)
        warp_learns(order_of(warp), &noted->within);
}

void emu_order_forget(emu_check *check)
{
    for (size_t i = 0; i < check->place_capacity; i++) {
        drop_knowledge(&check->places[i].knowledge);
        drop_knowledge(&check->places[i].within);
    }
    free(check->places);
    check->places = NULL;
    check->place_count = check->place_capacity = 0;
}

/* ---- groups of copies ---- */

void emu_order_commit(const emu_warp *warp, emu_groups *groups)
{
    EMU_FOR_LANES(lane, warp->mask)
    groups[lane].group++;
}

void emu_order_wait(const emu_warp *warp, emu_groups *groups, uint32_t left)
{
    EMU_FOR_LANES(lane, warp->mask)
    {
        uint32_t closed = groups[lane].group - 1, waited = groups[lane].waited;
        uint32_t last = closed > left ? closed - left : 0;
        for (uint32_t g = waited + 1; g <= last; g++)
            groups[lane].at[g % RING] = order_of(warp)->clock;
        groups[lane].waited = last > waited ? last : waited;
    }
}

/* ---- blocks ---- */

emu_block_order *emu_order_new(const emu_block *block)
{
    const emu_check *check = block->group->worker->check;
    emu_block_order *order = calloc(1, sizeof *order);
    if (!order)
        return NULL;
    order->warps = calloc(block->warp_count, sizeof *order->warps);
    order->cell_count = ((size_t)block->shared_bytes >> check->shift) + 1;
    order->cells = calloc(order->cell_count, sizeof *order->cells);
    order->local_bytes = (size_t)EMU_WARP * block->warps[0].local_bytes;
    order->local_set = calloc(block->warp_count, order->local_bytes + 1);
    order->slots = calloc((size_t)check->slots + 1, sizeof *order->slots);
    if (order->warps && order->cells && order->local_set && order->slots)
        return order;
    free(order->warps);
    free(order->cells);
    free(order->local_set);
    free(order->slots);
    free(order);
    return NULL;
}

static void clear_order(emu_block_order *order, uint32_t warp_count)
{
    for (uint32_t w = 0; w < warp_count; w++) {
        drop_knowledge(&order->warps[w].known);
        drop_knowledge(&order->warps[w].fenced);
        drop_knowledge(&order->warps[w].within);
        drop_knowledge(&order->warps[w].some);
        drop_knowledge(&order->warps[w].relaxed);
        drop_knowledge(&order->warps[w].observed);
    }
    for (uint32_t s = 0; s < order->slot_count; s++) {
        drop_knowledge(&order->slots[s].arriving);
        drop_knowledge(&order->slots[s].complete);
    }
    for (int i = 0; i < EMU_BARRIERS; i++)
        drop_knowledge(&order->barriers[i]);
    drop_knowledge(&order->cluster);
}

static uint64_t index_of(const emu_block *block)
{
    const uint32_t *grid = block->group->worker->run->launch->grid;
    return ((uint64_t)block->ctaid[2] * grid[1] + block->ctaid[1]) * grid[0] + block->ctaid[0];
}

void emu_order_start(emu_block *block)
{
    emu_block_order *order = block->order;
    clear_order(order, block->warp_count);
    memset(order->cells, 0, order->cell_count * sizeof *order->cells);
    memset(order->local_set, 0, block->warp_count * order->local_bytes);
    uint32_t components = block->group->worker->check->block_components;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        emu_warp_order *warp = &order->warps[w];
        *warp = (emu_warp_order){.index = (uint32_t)index_of(block) * components + w, .clock = 1};
        for (int lane = 0; lane < EMU_WARP; lane++)
            warp->async[lane].group = warp->bulk[lane].group = warp->read[lane].group =
                warp->products[lane].group = 1;
    }
    order->slot_count = 0;
    order->has_triggered = false;
}

void emu_order_free(emu_block *block)
{
    emu_block_order *order = block->order;
    if (!order)
        return;
    clear_order(order, block->warp_count);
    free(order->warps);
    free(order->cells);
    free(order->local_set);
    free(order->slots);
    free(order);
    block->order = NULL;
}
