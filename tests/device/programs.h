/* Small CUDA programs (programs.cu): control flow, calls, barriers, shared and distributed shared
 * memory, contended atomics, and math functions. */
#pragma once

#include "op_cases.h"

/* A kernel with the parameters (results, inputs). Each of its threads writes one result. */
typedef struct program {
    const char *name;
    uint32_t grid, block, cluster, shared_bytes;
    const char *inputs; /* letter for the kind of inputs, explained in op_inputs.h */
    result_kind kind;
    tolerance allowed;
    int least_cc;
} program;

extern const program programs[];
extern const size_t program_count;

/* Compiles programs.cu to PTX that both devices can run. The caller frees *out. */
gputune_status programs_compile(char **out, pair *both);

void program_run(pair *both, const char *ptx, const program *one, tally *counts);
