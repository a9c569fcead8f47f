/* Loads, stores and prefetches. */
#include "emulator/check.h"
#include "emulator/lanes.h"
#include "emulator/transfer.h"

/* ---- moving ---- */

/* Executes the statement for each lane in the mask, with a faster loop if the mask is full. */
#define EACH(statement)                                                                            \
    do {                                                                                           \
        if (mask == UINT32_MAX) {                                                                  \
            for (unsigned i = 0; i < EMU_WARP; i++) {                                              \
                statement;                                                                         \
            }                                                                                      \
        } else {                                                                                   \
            EMU_FOR_LANES(i, mask)                                                                 \
            {                                                                                      \
                statement;                                                                         \
            }                                                                                      \
        }                                                                                          \
    } while (0)

/* NOLINTBEGIN(bugprone-macro-parentheses): the arguments are type names */
#define MOVE_IN(M, R)                                                                              \
    do {                                                                                           \
        R *dst = lanes;                                                                            \
        EACH(dst[i] = *(const M *)(host[i] + offset));                                             \
    } while (0)

#define MOVE_OUT(M, R)                                                                             \
    do {                                                                                           \
        const R *src = lanes;                                                                      \
        EACH(*(M *)(host[i] + offset) = src[i]);                                                   \
    } while (0)
/* NOLINTEND(bugprone-macro-parentheses) */

typedef struct emu_quad {
    uint64_t low, high;
} __attribute__((may_alias)) emu_quad;

/* Encodes the size in memory, the sign extension of a load and the register size as a number. */
#define SHAPE(bytes, sign, width) ((bytes)*2 + (sign) + (width)*64)

/* Lists all shapes except the 16-byte shape: size in memory, sign extension, register size, type of
 * the element, type of the register. */
/* NOLINTBEGIN(bugprone-signed-char-misuse): ld.s8 extends the sign */
#define EACH_SHAPE(MOVE)                                                                           \
    MOVE(1, 0, 2, emu_u8, emu_u16)                                                                 \
    MOVE(1, 1, 2, emu_s8, emu_s16)                                                                 \
    MOVE(1, 0, 4, emu_u8, emu_u32)                                                                 \
    MOVE(1, 1, 4, emu_s8, emu_s32)                                                                 \
    MOVE(1, 0, 8, emu_u8, emu_u64)                                                                 \
    MOVE(1, 1, 8, emu_s8, emu_s64)                                                                 \
    MOVE(2, 0, 2, emu_u16, emu_u16)                                                                \
    MOVE(2, 0, 4, emu_u16, emu_u32)                                                                \
    MOVE(2, 1, 4, emu_s16, emu_s32)                                                                \
    MOVE(2, 0, 8, emu_u16, emu_u64)                                                                \
    MOVE(2, 1, 8, emu_s16, emu_s64)                                                                \
    MOVE(4, 0, 4, emu_u32, emu_u32)                                                                \
    MOVE(4, 0, 8, emu_u32, emu_u64)                                                                \
    MOVE(4, 1, 8, emu_s32, emu_s64)                                                                \
    MOVE(8, 0, 8, emu_u64, emu_u64)
/* NOLINTEND(bugprone-signed-char-misuse) */

#define CASE_IN(bytes, sign, width, M, R)                                                          \
    case SHAPE(bytes, sign, width):                                                                \
        MOVE_IN(M, R);                                                                             \
        break;
#define CASE_OUT(bytes, sign, width, M, R)                                                         \
    case SHAPE(bytes, sign, width):                                                                \
        MOVE_OUT(M, R);                                                                            \
        break;

EMU_WIDE static void move_in(void *lanes, uint8_t *const host[], uint32_t offset, uint32_t mask,
                             unsigned shape)
{
    switch (shape) {
        EACH_SHAPE(CASE_IN)
    default:
        MOVE_IN(emu_quad, emu_quad);
        break;
    }
}

EMU_WIDE static void move_out(const void *lanes, uint8_t *const host[], uint32_t offset,
                              uint32_t mask, unsigned shape)
{
    switch (shape) {
        EACH_SHAPE(CASE_OUT)
    default:
        MOVE_OUT(emu_quad, emu_quad);
        break;
    }
}

typedef struct element {
    uint32_t operand;
    uint16_t shape;
} element;

