/* Checks memory accesses for races and for reads of unset memory (check_stretch.h). */
#include "emulator/check_stretch.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct touch {
    emu_warp *warp;
    const emu_op *op;
    unsigned lane;
    const uint8_t *host;
    uint32_t bytes;
    uint32_t element_bytes;
    emu_cell *cells;     /* shadow cells of the accessed region or shared memory */
    const uint8_t *base; /* address of the memory that the first cell describes */
    emu_region *region;  /* NULL: shared memory */
    emu_stamp stamp;
    const uint8_t *before; /* the bytes that a store overwrote; NULL if unknown */
} touch;

/* ---- regions of accesses ---- */

static bool is_beside(const emu_check *check, const emu_range *range)
{
    for (const emu_region *region = check->regions; region; region = region->next)
        if (region->base >= range->base && region->base < range->end)
            return true;
    return false;
}

static emu_region *new_region(const touch *t, emu_check *check, uint64_t address)
{
    emu_range range;
    const emu_memory *memory = check->launch->memory;
    if (!memory || !memory->find(memory->context, address, &range))
        return NULL;
    if (is_beside(check, &range)) {
        char where[128];
        emu_check_name(where, sizeof where, check, address);
        emu_check_report(t->warp, t->op, t->lane, "bounds", where, NULL,
                         t->stamp.how & EMU_HOW_WRITE ? "is written outside the buffer"
                                                      : "is read outside the buffer");
        return NULL;
    }
    emu_region *region = emu_check_add_region(check, range.base, range.end - range.base);
    if (region)
        region->is_set = true;
    return region;
}

static emu_region *find_region(const touch *t, emu_check *check, uint64_t address)
{
    for (emu_region **place = &check->regions; *place; place = &(*place)->next) {
        emu_region *region = *place;
        if (address >= region->base && address - region->base < region->bytes) {
            *place = region->next; /* move the most recently used region to the front of the list */
            region->next = check->regions;
            check->regions = region;
            return region;
        }
    }
    return new_region(t, check, address);
}

static bool find_global(touch *t, emu_check *check, uint64_t address)
{
    emu_region *region = find_region(t, check, address);
    if (!region)
        return false;
    if (!region->cells)
        region->cells = calloc((region->bytes >> check->shift) + 2, sizeof *region->cells);
    t->region = region;
    t->cells = region->cells;
    t->base = (const uint8_t *)(uintptr_t)(region->base & ~(uint64_t)3);
    return t->cells != NULL;
}

/* Reports an access to another block's shared memory if that block may not have started yet. */
static void look_at_start(const touch *t, const emu_block *block)
{
    char where[64];
    if (emu_order_knows_start(t->warp, t->lane, block))
        return;
    snprintf(where, sizeof where, "byte %u of another block's shared memory",
             (unsigned)(t->host - block->shared));
    emu_check_report(t->warp, t->op, t->lane, "race", where, NULL,
                     t->stamp.how & EMU_HOW_WRITE
                         ? "is written when that block may not have started"
                         : "is read when that block may not have started");
}

static bool find_shared(touch *t)
{
    const emu_group *group = t->warp->block->group;
    for (uint32_t b = 0; b < group->block_count; b++) {
        const emu_block *block = &group->blocks[b];
        if (t->host >= block->shared && t->host < block->shared + block->shared_bytes) {
            t->cells = block->order->cells;
            t->base = block->shared;
            look_at_start(t, block);
            return true;
        }
    }
    return false;
}

static void name_place(char *out, size_t out_bytes, const touch *t, const uint8_t *at)
{
    if (t->region)
        emu_check_name(out, out_bytes, t->warp->worker->check, (uint64_t)(uintptr_t)at);
    else
        snprintf(out, out_bytes, "byte %u of shared memory", (unsigned)(at - t->base));
}

/* ---- races ---- */

