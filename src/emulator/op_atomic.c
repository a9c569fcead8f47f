/* atom and red. */
#include "emulator/atomic.h"
#include "emulator/lanes.h"
#include "emulator/transfer.h"

typedef struct atomic {
    emu_atomic what;
    ptx_type type;
    unsigned count;
    uint32_t results[8], sources[8], thirds[8];
    emu_op barrier; /* for red.async: has the address of the mbarrier */
} atomic;

static uint64_t read_lane(const emu_warp *warp, uint32_t operand, size_t bytes, unsigned lane)
{
    uint64_t value = 0;
    memcpy(&value, (const uint8_t *)emu_lanes(warp, operand) + lane * bytes, bytes);
    return value;
}

static void apply_element(emu_warp *warp, const emu_op *op, const emu_access *access, unsigned k)
{
    const atomic *a = op->extra;
    size_t bytes = op->bytes;
    uint8_t *results = emu_lanes(warp, a->results[k]);
    /* PTX flushes subnormals in atomic float additions to global memory, not to shared memory */
    bool can_flush =
        a->type == PTX_F32 && op->space != PTX_SHARED && op->space != PTX_SHARED_CLUSTER;
    EMU_FOR_LANES(lane, warp->mask)
    {
        uint64_t b = read_lane(warp, a->sources[k], bytes, lane);
        uint64_t c = a->what == EMU_ATOMIC_CAS ? read_lane(warp, a->thirds[k], bytes, lane) : 0;
        bool flush = can_flush && access->address[lane] >> EMU_TAG_SHIFT != EMU_TAG_SHARED;
        uint64_t old =
            emu_atomic_apply(a->what, a->type, access->host[lane] + k * bytes, b, c, flush);
        if (!(op->flags & EMU_ACCESS_REDUCE))
            memcpy(results + lane * bytes, &old, bytes);
    }
}

static bool apply_atomic(emu_warp *warp, const emu_op *op)
{
    const atomic *a = op->extra;
    emu_access access;
    emu_addresses(warp, op, (uint32_t)op->bytes * a->count, &access);
    if (!emu_resolve(warp, op, &access))
        return false;
    for (unsigned k = 0; k < a->count; k++)
        apply_element(warp, op, &access, k);
    return true;
}

static void run(emu_warp *warp, const emu_op *op)
{
    apply_atomic(warp, op);
}

static bool reduce_remote(emu_warp *warp, const emu_op *op, uint32_t bytes, uint32_t rank,
                          const void *with)
{
    (void)bytes;
    (void)rank;
    (void)with;
    return apply_atomic(warp, op);
}

static void reduce_lane(emu_warp *warp, const emu_op *op, unsigned lane)
{
    const atomic *a = op->extra;
    (void)lane;
    emu_transfer(warp, op, &a->barrier, op->bytes, 0, reduce_remote, NULL);
}

static void reduce_async(emu_warp *warp, const emu_op *op)
{
    emu_each_lane(warp, op, reduce_lane);
}

static void take_qualities(emu_decoder *decoder)
{
    enum { RELEASES = 3, RELAXED = 3, CTA = 5 };
    static const char *const words[] = {"release", "acq_rel", "sc",  "relaxed", "acquire",
                                        "cta",     "cluster", "gpu", "sys",     "noftz"};
    bool releases = false, within = false;
    for (int word; (word = emu_take_one(decoder, words, EMU_COUNT(words))) >= 0;) {
        releases |= word < RELEASES;
        within |= word == CTA;
        decoder->op->flags |= word == RELAXED ? EMU_ACCESS_RELAXED : 0;
    }
    decoder->op->flags |= releases ? within ? EMU_ACCESS_WITHIN : EMU_ACCESS_RELEASE : 0;
}

static const ptx_operand *element_of(const ptx_operand *operand, unsigned index)
{
    return operand->kind == PTX_OPERAND_VECTOR ? &operand->items[index] : operand;
}