static bool is_plain(const emu_op *op, const emu_access *access)
{
    return access->is_contiguous && op->count == 1 && op->bytes == op->width &&
           op->space == PTX_GLOBAL;
}

static void load(emu_warp *warp, const emu_op *op)
{
    emu_access access;
    const element *elements = op->extra;
    emu_addresses(warp, op, (uint32_t)op->bytes * op->count, &access);
    if (!emu_resolve(warp, op, &access))
        return;
    if (is_plain(op, &access)) {
        memcpy(emu_lanes(warp, elements->operand), access.host[0], (size_t)op->bytes * EMU_WARP);
        return;
    }
    for (unsigned k = 0; k < op->count; k++)
        move_in(emu_lanes(warp, elements[k].operand), access.host, k * op->bytes, warp->mask,
                elements[k].shape);
}

static void store_checked(emu_warp *warp, const emu_op *op, const emu_access *access)
{
    const element *elements = op->extra;
    uint8_t before[32];
    EMU_FOR_LANES(lane, warp->mask)
    {
        memcpy(before, access->host[lane], access->bytes);
        for (unsigned k = 0; k < op->count; k++)
            move_out(emu_lanes(warp, elements[k].operand), access->host, k * op->bytes, 1u << lane,
                     elements[k].shape);
        emu_check_stored(warp, op, access, lane, before);
    }
}

static void store(emu_warp *warp, const emu_op *op)
{
    emu_access access;
    const element *elements = op->extra;
    emu_addresses(warp, op, (uint32_t)op->bytes * op->count, &access);
    if (!emu_resolve(warp, op, &access))
        return;
    if (warp->worker->check) {
        store_checked(warp, op, &access);
        return;
    }
    if (is_plain(op, &access)) {
        memcpy(access.host[0], emu_lanes(warp, elements->operand), (size_t)op->bytes * EMU_WARP);
        return;
    }
    for (unsigned k = 0; k < op->count; k++)
        move_out(emu_lanes(warp, elements[k].operand), access.host, k * op->bytes, warp->mask,
                 elements[k].shape);
}

typedef struct async_store {
    const element *elements;
    emu_op barrier;
} async_store;

static bool store_elements(emu_warp *warp, const emu_op *op, uint32_t bytes, uint32_t rank,
                           const void *with)
{
    const async_store *s = with;
    uint8_t *to[EMU_WARP], *place = emu_find_lane(warp, op, bytes, rank, 0);
    to[__builtin_ctz(warp->mask)] = place;
    for (unsigned k = 0; place && k < op->count; k++)
        move_out(emu_lanes(warp, s->elements[k].operand), to, k * op->bytes, warp->mask,
                 s->elements[k].shape);
    return place != NULL;
}

static void store_lane(emu_warp *warp, const emu_op *op, unsigned lane)
{
    const async_store *s = op->extra;
    (void)lane;
    emu_transfer(warp, op, &s->barrier, (uint32_t)op->bytes * op->count, 0, store_elements, s);
}

static void store_async(emu_warp *warp, const emu_op *op)
{
    emu_each_lane(warp, op, store_lane);
}

static void fill_lanes(const emu_warp *warp, void *lanes, const uint8_t *value, unsigned width)
{
    if (width == 4) {
        const uint32_t word = *(const emu_u32 *)value;
        emu_u32 *dst = lanes;
        EMU_EACH_LANE(warp, dst[i] = word);
    } else if (width == 8) {
        const uint64_t wide = *(const emu_u64 *)value;
        emu_u64 *dst = lanes;
        EMU_EACH_LANE(warp, dst[i] = wide);
    } else {
        EMU_FOR_LANES(i, warp->mask)
        memcpy((uint8_t *)lanes + (size_t)i * width, value, width);
    }
}

/* Loads a kernel parameter, which is the same for all lanes. */
static void load_uniform(emu_warp *warp, const emu_op *op)
{
    const uint8_t *params = warp->worker->run->launch->params;
    const element *elements = op->extra;
    uint8_t *const host[1] = {(uint8_t *)(uintptr_t)params + op->imm};
    emu_counters *counters = &warp->worker->counters;
    counters->const_requests++;
    counters->const_addresses++;
    for (unsigned k = 0; k < op->count; k++) {
        _Alignas(16) uint8_t value[16];
        move_in(value, host, k * op->bytes, 1, elements[k].shape);
        fill_lanes(warp, emu_lanes(warp, elements[k].operand), value, elements[k].shape / 64);
    }
}

