/* Copies boxes between shared memory and a tensor in global memory that a tensor map describes:
 * cp.async.bulk.tensor and cp.reduce.async.bulk.tensor. */
#include "emulator/lanes.h"
#include "emulator/tensor_map.h"
#include "emulator/transfer.h"

enum { CHUNK = 16, BOX_ALIGNMENT = 128, ILLEGAL_INSTRUCTION = 715, MISALIGNED = 716 };

/* Describes the copy of a box, except for the address in shared memory, which is in the emu_op. */
typedef struct tensor {
    emu_op map, barrier;
    emu_op memory;
    uint32_t coordinates[EMU_TENSOR_RANK], blocks; /* operands */
    emu_atomic what;
    uint8_t rank;
    bool stores, multicasts, reduces;
} tensor;

typedef struct box {
    const tensor *tensor;
    emu_tensor_map map;
    int64_t first[EMU_TENSOR_RANK]; /* coordinates */
    uint32_t element, row_bytes, bytes;
    uint32_t shared;
    emu_reduction reduction;
} box;

static bool refuse_box(emu_warp *warp, const emu_op *op, const char *what)
{
    emu_raise(warp, op, ILLEGAL_INSTRUCTION, (unsigned)__builtin_ctz(warp->mask), 0, "%s", what);
    return false;
}

static bool read_map(emu_warp *warp, const emu_op *op, emu_tensor_map *out)
{
    const tensor *t = op->extra;
    emu_access access;
    uint8_t *place = NULL;
    emu_addresses(warp, &t->map, 1, &access);
    uint64_t tag = access.address[__builtin_ctz(warp->mask)] >> EMU_TAG_SHIFT;
    if (tag == EMU_TAG_LOCAL || tag == EMU_TAG_SHARED)
        return refuse_box(warp, op,
                          "the tensor map is in local or shared memory: take it as const "
                          "__grid_constant__ CUtensorMap");
    for (unsigned half = 0; half < 2; half++) {
        place = emu_find_lane(warp, &t->map, sizeof *out / 2, 0, half * sizeof *out / 2);
        if (!place)
            return false;
        memcpy((uint8_t *)out + half * sizeof *out / 2, place, sizeof *out / 2);
    }
    return out->magic == EMU_TENSOR_MAGIC && out->rank == t->rank
               ? true
               : refuse_box(warp, op,
                            "not a tensor map of that rank from cuTensorMapEncodeTiled()");
}

static bool make_box(emu_warp *warp, const emu_op *op, unsigned lane, box *out)
{
    const tensor *t = op->extra;
    emu_access access;
    *out = (box){.tensor = t};
    if (!read_map(warp, op, &out->map))
        return false;
    if (out->map.interleave)
        return refuse_box(warp, op, "the emulator has no interleaved tensor maps");
    for (unsigned i = 0; i < t->rank; i++)
        out->first[i] = ((const emu_s32 *)emu_lanes(warp, t->coordinates[i]))[lane];
    out->element = emu_tensor_element_bytes(out->map.type);
    out->row_bytes = emu_tensor_side(&out->map, 0) * out->element;
    out->bytes = out->row_bytes;
    for (unsigned i = 1; i < t->rank; i++)
        out->bytes *= emu_tensor_side(&out->map, i);
    emu_addresses(warp, op, CHUNK, &access);
    out->shared = (uint32_t)access.address[lane];
    if (out->shared % BOX_ALIGNMENT || out->row_bytes % CHUNK) {
        emu_raise(warp, op, MISALIGNED, lane, 0,
                  "copy of rows of %u bytes at 0x%x of shared memory; rows need a multiple of 16 "
                  "bytes, and the box must begin at a multiple of 128",
                  out->row_bytes, out->shared);
        return false;
    }
    return true;
}

