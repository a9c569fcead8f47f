/* Runs warps whose lanes diverge.
 *
 * Lanes at the same position form a split. The split with the deepest call runs first; of several
 * such splits, the one with the lowest position. When it reaches the position of another split, the
 * two are joined. Because of the order in which compilers emit blocks, splits reconverge at the
 * immediate post-dominator. After a split has run for a long time, other splits also run. Lanes can
 * therefore wait in a loop for other lanes of their warp, as on hardware since Volta. */
#include "emulator/check.h"
#include "emulator/program.h"
#include "emulator/warp.h"

#include <stdlib.h>

enum {
    PATIENCE = 16384, /* number of operations after which the split that has waited longest runs */
    TURN = 256        /* number of operations for which the split that has waited runs */
};

void emu_add_split(emu_warp *warp, emu_frame *frame, uint32_t pc, uint32_t mask)
{
    warp->splits[warp->split_count++] =
        (emu_split){.frame = frame, .pc = pc, .mask = mask, .turn = warp->turn};
    warp->limit = 0;
}

void emu_leave_split(emu_warp *warp, uint32_t mask)
{
    warp->active &= ~mask;
    warp->limit = 0;
}

void emu_branch(emu_warp *warp, uint32_t mask, uint32_t target)
{
    if (mask == warp->active) {
        warp->pc = target;
        return;
    }
    emu_leave_split(warp, mask);
    emu_add_split(warp, warp->frame, target, mask);
}

void emu_wait(emu_warp *warp, const emu_op *op, uint32_t mask, emu_state state, unsigned barrier,
              uint32_t pc)
{
    emu_leave_split(warp, mask);
    emu_add_split(warp, warp->frame, pc, mask);
    emu_split *split = &warp->splits[warp->split_count - 1];
    split->waiting_op = op;
    split->state = (uint8_t)state;
    split->barrier = (uint8_t)barrier;
}

uint32_t emu_members(const emu_warp *warp, uint32_t operand)
{
    const uint32_t *named = emu_lanes(warp, operand);
    uint32_t members = 0;
    for (unsigned lane = 0; lane < EMU_WARP; lane++)
        members |= named[lane] & -(warp->mask >> lane & 1);
    return members;
}

bool emu_gather(emu_warp *warp, const emu_op *op, uint32_t members)
{
    if ((members & ~(warp->active | warp->dead)) == 0) {
        if (members && warp->worker->check) {
            emu_check_members(warp, op, members);
            if (op->unit == EMU_CLASS_BARRIER || op->unit == EMU_CLASS_WARP)
                emu_order_join(warp, members); /* matrix operations do not order accesses */
        }
        return true;
    }
    /* after a backward branch, splits that wait here were not joined: stay ready to join them */
    bool joins = false;
    for (unsigned i = 0; i < warp->split_count; i++)
        joins |= warp->splits[i].frame == warp->frame && warp->splits[i].pc == warp->pc - 1;
    emu_wait(warp, op, warp->active, joins ? EMU_READY : EMU_AT_SYNC, 0, warp->pc - 1);
    return false;
}

bool emu_warp_is_ready(const emu_warp *warp)
{
    for (unsigned i = 0; i < warp->split_count; i++)
        if (warp->splits[i].state == EMU_READY)
            return true;
    return false;
}

/* Orders splits by depth of the call, the deepest first, and then by position, the lowest first. */
static bool precedes(const emu_split *a, const emu_split *b)
{
    if (a->frame != b->frame) {
        if (a->frame->depth != b->frame->depth)
            return a->frame->depth > b->frame->depth;
        return a->frame->inside < b->frame->inside; /* two frames never share lanes */
    }
    return a->pc < b->pc;
}

static int choose_first(const emu_warp *warp)
{
    int best = -1;
    for (unsigned i = 0; i < warp->split_count; i++)
        if (warp->splits[i].state == EMU_READY &&
            (best < 0 || precedes(&warp->splits[i], &warp->splits[best])))
            best = (int)i;
    return best;
}

/* Returns the ready split that has waited for the longest time, or -1 if no split is ready. */
static int choose_oldest(const emu_warp *warp)
{
    int best = -1;
    for (unsigned i = 0; i < warp->split_count; i++)
        if (warp->splits[i].state == EMU_READY &&
            (best < 0 || (int32_t)(warp->splits[i].turn - warp->splits[best].turn) < 0))
            best = (int)i;
    return best;
}

