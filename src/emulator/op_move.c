/* mov, and conversions of addresses between spaces. */
#include "emulator/address.h"
#include "emulator/lanes.h"
#include "emulator/program.h"
#include "emulator/special.h"

EMU_UNARY(mov_16, emu_u16, emu_u16, a)
EMU_UNARY(mov_32, emu_u32, emu_u32, a)
EMU_UNARY(mov_64, emu_u64, emu_u64, a)

typedef struct emu_quad {
    uint64_t low, high;
} __attribute__((may_alias)) emu_quad;

static void mov_128(emu_warp *warp, const emu_op *op)
{
    const emu_quad *a = emu_lanes(warp, op->a);
    emu_quad *dst = emu_lanes(warp, op->dst);
    EMU_FOR_LANES(i, warp->mask)
    dst[i] = a[i];
}

static void mov_pred(emu_warp *warp, const emu_op *op)
{
    emu_set_predicate(warp, op->dst, warp->mask, emu_predicate(warp, op->a));
}

static void mov_flag(emu_warp *warp, const emu_op *op)
{
    emu_set_predicate(warp, op->dst, warp->mask, (uint32_t)op->imm);
}

/* ---- special registers ---- */

typedef struct special {
    emu_special *value;
    bool is_uniform;
} special;

static void write_lanes(emu_warp *warp, const emu_op *op, const uint64_t values[EMU_WARP])
{
    void *lanes = emu_lanes(warp, op->dst);
    emu_u16 *narrow = lanes;
    emu_u32 *word = lanes;
    emu_u64 *wide = lanes;
    EMU_FOR_LANES(i, warp->mask)
    {
        if (op->width == 4)
            word[i] = (uint32_t)values[i];
        else if (op->width == 8)
            wide[i] = values[i];
        else
            narrow[i] = (uint16_t)values[i];
    }
}

static void mov_special(emu_warp *warp, const emu_op *op)
{
    const special *s = op->extra;
    uint64_t values[EMU_WARP];
    for (unsigned i = 0; i < EMU_WARP; i++)
        values[i] = s->value(warp, i);
    write_lanes(warp, op, values);
}

/* Moves a special register with the same 32-bit value in all lanes. */
static void mov_uniform(emu_warp *warp, const emu_op *op)
{
    const special *s = op->extra;
    const uint32_t value = (uint32_t)s->value(warp, 0);
    emu_u32 *dst = emu_lanes(warp, op->dst);
    EMU_EACH_LANE(warp, dst[i] = value);
}

static void mov_tid(emu_warp *warp, const emu_op *op)
{
    const uint16_t *tid = warp->tid[op->imm];
    emu_u32 *dst = emu_lanes(warp, op->dst);
    EMU_EACH_LANE(warp, dst[i] = tid[i]);
}

