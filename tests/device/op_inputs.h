/* Inputs of the snippets: all pairs of special values, followed by random values. */
#pragma once

#include <stdint.h>

enum { OP_INPUTS = 4096 };

/* Fills the three inputs reproducibly. A letter selects the kind of each input:
 *   i  integers, all 64 bits         f  f32   d  f64   h  two f16   b  two bf16
 *   s  small integers, 0 to 70       t  f32 in [-2 pi, 2 pi]        n  f32 with exponents near 0
 *   q  f16 in [-16, 16]              r  bf16 in [-16, 16]           e  f32 in [-150, 150]
 *   I  f32 and J f64 about the limits of the integer types */
void op_inputs_make(uint64_t *out[3], const char *letters);
