#include "programs.h"

#include "gpu/nvrtc.h"
#include "op_inputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

extern const char programs_source[]; /* contents of programs.cu */

/* Results of math functions may differ in their last bits, because the functions consist of
 * approximations and fused multiply-adds. */
#define MATH_F32                                                                                   \
    {                                                                                              \
        0x1p-20, 0x1p-21                                                                           \
    }
#define MATH_F64                                                                                   \
    {                                                                                              \
        0x1p-48, 0x1p-1000                                                                         \
    }

const program programs[] = {
    {"early_exit", 8, 128, 1, 0, "i", RESULT_BITS, {0, 0}, 80},
    {"split_warps", 8, 128, 1, 0, "i", RESULT_BITS, {0, 0}, 80},
    {"contended_atomics", 16, 128, 1, 0, "i", RESULT_BITS, {0, 0}, 80},
    {"compare_and_swap", 4, 64, 1, 0, "i", RESULT_BITS, {0, 0}, 80},
    {"constants", 4, 128, 1, 0, "i", RESULT_BITS, {0, 0}, 80},
    {"vectors", 8, 64, 1, 0, "i", RESULT_BITS, {0, 0}, 80},
    {"wide_integers", 16, 128, 1, 0, "i", RESULT_BITS, {0, 0}, 80},
    {"bit_tricks", 16, 128, 1, 0, "i", RESULT_BITS, {0, 0}, 80},
    {"float_sums", 8, 128, 1, 0, "n", RESULT_F32, {0, 0}, 80},
    {"float_division", 16, 128, 1, 0, "f", RESULT_F32, {0, 0}, 80},
    {"double_division", 16, 128, 1, 0, "d", RESULT_F64, {0, 0}, 80},
    {"math_f32", 16, 128, 1, 0, "n", RESULT_F32, MATH_F32, 80},
    {"math_f64", 16, 128, 1, 0, "d", RESULT_F64, MATH_F64, 80},
    {"cluster_ranks", 16, 64, 4, 0, "i", RESULT_BITS, {0, 0}, 90},
    {"cluster_rotate", 16, 64, 8, 0, "i", RESULT_BITS, {0, 0}, 90},
    {"cluster_atomics", 16, 64, 2, 0, "i", RESULT_BITS, {0, 0}, 90},
    {"cluster_16", 32, 64, 16, 0, "i", RESULT_BITS, {0, 0}, 90},
};
const size_t program_count = sizeof programs / sizeof programs[0];

gputune_status programs_compile(char **out, pair *both)
{
    const gt_nvrtc *nvrtc;
    int cc = both->sides[SIDE_GPU].device.cc >= 90 ? 90 : 80;
    char arch[16];
    const char *const options[] = {"--device-int128"};
    gt_compiled result;
    snprintf(arch, sizeof arch, "sm_%d", cc);
    GT_TRY(gt_nvrtc_open(&nvrtc, both->sides[SIDE_GPU].driver->version));
    gt_nvrtc_request request = {
        .text = programs_source, .arch = arch, .options = options, .option_count = 1, .ptx = true};
    gputune_status status = gt_nvrtc_compile(&result, nvrtc, &request, NULL);
    if (status < 0) {
        fprintf(stderr, "%s\n", result.log ? result.log : "");
        gt_compiled_free(&result);
        return status;
    }
    *out = result.image.data;
    result.image.data = NULL;
    gt_compiled_free(&result);
    dump_text(both, *out);
    return GPUTUNE_OK;
}

static void compare(tally *counts, const program *one, const uint64_t *inputs,
                    uint64_t *const results[SIDE_COUNT])
{
    for (uint32_t i = 0; i < one->grid * one->block; i++) {
        uint64_t gpu = results[SIDE_GPU][i], emulator = results[SIDE_EMULATOR][i];
        if (results_agree(counts, one->kind, one->allowed, gpu, emulator)) {
            continue;
        }
        counts->mismatches++;
        if (!counts->first[0]) {
            snprintf(counts->first, sizeof counts->first,
                     "block %u thread %u, input 0x%" PRIx64 ": GPU 0x%" PRIx64
                     ", emulator 0x%" PRIx64,
                     i / one->block, i % one->block, inputs[i % OP_INPUTS], gpu, emulator);
        }
    }
}

void program_run(pair *both, const char *ptx, const program *one, tally *counts)
{
    static const char *const names[] = {"GPU", "emulator"};
    uint64_t *inputs[3], *results[SIDE_COUNT] = {NULL, NULL};
    uint64_t bytes = (uint64_t)one->grid * one->block * 8;
    bool ran = true;
    for (int i = 0; i < 3; i++) {
        inputs[i] = calloc(OP_INPUTS, 8);
        if (!inputs[i]) {
            abort();
        }
    }
    op_inputs_make(inputs, one->inputs);
    side_run run = {.ptx = ptx,
                    .entry = one->name,
                    .grid = one->grid,
                    .block = one->block,
                    .cluster = one->cluster,
                    .shared_bytes = one->shared_bytes,
                    .inputs = {inputs[0], NULL, NULL},
                    .input_bytes = OP_INPUTS * 8,
                    .result_bytes = bytes};
    counts->cases++;
    for (int s = 0; s < SIDE_COUNT && ran; s++) {
        results[s] = calloc(1, bytes);
        ran = results[s] && side_execute(&both->sides[s], &run, results[s]) == GPUTUNE_OK;
        if (!ran) {
            tally_refusal(counts, one->name, names[s]);
        }
    }
    if (ran) {
        compare(counts, one, inputs[0], results);
    }
    for (int i = 0; i < 3; i++) {
        free(inputs[i]);
    }
    free(results[0]);
    free(results[1]);
}