static const char *const cache_words[] = {"ca",
                                          "cg",
                                          "cs",
                                          "lu",
                                          "cv",
                                          "wb",
                                          "wt",
                                          "nc",
                                          "L1::evict_normal",
                                          "L1::evict_unchanged",
                                          "L1::evict_first",
                                          "L1::evict_last",
                                          "L1::no_allocate",
                                          "L2::evict_normal",
                                          "L2::evict_first",
                                          "L2::evict_last",
                                          "L2::64B",
                                          "L2::128B",
                                          "L2::256B",
                                          "unified"};
static const char *const order_words[] = {"weak",    "volatile", "relaxed",
                                          "acquire", "release",  "mmio"};
static const char *const scope_words[] = {"cta", "cluster", "gpu", "sys"};

/* Takes cache hints, memory order and scope. Sets op->d to 1 for .nc (read-only cache). */
static void take_qualities(emu_decoder *decoder)
{
    enum { NC = 7 };
    for (int word; (word = emu_take_one(decoder, cache_words, EMU_COUNT(cache_words))) >= 0;)
        if (word == 1 || word == 4)
            decoder->op->flags |= EMU_ACCESS_BYPASS;
        else if (word == NC)
            decoder->op->d = 1;
    int order = emu_take_one(decoder, order_words, EMU_COUNT(order_words));
    emu_take(decoder, "mmio");
    static const uint16_t flags[] = {0,
                                     EMU_ACCESS_BYPASS | EMU_ACCESS_VOLATILE,
                                     EMU_ACCESS_BYPASS | EMU_ACCESS_STRONG | EMU_ACCESS_RELAXED,
                                     EMU_ACCESS_BYPASS | EMU_ACCESS_STRONG,
                                     EMU_ACCESS_BYPASS | EMU_ACCESS_STRONG | EMU_ACCESS_RELEASE,
                                     EMU_ACCESS_BYPASS | EMU_ACCESS_STRONG | EMU_ACCESS_RELAXED};
    decoder->op->flags |= order > 0 ? flags[order] : 0;
    bool within = emu_take_one(decoder, scope_words, EMU_COUNT(scope_words)) == 0;
    if (within && decoder->op->flags & EMU_ACCESS_RELEASE)
        decoder->op->flags |= EMU_ACCESS_WITHIN;
}

static unsigned take_count(emu_decoder *decoder)
{
    static const char *const names[] = {"v2", "v4", "v8"};
    int which = emu_take_one(decoder, names, 3);
    return which < 0 ? 1 : 2u << which;
}

static void decode_elements(emu_decoder *decoder, const ptx_operand *operand, unsigned count,
                            ptx_type type, bool is_load)
{
    emu_op *op = decoder->op;
    element *elements = emu_decode_alloc(decoder, count * sizeof *elements);
    unsigned bytes = ptx_type_bytes(type), sign = is_load && ptx_type_is_signed(type);
    bool is_vector = operand->kind == PTX_OPERAND_VECTOR;
    if ((is_vector ? operand->count : 1) != count) {
        emu_decode_fail(decoder, "needs %u registers", count);
        return;
    }
    for (unsigned i = 0; elements && i < count; i++) {
        const ptx_operand *item = is_vector ? &operand->items[i] : operand;
        uint8_t width;
        elements[i].operand = is_load ? emu_target_wide(decoder, item, bytes, &width)
                                      : emu_source_wide(decoder, item, bytes, &width);
        elements[i].shape = (uint16_t)SHAPE(bytes, width > bytes ? sign : 0, width);
        op->width = width;
    }
    op->extra = elements;
    op->bytes = (uint8_t)bytes;
    op->count = (uint8_t)count;
}

static bool take_access(emu_decoder *decoder, ptx_type *type, unsigned *count, ptx_space *space)
{
    *space = emu_take_space(decoder, PTX_GENERIC);
    take_qualities(decoder);
    *count = take_count(decoder);
    *type = emu_take_type(decoder);
    decoder->op->unit = EMU_CLASS_LDST;
    unsigned bytes = ptx_type_bytes(*type);
    if (!decoder->failed && (bytes == 0 || bytes * *count > 32))
        emu_decode_fail(decoder, "no access of that size");
    bool hint = emu_take(decoder, "L2::cache_hint");
    return !decoder->failed && emu_operands(decoder, 2, hint ? 3 : 2);
}

