/* Matrices whose fragments are in the registers of a warp's 32 lanes. */
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

/* The tiles of a matrix product: D = A (m x k) * B (k x n) + C. */
typedef struct emu_shape {
    unsigned m, n, k;
} emu_shape;

enum { EMU_MOST_M = 32, EMU_MOST_N = 256, EMU_MOST_K = 32 };

/* Four lanes share a row of a tile of 8 rows. Each holds a unit: adjacent elements of the row, in
 * one or several registers. A lane's units continue down through the tiles, then to the right. B is
 * held transposed. */
typedef struct emu_fragment {
    emu_number number;
    uint8_t unit;  /* elements */
    uint8_t bytes; /* size of an element */
    uint8_t width; /* size of a register in bytes */
    uint16_t rows, columns;
    uint16_t held;             /* elements of a lane; more of them are copies */
    uint16_t count;            /* registers */
    const uint32_t *registers; /* operands */
} emu_fragment;

/* ---- decoding ---- */

/* Reads the next type in the opcode; fails without one. */
emu_number emu_take_number(emu_decoder *decoder);
/* Reads the word mMnNkK; fails without one, or if it exceeds the emulator's matrices. */
emu_shape emu_take_shape(emu_decoder *decoder);

/* Describes a fragment and reads its registers from the operand. `is_sum`: it is C or D. `copies`:
 * how often each element is held. */
emu_fragment emu_decode_fragment(emu_decoder *decoder, const ptx_operand *operand,
                                 emu_number number, unsigned rows, unsigned columns, bool is_sum,
                                 unsigned copies, bool writes);

/* ---- running ---- */

/* Return the address of a lane's element of that index, and its row and column in the matrix. */
uint8_t *emu_fragment_place(const emu_warp *warp, const emu_fragment *f, unsigned index,
                            unsigned lane);
unsigned emu_fragment_row(const emu_fragment *f, unsigned index, unsigned lane);
unsigned emu_fragment_column(const emu_fragment *f, unsigned index, unsigned lane);

/* Reads a number from memory. */
double emu_number_load(emu_number number, const uint8_t *at);
unsigned emu_number_bytes(emu_number number);

/* Copies a fragment to an array; element (row, column) is at row * down + column * right. */
void emu_fragment_read(const emu_warp *warp, const emu_fragment *f, double *out, unsigned down,
                       unsigned right);
/* Rounds an array's elements, stored by rows, to the fragment's type. Integers saturate if
 * `saturate` is set, and wrap otherwise. */
void emu_fragment_write(const emu_warp *warp, const emu_fragment *f, const double *from,
                        bool saturate);

/* Computes sum (m x n) += a (m x k) * b (k x n), all stored by rows. Products of f64 are not
 * rounded before the addition; others are exact. */
void emu_multiply(const emu_shape *shape, emu_number number, const double *a, const double *b,
                  double *sum);