/* Sets the reduction for the tensor's element type. Fails if the type does not support it. */
static bool make_reduction(emu_warp *warp, const emu_op *op, box *b)
{
    static const ptx_type types[] = {[2] = PTX_U32, PTX_S32, PTX_U64,  PTX_S64, PTX_F16,
                                     PTX_F32,       PTX_F64, PTX_BF16, PTX_F32};
    const emu_atomic what = b->tensor->what;
    ptx_type type = b->map.type < EMU_COUNT(types) ? types[b->map.type] : PTX_NO_TYPE;
    if (what == EMU_ATOMIC_AND || what == EMU_ATOMIC_OR || what == EMU_ATOMIC_XOR)
        type = b->element == 8 ? PTX_B64 : PTX_B32;
    b->reduction = (emu_reduction){b->tensor->reduces, what, type};
    return !b->tensor->reduces || emu_atomic_exists(what, type)
               ? true
               : refuse_box(warp, op, "no such reduction of the tensor map's type");
}

/* Returns the swizzled offset of a byte: the bits from 7 on are XORed into the bits from 4 on. */
static uint64_t swizzle_offset(const box *b, uint32_t at)
{
    uint32_t address = b->shared + at, mask = (1u << b->map.swizzle) - 1;
    return (address ^ (address >> 7 & mask) << 4) - (uint64_t)b->shared;
}

/* Copies the part of a chunk that is inside the tensor. Copies a whole, aligned chunk at once. */
static bool move_elements(emu_warp *warp, const box *b, uint64_t row, uint32_t at, uint8_t *chunk)
{
    const int64_t first = b->first[0] + at / b->element, size = (int64_t)b->map.sizes[0];
    const uint64_t address = row + (uint64_t)first * b->element;
    bool whole = first >= 0 && first + CHUNK / b->element <= size && address % CHUNK == 0;
    uint32_t bytes = whole ? CHUNK : b->element;
    for (uint32_t done = 0; done < CHUNK; done += bytes) {
        int64_t column = first + done / b->element;
        if (column < 0 || column >= size)
            continue;
        uint8_t *memory = emu_find_lane(warp, &b->tensor->memory, bytes, 0, address + done);
        if (!memory)
            return false;
        if (b->tensor->stores)
            emu_put(&b->reduction, memory, chunk + done, bytes);
        else
            memcpy(chunk + done, memory, bytes);
    }
    return true;
}

/* Fills a chunk with the value of elements outside the tensor: zeros, or all ones (NaN). */
static void fill_chunk(const box *b, uint8_t chunk[CHUNK])
{
    memset(chunk, b->map.fills_nan ? 0xff : 0, CHUNK);
}

static bool copy_row(emu_warp *warp, const emu_op *op, const box *b, uint32_t row, uint32_t rank)
{
    uint64_t address = b->map.address;
    bool inside = true;
    uint32_t index = row;
    for (unsigned i = 1; i < b->map.rank; i++) {
        uint32_t side = emu_tensor_side(&b->map, i);
        int64_t at = b->first[i] + (int64_t)(index % side) * b->map.steps[i];
        inside &= at >= 0 && at < (int64_t)b->map.sizes[i];
        address += (uint64_t)at * b->map.strides[i - 1];
        index /= side;
    }
    for (uint32_t at = 0; at < b->row_bytes; at += CHUNK) {
        uint8_t chunk[CHUNK];
        uint64_t offset = swizzle_offset(b, row * b->row_bytes + at);
        uint8_t *shared = emu_find_lane(warp, op, CHUNK, rank, offset);
        if (!shared)
            return false;
        if (b->tensor->stores)
            memcpy(chunk, shared, CHUNK);
        else
            fill_chunk(b, chunk);
        if (inside && !move_elements(warp, b, address, at, chunk))
            return false;
        if (!b->tensor->stores)
            memcpy(shared, chunk, CHUNK);
    }
    return true;
}

static bool copy_box(emu_warp *warp, const emu_op *op, uint32_t bytes, uint32_t rank,
                     const void *with)
{
    const box *b = with;
    for (uint32_t row = 0; row < bytes / b->row_bytes; row++)
        if (!copy_row(warp, op, b, row, rank))
            return false;
    return true;
}

