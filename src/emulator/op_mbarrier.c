/* Instructions on mbarriers. They are barriers in shared memory that count arrivals and bytes. */
#include "emulator/address.h"
#include "emulator/check.h"
#include "emulator/lanes.h"
#include "emulator/mbarrier.h"

enum { INIT, INVALIDATE, ARRIVE, DROP, EXPECT, COMPLETE, TEST, TRY };
enum { WITH_EXPECT = 1, HAS_STATE = 2, HAS_COUNT = 4, BY_PARITY = 8, RELAXED = 16 };

typedef struct mbarrier {
    uint8_t kind, options;
    uint32_t state, count, parity; /* operands */
} mbarrier;

static uint32_t lane_count(const emu_warp *warp, const mbarrier *m, unsigned lane)
{
    return m->options & HAS_COUNT ? ((const emu_u32 *)emu_lanes(warp, m->count))[lane] : 1;
}

static uint64_t advance_phase(const emu_warp *warp, const mbarrier *m, uint64_t state,
                              unsigned lane)
{
    uint32_t count = lane_count(warp, m, lane);
    switch (m->kind) {
    case INIT:
        return emu_mbarrier_init(count);
    case INVALIDATE:
        return 0;
    case EXPECT:
        return emu_mbarrier_transfer(state, -(int64_t)count);
    case COMPLETE:
        return emu_mbarrier_transfer(state, count);
    default:
        return m->options & WITH_EXPECT ? emu_mbarrier_arrive(state, 1, count, m->kind == DROP)
                                        : emu_mbarrier_arrive(state, count, 0, m->kind == DROP);
    }
}

static bool find_barriers(emu_warp *warp, const emu_op *op, emu_access *access)
{
    emu_addresses(warp, op, 8, access);
    return emu_resolve(warp, op, access);
}

static void note_change(emu_warp *warp, const emu_op *op, unsigned lane, const uint8_t *place)
{
    const mbarrier *m = op->extra;
    uint32_t count = m->options & WITH_EXPECT ? 1 : lane_count(warp, m, lane);
    if (m->kind == INIT) {
        emu_check_mbarrier_init(warp, op, lane, place);
        return;
    }
    emu_check_mbarrier_use(warp, op, lane, place);
    if (m->kind == ARRIVE || m->kind == DROP)
        emu_check_mbarrier_arrive(warp, op, lane, place, count, !(m->options & RELAXED));
}

static void change(emu_warp *warp, const emu_op *op)
{
    const mbarrier *m = op->extra;
    emu_access access;
    if (!find_barriers(warp, op, &access))
        return;
    emu_u64 *states = emu_lanes(warp, m->state);
    EMU_FOR_LANES(lane, warp->mask)
    {
        emu_u64 *place = (emu_u64 *)access.host[lane];
        uint64_t before = *place;
        if (warp->worker->check)
            note_change(warp, op, lane, access.host[lane]);
        *place = advance_phase(warp, m, before, lane);
        if (warp->worker->check && m->kind != INIT)
            emu_check_mbarrier_change(warp->block->group, access.host[lane], before);
        if (m->options & HAS_STATE)
            states[lane] = before;
    }
}

/* For each mbarrier, records which lanes have seen that a phase has ended. */
static void note_over(emu_warp *warp, const emu_access *access, uint32_t over)
{
    while (over) {
        const uint8_t *place = access->host[__builtin_ctz(over)];
        uint32_t same = 0;
        EMU_FOR_LANES(lane, over)
        same |= (uint32_t)(access->host[lane] == place) << lane;
        emu_check_mbarrier_over(warp, place, same);
        over &= ~same;
    }
}

/* Tests if a phase has ended. A state or a parity identifies the phase. */
static void test(emu_warp *warp, const emu_op *op)
{
    const mbarrier *m = op->extra;
    emu_access access;
    uint32_t over = 0;
    if (!find_barriers(warp, op, &access))
        return;
    if (warp->worker->check)
        emu_check_mbarrier_use(warp, op, (unsigned)__builtin_ctz(warp->mask),
                               access.host[__builtin_ctz(warp->mask)]);
    const emu_u64 *states = emu_lanes(warp, m->state);
    const emu_u32 *parities = emu_lanes(warp, m->parity);
    EMU_FOR_LANES(lane, warp->mask)
    {
        unsigned phase =
            m->options & BY_PARITY ? parities[lane] & 1 : emu_mbarrier_parity(states[lane]);
        bool done = emu_mbarrier_parity(*(const emu_u64 *)access.host[lane]) != phase;
        over |= (uint32_t)done << lane;
    }
    emu_set_predicate(warp, op->dst, warp->mask, over);
    if (warp->worker->check && !(m->options & RELAXED))
        note_over(warp, &access, over);
    if (over == warp->mask)
        return;
    warp->yields = true; /* the phase cannot end before other warps arrive, so let them run */
    unsigned left = (unsigned)__builtin_ctz(warp->mask & ~over);
    if (warp->worker->check)
        emu_check_poll(warp, op, left, access.host[left]);
    warp->limit = 0;
}

