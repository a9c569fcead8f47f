/* Matrices that are distributed as fragments over the registers of a warp's 32 lanes. */
#pragma once

#include "emulator/decode.h"

typedef enum emu_number {
    EMU_F16,
    EMU_BF16,
    EMU_TF32,
    EMU_F32,
    EMU_F64,
    EMU_S8,
    EMU_U8,
    EMU_E4M3,
    EMU_E5M2,
    EMU_S32
} emu_number;

/* The size of a matrix product D = A (m x k) * B (k x n) + C. */
typedef struct emu_shape {
    unsigned m, n, k;
} emu_shape;

enum { EMU_MOST_M = 32, EMU_MOST_N = 256, EMU_MOST_K = 32 };

/* The part of a matrix that is in the registers of a lane. The matrix consists of tiles of 8 rows
 * with 4 units each, and a unit is some adjacent elements of a row. Each of the 32 lanes has one
 * unit of each tile. A lane's units are in the order of the tiles: from top to bottom, then from
 * left to right. B is stored transposed. */
typedef struct emu_fragment {
    emu_number number;
    uint8_t unit;  /* number of elements in a unit */
    uint8_t bytes; /* size of an element in bytes */
    uint8_t width; /* size of a register in bytes */
    uint16_t rows, columns;
    uint16_t held;             /* number of different elements that a lane has */
    uint16_t count;            /* registers */
    const uint32_t *registers; /* operands */
} emu_fragment;

/* ---- decoding ---- */

/* Takes the opcode's next element type. Fails if there is none. */
emu_number emu_take_number(emu_decoder *decoder);
/* Takes the modifier mMnNkK of the opcode. Fails if it is missing or the matrix is too large. */
emu_shape emu_take_shape(emu_decoder *decoder);

/* Describes a fragment and finds its registers in the operand. `is_sum` is true for C and D. The
 * fragment contains each element `copies` times. */
emu_fragment emu_decode_fragment(emu_decoder *decoder, const ptx_operand *operand,
                                 emu_number number, unsigned rows, unsigned columns, bool is_sum,
                                 unsigned copies, bool writes);

/* ---- running ---- */

/* Return the address of a lane's element `index`, and its row and column in the matrix. */
uint8_t *emu_fragment_place(const emu_warp *warp, const emu_fragment *f, unsigned index,
                            unsigned lane);
unsigned emu_fragment_row(const emu_fragment *f, unsigned index, unsigned lane);
unsigned emu_fragment_column(const emu_fragment *f, unsigned index, unsigned lane);

double emu_number_load(emu_number number, const uint8_t *at);
unsigned emu_number_bytes(emu_number number);

/* Copies a fragment to an array. Element (row, column) goes to out[row * down + column * right]. */
void emu_fragment_read(const emu_warp *warp, const emu_fragment *f, double *out, unsigned down,
                       unsigned right);
/* Writes a row-major array to a fragment and rounds the values to the type of the fragment.
 * Integers saturate if `saturate` is true; otherwise they wrap. */
void emu_fragment_write(const emu_warp *warp, const emu_fragment *f, const double *from,
                        bool saturate);

/* Computes sum (m x n) += a (m x k) * b (k x n) for row-major arrays. f64 uses fused multiply-add;
 * products of other types are exact. */
void emu_multiply(const emu_shape *shape, emu_number number, const double *a, const double *b,
                  double *sum);
