/* Compares results, bit by bit or within a tolerance, and counts mismatches. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The type of a result's bits. Any two NaN are considered equal, because PTX does not define their
 * payloads, but NaN with different payloads are counted. */
typedef enum result_kind {
    RESULT_BITS,
    RESULT_F16,
    RESULT_F16X2,
    RESULT_BF16,
    RESULT_BF16X2,
    RESULT_F32,
    RESULT_F64
} result_kind;

/* Two results agree if their difference is within at least one of these bounds. If both bounds are
 * 0, the results must be bit-equal. */
typedef struct tolerance {
    double relative, absolute;
} tolerance;

/* One family's counts. */
typedef struct tally {
    uint64_t cases, results, mismatches, nan_bits, inexact;
    uint64_t refused;   /* number of cases that one side could not load or run */
    double largest;     /* largest relative difference of two approximate results */
    char first[768];    /* description of the first mismatch, or "" */
    char refusal[1024]; /* description of the first refusal, or "" */
} tally;

/* Returns true if two results agree, and counts the comparison in `counts`. */
bool results_agree(tally *counts, result_kind kind, tolerance allowed, uint64_t one,
                   uint64_t other);

/* Converts the bits of an f16 or bf16 to a double. */
double half_value(uint16_t bits, bool brain);
