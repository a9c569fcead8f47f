/* cp.async. The bytes are copied immediately, so waits only matter in a checked launch. */
#include "emulator/check.h"
#include "emulator/lanes.h"

typedef struct copy {
    emu_op from; /* a load that has the address and type of the source */
    uint32_t size_operand, ignore_operand;
    bool has_size, has_ignore;
} copy;

static void commit(emu_warp *warp, const emu_op *op)
{
    (void)op;
    if (warp->worker->check)
        emu_order_commit(warp, warp->block->order->warps[warp->index].async);
}

static void wait_all(emu_warp *warp, const emu_op *op)
{
    commit(warp, op);
    if (warp->worker->check)
        emu_order_wait(warp, warp->block->order->warps[warp->index].async, 0);
}

static void wait_group(emu_warp *warp, const emu_op *op)
{
    if (warp->worker->check)
        emu_order_wait(warp, warp->block->order->warps[warp->index].async, (uint32_t)op->imm);
}

/* Returns how many bytes a lane copies. The rest of its element is set to zero. */
static uint32_t source_bytes(const emu_warp *warp, const emu_op *op, const copy *c, unsigned lane)
{
    if (c->has_ignore && emu_predicate(warp, c->ignore_operand) >> lane & 1)
        return 0;
    if (!c->has_size)
        return op->bytes;
    uint32_t size = ((const emu_u32 *)emu_lanes(warp, c->size_operand))[lane];
    return size < op->bytes ? size : op->bytes;
}

static void copy_async(emu_warp *warp, const emu_op *op)
{
    const copy *c = op->extra;
    emu_access to, from;
    uint32_t all = warp->mask, reading = 0, sizes[EMU_WARP];
    EMU_FOR_LANES(lane, all)
    {
        sizes[lane] = source_bytes(warp, op, c, lane);
        reading |= (uint32_t)(sizes[lane] != 0) << lane;
    }
    emu_addresses(warp, op, op->bytes, &to);
    if (!emu_resolve(warp, op, &to))
        return;
    warp->mask = reading; /* if a lane copies nothing, its source address may be invalid */
    bool ok = true;
    if (reading) {
        emu_addresses(warp, &c->from, op->bytes, &from);
        ok = emu_resolve(warp, &c->from, &from);
    }
    warp->mask = all;
    EMU_FOR_LANES(mine, ok ? all : 0)
    {
        memset(to.host[mine], 0, op->bytes);
        if (sizes[mine])
            memcpy(to.host[mine], from.host[mine], sizes[mine]);
    }
}

static void decode_tail(emu_decoder *decoder, copy *c)
{
    size_t count = decoder->in->operand_count;
    if (emu_take(decoder, "L2::cache_hint"))
        count--;
    if (count < 4)
        return;
    const ptx_operand *extra = emu_operand(decoder, 3);
    if (extra->kind == PTX_OPERAND_REGISTER && extra->type == PTX_PRED) {
        c->has_ignore = true;
        c->ignore_operand = emu_source(decoder, extra, 0);
    } else {
        c->has_size = true;
        c->size_operand = emu_source(decoder, extra, 4);
    }
}

static void decode_copy(emu_decoder *decoder)
{
    static const char *const hints[] = {"ca", "cg", "L2::64B", "L2::128B", "L2::256B"};
    emu_op *op = decoder->op;
    copy *c = emu_decode_alloc(decoder, sizeof *c);
    while (emu_take_one(decoder, hints, EMU_COUNT(hints)) >= 0)
        continue;
    bool spaces = (emu_take(decoder, "shared") || emu_take(decoder, "shared::cta")) &&
                  emu_take(decoder, "global");
    const ptx_operand *size = emu_operand(decoder, 2);
    if (!c || !spaces || !emu_operands(decoder, 3, 5) || size->kind != PTX_OPERAND_INTEGER ||
        (size->value != 4 && size->value != 8 && size->value != 16))
        return;
    emu_op outer = *op;
    emu_decode_address(decoder, emu_operand(decoder, 1), PTX_GLOBAL);
    c->from = *op;
    *op = outer;
    emu_decode_address(decoder, emu_operand(decoder, 0), PTX_SHARED);
    op->flags |= EMU_ACCESS_WRITE | EMU_ACCESS_ASYNC;
    op->bytes = (uint8_t)size->value;
    decode_tail(decoder, c);
    op->extra = c;
    op->run = copy_async;
}

void emu_decode_async(emu_decoder *decoder)
{
    decoder->op->unit = EMU_CLASS_LDST;
    if (!emu_take(decoder, "async"))
        return;
    if (emu_take(decoder, "bulk")) {
        emu_decode_bulk(decoder);
        return;
    }
    if (emu_take(decoder, "mbarrier")) {
        emu_decode_async_arrive(decoder);
        return;
    }
    if (emu_take(decoder, "commit_group")) {
        emu_operands(decoder, 0, 0);
        decoder->op->run = commit;
    } else if (emu_take(decoder, "wait_all")) {
        emu_operands(decoder, 0, 0);
        decoder->op->run = wait_all;
    } else if (emu_take(decoder, "wait_group")) {
        if (emu_operands(decoder, 1, 1))
            decoder->op->imm = emu_operand(decoder, 0)->value;
        decoder->op->run = wait_group;
    } else {
        decode_copy(decoder);
    }
}
