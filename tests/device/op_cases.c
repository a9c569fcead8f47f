#include "op_cases.h"

#include "base/text.h"
#include "op_inputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 128, GROUP_MAX = 8, CODE_MAX = 1536 };

static const char head[] =
    ".version 8.0\n.target sm_%d\n.address_size 64\n"
    ".visible .entry snippet(.param .u64 out, .param .u64 a, .param .u64 b, .param .u64 c)\n"
    "{\n"
    "  .reg .b64 %%l<8>, %%lo, %%ln, %%at, %%slot, %%local, %%t<8>; .reg .b32 %%r<16>, %%ro;\n"
    "  .reg .b16 %%h<8>, %%ho; .reg .f32 %%f<8>, %%fo; .reg .f64 %%d<8>, %%do;\n"
    "  .reg .pred %%p<8>, %%po; .reg .b32 %%thread, %%lane, %%index, %%shared;\n"
    "  .shared .align 32 .b8 tile[%d];\n"
    "  .local .align 32 .b8 own[32];\n"
    "  mov.b64 %%lo, 0; mov.b32 %%ro, 0; mov.b16 %%ho, 0; mov.f32 %%fo, 0f00000000;\n"
    "  mov.f64 %%do, 0d0000000000000000; mov.pred %%po, 0;\n"
    "  mov.u32 %%thread, %%tid.x; mov.u32 %%lane, %%laneid; mov.u32 %%index, %%ctaid.x;\n"
    "  mad.lo.u32 %%index, %%index, %d, %%thread;\n"
    "  ld.param.u64 %%t0, [a]; mad.wide.u32 %%t0, %%index, 8, %%t0; ld.global.b64 %%l0, [%%t0];\n"
    "  ld.param.u64 %%t0, [b]; mad.wide.u32 %%t0, %%index, 8, %%t0; ld.global.b64 %%l1, [%%t0];\n"
    "  ld.param.u64 %%t0, [c]; mad.wide.u32 %%t0, %%index, 8, %%t0; ld.global.b64 %%l2, [%%t0];\n"
    "  ld.param.u64 %%t0, [out]; mad.wide.u32 %%at, %%index, 8, %%t0;\n"
    "  mad.wide.u32 %%slot, %%index, 32, %%t0; add.u64 %%slot, %%slot, %d;\n"
    "  mov.u32 %%shared, tile; mad.lo.u32 %%shared, %%thread, 32, %%shared; mov.u64 %%local, own;\n"
    "  cvt.u32.u64 %%r0, %%l0; cvt.u32.u64 %%r1, %%l1; cvt.u32.u64 %%r2, %%l2;\n"
    "  cvt.u16.u32 %%h0, %%r0; cvt.u16.u32 %%h1, %%r1; cvt.u16.u32 %%h2, %%r2;\n"
    "  mov.b32 %%f0, %%r0; mov.b32 %%f1, %%r1; mov.b32 %%f2, %%r2;\n"
    "  mov.b64 %%d0, %%l0; mov.b64 %%d1, %%l1; mov.b64 %%d2, %%l2;\n";

static const char tail[] = "\n"
                           "  cvt.u64.u32 %ln, %ro; or.b64 %lo, %lo, %ln;\n"
                           "  cvt.u64.u16 %ln, %ho; or.b64 %lo, %lo, %ln;\n"
                           "  mov.b32 %r7, %fo; cvt.u64.u32 %ln, %r7; or.b64 %lo, %lo, %ln;\n"
                           "  mov.b64 %ln, %do; or.b64 %lo, %lo, %ln;\n"
                           "  selp.b64 %ln, 1, 0, %po; or.b64 %lo, %lo, %ln;\n"
                           "  st.global.u64 [%at], %lo;\n"
                           "  ret;\n}\n";

typedef struct groups {
    int count, sizes[GROUP_MAX], choice[GROUP_MAX];
    const char *begins[GROUP_MAX];
} groups;

static void find_groups(groups *out, const char *code)
{
    *out = (groups){0};
    for (const char *at = strchr(code, '<'); at; at = strchr(at + 1, '<')) {
        const char *end = strchr(at, '>');
        int size = 1;
        for (const char *c = at; c < end; c++) {
            size += *c == '|';
        }
        out->begins[out->count] = at + 1;
        out->sizes[out->count++] = size;
    }
}

static void append_choice(gt_text *text, const char *begin, int choice)
{
    for (; choice > 0; begin++) {
        choice -= *begin == '|';
    }
    gt_text_append_bytes(text, begin, strcspn(begin, "|>"));
}

