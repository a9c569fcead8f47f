/* Products of small matrices by a warp: mma, wmma, ldmatrix and stmatrix. */
#include "emulator/address.h"
#include "emulator/lanes.h"
#include "emulator/matrix.h"

enum { ROW_BYTES = 16 }; /* row size of the 8 x 8 matrices of ldmatrix and stmatrix */

typedef struct product {
    emu_shape shape;
    emu_fragment a, b, c, d;
    bool saturate;
} product;

static void multiply_matrices(emu_warp *warp, const emu_op *op)
{
    const product *p = op->extra;
    double a[EMU_MOST_M * EMU_MOST_K], b[EMU_MOST_K * EMU_MOST_M], sum[EMU_MOST_M * EMU_MOST_M];
    if (!emu_gather(warp, op, UINT32_MAX))
        return;
    emu_fragment_read(warp, &p->a, a, p->shape.k, 1);
    emu_fragment_read(warp, &p->b, b, 1, p->shape.n);
    emu_fragment_read(warp, &p->c, sum, p->shape.n, 1);
    emu_multiply(&p->shape, p->a.number, a, b, sum);
    emu_fragment_write(warp, &p->d, sum, p->saturate);
}

/* Returns how often a wmma fragment repeats each half-precision element, to fill 8 registers. */
static unsigned copies_of(bool is_wmma, emu_number number, unsigned rows, unsigned columns)
{
    enum { HALVES = 16 };
    return is_wmma && number == EMU_F16 ? HALVES * EMU_WARP / (rows * columns) : 1;
}

/* Takes the types of D, A, B and C. A wmma for halves has only the types of D and C. */
static void decode_product(emu_decoder *decoder, bool is_wmma)
{
    product *p = emu_decode_alloc(decoder, sizeof *p);
    static const char *const majors[] = {"row", "col"};
    for (int i = 0; i < 2 && emu_take_one(decoder, majors, 2) >= 0; i++)
        continue;
    emu_shape s = emu_take_shape(decoder);
    emu_number d = emu_take_number(decoder), a = EMU_F16, b = EMU_F16, c = emu_take_number(decoder);
    if (!is_wmma || (c != EMU_F16 && c != EMU_F32)) {
        a = c;
        b = emu_take_number(decoder);
        c = emu_take_number(decoder);
    }
    bool saturate = emu_take(decoder, "satfinite");
    emu_take(decoder, "rn");
    if (!p || decoder->failed || !emu_operands(decoder, 4, 4))
        return;
    if (s.m > EMU_MOST_M || s.n > EMU_MOST_M || s.m % 8 || s.n % 8) {
        emu_decode_fail(decoder, "expected a matrix shape that the emulator supports");
        return;
    }
    p->shape = s;
    p->saturate = saturate;
    p->a = emu_decode_fragment(decoder, emu_operand(decoder, 1), a, s.m, s.k, false,
                               copies_of(is_wmma, a, s.m, s.k), false);
    p->b = emu_decode_fragment(decoder, emu_operand(decoder, 2), b, s.n, s.k, false,
                               copies_of(is_wmma, b, s.n, s.k), false);
    p->c = emu_decode_fragment(decoder, emu_operand(decoder, 3), c, s.m, s.n, true, 1, false);
    p->d = emu_decode_fragment(decoder, emu_operand(decoder, 0), d, s.m, s.n, true, 1, true);
    decoder->op->extra = p;
    decoder->op->unit = EMU_CLASS_FMA;
    decoder->op->run = multiply_matrices;
}

void emu_decode_mma(emu_decoder *decoder)
{
    if (emu_take(decoder, "sync") && emu_take(decoder, "aligned"))
        decode_product(decoder, false);
}

typedef struct fragment_move {
    emu_fragment fragment;
    uint32_t stride; /* operand */
    bool by_rows;
    unsigned copies;
} fragment_move;

static bool find_elements(emu_warp *warp, const emu_op *op, unsigned index, unsigned count,
                          emu_access *access)
{
    const fragment_move *t = op->extra;
    const emu_fragment *f = &t->fragment;
    const emu_u32 *stride = emu_lanes(warp, t->stride);
    emu_addresses(warp, op, count * f->bytes, access);
    EMU_FOR_LANES(lane, warp->mask)
    {
        uint64_t row = emu_fragment_row(f, index, lane),
                 column = emu_fragment_column(f, index, lane);
        uint64_t at = t->by_rows ? row * stride[lane] + column : column * stride[lane] + row;
        access->address[lane] += at * f->bytes;
    }
    return emu_resolve(warp, op, access);
}

static void move_fragment(emu_warp *warp, const emu_op *op)
{
    const fragment_move *t = op->extra;
    const emu_fragment *f = &t->fragment;
    unsigned count = t->by_rows ? f->unit : 1;
    emu_access access;
    if (!emu_gather(warp, op, UINT32_MAX))
        return;
    for (unsigned i = 0; i < f->held; i += count) {
        if (!find_elements(warp, op, i, count, &access))
            return;
        for (unsigned k = 0; k < count; k++)
            EMU_FOR_LANES(lane, warp->mask)
            {
                uint8_t *memory = access.host[lane] + (size_t)k * f->bytes;
                uint8_t *own = emu_fragment_place(warp, f, i + k, lane);
                if (op->flags & EMU_ACCESS_WRITE)
                    memcpy(memory, own, f->bytes);
                else
                    memcpy(own, memory, f->bytes);
            }
    }
    for (unsigned i = f->held; i < f->held * t->copies; i++)
        EMU_FOR_LANES(lane, warp->mask)
    memcpy(emu_fragment_place(warp, f, i, lane), emu_fragment_place(warp, f, i - f->held, lane),
           f->bytes);
}

