/* Judging results: equal bits, or near enough, and what to print of it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* How the bits of a result are read. In the floating kinds one NaN is as good as another: PTX
 * leaves payloads open; how many differ is counted. */
typedef enum result_kind {
    RESULT_BITS,
    RESULT_F16,
    RESULT_F16X2,
    RESULT_BF16,
    RESULT_BF16X2,
    RESULT_F32,
    RESULT_F64
} result_kind;

/* How far two results may lie apart: either figure suffices. Both 0: bit-equal. */
typedef struct tolerance {
    double relative, absolute;
} tolerance;

/* One family's counts. */
typedef struct tally {
    uint64_t cases, results, mismatches, nan_bits, inexact;
    uint64_t refused;   /* cases that one side would not load or run */
    double largest;     /* relative difference among the results of approximations */
    char first[768];    /* the first mismatch, "" if there is none */
    char refusal[1024]; /* the first refusal, "" if there is none */
} tally;

/* Whether two results agree. Counts what is worth it in `counts`. */
bool results_agree(tally *counts, result_kind kind, tolerance allowed, uint64_t one,
                   uint64_t other);

/* f16 and bf16 bits as a double. */
double half_value(uint16_t bits, bool brain);