EMU_UNARY(pending, emu_u32, emu_u64, emu_mbarrier_pending(a))

static void take_qualities(emu_decoder *decoder, mbarrier *m)
{
    static const char *const words[] = {"relaxed", "acquire", "release",
                                        "cta",     "cluster", "noComplete"};
    for (int word; (word = emu_take_one(decoder, words, EMU_COUNT(words))) >= 0;)
        m->options |= word == 0 ? RELAXED : 0;
}

/* Decodes operations that change an mbarrier, with the operands [state,] [address] {, count}. */
static void decode_change(emu_decoder *decoder, mbarrier *m, ptx_space space)
{
    emu_op *op = decoder->op;
    size_t at = 0;
    if (!emu_operands(decoder, 1, 3))
        return;
    const ptx_operand *first = emu_operand(decoder, 0);
    if (first->kind != PTX_OPERAND_ADDRESS) {
        m->options |= first->kind == PTX_OPERAND_SINK ? 0 : HAS_STATE;
        m->state = emu_target(decoder, first, 8);
        at++;
    }
    op->flags |= EMU_ACCESS_WRITE | (m->kind > INVALIDATE ? EMU_ACCESS_STRONG : 0);
    emu_decode_address(decoder, emu_operand(decoder, at++), space);
    if (at < decoder->in->operand_count) {
        m->options |= HAS_COUNT;
        m->count = emu_source(decoder, emu_operand(decoder, at), 4);
    }
    op->run = change;
}

/* Decodes a test, with the operands p, [address], state or parity {, time}. */
static void decode_test(emu_decoder *decoder, mbarrier *m, ptx_space space)
{
    emu_op *op = decoder->op;
    bool parity = emu_take(decoder, "parity");
    if (!emu_operands(decoder, 3, 4))
        return;
    op->flags |= EMU_ACCESS_STRONG;
    emu_decode_address(decoder, emu_operand(decoder, 1), space);
    m->options |= parity ? BY_PARITY : 0;
    if (parity)
        m->parity = emu_source(decoder, emu_operand(decoder, 2), 4);
    else
        m->state = emu_source(decoder, emu_operand(decoder, 2), 8);
    if (decoder->in->operand_count > 3)
        emu_source(decoder, emu_operand(decoder, 3), 4);
    op->dst = emu_target(decoder, emu_operand(decoder, 0), 0);
    op->run = test;
}

void emu_decode_mbarrier(emu_decoder *decoder)
{
    static const char *const kinds[] = {"init",      "inval",       "arrive",    "arrive_drop",
                                        "expect_tx", "complete_tx", "test_wait", "try_wait"};
    emu_op *op = decoder->op;
    mbarrier *m = emu_decode_alloc(decoder, sizeof *m);
    op->unit = EMU_CLASS_BARRIER;
    if (emu_take(decoder, "pending_count")) {
        op->run = emu_take(decoder, "b64") ? pending : NULL;
        emu_decode_signature(decoder, "wl");
        return;
    }
    /* arrive.expect_tx has the kind of arrive */
    int kind = -1;
    for (int i = ARRIVE; kind < 0 && i <= DROP; i++)
        kind = emu_take(decoder, kinds[i]) ? i : -1;
    bool expects = kind >= 0 && emu_take(decoder, "expect_tx");
    if (kind < 0)
        kind = emu_take_one(decoder, kinds, EMU_COUNT(kinds));
    if (kind < 0 || !m)
        return;
    m->kind = (uint8_t)kind;
    m->options = expects ? WITH_EXPECT : 0;
    take_qualities(decoder, m);
    ptx_space space = emu_take_space(decoder, PTX_GENERIC);
    emu_take(decoder, "b64");
    op->extra = m;
    (kind >= TEST ? decode_test : decode_change)(decoder, m, space);
}
