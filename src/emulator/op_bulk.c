/* cp.async.bulk: copies of many bytes between global and shared memory, made at once. */
#include "emulator/check.h"
#include "emulator/lanes.h"
#include "emulator/mbarrier.h"

enum { CHUNK = 16 };

typedef struct bulk {
    emu_op from, barrier; /* their own addresses */
    uint32_t size;        /* operand */
    bool signals;
} bulk;

/* Copies the chunk at `offset` for the lanes that reach that far; false after a fault. */
static bool copy_chunk(emu_warp *warp, const emu_op *op, uint32_t offset)
{
    const bulk *b = op->extra;
    emu_op to = *op, from = b->from;
    emu_access target, source;
    to.imm += offset;
    from.imm += offset;
    emu_addresses(warp, &to, CHUNK, &target);
    emu_addresses(warp, &from, CHUNK, &source);
    if (!emu_resolve(warp, &to, &target) || !emu_resolve(warp, &from, &source))
        return false;
    EMU_FOR_LANES(lane, warp->mask)
    memcpy(target.host[lane], source.host[lane], CHUNK);
    return true;
}

static void signal_barriers(emu_warp *warp, const bulk *b, const emu_u32 *sizes)
{
    emu_access access;
    emu_addresses(warp, &b->barrier, 8, &access);
    if (!emu_resolve(warp, &b->barrier, &access))
        return;
    EMU_FOR_LANES(lane, warp->mask)
    {
        emu_u64 *place = (emu_u64 *)access.host[lane];
        *place = emu_mbarrier_transfer(*place, sizes[lane]);
    }
}

static void copy_bulk(emu_warp *warp, const emu_op *op)
{
    const bulk *b = op->extra;
    const emu_u32 *sizes = emu_lanes(warp, b->size);
    uint32_t all = warp->mask;
    bool ok = true;
    for (uint32_t offset = 0; ok; offset += CHUNK) {
        uint32_t reaching = 0;
        EMU_FOR_LANES(lane, all)
        reaching |= (uint32_t)(sizes[lane] > offset) << lane;
        if (!reaching)
            break;
        warp->mask = reaching;
        ok = copy_chunk(warp, op, offset);
    }
    warp->mask = all;
    if (ok && b->signals)
        signal_barriers(warp, b, sizes);
}

static void nothing(emu_warp *warp, const emu_op *op)
{
    (void)warp;
    (void)op;
}

/* ---- decoding ---- */

/* One address of several that an instruction has. */
static emu_op decode_one(emu_decoder *decoder, size_t index, ptx_space space, unsigned flags)
{
    emu_op saved = *decoder->op;
    decoder->op->flags = (uint16_t)flags;
    decoder->op->imm = 0;
    emu_decode_address(decoder, emu_operand(decoder, index), space);
    emu_op result = *decoder->op;
    *decoder->op = saved;
    return result;
}

/* The target's space is named before the source's. */
static bool take_spaces(emu_decoder *decoder, ptx_space *to, ptx_space *from)
{
    bool into = decoder->word_count > 3 && memcmp(decoder->words[3], "shared", 6) == 0;
    if (into) {
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

static void decode_copy(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    ptx_space to, from;
    bulk *b = emu_decode_alloc(decoder, sizeof *b);
    if (!b || !take_spaces(decoder, &to, &from))
        return;
    b->signals = emu_take(decoder, "mbarrier::complete_tx::bytes");
    bool grouped = emu_take(decoder, "bulk_group"), hint = emu_take(decoder, "L2::cache_hint");
    size_t count = b->signals ? 4 : 3;
    if (b->signals == grouped || !emu_operands(decoder, count, count + hint))
        return;
    b->from = decode_one(decoder, 1, from, 0);
    b->size = emu_source(decoder, emu_operand(decoder, 2), 4);
    if (b->signals)
        b->barrier = decode_one(decoder, 3, PTX_SHARED_CLUSTER,
                                EMU_ACCESS_WRITE | EMU_ACCESS_STRONG | EMU_ACCESS_RELEASE);
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
    if (emu_take(decoder, "tensor")) {
        emu_decode_fail(decoder, "instructions on tensor maps run on a GPU only");
    } else if (emu_take(decoder, "commit_group")) {
        emu_operands(decoder, 0, 0);
        decoder->op->run = nothing;
    } else if (emu_take(decoder, "wait_group")) {
        emu_take(decoder, "read");
        emu_operands(decoder, 1, 1);
        decoder->op->run = nothing;
    } else if (emu_take(decoder, "prefetch")) {
        decoder->taken = UINT32_MAX;
        decoder->op->run = nothing;
    } else {
        decode_copy(decoder);
    }
}

/* Who waits for the barrier waits for the copies before the arrival. */
static void wait_for_copies(emu_warp *warp, const emu_op *op)
{
    (void)op;
    if (!warp->worker->check)
        return;
    emu_order_commit(warp);
    emu_order_wait(warp, 0);
}

/* cp.async.mbarrier.arrive{.noinc}: the copies before it are done, so the arrival is made at once;
 * without .noinc it is one that the barrier was not waiting for. */
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
        *place = emu_mbarrier_arrive(*place, 1, 0, false);
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
    op->flags |= EMU_ACCESS_WRITE | EMU_ACCESS_STRONG | EMU_ACCESS_RELEASE;
    emu_decode_address(decoder, emu_operand(decoder, 0), space);
    op->run = counted ? arrive : wait_for_copies;
}
