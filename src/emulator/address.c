/* Computes, checks and translates the addresses that the lanes of a memory instruction access. */
#include "emulator/check.h"

#include "emulator/lanes.h"

enum { ILLEGAL_ADDRESS = 700, MISALIGNED = 716, WRONG_SPACE = 717, LAUNCH_FAILED = 719 };

/* ---- decoding ---- */

ptx_space emu_take_space(emu_decoder *decoder, ptx_space otherwise)
{
    static const char *const names[] = {"global",          "shared",       "shared::cta",
                                        "shared::cluster", "const",        "local",
                                        "param",           "param::entry", "param::func"};
    static const ptx_space spaces[] = {PTX_GLOBAL,         PTX_SHARED, PTX_SHARED,
                                       PTX_SHARED_CLUSTER, PTX_CONST,  PTX_LOCAL,
                                       PTX_PARAM,          PTX_PARAM,  PTX_PARAM};
    int which = emu_take_one(decoder, names, EMU_COUNT(names));
    return which < 0 ? otherwise : spaces[which];
}

static void decode_variable(emu_decoder *decoder, const ptx_variable *variable, ptx_space space)
{
    emu_op *op = decoder->op;
    bool fits = space == PTX_GENERIC || space == variable->space ||
                (space == PTX_SHARED_CLUSTER && variable->space == PTX_SHARED);
    if (!fits) {
        emu_decode_fail(decoder, "%s is in another address space", variable->name);
        return;
    }
    op->b = variable->index;
    switch (variable->space) {
    case PTX_GLOBAL:
    case PTX_CONST:
        op->flags |= EMU_BASE_GLOBAL;
        break;
    case PTX_SHARED:
        decoder->uses_shared[variable->index] = true;
        op->flags |= EMU_BASE_SHARED;
        break;
    case PTX_LOCAL:
        op->flags |= EMU_BASE_LOCAL;
        op->imm += variable->offset;
        break;
    default:
        op->flags |= EMU_BASE_NONE;
        op->flags |= variable->is_kernel_param ? 0 : EMU_ACCESS_FRAME;
        op->imm += variable->offset;
        break;
    }
    /* if the opcode names no address space, use the space of the variable */
    if (space == PTX_GENERIC)
        op->space = (uint8_t)variable->space;
}

void emu_decode_address(emu_decoder *decoder, const ptx_operand *operand, ptx_space space)
{
    emu_op *op = decoder->op;
    op->space = (uint8_t)space;
    if (operand->kind == PTX_OPERAND_ADDRESS && operand->second) {
        emu_decode_fail(decoder, "needs an address without coordinates");
        return;
    }
    if (operand->kind != PTX_OPERAND_ADDRESS) {
        emu_decode_fail(decoder, "needs an address in brackets");
        return;
    }
    const ptx_operand *base = &operand->items[0];
    op->imm = operand->value;
    if (base->kind == PTX_OPERAND_VARIABLE) {
        decode_variable(decoder, base->variable, space);
    } else if (base->kind == PTX_OPERAND_INTEGER) {
        op->flags |= EMU_BASE_NONE;
    } else {
        bool narrow = base->kind == PTX_OPERAND_REGISTER && ptx_type_bytes(base->type) == 4;
        op->flags |= narrow ? EMU_BASE_32 : EMU_BASE_64;
        op->a = emu_source(decoder, base, narrow ? 4 : 8);
        if (space == PTX_PARAM && !decoder->function->is_entry)
            op->flags |= EMU_ACCESS_FRAME;
    }
}

/* ---- computing ---- */

static uint64_t uniform_base(const emu_warp *warp, const emu_op *op)
{
    const emu_launch *launch = warp->worker->run->launch;
    switch (op->flags & EMU_BASE_MASK) {
    case EMU_BASE_GLOBAL:
        return launch->globals ? launch->globals[op->b] : 0;
    case EMU_BASE_SHARED:
        return ((const emu_entry *)launch->kernel)->shared_offsets[op->b];
    case EMU_BASE_LOCAL:
        return warp->frame->local_base;
    default:
        return 0;
    }
}

static void fill_idle_lanes(const emu_warp *warp, emu_access *out)
{
    if (warp->mask == UINT32_MAX)
        return;
    uint64_t some = out->address[__builtin_ctz(warp->mask)];
    EMU_FOR_LANES(lane, ~warp->mask)
    out->address[lane] = some;
}

