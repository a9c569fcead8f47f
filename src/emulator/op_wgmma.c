/* wgmma. Four warps compute a product together, and each of them computes 16 of the 64 rows.
 * Descriptors describe the matrices in shared memory. Products are computed immediately, but in a
 * checked launch their operands are treated as being read until the wait (check_async.c). */
#include "emulator/check.h"
#include "emulator/lanes.h"
#include "emulator/matrix.h"

enum { ROWS = 16, CHUNK = 16, ILLEGAL_INSTRUCTION = 715, SHARED_BITS = 18 };

typedef struct product {
    emu_shape shape; /* one warp computes 16 rows */
    emu_number a, b;
    emu_fragment d, left; /* `left` describes A if A is in registers */
    uint32_t a_at, b_at;  /* operands: descriptors */
    uint32_t adds;        /* operand: a predicate */
    bool never_adds, a_in_registers, a_by_columns, b_by_columns, negates, saturate;
} product;

/* A matrix in shared memory with rows of k elements. */
typedef struct placed {
    uint32_t start, leading, stride; /* offsets in bytes */
    unsigned span;   /* number of bytes that are swizzled together; 16: not swizzled */
    bool by_columns; /* true if the elements of a column are contiguous */
} placed;

static bool read_descriptor(emu_warp *warp, const emu_op *op, uint32_t operand, bool by_columns,
                            placed *out)
{
    const unsigned lane = (unsigned)__builtin_ctz(warp->mask);
    const uint64_t bits = ((const emu_u64 *)emu_lanes(warp, operand))[lane];
    const unsigned mode = (unsigned)(bits >> 62);
    *out = (placed){.start = (uint32_t)(bits & 0x3fff) << 4,
                    .leading = (uint32_t)(bits >> 16 & 0x3fff) << 4,
                    .stride = (uint32_t)(bits >> 32 & 0x3fff) << 4,
                    .span = mode ? 256u >> mode : CHUNK,
                    .by_columns = by_columns};
    if (bits >> 49 & 7)
        emu_raise(warp, op, ILLEGAL_INSTRUCTION, lane, 0,
                  "the emulator has no matrix descriptors with a base offset");
    return !(bits >> 49 & 7);
}

/* Returns the address of the 16 bytes that begin with the element (row, k). */
static uint32_t chunk_address(const placed *p, unsigned row, unsigned k, unsigned bytes)
{
    uint32_t across = k * bytes, down = row * bytes, at;
    if (!p->by_columns)
        at = row / 8 * p->stride + row % 8 * p->span +
             (p->span > CHUNK ? across : across / CHUNK * p->leading);
    else if (p->span > CHUNK)
        at = down / p->span * p->leading + k / 8 * p->stride + k % 8 * p->span + down % p->span;
    else
        at = down / CHUNK * p->stride + k / 8 * p->leading + k % 8 * CHUNK;
    at += p->start;
    return at ^ ((at >> 7 & (p->span / CHUNK - 1)) << 4);
}

/* Converts the elements in 16 bytes to numbers. Stores them in to[0], to[next], to[2 * next] ... */
static void unpack_row(const uint8_t *chunk, emu_number number, double *to, unsigned next)
{
    unsigned bytes = emu_number_bytes(number);
    for (unsigned i = 0; i < CHUNK / bytes; i++)
        to[(size_t)i * next] = emu_number_load(number, chunk + i * bytes);
}

/* Reads k elements of each row from `first` to first + rows - 1. Element i of row first + r goes to
 * out[r * down + i * right]. */
static bool read_placed(emu_warp *warp, const emu_op *op, const placed *p, emu_number number,
                        unsigned first, unsigned rows, unsigned k, double *out, unsigned down,
                        unsigned right)
{
    const unsigned bytes = emu_number_bytes(number), each = CHUNK / bytes;
    const unsigned row_step = p->by_columns ? each : 1, k_step = p->by_columns ? 1 : each;
    const unsigned of_row = k / k_step, count = rows / row_step * of_row;
    for (unsigned at = 0; at < count; at += EMU_WARP) {
        emu_access access = {.bytes = CHUNK};
        double *to[EMU_WARP];
        for (unsigned lane = 0; lane < EMU_WARP; lane++) {
            unsigned piece = at + lane < count ? at + lane : at;
            unsigned row = piece / of_row * row_step, column = piece % of_row * k_step;
            access.address[lane] = chunk_address(p, first + row, column, bytes);
            to[lane] = out + (size_t)row * down + (size_t)column * right;
        }
        if (!emu_resolve(warp, op, &access))
            return false;
        for (unsigned lane = 0; lane < EMU_WARP; lane++)
            unpack_row(access.host[lane], number, to[lane], p->by_columns ? down : right);
    }
    return true;
}

static bool read_factors(emu_warp *warp, const emu_op *op, double *a, double *b)
{
    const product *p = op->extra;
    const emu_shape *s = &p->shape;
    placed left = {0}, right;
    emu_stamp stamp;
    bool ok = read_descriptor(warp, op, p->b_at, p->b_by_columns, &right) &&
              (p->a_in_registers || read_descriptor(warp, op, p->a_at, p->a_by_columns, &left));
    if (!ok)
        return false;
    if (warp->worker->check)
        emu_check_product_begin(warp, &stamp);
    ok =
        read_placed(warp, op, &right, p->b, 0, s->n, s->k, b, 1, s->n) &&
        (p->a_in_registers || read_placed(warp, op, &left, p->a, warp->index % EMU_WARPGROUP * ROWS,
                                          ROWS, s->k, a, s->k, 1));
    if (warp->worker->check)
        emu_check_copy_end(warp);
    if (ok && p->a_in_registers)
        emu_fragment_read(warp, &p->left, a, s->k, 1);
    return ok;
}

