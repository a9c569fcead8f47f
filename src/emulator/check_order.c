/* What is ordered: clocks of warps, and how they learn of each other. */
#include "emulator/check_parts.h"

#include <stdlib.h>

/* Clocks of a run of warps of the grid. Never changed once others hold it. */
struct emu_clock {
    uint32_t references, first, count;
    uint32_t at[];
};

enum { RING = 16 };

/* ---- clocks ---- */

static emu_clock *retain(emu_clock *clock)
{
    if (clock)
        clock->references++;
    return clock;
}

static void release(emu_clock *clock)
{
    if (clock && --clock->references == 0)
        free(clock);
}

static void drop(emu_clock **place)
{
    release(*place);
    *place = NULL;
}

static uint32_t clock_of(const emu_clock *clock, uint32_t warp)
{
    bool has = clock && warp >= clock->first && warp - clock->first < clock->count;
    return has ? clock->at[warp - clock->first] : 0;
}

static bool covers(const emu_clock *a, const emu_clock *b)
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

/* A new one over the run of `of` (may be NULL) and [first, end). NULL when memory runs out. */
static emu_clock *over(const emu_clock *of, uint32_t first, uint32_t end)
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

/* *place learns what `more` (may be NULL) knows. */
static void learn(emu_clock **place, emu_clock *more)
{
    if (!more || *place == more || (*place && covers(*place, more)))
        return;
    if (!*place || covers(more, *place)) {
        release(*place);
        *place = retain(more);
        return;
    }
    emu_clock *joined = over(*place, more->first, more->first + more->count);
    if (!joined)
        return;
    raise_to(joined, more);
    release(*place);
    *place = joined;
}

/* ---- warps ---- */

static emu_warp_order *order_of(const emu_warp *warp)
{
    return &warp->block->order->warps[warp->index];
}

/* What the lanes did up to now is ordered with what others do that learn of it. */
static void mark_ordered(emu_warp_order *order, uint32_t lanes)
{
    EMU_FOR_LANES(lane, lanes)
    order->ordered[lane] = order->clock;
}

/* What the warp knows, itself included; its clock goes on. */
static emu_clock *take_now(const emu_warp *warp)
{
    emu_warp_order *order = order_of(warp);
    mark_ordered(order, warp->mask);
    emu_clock *now = over(order->known, order->index, order->index + 1);
    if (now)
        now->at[order->index - now->first] = order->clock;
    order->clock++;
    return now;
}

static void know(emu_warp_order *order, uint32_t lanes, uint32_t clock)
{
    if (lanes == UINT32_MAX) {
        order->full = clock > order->full ? clock : order->full;
        return;
    }
    EMU_FOR_LANES(a, lanes)
    {
        EMU_FOR_LANES(b, lanes)
        order->know[a][b] = clock;
    }
}

void emu_order_meet(emu_warp *warp, uint32_t members)
{
    emu_warp_order *order = order_of(warp);
    mark_ordered(order, members & ~warp->dead);
    know(order, members | warp->dead, order->clock++);
}

/* The warp learns; lanes that published there have met those that learn it. */
static void warp_learns(emu_warp_order *order, emu_clock *clock)
{
    uint32_t own = clock_of(clock, order->index);
    learn(&order->known, clock);
    order->full = own > order->full ? own : order->full;
}

bool emu_order_knows(const emu_warp *warp, unsigned lane, const emu_stamp *stamp)
{
    const emu_warp_order *order = order_of(warp);
    uint32_t clock = stamp->clock, other = stamp->warp - 1;
    uint32_t place = other - warp->block->order->warps[0].index;
    if (place < warp->block->warp_count) {
        const emu_warp_order *writer = &warp->block->order->warps[place];
        if (stamp->group) { /* of this block, or of one that has its own shared memory */
            uint32_t group = stamp->group - 1, waited = writer->async[stamp->lane].waited;
            if (group > waited)
                return false;
            if (group + RING > waited)
                clock = writer->async[stamp->lane].at[group % RING];
        }
        /* what a thread did before it returned, and met nobody any more, nothing orders */
        if (warp->block->warps[place].dead >> stamp->lane & 1 &&
            clock > writer->ordered[stamp->lane])
            return false;
    }
    if (other != order->index)
        return clock_of(order->known, other) >= clock;
    return stamp->lane == lane || clock <= order->full || order->know[lane][stamp->lane] >= clock;
}

/* ---- barriers ---- */

void emu_order_arrive(emu_warp *warp, unsigned barrier)
{
    emu_clock *now = take_now(warp);
    learn(&warp->block->order->barriers[barrier], now);
    release(now);
}