/* Decodes the operand of .L2::cache_hint. Cache hints have no effect here. */
static void decode_hint(emu_decoder *decoder, size_t index)
{
    if (decoder->in->operand_count > index)
        emu_source(decoder, emu_operand(decoder, index), 8);
}

void emu_decode_load(emu_decoder *decoder)
{
    ptx_type type;
    ptx_space space;
    unsigned count;
    emu_op *op = decoder->op;
    if (!take_access(decoder, &type, &count, &space))
        return;
    emu_decode_address(decoder, emu_operand(decoder, 1), space);
    decode_elements(decoder, emu_operand(decoder, 0), count, type, true);
    decode_hint(decoder, 2);
    op->run = load;
    uint64_t bytes = (uint64_t)ptx_type_bytes(type) * count;
    bool in_launch = op->space == PTX_PARAM && !(op->flags & EMU_ACCESS_FRAME);
    if (op->space == PTX_PARAM)
        op->unit = EMU_CLASS_FOLDED;
    if (in_launch && (op->flags & EMU_BASE_MASK) == EMU_BASE_NONE &&
        op->imm + bytes <= decoder->function->formal_bytes)
        op->run = load_uniform;
    decoder->flows[decoder->index].is_load = op->space == PTX_GLOBAL || op->space == PTX_GENERIC;
}

/* [address], value, [mbarrier] */
static void decode_store_async(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    async_store *s = emu_decode_alloc(decoder, sizeof *s);
    emu_take(decoder, "weak");
    bool known =
        emu_take(decoder, "shared::cluster") && emu_take(decoder, "mbarrier::complete_tx::bytes");
    unsigned count = take_count(decoder);
    ptx_type type = emu_take_type(decoder);
    if (!s || !known || decoder->failed || !emu_operands(decoder, 3, 3))
        return;
    s->barrier = emu_decode_barrier(decoder, emu_operand(decoder, 2));
    op->unit = EMU_CLASS_LDST;
    emu_decode_address(decoder, emu_operand(decoder, 0), PTX_SHARED_CLUSTER);
    op->flags |= EMU_ACCESS_WRITE;
    decode_elements(decoder, emu_operand(decoder, 1), count, type, false);
    s->elements = op->extra;
    op->extra = s;
    op->run = store_async;
}

void emu_decode_store(emu_decoder *decoder)
{
    ptx_type type;
    ptx_space space;
    unsigned count;
    emu_op *op = decoder->op;
    if (emu_take(decoder, "async")) {
        decode_store_async(decoder);
        return;
    }
    if (emu_take(decoder, "bulk")) {
        emu_decode_fail(decoder, "the emulator has no bulk stores of one value");
        return;
    }
    if (!take_access(decoder, &type, &count, &space))
        return;
    op->flags |= EMU_ACCESS_WRITE | EMU_ACCESS_STORE;
    emu_decode_address(decoder, emu_operand(decoder, 0), space);
    decode_elements(decoder, emu_operand(decoder, 1), count, type, false);
    decode_hint(decoder, 2);
    if (op->space == PTX_PARAM)
        op->unit = EMU_CLASS_FOLDED;
    if (op->space == PTX_CONST)
        emu_decode_fail(decoder, "constant memory cannot be stored to");
    op->run = store;
}

/* ---- hints ---- */

static void do_nothing(emu_warp *warp, const emu_op *op)
{
    (void)warp;
    (void)op;
}

static void make_policy(emu_warp *warp, const emu_op *op)
{
    emu_u64 *dst = emu_lanes(warp, op->dst);
    EMU_FOR_LANES(i, warp->mask)
    dst[i] = 0;
}

/* Decodes instructions that only affect the time, such as prefetch, discard and createpolicy. */
void emu_decode_prefetch(emu_decoder *decoder)
{
    decoder->taken = UINT32_MAX;
    decoder->op->unit = EMU_CLASS_LDST;
    decoder->op->run = do_nothing;
    bool is_policy = decoder->lengths[0] == strlen("createpolicy");
    if (is_policy && memcmp(decoder->words[0], "createpolicy", decoder->lengths[0]) == 0) {
        decoder->op->run = make_policy;
        decoder->op->dst = emu_target(decoder, emu_operand(decoder, 0), 8);
    }
}
