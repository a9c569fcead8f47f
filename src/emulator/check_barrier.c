/* Reports threads that miss a barrier or shuffle at which other threads of their warp wait. Since
 * Volta, a thread may miss the operation if it returned before reaching it, but not if it went past
 * it. A thread has gone past an operation if control flow leads from the operation to the thread's
 * last memory access, but not from that access to the operation. */
#include "emulator/check_stretch.h"

#include <stdlib.h>

static void follow_branches(const emu_function *function, uint32_t from, bool *reached,
                            uint32_t *stack)
{
    uint32_t depth = 0, count = (uint32_t)function->source->instruction_count;
    stack[depth++] = from;
    while (depth) {
        uint32_t at = stack[--depth];
        const emu_flow *flow = &function->flows[at];
        for (uint32_t t = 0; t <= flow->count; t++) {
            uint32_t next = t < flow->count ? flow->targets[t] : at + 1;
            if (next >= count || reached[next] || (t == flow->count && !flow->falls_through))
                continue;
            reached[next] = true;
            stack[depth++] = next;
        }
    }
}

static bool leads_to(const emu_function *function, uint32_t from, uint32_t to)
{
    size_t count = function->source->instruction_count;
    bool *reached = calloc(count + 1, sizeof *reached);
    uint32_t *stack = calloc(count + 1, sizeof *stack);
    if (reached && stack)
        follow_branches(function, from, reached, stack);
    bool leads = reached && reached[to];
    free(reached);
    free(stack);
    return leads;
}

/* Returns true if the access `last` exists and can run after `op` but never before it. */
static bool is_behind(const emu_warp *warp, const emu_op *last, const emu_op *op)
{
    emu_check *check = warp->worker->check;
    const emu_run_state *run = warp->worker->run;
    const emu_op *first = run->launch->program->ops + run->function->first;
    const emu_op *end = first + run->function->source->instruction_count;
    if (!last || last < first || last >= end || op < first || op >= end)
        return false;
    if (check->is_behind_answer.last != last || check->is_behind_answer.op != op) {
        uint32_t from = (uint32_t)(op - first), to = (uint32_t)(last - first);
        check->is_behind_answer.last = last;
        check->is_behind_answer.op = op;
        check->is_behind_answer.is =
            leads_to(run->function, from, to) && !leads_to(run->function, to, from);
    }
    return check->is_behind_answer.is;
}

static uint32_t exited_lanes(const emu_warp *warp)
{
    uint32_t threads = warp->block->thread_count - warp->index * EMU_WARP;
    return warp->dead & (threads >= EMU_WARP ? UINT32_MAX : (1u << threads) - 1);
}

static bool have_passed(const emu_warp *warp, const emu_op *op, uint32_t lanes)
{
    const emu_warp_order *order = &warp->block->order->warps[warp->index];
    EMU_FOR_LANES(lane, lanes & exited_lanes(warp))
    {
        if (is_behind(warp, order->last[lane], op))
            return true;
    }
    return false;
}

/* Returns the lanes that wait at the barrier, and sets *op to an instruction at which one of them
 * waits. Sets *differ to true if they wait at different instructions. */
static uint32_t waiting_at(const emu_warp *warp, unsigned barrier, const emu_op **op, bool *differ)
{
    uint32_t lanes = 0;
    *op = NULL;
    *differ = false;
    for (unsigned i = 0; i < warp->split_count; i++) {
        const emu_split *split = &warp->splits[i];
        if (split->state != EMU_AT_BARRIER || split->barrier != barrier)
            continue;
        *differ |= *op && *op != split->waiting_op;
        *op = split->waiting_op;
        lanes |= split->mask;
    }
    return lanes;
}

uint32_t emu_check_barrier(const emu_warp *warp, unsigned barrier)
{
    const emu_op *op;
    bool differ;
    uint32_t lanes = waiting_at(warp, barrier, &op, &differ);
    unsigned lane = lanes ? (unsigned)__builtin_ctz(lanes) : 0;
    if (differ)
        emu_check_report(warp, op, lane, "barrier", "", NULL,
                         "threads of one warp wait at different barriers, each in a branch");
    else if (lanes && have_passed(warp, op, UINT32_MAX))
        emu_check_report(warp, op, lane, "barrier", "", NULL,
                         "other threads of the warp have already passed this barrier");
    return lanes;
}

void emu_check_members(const emu_warp *warp, const emu_op *op, uint32_t members)
{
    if (have_passed(warp, op, members))
        emu_check_report(warp, op, (unsigned)__builtin_ctz(warp->mask),
                         op->unit == EMU_CLASS_BARRIER ? "barrier" : "shuffle", "", NULL,
                         "the mask names threads that have already passed this operation");
}

void emu_check_source(emu_warp *warp, const emu_op *op, unsigned lane, unsigned from,
                      uint32_t named)
{
    emu_warp_order *order = &warp->block->order->warps[warp->index];
    if (exited_lanes(warp) & named & 1u << from) {
        emu_check_report(warp, op, lane, "shuffle", "", NULL,
                         "takes a value from a thread that has returned");
        return;
    }
    order->shuffled |= 1u << lane;
    order->from[lane] = (uint8_t)from;
}
