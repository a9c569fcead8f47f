/* cp.async.bulk and cp.reduce.async.bulk: bulk copies between global and shared memory. */
#include "emulator/check.h"
#include "emulator/lanes.h"
#include "emulator/mbarrier.h"
#include "emulator/transfer.h"

enum { CHUNK = 16, MISALIGNED = 716 };

typedef struct bulk {
    emu_op from, barrier;
    uint32_t size, blocks; /* operands */
    emu_reduction reduction;
    bool signals, multicasts;
} bulk;

static bool copy_bytes(emu_warp *warp, const emu_op *op, uint32_t bytes, uint32_t rank,
                       const void *with)
{
    const bulk *b = with;
    for (uint32_t offset = 0; offset < bytes; offset += CHUNK) {
        const uint8_t *from = emu_find_lane(warp, &b->from, CHUNK, 0, offset);
        uint8_t *to = from ? emu_find_lane(warp, op, CHUNK, rank, offset) : NULL;
        if (!to)
            return false;
        emu_put(&b->reduction, to, from, CHUNK);
    }
    return true;
}

static void copy_lane(emu_warp *warp, const emu_op *op, unsigned lane)
{
    const bulk *b = op->extra;
    const emu_op *barrier = b->signals ? &b->barrier : NULL;
    uint32_t bytes = ((const emu_u32 *)emu_lanes(warp, b->size))[lane];
    uint32_t blocks = b->multicasts ? ((const emu_u16 *)emu_lanes(warp, b->blocks))[lane] : 0;
    if (bytes % CHUNK) {
        emu_raise(warp, op, MISALIGNED, lane, 0, "copy of %u bytes, which is not a multiple of 16",
                  bytes);
        return;
    }
    if (!b->multicasts)
        emu_transfer(warp, op, barrier, bytes, 0, copy_bytes, b);
    EMU_FOR_LANES(rank, blocks)
    emu_transfer(warp, op, barrier, bytes, rank + 1, copy_bytes, b);
}

static void copy_bulk(emu_warp *warp, const emu_op *op)
{
    emu_each_lane(warp, op, copy_lane);
}

static emu_warp_order *order_of(const emu_warp *warp)
{
    return warp->worker->check ? &warp->block->order->warps[warp->index] : NULL;
}

static void commit(emu_warp *warp, const emu_op *op)
{
    emu_warp_order *order = order_of(warp);
    (void)op;
    if (!order)
        return;
    emu_order_commit(warp, order->bulk);
    emu_order_commit(warp, order->read);
}

/* Waits until groups of copies have ended or, with .read, until they have read their sources. */
static void wait(emu_warp *warp, const emu_op *op)
{
    emu_warp_order *order = order_of(warp);
    if (order && !op->count)
        emu_order_wait(warp, order->bulk, (uint32_t)op->imm);
    if (order)
        emu_order_wait(warp, order->read, (uint32_t)op->imm);
}

/* Takes the address spaces of the target and the source, in this order. */
static bool take_spaces(emu_decoder *decoder, ptx_space *to, ptx_space *from)
{
    unsigned first = decoder->words[1][0] == 'r' ? 4 : 3; /* index of the first modifier */
    if (decoder->word_count > first && memcmp(decoder->words[first], "shared", 6) == 0) {
        *to = emu_take(decoder, "shared::cluster") ? PTX_SHARED_CLUSTER : PTX_SHARED;
        if (*to == PTX_SHARED && !emu_take(decoder, "shared::cta"))
            return false;
        *from = emu_take(decoder, "global") ? PTX_GLOBAL : PTX_SHARED;
        return *from == PTX_GLOBAL || emu_take(decoder, "shared::cta");
    }
    *to = PTX_GLOBAL;
    *from = PTX_SHARED;
    return emu_take(decoder, "global") && emu_take(decoder, "shared::cta");
}

static bool decode_reduction(emu_decoder *decoder, emu_reduction *out)
{
    emu_take(decoder, "noftz");
    out->reduces = emu_take_reduction(decoder, &out->what);
    out->type = emu_take_type(decoder);
    decoder->op->flags |= EMU_ACCESS_ATOMIC;
    return out->reduces && !decoder->failed && emu_atomic_exists(out->what, out->type);
}