static void expand(gt_text *text, const char *code, const groups *all)
{
    int next = 0;
    for (const char *at = code; *at;) {
        size_t plain = strcspn(at, "<");
        gt_text_append_bytes(text, at, plain);
        at += plain;
        if (*at == '<') {
            append_choice(text, all->begins[next], all->choice[next]);
            next++;
            at = strchr(at, '>') + 1;
        }
    }
}

static bool next_choice(groups *all)
{
    for (int i = all->count - 1; i >= 0; i--) {
        if (++all->choice[i] < all->sizes[i]) {
            return true;
        }
        all->choice[i] = 0;
    }
    return false;
}

void dump_text(pair *both, const char *text)
{
    char path[512];
    if (!both->dump) {
        return;
    }
    snprintf(path, sizeof path, "%s/%04d.ptx", both->dump, both->dumped++);
    FILE *file = fopen(path, "w");
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

void tally_refusal(tally *counts, const char *what, const char *where)
{
    if (counts->refused++ == 0) {
        snprintf(counts->refusal, sizeof counts->refusal, "%s: %s: %.500s", where, what,
                 gt_message());
    }
}

static void compare(tally *counts, const op_pattern *pattern, const char *code,
                    uint64_t *const inputs[3], uint64_t *const results[SIDE_COUNT])
{
    bool wrong = false;
    for (size_t i = 0; i < OP_INPUTS; i++) {
        uint64_t gpu = results[SIDE_GPU][i], emulator = results[SIDE_EMULATOR][i];
        if (results_agree(counts, pattern->kind, pattern->allowed, gpu, emulator)) {
            continue;
        }
        counts->mismatches++;
        if (!wrong) {
            fprintf(stderr,
                    "    %.400s\n      a=0x%" PRIx64 " b=0x%" PRIx64 " c=0x%" PRIx64
                    ": GPU 0x%" PRIx64 ", emulator 0x%" PRIx64 "\n",
                    code, inputs[0][i], inputs[1][i], inputs[2][i], gpu, emulator);
        }
        wrong = true;
        if (!counts->first[0]) {
            snprintf(counts->first, sizeof counts->first,
                     "%.400s a=0x%" PRIx64 " b=0x%" PRIx64 " c=0x%" PRIx64 ": GPU 0x%" PRIx64
                     ", emulator 0x%" PRIx64,
                     code, inputs[0][i], inputs[1][i], inputs[2][i], gpu, emulator);
        }
    }
}

static void run_one(pair *both, const op_family *family, const op_pattern *pattern,
                    const char *code, uint64_t *const inputs[3], tally *counts)
{
    static const char *const names[] = {"GPU", "emulator"};
    uint64_t *results[SIDE_COUNT] = {NULL, NULL};
    gt_text text = {0};
    int arch = family->least_cc > 80 ? family->least_cc : 80;
    bool ran = true;
    gt_text_printf(&text, head, arch, BLOCK * 32, BLOCK, OP_INPUTS * 8);
    gt_text_append(&text, code);
    gt_text_append(&text, tail);
    dump_text(both, gt_text_string(&text));
    counts->cases++;
    side_run run = {.ptx = gt_text_string(&text),
                    .entry = "snippet",
                    .grid = OP_INPUTS / BLOCK,
                    .block = BLOCK,
                    .inputs = {inputs[0], inputs[1], inputs[2]},
                    .input_bytes = OP_INPUTS * 8,
                    .result_bytes = OP_INPUTS * 40};
    for (int s = 0; s < SIDE_COUNT && ran; s++) {
        results[s] = calloc(5, OP_INPUTS * 8);
        ran = results[s] && side_execute(&both->sides[s], &run, results[s]) == GPUTUNE_OK;
        if (!ran) {
            fprintf(stderr, "    %s refuses %.400s: %.300s\n", names[s], code, gt_message());
            tally_refusal(counts, code, names[s]);
        }
    }
    if (ran) {
        compare(counts, pattern, code, inputs, results);
    }
    free(results[0]);
    free(results[1]);
    gt_text_free(&text);
}

void op_family_run(pair *both, const op_family *family, tally *counts)
{
    uint64_t *inputs[3];
    for (int i = 0; i < 3; i++) {
        inputs[i] = calloc(OP_INPUTS, 8);
        if (!inputs[i]) {
            abort();
        }
    }
    for (size_t i = 0; i < family->count; i++) {
        const op_pattern *pattern = &family->patterns[i];
        groups all;
        find_groups(&all, pattern->code);
        op_inputs_make(inputs, pattern->inputs);
        do {
            gt_text code = {0};
            expand(&code, pattern->code, &all);
            run_one(both, family, pattern, gt_text_string(&code), inputs, counts);
            gt_text_free(&code);
        } while (next_choice(&all));
    }
    for (int i = 0; i < 3; i++) {
        free(inputs[i]);
    }
}