void emu_order_release(emu_block *block, unsigned barrier)
{
    emu_clock **clock = &block->order->barriers[barrier];
    for (uint32_t w = 0; w < block->warp_count; w++) {
        emu_warp *warp = &block->warps[w];
        uint32_t lanes = emu_check_barrier(warp, barrier);
        if (!lanes)
            continue;
        know(order_of(warp), lanes | warp->dead, clock_of(*clock, order_of(warp)->index));
        learn(&order_of(warp)->known, *clock);
    }
    drop(clock);
}

void emu_order_cluster_arrive(emu_warp *warp)
{
    emu_clock *now = take_now(warp);
    learn(&warp->block->group->blocks[0].order->cluster, now);
    release(now);
}

void emu_order_cluster_release(emu_group *group)
{
    emu_clock **clock = &group->blocks[0].order->cluster;
    for (uint32_t b = 0; b < group->block_count; b++)
        for (uint32_t w = 0; w < group->blocks[b].warp_count; w++)
            warp_learns(&group->blocks[b].order->warps[w], *clock);
    drop(clock);
}

/* ---- fences, and what is published behind them ---- */

void emu_order_fence(emu_warp *warp)
{
    emu_warp_order *order = order_of(warp);
    release(order->fenced);
    order->fenced = take_now(warp);
}

/* Where the place is noted, or would be. */
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

void emu_order_publish(emu_warp *warp, const uint8_t *place, bool now)
{
    emu_check *check = warp->worker->check;
    emu_warp_order *order = order_of(warp);
    emu_clock *clock = now ? take_now(warp) : retain(order->fenced);
    if (clock && make_room(check)) {
        emu_place *noted = find_place(check, place);
        check->place_count += !noted->at;
        noted->at = place;
        learn(&noted->clock, clock);
    }
    release(clock);
}

void emu_order_acquire(emu_warp *warp, const uint8_t *place)
{
    emu_check *check = warp->worker->check;
    if (check->place_count)
        warp_learns(order_of(warp), find_place(check, place)->clock);
}

void emu_order_forget(emu_check *check)
{
    for (size_t i = 0; i < check->place_capacity; i++)
        release(check->places[i].clock);
    free(check->places);
    check->places = NULL;
    check->place_count = check->place_capacity = 0;
}

/* ---- cp.async ---- */

void emu_order_commit(emu_warp *warp)
{
    EMU_FOR_LANES(lane, warp->mask)
    order_of(warp)->async[lane].group++;
}

void emu_order_wait(emu_warp *warp, uint32_t left)
{
    emu_warp_order *order = order_of(warp);
    EMU_FOR_LANES(lane, warp->mask)
    {
        uint32_t closed = order->async[lane].group - 1, waited = order->async[lane].waited;
        uint32_t last = closed > left ? closed - left : 0;
        for (uint32_t g = waited + 1; g <= last; g++)
            order->async[lane].at[g % RING] = order->clock;
        order->async[lane].waited = last > waited ? last : waited;
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
    if (order->warps && order->cells && order->local_set)
        return order;
    free(order->warps);
    free(order->cells);
    free(order->local_set);
    free(order);
    return NULL;
}

static void clear(emu_block_order *order, uint32_t warp_count)
{
    for (uint32_t w = 0; w < warp_count; w++) {
        release(order->warps[w].known);
        release(order->warps[w].fenced);
    }
    for (int i = 0; i < EMU_BARRIERS; i++)
        drop(&order->barriers[i]);
    drop(&order->cluster);
}

static uint64_t index_of(const emu_block *block)
{
    const uint32_t *grid = block->group->worker->run->launch->grid;
    return ((uint64_t)block->ctaid[2] * grid[1] + block->ctaid[1]) * grid[0] + block->ctaid[0];
}

void emu_order_start(emu_block *block)
{
    emu_block_order *order = block->order;
    clear(order, block->warp_count);
    memset(order->cells, 0, order->cell_count * sizeof *order->cells);
    memset(order->local_set, 0, block->warp_count * order->local_bytes);
    for (uint32_t w = 0; w < block->warp_count; w++) {
        order->warps[w] = (emu_warp_order){
            .index = (uint32_t)index_of(block) * block->warp_count + w, .clock = 1};
        for (int lane = 0; lane < EMU_WARP; lane++)
            order->warps[w].async[lane].group = 1;
    }
}

void emu_order_free(emu_block *block)
{
    emu_block_order *order = block->order;
    if (!order)
        return;
    clear(order, block->warp_count);
    free(order->warps);
    free(order->cells);
    free(order->local_set);
    free(order);
    block->order = NULL;
}
