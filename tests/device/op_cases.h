/* Opcode families: PTX snippets in a common frame, expanded over their modifiers. */
#pragma once

#include "side.h"
#include "tally.h"

#include <stddef.h>

/* One snippet. `<a|b|c>` stands for each of a, b and c in turn: all combinations are tried (<<=n>
 * repeats the choice of the n-th group, from 0). It reads
 *   %l0 %l1 %l2 (64 bits), %r0.. %h0.. %f0.. %d0.. (the same inputs' low bits), %thread, %lane,
 *   %slot, %shared, %local (32 bytes of the thread's own global, shared and local memory)
 * and writes one of %lo %ro %ho %fo %do %po; what it does not write is zero. */
typedef struct op_pattern {
    const char *code;
    const char *inputs; /* one letter each for the inputs a, b and c: see op_inputs.h */
    result_kind kind;
    tolerance allowed;
} op_pattern;

typedef struct op_family {
    const char *name;
    const op_pattern *patterns;
    size_t count;
    int least_cc; /* least compute capability that the family needs */
} op_family;

extern const op_family op_families[];
extern const size_t op_family_count;

/* The state of a comparison. */
typedef struct pair {
    side sides[SIDE_COUNT];
    const char *dump; /* folder for the text of every module, or NULL */
    int dumped;
} pair;

/* Runs all of a family's snippets on both sides. */
void op_family_run(pair *both, const op_family *family, tally *counts);

/* Writes the text of one module to the dump folder, if there is one. */
void dump_text(pair *both, const char *text);

/* Records that one side refused a case (the thread's message gives the reason). */
void tally_refusal(tally *counts, const char *what, const char *where);