static bool is_race(const touch *t, const emu_stamp *other)
{
    if (other->warp == 0)
        return false;
    if (t->region && t->region->races && (t->stamp.how & other->how & EMU_HOW_WRITE) == 0)
        return false;
    /* of two strong accesses, only a read of memory that nothing else has set must be ordered */
    if (t->stamp.how & other->how & EMU_HOW_STRONG)
        return other->how & EMU_HOW_FIRST && !emu_order_knows(t->warp, t->lane, other);
    /* a read before a compare-and-swap may be stale, because the swap then fails */
    bool guess = (t->stamp.how | other->how) & EMU_HOW_CAS &&
                 (t->stamp.how == EMU_HOW_READ || other->how == EMU_HOW_READ);
    return !guess && !emu_order_knows(t->warp, t->lane, other);
}

static void report_race(const touch *t, const emu_stamp *other, const uint8_t *at)
{
    char where[128];
    const char *verb = t->stamp.how & EMU_HOW_WRITE ? "is written" : "is read";
    const char *was = other->how & EMU_HOW_WRITE ? "wrote" : "read";
    char what[144];
    bool own = other->warp == t->stamp.warp && other->lane == t->lane;
    name_place(where, sizeof where, t, at);
    if (other->how & EMU_HOW_PRODUCT)
        snprintf(what, sizeof what, "%s while a wgmma of %s may still read it", verb,
                 own ? "this thread" : "another thread");
    else if (other->group)
        snprintf(what, sizeof what, "%s while an asynchronous copy by %s may be in flight", verb,
                 own ? "this thread" : "another thread");
    else
        snprintf(what, sizeof what, "%s without synchronisation with another thread that %s it",
                 verb, was);
    emu_check_report(t->warp, t->op, t->lane, "race", where, other, what);
}

static void look_at_earlier(const touch *t, const emu_cell *cell, const uint8_t *at)
{
    const emu_check *check = t->warp->worker->check;
    char where[128], what[144];
    bool write = t->stamp.how & EMU_HOW_WRITE, races = t->region && t->region->races;
    uint32_t written = races && !write ? 0 : cell->written_before & check->open;
    uint32_t read = races || !write ? 0 : cell->read_before & check->open;
    if ((written | read) && emu_check_has_waited(t->warp, t->lane)) {
        written &= check->open_after_wait;
        read &= check->open_after_wait;
    }
    if (!(written | read))
        return;
    name_place(where, sizeof where, t, at);
    snprintf(
        what, sizeof what,
        "%s while an earlier launch that %s it may still run: a griddepcontrol.wait is missing "
        "or comes too late",
        write ? "is written" : "is read", written ? "wrote" : "read");
    emu_check_report(t->warp, t->op, t->lane, "race", where, NULL, what);
}

/* Reports a read that may miss an earlier write, as the read does not use the usual memory path. */
static void look_at_way(const touch *t, const emu_stamp *write, const uint8_t *at)
{
    char where[128];
    const char *what = NULL;
    if (write->warp == 0 || t->stamp.how & EMU_HOW_WRITE)
        return;
    if (t->stamp.how & EMU_HOW_NC)
        what = "is read by ld.global.nc (__ldg, or const __restrict__), which need not see what "
               "this launch wrote";
    else if (t->stamp.how & EMU_HOW_ASYNC_PROXY && !(write->how & EMU_HOW_ASYNC_PROXY) &&
             !emu_order_is_proxied(t->warp, t->lane, write, false))
        what = t->stamp.how & EMU_HOW_PRODUCT
                   ? "is read by wgmma without a fence.proxy.async after the write"
                   : "is copied without a fence.proxy.async after it was written";
    if (!what)
        return;
    name_place(where, sizeof where, t, at);
    emu_check_report(t->warp, t->op, t->lane, "race", where, write, what);
}

static void note_read(emu_cell *cell, const emu_stamp *stamp)
{
    if (cell->read[0].warp && cell->read[0].warp != stamp->warp)
        cell->read[1] = cell->read[0];
    cell->read[0] = *stamp;
}

