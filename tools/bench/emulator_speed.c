/* How many thread-instructions a second the emulator executes, on one host thread and on two.
 *
 *   emulator_speed [FILE.ptx KERNEL]
 *
 * Without arguments: axpy as NVRTC compiles it. A kernel of one's own takes (y, x, a, n). */
#include "emulator/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ELEMENTS = 1 << 22, ROUNDS = 5, BLOCK = 256, MULTIPROCESSORS = 132, L1_BYTES = 228 * 1024 };

static const char axpy[] = ".version 9.0\n"
                           ".target sm_90\n"
                           ".address_size 64\n"
                           ".visible .entry axpy(.param .u64 y, .param .u64 x, .param .f32 a,\n"
                           "    .param .u64 n)\n"
                           "{\n"
                           "    .reg .pred %p<2>; .reg .f32 %f<5>; .reg .b32 %r<4>;\n"
                           "    .reg .b64 %rd<12>;\n"
                           "    ld.param.u64 %rd2, [y];\n"
                           "    ld.param.u64 %rd3, [x];\n"
                           "    ld.param.f32 %f1, [a];\n"
                           "    ld.param.u64 %rd4, [n];\n"
                           "    mov.u32 %r1, %ctaid.x;\n"
                           "    mov.u32 %r2, %ntid.x;\n"
                           "    mul.wide.u32 %rd5, %r1, %r2;\n"
                           "    mov.u32 %r3, %tid.x;\n"
                           "    cvt.u64.u32 %rd6, %r3;\n"
                           "    add.s64 %rd1, %rd5, %rd6;\n"
                           "    setp.ge.u64 %p1, %rd1, %rd4;\n"
                           "    @%p1 bra done;\n"
                           "    cvta.to.global.u64 %rd7, %rd3;\n"
                           "    shl.b64 %rd8, %rd1, 2;\n"
                           "    add.s64 %rd9, %rd7, %rd8;\n"
                           "    ld.global.f32 %f2, [%rd9];\n"
                           "    cvta.to.global.u64 %rd10, %rd2;\n"
                           "    add.s64 %rd11, %rd10, %rd8;\n"
                           "    ld.global.f32 %f3, [%rd11];\n"
                           "    fma.rn.f32 %f4, %f2, %f1, %f3;\n"
                           "    st.global.f32 [%rd11], %f4;\n"
                           "done:\n"
                           "    ret;\n"
                           "}\n";

typedef struct arguments {
    float *y, *x;
    float a;
    size_t n;
} arguments;

static bool find(void *context, uint64_t address, emu_range *out)
{
    const arguments *p = context;
    const float *const buffers[] = {p->x, p->y};
    for (int i = 0; i < 2; i++) {
        uint64_t base = (uint64_t)(uintptr_t)buffers[i], end = base + p->n * sizeof(float);
        *out = (emu_range){.base = base, .end = end};
        if (address >= base && address < end)
            return true;
    }
    return false;
}

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int measure(const emu_program *program, const emu_kernel *kernel, const arguments *p,
                   uint32_t workers)
{
    emu_memory memory = {find, (void *)(uintptr_t)p};
    emu_limits limits = {.sm_count = MULTIPROCESSORS, .l1_bytes = L1_BYTES, .workers = workers};
    emu_launch launch = {.program = program,
                         .kernel = kernel,
                         .grid = {(uint32_t)((p->n + BLOCK - 1) / BLOCK), 1, 1},
                         .block = {BLOCK, 1, 1},
                         .params = p,
                         .limits = &limits,
                         .memory = &memory};
    double best = 0;
    for (int i = 0; i < ROUNDS; i++) {
        emu_counters counters;
        emu_fault fault;
        double start = now_s();
        if (emu_run(&launch, &counters, &fault) != 0) {
            fprintf(stderr, "%s\n", fault.message);
            return 1;
        }
        double rate = (double)counters.thread_instructions / (now_s() - start);
        best = rate > best ? rate : best;
    }
    printf("%u host thread%s: %.0f million thread-instructions/s (best of %d)\n", workers,
           workers == 1 ? "" : "s", best / 1e6, ROUNDS);
    return 0;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (!file || !text || fread(text, 1, (1 << 20) - 1, file) == 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

int main(int count, char **words)
{
    const char *text = count > 2 ? read_file(words[1]) : axpy;
    emu_program *program;
    char log[512];
    if (emu_program_load(&program, text, strlen(text), 90, log, sizeof log) != 0) {
        fprintf(stderr, "%s\n", log);
        return 1;
    }
    const emu_kernel *kernel = emu_program_kernel(program, count > 2 ? words[2] : "axpy");
    arguments p = {.a = 2, .n = ELEMENTS};
    p.x = calloc(p.n, sizeof *p.x);
    p.y = calloc(p.n, sizeof *p.y);
    int failed = !kernel || !p.x || !p.y || measure(program, kernel, &p, 1) ||
                 measure(program, kernel, &p, 2);
    emu_program_free(program);
    free(p.x);
    free(p.y);
    return failed;
}