static void multiply(emu_warp *warp, const emu_op *op)
{
    const product *p = op->extra;
    double a[ROWS * EMU_MOST_K], b[EMU_MOST_K * EMU_MOST_N], sum[ROWS * EMU_MOST_N];
    if (!emu_gather(warp, op, UINT32_MAX) || !read_factors(warp, op, a, b))
        return;
    memset(sum, 0, sizeof sum);
    if (!p->never_adds && emu_predicate(warp, p->adds) & warp->mask)
        emu_fragment_read(warp, &p->d, sum, p->shape.n, 1);
    for (unsigned i = 0; p->negates && i < ROWS * p->shape.k; i++)
        a[i] = -a[i];
    emu_multiply(&p->shape, p->a, a, b, sum);
    emu_fragment_write(warp, &p->d, sum, p->saturate);
}

static emu_groups *groups_of(const emu_warp *warp)
{
    return warp->block->order->warps[warp->index].products;
}

static void fence(emu_warp *warp, const emu_op *op)
{
    emu_gather(warp, op, UINT32_MAX);
}

static void commit(emu_warp *warp, const emu_op *op)
{
    if (emu_gather(warp, op, UINT32_MAX) && warp->worker->check)
        emu_order_commit(warp, groups_of(warp));
}

/* Waits for all four warps of the warpgroup, because they compute a product together. */
static void wait(emu_warp *warp, const emu_op *op)
{
    if (!emu_gather(warp, op, UINT32_MAX))
        return;
    if (warp->worker->check)
        emu_order_wait(warp, groups_of(warp), (uint32_t)op->imm);
    emu_warpgroup_wait(warp, op);
}

/* Returns true if the next operand is this constant. */
static bool take_flag(const emu_decoder *decoder, size_t *at, uint64_t value)
{
    return emu_operand(decoder, (*at)++)->value == value;
}

static void decode_adds(emu_decoder *decoder, const ptx_operand *operand, product *p)
{
    p->adds = EMU_TRUE_SLOT;
    if (operand->kind == PTX_OPERAND_INTEGER)
        p->never_adds = operand->value == 0;
    else
        p->adds = emu_source(decoder, operand, 0);
}

/* Decodes wgmma with the operands {d}, A, B, adds {, signs of A and B {, A by columns} {, B by
 * columns}}. */
static void decode_product(emu_decoder *decoder)
{
    product *p = emu_decode_alloc(decoder, sizeof *p);
    emu_shape s = emu_take_shape(decoder);
    emu_number d = emu_take_number(decoder), a = emu_take_number(decoder),
               b = emu_take_number(decoder);
    bool is_wide = a == EMU_S8 || a == EMU_U8, is_half = a == EMU_F16 || a == EMU_BF16;
    if (!p || decoder->failed || s.m != EMU_WARPGROUP * ROWS || !emu_operands(decoder, 4, 8))
        return;
    const ptx_operand *left = emu_operand(decoder, 1);
    p->saturate = emu_take(decoder, "satfinite");
    p->a_in_registers = left->kind == PTX_OPERAND_VECTOR;
    size_t at = 4, count = is_wide ? 4 : is_half ? 8 - (size_t)p->a_in_registers : 6;
    if (!emu_operands(decoder, count, count))
        return;
    p->shape = (emu_shape){ROWS, s.n, s.k};
    p->a = a;
    p->b = b;
    if (p->a_in_registers)
        p->left = emu_decode_fragment(decoder, left, a, ROWS, s.k, false, 1, false);
    else
        p->a_at = emu_source(decoder, left, 8);
    p->b_at = emu_source(decoder, emu_operand(decoder, 2), 8);
    decode_adds(decoder, emu_operand(decoder, 3), p);
    if (!is_wide)
        p->negates = !take_flag(decoder, &at, 1) ^ !take_flag(decoder, &at, 1);
    if (is_half && !p->a_in_registers)
        p->a_by_columns = take_flag(decoder, &at, 1);
    p->b_by_columns = is_half && take_flag(decoder, &at, 1);
    emu_decode_fragment(decoder, emu_operand(decoder, 0), d, ROWS, s.n, true, 1, false);
    p->d = emu_decode_fragment(decoder, emu_operand(decoder, 0), d, ROWS, s.n, true, 1, true);
    decoder->op->space = PTX_SHARED;
    decoder->op->extra = p;
    decoder->op->unit = EMU_CLASS_FMA;
    decoder->op->run = multiply;
}

void emu_decode_wgmma(emu_decoder *decoder)
{
    static const char *const names[] = {"fence", "commit_group", "wait_group"};
    static const emu_handler handlers[] = {fence, commit, wait};
    bool is_product = emu_take(decoder, "mma_async");
    int which = emu_take_one(decoder, names, 3);
    if (!emu_take(decoder, "sync") || !emu_take(decoder, "aligned"))
        return;
    if (is_product) {
        decode_product(decoder);
    } else if (which >= 0 && emu_operands(decoder, which == 2, which == 2)) {
        decoder->op->unit = EMU_CLASS_WARP;
        decoder->op->imm = emu_operand(decoder, 0)->value;
        decoder->op->run = handlers[which];
    }
}