/* Records a write. Keeps the last weak write, because it may race with a later strong one. */
static void note_write(const touch *t, emu_cell *cell)
{
    const emu_stamp weak = cell->write.how & EMU_HOW_STRONG ? cell->read[0] : cell->write;
    const bool is_first = t->region && !t->region->is_set && !cell->written_before &&
                          (!cell->write.warp || cell->write.how & EMU_HOW_UNSET);
    *cell = (emu_cell){.write = t->stamp};
    cell->write.how |= is_first ? EMU_HOW_FIRST : 0;
    if (t->stamp.how & EMU_HOW_STRONG && weak.how & EMU_HOW_WRITE)
        cell->read[0] = weak;
}

/* Returns true if a store writes the value that was already there, so a race does no harm. */
static bool is_silent(const touch *t, const uint8_t *at, uint32_t bytes)
{
    return t->before && memcmp(t->before + (at - t->host), at, bytes) == 0;
}

static void look_at(const touch *t, emu_cell *cell, const uint8_t *at, uint32_t bytes)
{
    if (t->stamp.how & EMU_HOW_WRITE && is_silent(t, at, bytes)) {
        if (!cell->write.warp && !cell->written_before)
            cell->write = t->stamp;
        return;
    }
    look_at_earlier(t, cell, at);
    if (is_race(t, &cell->write))
        report_race(t, &cell->write, at);
    else
        look_at_way(t, &cell->write, at);
    for (int i = 0; t->stamp.how & EMU_HOW_WRITE && i < 2; i++)
        if (is_race(t, &cell->read[i]))
            report_race(t, &cell->read[i], at);
    if (t->stamp.how & EMU_HOW_WRITE) {
        note_write(t, cell);
        return;
    }
    note_read(cell, &t->stamp);
}

/* ---- unset memory ---- */

static bool is_unset(const touch *t, const uint8_t *at, uint32_t bytes, unsigned shift)
{
    size_t first = (size_t)(at - t->base) >> shift,
           last = (size_t)(at + bytes - 1 - t->base) >> shift;
    for (size_t i = first; i <= last; i++)
        if (t->cells[i].written_before ||
            (t->cells[i].write.warp && !(t->cells[i].write.how & EMU_HOW_UNSET)))
            return false;
    return true;
}

/* Reports a read of unset memory, but not of shared memory, which check_flow.c handles. */
static void look_at_unset(const touch *t, uint32_t element)
{
    const uint8_t *at = t->host + (size_t)element * t->element_bytes;
    char where[128];
    if (!(t->stamp.how & EMU_HOW_READ) || (t->region && t->region->is_set) ||
        !is_unset(t, at, t->element_bytes, t->warp->worker->check->shift))
        return;
    if (!t->region && !(t->stamp.how & EMU_HOW_STRONG)) {
        if (element < EMU_UNSET_ELEMENTS)
            t->warp->block->order->warps[t->warp->index].loaded[element] |= 1u << t->lane;
        return;
    }
    name_place(where, sizeof where, t, at);
    emu_check_report(t->warp, t->op, t->lane, "unset", where, NULL,
                     "is read, but nothing has set it");
}

static const emu_unset *find_unset(const emu_warp *warp, unsigned lane, uint32_t element)
{
    const emu_unset *unset = warp->block->order->warps[warp->index].storing;
    bool is = element < EMU_UNSET_ELEMENTS && unset[element].lanes >> lane & 1;
    return is ? &unset[element] : NULL;
}

static void look_at_stored(const touch *t, uint32_t element)
{
    const emu_unset *unset = find_unset(t->warp, t->lane, element);
    char where[128];
    if (!unset || !t->region)
        return;
    name_place(where, sizeof where, t, t->host + (size_t)element * t->element_bytes);
    emu_check_report_unset(t->warp, t->op, t->lane, where, unset);
}