EMU_WIDE void emu_addresses(emu_warp *warp, const emu_op *op, uint32_t bytes, emu_access *out)
{
    uint64_t offset = op->imm;
    out->bytes = bytes;
    if ((op->flags & EMU_BASE_MASK) == EMU_BASE_64) {
        const emu_u64 *base = emu_lanes(warp, op->a);
        for (unsigned i = 0; i < EMU_WARP; i++)
            out->address[i] = base[i] + offset;
    } else if ((op->flags & EMU_BASE_MASK) == EMU_BASE_32) {
        const emu_u32 *base = emu_lanes(warp, op->a);
        for (unsigned i = 0; i < EMU_WARP; i++)
            out->address[i] = (uint32_t)(base[i] + (uint32_t)offset);
    } else {
        uint64_t address = uniform_base(warp, op) + offset;
        for (unsigned i = 0; i < EMU_WARP; i++)
            out->address[i] = address;
    }
    fill_idle_lanes(warp, out);
}

/* ---- checking ---- */

static const char *access_verb(const emu_op *op)
{
    return op->flags & EMU_ACCESS_ATOMIC  ? "atomic"
           : op->flags & EMU_ACCESS_WRITE ? "store"
                                          : "load";
}

static bool check_alignment(emu_warp *warp, const emu_op *op, const emu_access *access)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < EMU_WARP; i++)
        all |= access->address[i];
    if ((all & (access->bytes - 1)) == 0)
        return true;
    EMU_FOR_LANES(lane, warp->mask)
    if (access->address[lane] & (access->bytes - 1)) {
        emu_raise(warp, op, MISALIGNED, lane, access->address[lane],
                  "%s of %u bytes at 0x%llx, which is not a multiple of %u", access_verb(op),
                  access->bytes, (unsigned long long)access->address[lane], access->bytes);
        break;
    }
    return false;
}

static bool in_range(const emu_range *range, uint64_t low, uint64_t high, uint32_t bytes,
                     bool write)
{
    return low >= range->base && high < range->end && range->end - high >= bytes &&
           !(write && range->is_read_only);
}

static bool find_range(const emu_warp *warp, uint64_t address, emu_range *out)
{
    const emu_memory *memory = warp->worker->run->launch->memory;
    return memory && memory->find(memory->context, address, out);
}

static void raise_range(emu_warp *warp, const emu_op *op, const emu_access *access, unsigned lane,
                        const emu_range *range)
{
    uint64_t address = access->address[lane];
    bool tagged = address >> EMU_TAG_SHIFT && address >> EMU_TAG_SHIFT <= EMU_TAG_PARAM;
    const char *why = !range ? "not in an allocation"
                      : range->is_read_only && op->flags & EMU_ACCESS_WRITE
                          ? "read-only"
                          : "past the end of its allocation";
    if (tagged)
        emu_raise(warp, op, WRONG_SPACE, lane, address,
                  "global %s of %u bytes at 0x%llx, which is not global memory", access_verb(op),
                  access->bytes, (unsigned long long)address);
    else
        emu_raise(warp, op, ILLEGAL_ADDRESS, lane, address, "%s of %u bytes at 0x%llx, %s",
                  access_verb(op), access->bytes, (unsigned long long)address, why);
}

/* Checks each lane separately, because lanes may access different allocations. */
static bool check_lanes(emu_warp *warp, const emu_op *op, const emu_access *access, uint32_t mask)
{
    emu_range range = {0};
    EMU_FOR_LANES(lane, mask)
    {
        uint64_t address = access->address[lane];
        bool write = op->flags & EMU_ACCESS_WRITE;
        if (in_range(&range, address, address, access->bytes, write))
            continue;
        bool known = find_range(warp, address, &range);
        if (known && in_range(&range, address, address, access->bytes, write))
            continue;
        raise_range(warp, op, access, lane, known ? &range : NULL);
        return false;
    }
    return true;
}