static void copy_lane(emu_warp *warp, const emu_op *op, unsigned lane)
{
    const tensor *t = op->extra;
    const emu_op *barrier = t->stores ? NULL : &t->barrier;
    uint32_t blocks = t->multicasts ? ((const emu_u16 *)emu_lanes(warp, t->blocks))[lane] : 0;
    box b;
    if (!make_box(warp, op, lane, &b) || !make_reduction(warp, op, &b))
        return;
    if (!t->multicasts)
        emu_transfer(warp, op, barrier, b.bytes, 0, copy_box, &b);
    EMU_FOR_LANES(rank, blocks)
    emu_transfer(warp, op, barrier, b.bytes, rank + 1, copy_box, &b);
}

static void copy_tensor(emu_warp *warp, const emu_op *op)
{
    emu_each_lane(warp, op, copy_lane);
}

/* [map, {coordinates}] */
static void decode_map(emu_decoder *decoder, tensor *t, const ptx_operand *operand)
{
    static const char *const ranks[] = {"1d", "2d", "3d", "4d", "5d"};
    const ptx_operand *at = operand->kind == PTX_OPERAND_ADDRESS ? operand->second : NULL;
    t->rank = (uint8_t)(emu_take_one(decoder, ranks, EMU_TENSOR_RANK) + 1);
    if (!t->rank || !at || at->kind != PTX_OPERAND_VECTOR || at->count != t->rank) {
        emu_decode_fail(decoder, "needs [map, {coordinates}]");
        return;
    }
    ptx_operand address = *operand;
    address.second = NULL;
    t->map = emu_decode_one(decoder, &address, PTX_GENERIC);
    for (unsigned i = 0; i < t->rank; i++)
        t->coordinates[i] = emu_source(decoder, &at->items[i], 4);
}

/* Decodes a copy with the operands [shared], [map, {}], [mbarrier] {, blocks} {, hint}, or with
 * [map, {}], [shared] {, hint}. */
void emu_decode_tensor(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    tensor *t = emu_decode_alloc(decoder, sizeof *t);
    bool in_cluster = emu_take(decoder, "shared::cluster");
    if (!t || !emu_take(decoder, "global") || (!in_cluster && !emu_take(decoder, "shared::cta")))
        return;
    emu_take(decoder, "tile");
    t->stores = emu_take(decoder, "bulk_group");
    if (!t->stores && !emu_take(decoder, "mbarrier::complete_tx::bytes"))
        return;
    t->reduces = t->stores && emu_take(decoder, "reduce");
    if (t->reduces && !emu_take_reduction(decoder, &t->what))
        return;
    t->multicasts = !t->stores && emu_take(decoder, "multicast::cluster");
    size_t count = t->stores ? 2 : 3 + (size_t)t->multicasts;
    bool hint = emu_take(decoder, "L2::cache_hint");
    if (!emu_operands(decoder, count + hint, count + hint))
        return;
    t->memory = (emu_op){.line = op->line,
                         .unit = EMU_CLASS_LDST,
                         .space = PTX_GLOBAL,
                         .flags = EMU_BASE_NONE | (t->stores ? EMU_ACCESS_WRITE : 0) |
                                  (t->reduces ? EMU_ACCESS_ATOMIC : 0)};
    decode_map(decoder, t, emu_operand(decoder, t->stores ? 0 : 1));
    if (!t->stores)
        t->barrier = emu_decode_barrier(decoder, emu_operand(decoder, 2));
    if (t->multicasts)
        t->blocks = emu_source(decoder, emu_operand(decoder, 3), 2);
    if (hint)
        emu_source(decoder, emu_operand(decoder, count), 8);
    emu_decode_address(decoder, emu_operand(decoder, t->stores ? 1 : 0),
                       in_cluster ? PTX_SHARED_CLUSTER : PTX_SHARED);
    op->flags |= t->stores ? 0 : EMU_ACCESS_WRITE;
    op->extra = t;
    op->run = copy_tensor;
}