static void look_at_variable(const touch *t)
{
    char where[128];
    const emu_check *check = t->warp->worker->check;
    if (!t->region || t->region->element_bytes || !(t->stamp.how & EMU_HOW_WRITE) ||
        !emu_check_variable(check, (uint64_t)(uintptr_t)t->host))
        return;
    name_place(where, sizeof where, t, t->host);
    emu_check_report(
        t->warp, t->op, t->lane, "state", where, NULL,
        "is a device variable: the next launch finds the value that this launch leaves in it");
}

static void check_touch(touch *t)
{
    unsigned shift = t->warp->worker->check->shift;
    uint32_t granule = 1u << shift;
    uint16_t how = t->stamp.how;
    look_at_variable(t);
    for (uint32_t done = 0; done < t->bytes; done += t->element_bytes) {
        look_at_unset(t, done / t->element_bytes);
        look_at_stored(t, done / t->element_bytes);
    }
    for (uint32_t done = 0; done < t->bytes; done += granule) {
        const uint8_t *at = t->host + done;
        uint32_t left = t->bytes - done;
        bool unset = !t->region && find_unset(t->warp, t->lane, done / t->element_bytes);
        t->stamp.how = unset ? how | EMU_HOW_UNSET : how;
        look_at(t, &t->cells[(size_t)(at - t->base) >> shift], at, left < granule ? left : granule);
    }
}

/* ---- local memory ---- */

static void look_at_local(const emu_warp *warp, const emu_op *op, const emu_access *access,
                          unsigned lane, bool write)
{
    const emu_block_order *order = warp->block->order;
    uint8_t *set = order->local_set + warp->index * order->local_bytes;
    size_t at = (size_t)(access->host[lane] - warp->local);
    uint32_t element = op->bytes ? op->bytes : access->bytes;
    for (uint32_t k = 0; k * element < access->bytes; k++) {
        if (write)
            memset(set + at + (size_t)k * element, !find_unset(warp, lane, k), element);
        else if (k < EMU_UNSET_ELEMENTS && !memchr(set + at + (size_t)k * element, 1, element))
            order->warps[warp->index].loaded[k] |= 1u << lane;
    }
}

/* ---- accesses ---- */

static ptx_space space_of(const emu_op *op, uint64_t address)
{
    static const ptx_space spaces[] = {PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_PARAM};
    uint64_t tag = address >> EMU_TAG_SHIFT;
    if (op->space == PTX_GENERIC)
        return tag < 4 ? spaces[tag] : PTX_PARAM;
    return op->space == PTX_SHARED_CLUSTER ? PTX_SHARED : (ptx_space)op->space;
}

/* Returns the EMU_HOW_ flags of an access. Volatile accesses of shared memory are not strong,
 * because code for older GPUs used them within a warp instead of barriers. */
static uint16_t how_of(const emu_op *op, ptx_space space)
{
    enum { MBARRIER = EMU_HOW_READ | EMU_HOW_WRITE | EMU_HOW_STRONG };
    unsigned flags = op->flags;
    uint16_t how = flags & EMU_ACCESS_WRITE ? EMU_HOW_WRITE : EMU_HOW_READ;
    bool strong = flags & (EMU_ACCESS_ATOMIC | EMU_ACCESS_STRONG) ||
                  (flags & EMU_ACCESS_VOLATILE && space == PTX_GLOBAL);
    if (flags & EMU_ACCESS_ATOMIC && !(flags & EMU_ACCESS_OVERWRITES))
        how |= EMU_HOW_READ;
    if (flags & EMU_ACCESS_CAS)
        how |= EMU_HOW_CAS;
    if (op->unit == EMU_CLASS_BARRIER && strong && how == (EMU_HOW_WRITE))
        return MBARRIER;
    if (op->unit == EMU_CLASS_LDST && how == EMU_HOW_READ && op->d)
        how |= EMU_HOW_NC;
    return strong ? how | EMU_HOW_STRONG : how;
}