/* Decodes wmma.load.MATRIX d, [address] {, stride} and wmma.store.d [address], d {, stride}. */
static void decode_move(emu_decoder *decoder, bool stores)
{
    static const char *const matrices[] = {"a", "b", "c", "d"};
    emu_op *op = decoder->op;
    fragment_move *t = emu_decode_alloc(decoder, sizeof *t);
    int which = emu_take_one(decoder, matrices, 4);
    if (!t || which < 0 || !emu_take(decoder, "sync") || !emu_take(decoder, "aligned"))
        return;
    bool is_sum = which > 1, by_rows = emu_take(decoder, "row") || !emu_take(decoder, "col");
    emu_shape s = emu_take_shape(decoder);
    ptx_space space = emu_take_space(decoder, PTX_GENERIC);
    emu_number number = emu_take_number(decoder);
    if (decoder->failed || !emu_operands(decoder, 2, 3))
        return;
    unsigned rows = which == 1 ? s.n : s.m, columns = is_sum ? s.n : s.k;
    op->flags |= stores ? EMU_ACCESS_WRITE : 0;
    emu_decode_address(decoder, emu_operand(decoder, stores ? 0 : 1), space);
    t->by_rows = which == 1 ? !by_rows : by_rows;
    t->copies = is_sum ? 1 : copies_of(true, number, rows, columns);
    t->stride = decoder->in->operand_count == 3
                    ? emu_source(decoder, emu_operand(decoder, 2), 4)
                    : emu_constant(decoder, t->by_rows ? columns : rows, 4);
    t->fragment = emu_decode_fragment(decoder, emu_operand(decoder, stores ? 1 : 0), number, rows,
                                      columns, is_sum, t->copies, !stores);
    op->unit = EMU_CLASS_LDST;
    op->extra = t;
    op->run = move_fragment;
    decoder->flows[decoder->index].is_load =
        !stores && (op->space == PTX_GLOBAL || op->space == PTX_GENERIC);
}

void emu_decode_wmma(emu_decoder *decoder)
{
    bool loads = emu_take(decoder, "load");
    if (loads || emu_take(decoder, "store"))
        decode_move(decoder, !loads);
    else if (emu_take(decoder, "mma") && emu_take(decoder, "sync") && emu_take(decoder, "aligned"))
        decode_product(decoder, true);
}

/* Moves two 16-bit elements of a lane, adjacent in a row or, if transposed, in a column. */
static void move_pair(const emu_op *op, uint8_t *own, uint8_t *const rows[8], unsigned lane)
{
    for (unsigned j = 0; j < 2; j++) {
        unsigned row = lane / 4, column = lane % 4 * 2 + j;
        uint8_t *place = op->width ? rows[column] + row * 2 : rows[row] + column * 2;
        if (op->flags & EMU_ACCESS_WRITE)
            memcpy(place, own + j * 2, 2);
        else
            memcpy(own + j * 2, place, 2);
    }
}

/* Moves matrices. Lane 8 t + i has the address of row i of matrix t. */
static void move_matrices(emu_warp *warp, const emu_op *op)
{
    const uint32_t *registers = op->extra, all = warp->mask;
    emu_access access;
    if (!emu_gather(warp, op, UINT32_MAX))
        return;
    warp->mask = UINT32_MAX >> (EMU_WARP - op->dst);
    emu_addresses(warp, op, ROW_BYTES, &access);
    bool found = emu_resolve(warp, op, &access);
    warp->mask = all;
    for (unsigned t = 0; found && t < op->dst / 8; t++)
        EMU_FOR_LANES(lane, all)
    move_pair(op, (uint8_t *)emu_lanes(warp, registers[t]) + (size_t)lane * 4,
              access.host + (size_t)t * 8, lane);
}

void emu_decode_matrix_move(emu_decoder *decoder)
{
    static const char *const counts[] = {"x1", "x2", "x4"};
    emu_op *op = decoder->op;
    bool stores = decoder->words[0][0] == 's';
    bool known = emu_take(decoder, "sync") && emu_take(decoder, "aligned") &&
                 emu_take(decoder, "m8n8") && emu_take(decoder, "b16");
    int which = emu_take_one(decoder, counts, 3);
    op->width = emu_take(decoder, "trans");
    ptx_space space = emu_take_space(decoder, PTX_GENERIC);
    if (!known || which < 0 || !emu_operands(decoder, 2, 2))
        return;
    op->flags |= stores ? EMU_ACCESS_WRITE : 0;
    emu_decode_address(decoder, emu_operand(decoder, stores ? 0 : 1), space);
    op->dst = 8u << which; /* number of rows; as many lanes give an address */
    op->extra = emu_decode_fragment(decoder, emu_operand(decoder, stores ? 1 : 0), EMU_F16, 8,
                                    8u << which, false, 1, !stores)
                    .registers;
    op->unit = EMU_CLASS_LDST;
    op->run = move_matrices;
}