/* Returns the dimension of %tid.x, .y or .z, or -1 for another name. */
static int tid_axis(const char *name)
{
    static const char *const names[] = {"%tid.x", "%tid.y", "%tid.z"};
    for (int i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

static void decode_special(emu_decoder *decoder, const char *name, unsigned bytes)
{
    special *s = emu_decode_alloc(decoder, sizeof *s);
    if (!s)
        return;
    s->value = emu_special_find(name, &s->is_uniform);
    decoder->op->extra = s;
    decoder->op->width = (uint8_t)bytes;
    decoder->op->run = s->is_uniform && bytes == 4 ? mov_uniform : mov_special;
    if (tid_axis(name) >= 0 && bytes == 4) {
        decoder->op->imm = (uint64_t)tid_axis(name);
        decoder->op->run = mov_tid;
    }
    if (!s->value)
        emu_decode_fail(decoder, "unknown name %s", name);
}

/* ---- addresses of names ---- */

static void mov_address(emu_warp *warp, const emu_op *op)
{
    emu_access access;
    emu_addresses(warp, op, 1, &access);
    for (unsigned i = 0; op->count && i < EMU_WARP; i++) /* tag generic addresses */
        access.address[i] |= (uint64_t)op->count << EMU_TAG_SHIFT;
    write_lanes(warp, op, access.address);
}

static void decode_variable(emu_decoder *decoder, const ptx_operand *operand, unsigned bytes)
{
    ptx_operand address = {.kind = PTX_OPERAND_ADDRESS, .count = 1, .value = operand->value};
    ptx_operand base = *operand;
    address.items = &base;
    emu_decode_address(decoder, &address, operand->variable->space);
    decoder->op->width = (uint8_t)bytes;
    decoder->op->run = mov_address;
    decoder->op->unit = EMU_CLASS_FOLDED;
}

static bool decode_function_address(emu_decoder *decoder, const char *name)
{
    const ptx_module *module = &decoder->program->module;
    for (size_t i = 0; i < module->function_count; i++)
        if (strcmp(module->functions[i]->name, name) == 0) {
            decoder->op->a = emu_constant(decoder, EMU_FUNCTION_ADDRESS + i, 8);
            decoder->op->run = mov_64;
            return true;
        }
    return false;
}

/* ---- packing and unpacking; in {a, b}, a is the low part ---- */

typedef struct parts {
    unsigned count;
    uint32_t operands[8];
} parts;

/* Copies the parts of each lane from a vector of registers to one wide register, or back. */
static void copy_parts(emu_warp *warp, const emu_op *op, bool pack)
{
    const parts *p = op->extra;
    uint8_t buffer[EMU_WARP * 16];
    size_t part = op->bytes, whole = part * p->count;
    uint8_t *wide = emu_lanes(warp, pack ? op->dst : op->a);
    memcpy(buffer, wide, whole * EMU_WARP);
    for (unsigned k = 0; k < p->count; k++) {
        uint8_t *lanes = emu_lanes(warp, p->operands[k]);
        EMU_FOR_LANES(i, warp->mask)
        memcpy(pack ? buffer + i * whole + k * part : lanes + i * part,
               pack ? lanes + i * part : buffer + i * whole + k * part, part);
    }
    if (pack)
        memcpy(wide, buffer, whole * EMU_WARP);
}

static void pack(emu_warp *warp, const emu_op *op)
{
    copy_parts(warp, op, true);
}

static void unpack(emu_warp *warp, const emu_op *op)
{
    copy_parts(warp, op, false);
}

static void pack_32(emu_warp *warp, const emu_op *op)
{
    const parts *p = op->extra;
    const emu_u32 *low = emu_lanes(warp, p->operands[0]), *high = emu_lanes(warp, p->operands[1]);
    emu_u64 *dst = emu_lanes(warp, op->dst);
    EMU_EACH_LANE(warp, dst[i] = (uint64_t)high[i] << 32 | low[i]);
}

static void unpack_32(emu_warp *warp, const emu_op *op)
{
    const parts *p = op->extra;
    emu_u32 *low = emu_lanes(warp, p->operands[0]), *high = emu_lanes(warp, p->operands[1]);
    const emu_u64 *a = emu_lanes(warp, op->a);
    EMU_EACH_LANE(warp, const uint64_t value = a[i]; low[i] = (uint32_t)value;
                  high[i] = (uint32_t)(value >> 32));
}

static void decode_parts(emu_decoder *decoder, const ptx_operand *vector, bool to_parts,
                         unsigned bytes)
{
    emu_op *op = decoder->op;
    parts *p = emu_decode_alloc(decoder, sizeof *p);
    unsigned part = vector->count ? bytes / vector->count : 0;
    if (!p || vector->count > 8 || part < 2 || part * vector->count != bytes) {
        emu_decode_fail(decoder, "cannot be split in %u parts", vector->count);
        return;
    }
    p->count = vector->count;
    for (unsigned k = 0; k < p->count; k++)
        p->operands[k] = to_parts ? emu_target(decoder, &vector->items[k], part)
                                  : emu_source(decoder, &vector->items[k], part);
    op->extra = p;
    op->bytes = (uint8_t)part;
    bool halves = p->count == 2 && part == 4;
    op->run = to_parts ? (halves ? unpack_32 : unpack) : (halves ? pack_32 : pack);
    if (to_parts)
        op->a = emu_source(decoder, emu_operand(decoder, 1), bytes);
    else
        op->dst = emu_target(decoder, emu_operand(decoder, 0), bytes);
}

static void decode_plain(emu_decoder *decoder, const ptx_operand *source, unsigned bytes)
{
    emu_op *op = decoder->op;
    op->a = emu_source(decoder, source, bytes);
    op->run = bytes == 2 ? mov_16 : bytes == 4 ? mov_32 : bytes == 8 ? mov_64 : mov_128;
    if (source->kind != PTX_OPERAND_REGISTER)
        op->unit = EMU_CLASS_FOLDED;
}

static void decode_predicate(emu_decoder *decoder, const ptx_operand *source)
{
    emu_op *op = decoder->op;
    op->dst = emu_target(decoder, emu_operand(decoder, 0), 0);
    if (source->kind == PTX_OPERAND_INTEGER) {
        op->imm = source->value ? UINT32_MAX : 0;
        op->run = mov_flag;
        return;
    }
    op->a = emu_source(decoder, source, 0);
    op->run = mov_pred;
}

void emu_decode_mov(emu_decoder *decoder)
{
    ptx_type type = emu_take_type(decoder);
    unsigned bytes = ptx_type_bytes(type);
    if (decoder->failed || !emu_operands(decoder, 2, 2))
        return;
    const ptx_operand *result = emu_operand(decoder, 0), *source = emu_operand(decoder, 1);
    if (result->kind == PTX_OPERAND_VECTOR) {
        decode_parts(decoder, result, true, bytes);
        return;
    }
    if (type == PTX_PRED) {
        decode_predicate(decoder, source);
        return;
    }
    if (source->kind == PTX_OPERAND_VECTOR) {
        decode_parts(decoder, source, false, bytes);
        return;
    }
    if (source->kind == PTX_OPERAND_NAME && source->name[0] == '%')
        decode_special(decoder, source->name, bytes);
    else if (source->kind == PTX_OPERAND_VARIABLE)
        decode_variable(decoder, source, bytes);
    else if (source->kind != PTX_OPERAND_NAME || bytes != 8 ||
             !decode_function_address(decoder, source->name))
        decode_plain(decoder, source, bytes);
    decoder->op->dst = emu_target(decoder, result, bytes);
}

/* ---- cvta, isspacep ---- */

EMU_BINARY(add_64, emu_u64, emu_u64, a + b)

static uint64_t tag_of(ptx_space space)
{
    switch (space) {
    case PTX_SHARED:
    case PTX_SHARED_CLUSTER:
        return EMU_TAG_SHARED;
    case PTX_LOCAL:
        return EMU_TAG_LOCAL;
    case PTX_PARAM:
        return EMU_TAG_PARAM;
    default:
        return 0;
    }
}

void emu_decode_cvta(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    bool to = emu_take(decoder, "to");
    ptx_space space = emu_take_space(decoder, PTX_GENERIC);
    uint64_t tag = tag_of(space) << EMU_TAG_SHIFT;
    if (space == PTX_GENERIC || !emu_take(decoder, "u64") || !emu_operands(decoder, 2, 2))
        return;
    const ptx_operand *source = emu_operand(decoder, 1);
    if (source->kind == PTX_OPERAND_VARIABLE) {
        decode_variable(decoder, source, 8);
        op->count = to ? 0 : (uint8_t)tag_of(space);
    } else {
        op->a = emu_source(decoder, source, 8);
        op->b = emu_constant(decoder, to ? 0 - tag : tag, 8);
        op->run = tag ? add_64 : mov_64;
        op->unit = EMU_CLASS_FOLDED;
    }
    op->dst = emu_target(decoder, emu_operand(decoder, 0), 8);
}

/* Returns true if the address is in a __constant__ variable, which is in global memory. */
static bool is_constant(const emu_launch *launch, uint64_t address)
{
    size_t count = launch->globals ? launch->program->module.global_count : 0;
    for (size_t i = 0; i < count; i++) {
        const emu_global *global = &launch->program->globals[i];
        if (global->space == EMU_SPACE_CONST && address - launch->globals[i] < global->bytes)
            return true;
    }
    return false;
}

static void isspacep(emu_warp *warp, const emu_op *op)
{
    const emu_u64 *a = emu_lanes(warp, op->a);
    uint32_t result = 0;
    EMU_FOR_LANES(i, warp->mask)
    {
        bool yes = a[i] >> EMU_TAG_SHIFT == op->imm;
        uint32_t rank = (uint32_t)a[i] >> 24;
        if (op->space == PTX_SHARED) /* addresses in other blocks' shared memory are not .shared */
            yes = yes && (rank == 0 || rank == warp->block->rank + 1);
        if (op->space == PTX_CONST)
            yes = yes && is_constant(warp->worker->run->launch, a[i]);
        result |= (uint32_t)yes << i;
    }
    emu_set_predicate(warp, op->dst, warp->mask, result);
}

void emu_decode_isspacep(emu_decoder *decoder)
{
    ptx_space space = emu_take_space(decoder, PTX_GENERIC);
    if (space == PTX_GENERIC)
        return;
    decoder->op->space = (uint8_t)space;
    decoder->op->imm = tag_of(space);
    decoder->op->run = isspacep;
    emu_decode_signature(decoder, "pl");
}