static void order_by(emu_warp *warp, const emu_op *op, uint16_t how, const uint8_t *place)
{
    bool atomic = op->flags & EMU_ACCESS_ATOMIC;
    if (!(how & EMU_HOW_STRONG) ||
        op->unit == EMU_CLASS_BARRIER) /* accesses to mbarriers are ordered by check_async.c */
        return;
    if (atomic || !(how & EMU_HOW_WRITE))
        emu_order_acquire(warp, place, op->flags);
    if (how & EMU_HOW_WRITE)
        emu_order_publish(warp, place, op->flags & EMU_ACCESS_RELEASE,
                          (op->flags & EMU_ACCESS_WITHIN) == EMU_ACCESS_WITHIN);
}

static void look_at_lane(emu_warp *warp, const emu_op *op, const emu_access *access, unsigned lane,
                         const uint8_t *before)
{
    emu_check *check = warp->worker->check;
    emu_warp_order *order = &warp->block->order->warps[warp->index];
    ptx_space space = space_of(op, access->address[lane]);
    bool write = op->flags & EMU_ACCESS_WRITE;
    if (space == PTX_LOCAL) {
        look_at_local(warp, op, access, lane, write);
        return;
    }
    if (space != PTX_GLOBAL && space != PTX_SHARED)
        return;
    order->last[lane] = op;
    touch t = {.warp = warp,
               .op = op,
               .lane = lane,
               .host = access->host[lane],
               .bytes = access->bytes,
               .element_bytes = op->bytes && op->bytes < access->bytes ? op->bytes : access->bytes,
               .before = before,
               .stamp = {.warp = order->index + 1,
                         .clock = order->clock,
                         .line = op->line,
                         .lane = (uint8_t)lane,
                         .how = how_of(op, space)}};
    if (op->flags & EMU_ACCESS_ASYNC)
        t.stamp.group = order->async[lane].group + 1;
    order_by(warp, op, t.stamp.how, t.host);
    t.stamp.clock = order->clock;
    if (order->copying) {
        t.stamp.how |= order->copying->how;
        t.stamp.group = order->copying->group;
        t.stamp.clock = order->copying->clock ? order->copying->clock : order->clock;
    }
    order->reads_weakly = !(t.stamp.how & (EMU_HOW_STRONG | EMU_HOW_WRITE));
    if (space == PTX_GLOBAL ? find_global(&t, check, access->address[lane]) : find_shared(&t))
        check_touch(&t);
    order->reads_weakly = false;
}

/* Reports reads of uninitialised __constant__ memory, including reads through generic addresses. */
static void look_at_constant(const emu_warp *warp, const emu_op *op, const emu_access *access)
{
    bool generic = op->space == PTX_GENERIC && !(op->flags & EMU_ACCESS_WRITE);
    if (op->space != PTX_CONST && !generic)
        return;
    EMU_FOR_LANES(lane, warp->mask)
    {
        const emu_global *empty =
            emu_check_empty(warp->worker->check, access->address[lane], access->bytes);
        if (!empty)
            continue;
        emu_check_report(warp, op, lane, "unset", empty->name, NULL,
                         "is a __constant__ without an initial value, and nothing has set the "
                         "bytes that are read");
        return;
    }
}

void emu_check_access(emu_warp *warp, const emu_op *op, const emu_access *access)
{
    look_at_constant(warp, op, access);
    if (op->flags & EMU_ACCESS_STORE || op->space == PTX_PARAM || op->space == PTX_CONST)
        return;
    EMU_FOR_LANES(lane, warp->mask)
    look_at_lane(warp, op, access, lane, NULL);
}

void emu_check_stored(emu_warp *warp, const emu_op *op, const emu_access *access, unsigned lane,
                      const uint8_t *before)
{
    look_at_lane(warp, op, access, lane, before);
}