static bool take_vector(emu_decoder *decoder, atomic *a)
{
    static const char *const names[] = {"v2", "v4", "v8"};
    int vector = emu_take_one(decoder, names, 3);
    a->count = vector < 0 ? 1 : 2u << vector;
    const ptx_operand *source =
        emu_operand(decoder, decoder->op->flags & EMU_ACCESS_REDUCE ? 1 : 2);
    if (a->count > 1 && (source->kind != PTX_OPERAND_VECTOR || source->count != a->count)) {
        emu_decode_fail(decoder, "needs a vector of %u registers", a->count);
        return false;
    }
    return true;
}

static void decode_elements(emu_decoder *decoder, atomic *a, size_t first)
{
    unsigned bytes = ptx_type_bytes(a->type);
    bool reduces = decoder->op->flags & EMU_ACCESS_REDUCE;
    bool is_cas = a->what == EMU_ATOMIC_CAS;
    for (unsigned k = 0; k < a->count; k++) {
        a->sources[k] = emu_source(decoder, element_of(emu_operand(decoder, first), k), bytes);
        if (is_cas)
            a->thirds[k] =
                emu_source(decoder, element_of(emu_operand(decoder, first + 1), k), bytes);
        if (!reduces)
            a->results[k] = emu_target(decoder, element_of(emu_operand(decoder, 0), k), bytes);
    }
}

bool emu_take_reduction(emu_decoder *decoder, emu_atomic *out)
{
    static const char *const names[] = {"add", "min", "max", "and",  "or",
                                        "xor", "inc", "dec", "exch", "cas"};
    int what = emu_take_one(decoder, names, EMU_COUNT(names));
    *out = what < 0 ? EMU_ATOMIC_ADD : (emu_atomic)what;
    return what >= 0;
}

void emu_decode_atomic(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    atomic *a = emu_decode_alloc(decoder, sizeof *a);
    if (!a)
        return;
    bool reduces = decoder->lengths[0] == 3;
    op->flags = EMU_ACCESS_WRITE | EMU_ACCESS_ATOMIC | (reduces ? EMU_ACCESS_REDUCE : 0);
    bool is_async =
        reduces && emu_take(decoder, "async") && emu_take(decoder, "mbarrier::complete_tx::bytes");
    ptx_space space = emu_take_space(decoder, is_async ? PTX_SHARED_CLUSTER : PTX_GENERIC);
    take_qualities(decoder);
    bool known = emu_take_reduction(decoder, &a->what);
    op->flags |= a->what == EMU_ATOMIC_EXCH  ? EMU_ACCESS_OVERWRITES
                 : a->what == EMU_ATOMIC_CAS ? EMU_ACCESS_CAS
                                             : 0;
    a->type = emu_take_type(decoder);
    bool hint = emu_take(decoder, "L2::cache_hint");
    if (!known || decoder->failed || !emu_atomic_exists(a->what, a->type))
        return;
    size_t first = reduces ? 1 : 2, sources = a->what == EMU_ATOMIC_CAS ? 2 : 1;
    size_t count = first + sources + hint + is_async;
    if (!take_vector(decoder, a) || !emu_operands(decoder, hint ? count - 1 : count, count))
        return;
    if (is_async)
        a->barrier = emu_decode_barrier(decoder, emu_operand(decoder, count - 1));
    emu_decode_address(decoder, emu_operand(decoder, first - 1), space);
    decode_elements(decoder, a, first);
    op->bytes = (uint8_t)ptx_type_bytes(a->type);
    op->extra = a;
    op->unit = EMU_CLASS_LDST;
    op->count = is_async; /* nonzero: emu_check_copy_begin() then skips the async proxy */
    op->run = is_async ? reduce_async : run;
    bool in_memory = op->space == PTX_GLOBAL || op->space == PTX_GENERIC;
    decoder->flows[decoder->index].is_load = !reduces && in_memory;
}