static void decode_copy(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    ptx_space to, from;
    bulk *b = emu_decode_alloc(decoder, sizeof *b);
    if (!b || !take_spaces(decoder, &to, &from))
        return;
    b->signals = emu_take(decoder, "mbarrier::complete_tx::bytes");
    b->multicasts = to == PTX_SHARED_CLUSTER && emu_take(decoder, "multicast::cluster");
    bool grouped = emu_take(decoder, "bulk_group"), hint = emu_take(decoder, "L2::cache_hint");
    if (emu_take(decoder, "reduce") && !decode_reduction(decoder, &b->reduction))
        return;
    size_t count = (b->signals ? 4 : 3) + (size_t)b->multicasts;
    if (b->signals == grouped || !emu_operands(decoder, count, count + hint))
        return;
    b->from = emu_decode_one(decoder, emu_operand(decoder, 1), from);
    b->size = emu_source(decoder, emu_operand(decoder, 2), 4);
    if (b->signals)
        b->barrier = emu_decode_barrier(decoder, emu_operand(decoder, 3));
    if (b->multicasts)
        b->blocks = emu_source(decoder, emu_operand(decoder, 4), 2);
    if (hint)
        emu_source(decoder, emu_operand(decoder, count), 8);
    emu_decode_address(decoder, emu_operand(decoder, 0), to);
    op->flags |= EMU_ACCESS_WRITE;
    op->extra = b;
    op->run = copy_bulk;
}

void emu_decode_bulk(emu_decoder *decoder)
{
    decoder->op->unit = EMU_CLASS_LDST;
    if (emu_take(decoder, "commit_group")) {
        emu_operands(decoder, 0, 0);
        decoder->op->run = commit;
    } else if (emu_take(decoder, "wait_group")) {
        decoder->op->count = emu_take(decoder, "read");
        if (emu_operands(decoder, 1, 1))
            decoder->op->imm = emu_operand(decoder, 0)->value;
        decoder->op->run = wait;
    } else if (emu_take(decoder, "prefetch")) {
        emu_decode_prefetch(decoder);
    } else if (emu_take(decoder, "tensor")) {
        emu_decode_tensor(decoder);
    } else {
        decode_copy(decoder);
    }
}

/* Ends the thread's copies before it arrives at the mbarrier, so others need only wait for that. */
static void wait_for_copies(emu_warp *warp, const emu_op *op)
{
    (void)op;
    if (!warp->worker->check)
        return;
    emu_groups *groups = warp->block->order->warps[warp->index].async;
    emu_order_commit(warp, groups);
    emu_order_wait(warp, groups, 0);
}

/* Runs cp.async.mbarrier.arrive.noinc. The copies have already ended, so the thread arrives now.
 * Without .noinc, the instruction would expect one more arrival and then make it, which cancel each
 * other; it is therefore decoded as wait_for_copies(). */
static void arrive(emu_warp *warp, const emu_op *op)
{
    emu_access access;
    wait_for_copies(warp, op);
    emu_addresses(warp, op, 8, &access);
    if (!emu_resolve(warp, op, &access))
        return;
    EMU_FOR_LANES(lane, warp->mask)
    {
        emu_u64 *place = (emu_u64 *)access.host[lane];
        uint64_t before = *place;
        if (warp->worker->check)
            emu_check_mbarrier_arrive(warp, op, lane, access.host[lane], 1, true);
        *place = emu_mbarrier_arrive(before, 1, 0, false);
        if (warp->worker->check)
            emu_check_mbarrier_change(warp->block->group, access.host[lane], before);
    }
}

void emu_decode_async_arrive(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    op->unit = EMU_CLASS_BARRIER;
    bool counted = emu_take(decoder, "noinc");
    ptx_space space = emu_take_space(decoder, PTX_GENERIC);
    if (!emu_take(decoder, "arrive") || !emu_take(decoder, "b64") || !emu_operands(decoder, 1, 1))
        return;
    op->flags |= EMU_ACCESS_WRITE | EMU_ACCESS_STRONG;
    emu_decode_address(decoder, emu_operand(decoder, 0), space);
    op->run = counted ? arrive : wait_for_copies;
}