EMU_WIDE static bool resolve_global(emu_warp *warp, const emu_op *op, emu_access *access,
                                    uint32_t mask)
{
    uint64_t low = UINT64_MAX, high = 0;
    bool write = op->flags & EMU_ACCESS_WRITE;
    for (unsigned i = 0; i < EMU_WARP; i++) {
        uint64_t address = access->address[i];
        low = address < low ? address : low;
        high = address > high ? address : high;
        access->host[i] = (uint8_t *)(uintptr_t)address;
    }
    emu_range *last = &warp->worker->ranges[op->line % EMU_RANGES], found;
    if (in_range(last, low, high, access->bytes, write))
        return true;
    if (find_range(warp, low, &found) && in_range(&found, low, high, access->bytes, write)) {
        *last = found;
        return true;
    }
    return check_lanes(warp, op, access, mask);
}

static uint64_t tag_address(uint64_t tag, uint64_t offset)
{
    return tag << EMU_TAG_SHIFT | offset;
}

static bool resolve_shared(emu_warp *warp, const emu_op *op, emu_access *access, uint32_t mask)
{
    const emu_block *own = warp->block;
    uint32_t size = own->shared_bytes; /* every block of the launch has as much shared memory */
    EMU_FOR_LANES(lane, mask)
    {
        uint64_t address = access->address[lane] & UINT32_MAX;
        uint32_t rank = (uint32_t)(address >> EMU_RANK_SHIFT);
        uint32_t offset = (uint32_t)address & EMU_OFFSET_MASK;
        const emu_block *block = own;
        if (rank) {
            block = rank <= own->group->block_count ? &own->group->blocks[rank - 1] : NULL;
            if (op->space == PTX_SHARED && block != own)
                block = NULL;
        }
        if (!block || offset >= size || size - offset < access->bytes) {
            emu_raise(warp, op, ILLEGAL_ADDRESS, lane, tag_address(EMU_TAG_SHARED, address),
                      "%s of %u bytes at offset 0x%llx of shared memory, which has %u bytes",
                      access_verb(op), access->bytes, (unsigned long long)address, size);
            return false;
        }
        if (block != own && block->live_threads == 0) {
            emu_raise(warp, op, LAUNCH_FAILED, lane, tag_address(EMU_TAG_SHARED, address),
                      "%s of shared memory of block %u of the cluster, which has exited",
                      access_verb(op), rank - 1);
            return false;
        }
        access->host[lane] = block->shared + offset;
    }
    return true;
}

static bool resolve_local(emu_warp *warp, const emu_op *op, emu_access *access, uint32_t mask)
{
    EMU_FOR_LANES(lane, mask)
    {
        uint64_t offset = access->address[lane] & ((UINT64_C(1) << EMU_TAG_SHIFT) - 1);
        if (offset >= warp->local_bytes || warp->local_bytes - offset < access->bytes) {
            emu_raise(warp, op, ILLEGAL_ADDRESS, lane, tag_address(EMU_TAG_LOCAL, offset),
                      "%s of %u bytes at offset 0x%llx of local memory, which has %u bytes",
                      access_verb(op), access->bytes, (unsigned long long)offset,
                      warp->local_bytes);
            return false;
        }
        access->host[lane] = warp->local + (size_t)lane * warp->local_bytes + offset;
    }
    return true;
}

static bool resolve_param(emu_warp *warp, const emu_op *op, emu_access *access, uint32_t mask)
{
    const emu_launch *launch = warp->worker->run->launch;
    bool in_frame = op->flags & EMU_ACCESS_FRAME;
    uint32_t size = in_frame ? warp->frame->function->param_bytes : launch->kernel->param_bytes;
    EMU_FOR_LANES(lane, mask)
    {
        uint64_t offset = access->address[lane] & ((UINT64_C(1) << EMU_TAG_SHIFT) - 1);
        bool forbidden = !in_frame && op->flags & EMU_ACCESS_WRITE;
        if (offset >= size || size - offset < access->bytes || forbidden) {
            emu_raise(warp, op, ILLEGAL_ADDRESS, lane, tag_address(EMU_TAG_PARAM, offset),
                      "%s of %u bytes at offset 0x%llx of the parameters, which have %u bytes",
                      access_verb(op), access->bytes, (unsigned long long)offset, size);
            return false;
        }
        uint8_t *base =
            in_frame ? emu_frame_params(warp->frame, lane) : (uint8_t *)(uintptr_t)launch->params;
        access->host[lane] = base + offset;
    }
    return true;
}

