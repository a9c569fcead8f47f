/* Compares results, bit by bit or within a tolerance, and counts mismatches. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* How the bits of a result are interpreted. In floating-point kinds any NaN equals any other NaN,
 * because PTX does not define the payload; different payloads are counted. */
typedef enum result_kind {
    RESULT_BITS,
    RESULT_F16,
    RESULT_F16X2,
    RESULT_BF16,
    RESULT_BF16X2,
    RESULT_F32,
    RESULT_F64
} result_kind;

/* The allowed difference of two results, which must be within either bound. If both are 0, the
 * results must be bit-equal. */
typedef struct tolerance {
    double relative, absolute;
} tolerance;

/* One family's counts. */
typedef struct tally {
    uint64_t cases, results, mismatches, nan_bits, inexact;
    uint64_t refused;   /* cases that one side did not load or run */
    double largest;     /* largest relative difference of approximations */
    char first[768];    /* the first mismatch; "" if there is none */
    char refusal[1024]; /* the first refusal; "" if there is none */
} tally;

/* Returns true if two results agree, and counts the comparison in `counts`. */
bool results_agree(tally *counts, result_kind kind, tolerance allowed, uint64_t one,
                   uint64_t other);

/* Converts the bits of an f16 or bf16 to a double. */
double half_value(uint16_t bits, bool brain);