static bool can_join(const emu_split *split, const emu_split *with)
{
    return split->frame == with->frame && split->pc == with->pc &&
           (split->state == EMU_READY || split->state == EMU_AT_SYNC);
}

/* Joins split `chosen` with all splits at its position, and returns its new index. */
static unsigned join_splits(emu_warp *warp, unsigned chosen)
{
    emu_split split = warp->splits[chosen];
    unsigned kept = 0;
    for (unsigned i = 0; i < warp->split_count; i++) {
        if (i == chosen)
            continue;
        if (can_join(&warp->splits[i], &split))
            split.mask |= warp->splits[i].mask;
        else
            warp->splits[kept++] = warp->splits[i];
    }
    warp->splits[kept] = split;
    warp->split_count = kept + 1;
    return kept;
}

/* Returns the first position at which the chosen split may reach another split. */
static uint32_t find_limit(const emu_warp *warp, const emu_split *chosen)
{
    uint32_t limit = UINT32_MAX;
    for (unsigned i = 0; i < warp->split_count; i++) {
        const emu_split *split = &warp->splits[i];
        bool meets = split->frame == chosen->frame && split->pc > chosen->pc &&
                     (split->state == EMU_READY || split->state == EMU_AT_SYNC);
        if (meets && split->pc < limit)
            limit = split->pc;
    }
    return limit;
}

/* Makes the split the current split and removes it from the list. */
static void enter_split(emu_warp *warp, unsigned chosen)
{
    unsigned index = join_splits(warp, chosen);
    emu_split *split = &warp->splits[index];
    warp->frame = split->frame;
    warp->base[0] = split->frame->registers;
    warp->active = split->mask;
    warp->pc = split->pc;
    warp->limit = find_limit(warp, split);
    warp->turn++;
    warp->split_count--;
}

static void leave_split(emu_warp *warp)
{
    if (!warp->active)
        return;
    uint32_t limit = warp->limit;
    emu_add_split(warp, warp->frame, warp->pc, warp->active);
    warp->limit = limit;
}

/* Runs the split until it reaches warp->limit or has used up the budget. Handlers set the limit to
 * 0 if lanes leave the split. Returns the rest of the budget. */
static uint32_t run_split(emu_warp *warp, const emu_op *ops, uint32_t budget)
{
    emu_counters *counters = &warp->worker->counters;
    uint64_t waits = 0;
    uint32_t before = budget;
    for (; budget; budget--) {
        const emu_op *op = &ops[warp->pc++];
        uint32_t guard;
        memcpy(&guard, warp->base[0] + op->guard, sizeof guard);
        warp->mask = warp->active & (guard ^ op->guard_flip);
        counters->issued[op->unit]++;
        waits += op->waits;
        if (warp->mask) {
            if (warp->worker->check)
                emu_check_run(warp, op);
            else
                op->run(warp, op);
        } else if (warp->worker->check) {
            emu_check_skip(warp, op);
        }
        if (warp->pc >= warp->limit) {
            budget--;
            break;
        }
    }
    counters->memory_waits += waits;
    warp->issued += before - budget;
    warp->waits += waits;
    return budget;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t emu_warp_run(emu_warp *warp, uint32_t budget)
{
    const emu_op *ops = warp->worker->run->launch->program->ops;
    uint32_t left = budget;
    warp->yields = warp->polls = false;
    while (left && !warp->yields &&
           !atomic_load_explicit(&warp->worker->run->stop, memory_order_relaxed)) {
        bool tired = warp->patience == 0;
        int chosen = tired ? choose_oldest(warp) : choose_first(warp);
        if (chosen < 0)
            break;
        enter_split(warp, (unsigned)chosen);
        bool alone = warp->split_count == 0;
        uint32_t slice = alone ? left : smaller(left, tired ? TURN : warp->patience);
        uint32_t used = slice - run_split(warp, ops, slice);
        leave_split(warp);
        left -= used;
        bool rested = tired || alone || warp->split_count < 2;
        warp->patience = rested ? PATIENCE : warp->patience - used;
    }
    if (warp->yields)
        warp->patience = 0;
    return budget - left;
}