/* ---- the spaces ---- */

static uint32_t in_cluster(const emu_warp *warp, const emu_access *access, uint32_t mask)
{
    uint32_t remote = 0, own = warp->block->rank + 1;
    EMU_FOR_LANES(lane, mask)
    {
        uint32_t rank = (uint32_t)(access->address[lane] & UINT32_MAX) >> EMU_RANK_SHIFT;
        remote |= (uint32_t)(rank != 0 && rank != own) << lane;
    }
    return remote;
}

static void count_shared(emu_warp *warp, const emu_op *op, const emu_access *access, uint32_t mask)
{
    uint32_t remote = op->space == PTX_SHARED ? 0 : in_cluster(warp, access, mask);
    if (remote)
        emu_count_cluster(warp, op, access, remote);
    if (mask & ~remote)
        emu_count_shared(warp, op, access, mask & ~remote);
}

EMU_WIDE static bool resolve_in(emu_warp *warp, const emu_op *op, emu_access *access,
                                ptx_space space, uint32_t mask)
{
    bool done = false;
    switch (space) {
    case PTX_GLOBAL:
        done = resolve_global(warp, op, access, mask);
        if (done)
            emu_count_global(warp, op, access, mask);
        return done;
    case PTX_CONST:
        done = resolve_global(warp, op, access, mask);
        if (done)
            emu_count_constant(warp, access, mask);
        return done;
    case PTX_LOCAL:
        done = resolve_local(warp, op, access, mask);
        if (done)
            emu_count_local(warp, access, mask);
        return done;
    case PTX_PARAM:
        done = resolve_param(warp, op, access, mask);
        if (done && !(op->flags & EMU_ACCESS_FRAME))
            emu_count_constant(warp, access, mask);
        return done;
    default:
        done = resolve_shared(warp, op, access, mask);
        if (done)
            count_shared(warp, op, access, mask);
        return done;
    }
}

static ptx_space space_of(uint64_t address)
{
    switch (address >> EMU_TAG_SHIFT) {
    case EMU_TAG_SHARED:
        return PTX_SHARED_CLUSTER;
    case EMU_TAG_LOCAL:
        return PTX_LOCAL;
    case EMU_TAG_PARAM:
        return PTX_PARAM;
    default:
        return PTX_GLOBAL;
    }
}

static bool resolve_generic(emu_warp *warp, const emu_op *op, emu_access *access)
{
    uint32_t rest = warp->mask;
    uint64_t tags = 0;
    for (unsigned i = 0; i < EMU_WARP; i++)
        tags |= access->address[i];
    if (tags >> EMU_TAG_SHIFT == 0)
        return resolve_in(warp, op, access, PTX_GLOBAL, rest);
    while (rest) {
        ptx_space space = space_of(access->address[__builtin_ctz(rest)]);
        uint32_t same = 0;
        emu_access part = *access;
        EMU_FOR_LANES(lane, rest)
        same |= (uint32_t)(space_of(access->address[lane]) == space) << lane;
        uint64_t some = access->address[__builtin_ctz(same)];
        EMU_FOR_LANES(other, ~same)
        part.address[other] = some;
        if (!resolve_in(warp, op, &part, space, same))
            return false;
        EMU_FOR_LANES(mine, same)
        access->host[mine] = part.host[mine];
        rest &= ~same;
    }
    return true;
}

static void note_pattern(const emu_warp *warp, emu_access *access)
{
    uint64_t contiguous = 0, uniform = 0;
    for (unsigned i = 0; i < EMU_WARP; i++) {
        contiguous |= access->address[i] ^ (access->address[0] + (uint64_t)i * access->bytes);
        uniform |= access->address[i] ^ access->address[0];
    }
    access->is_contiguous = !contiguous && warp->mask == UINT32_MAX;
    access->is_uniform = !uniform;
}

EMU_WIDE bool emu_resolve(emu_warp *warp, const emu_op *op, emu_access *access)
{
    if (!check_alignment(warp, op, access))
        return false;
    note_pattern(warp, access);
    bool done = op->space == PTX_GENERIC
                    ? resolve_generic(warp, op, access)
                    : resolve_in(warp, op, access, (ptx_space)op->space, warp->mask);
    if (done && warp->worker->check)
        emu_check_access(warp, op, access);
    return done;
}
