/* Families of PTX opcodes, written as snippets that are expanded and run in a common kernel. */
#pragma once

#include "side.h"
#include "tally.h"

#include <stddef.h>

/* One snippet. `<a|b|c>` stands for each of a, b and c in turn, and all combinations are tried.
 * The snippet reads
 *   %l0 %l1 %l2 (64 bits), %r0.. %h0.. %f0.. %d0.. (the same inputs' low bits), %thread, %lane,
 *   %slot, %shared, %local (32 bytes of the thread's own global, shared and local memory)
 * and writes one of the results %lo %ro %ho %fo %do %po. Parts that are not written are zero. */
typedef struct op_pattern {
    const char *code;
    const char *inputs; /* letters for the inputs a, b and c, explained in op_inputs.h */
    result_kind kind;
    tolerance allowed;
} op_pattern;

typedef struct op_family {
    const char *name;
    const op_pattern *patterns;
    size_t count;
    int least_cc; /* minimum compute capability */
} op_family;

extern const op_family op_families[];
extern const size_t op_family_count;

typedef struct pair {
    side sides[SIDE_COUNT];
    const char *dump; /* folder to which the text of every module is written, or NULL */
    int dumped;
} pair;

/* Runs all snippets of a family on the GPU and on the emulator, and compares the results. */
void op_family_run(pair *both, const op_family *family, tally *counts);

/* Writes the text of a module to the dump folder, if a dump was requested. */
void dump_text(pair *both, const char *text);

/* Records that a GPU or the emulator refused a case. This thread's error message has the reason. */
void tally_refusal(tally *counts, const char *what, const char *where);
