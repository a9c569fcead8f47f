/* The same instructions with the same random operands on a GPU and on the emulator.
 *
 *   emulator_differential [EMULATOR [DRIVER]]
 *
 * EMULATOR is libgputune-emu.so (default: beside the current folder's build), DRIVER libcuda.so.1.
 * Prints a line for each family, and one with an example for each instruction that differs. Exit
 * code 0: every bit that PTX defines agrees, and approximations are within their error. */
#include "emulator_opcodes.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 8192, BLOCK = 256, OPERANDS = 3, VALUES = OPERANDS * LANES };

/* ---- a driver ---- */

typedef uint64_t device_pointer;

typedef struct driver {
    const char *name;
    int (*init)(unsigned);
    int (*device)(int *, int);
    int (*retain)(void **, int);
    int (*use)(void *);
    int (*load)(void **, const void *);
    int (*function)(void **, void *, const char *);
    int (*unload)(void *);
    int (*allocate)(device_pointer *, size_t);
    int (*to_device)(device_pointer, const void *, size_t);
    int (*to_host)(void *, device_pointer, size_t);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
    int (*synchronise)(void);
    void *context;
    device_pointer in, out;
} driver;

static void *find(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (!symbol) {
        fprintf(stderr, "no %s\n", name);
        exit(3);
    }
    return symbol;
}

static void check(const driver *d, const char *what, int code)
{
    if (code == 0)
        return;
    fprintf(stderr, "%s: %s: error %d\n", d->name, what, code);
    exit(3);
}

static void open_driver(driver *d, const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int device;
    d->name = path;
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(3);
    }
    *(void **)&d->init = find(library, "cuInit");
    *(void **)&d->device = find(library, "cuDeviceGet");
    *(void **)&d->retain = find(library, "cuDevicePrimaryCtxRetain");
    *(void **)&d->use = find(library, "cuCtxSetCurrent");
    *(void **)&d->load = find(library, "cuModuleLoadData");
    *(void **)&d->function = find(library, "cuModuleGetFunction");
    *(void **)&d->unload = find(library, "cuModuleUnload");
    *(void **)&d->allocate = find(library, "cuMemAlloc_v2");
    *(void **)&d->to_device = find(library, "cuMemcpyHtoD_v2");
    *(void **)&d->to_host = find(library, "cuMemcpyDtoH_v2");
    *(void **)&d->launch = find(library, "cuLaunchKernel");
    *(void **)&d->synchronise = find(library, "cuCtxSynchronize");
    check(d, "cuInit", d->init(0));
    check(d, "cuDeviceGet", d->device(&device, 0));
    check(d, "cuDevicePrimaryCtxRetain", d->retain(&d->context, device));
    check(d, "cuCtxSetCurrent", d->use(d->context));
    check(d, "cuMemAlloc", d->allocate(&d->in, VALUES * sizeof(uint64_t)));
    check(d, "cuMemAlloc", d->allocate(&d->out, LANES * sizeof(uint64_t)));
}

/* False when the driver does not load the instruction. */
static bool run(driver *d, const char *ptx, const uint64_t *in, uint64_t *out)
{
    void *module, *function, *params[] = {&d->in, &d->out};
    check(d, "cuCtxSetCurrent", d->use(d->context));
    if (d->load(&module, ptx) != 0)
        return false;
    check(d, "cuModuleGetFunction", d->function(&function, module, "k"));
    check(d, "cuMemcpyHtoD", d->to_device(d->in, in, VALUES * sizeof *in));
    check(d, "cuLaunchKernel",
          d->launch(function, LANES / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL, params, NULL));
    check(d, "cuCtxSynchronize", d->synchronise());
    check(d, "cuMemcpyDtoH", d->to_host(out, d->out, LANES * sizeof *out));
    check(d, "cuModuleUnload", d->unload(module));
    return true;
}

/* ---- operands ---- */

static uint64_t next_random(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static uint64_t special(operands kind, uint64_t bits)
{
    static const uint64_t integers[] = {0,
                                        1,
                                        2,
                                        31,
                                        32,
                                        33,
                                        63,
                                        64,
                                        0x7fffffff,
                                        0x80000000,
                                        0xffffffff,
                                        UINT64_MAX,
                                        UINT64_C(1) << 63,
                                        0xffff,
                                        0x8000};
    static const uint32_t floats[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                      0xff800000, 0x7fc00000, 0xffc00001, 0x00000001, 0x807fffff,
                                      0x00800000, 0x7f7fffff, 0x3f000000, 0x4b800001, 0x4f000000};
    static const uint16_t halves[] = {0,      0x8000, 0x3c00, 0xbc00, 0x7c00,
                                      0xfc00, 0x7e00, 0xfe01, 0x0001, 0x83ff,
                                      0x0400, 0x7bff, 0x3800, 0x6401, 0x7f80};
    uint64_t which = bits % 15, other = bits / 15 % 15;
    switch (kind) {
    case INTEGERS:
        return integers[which];
    case FLOATS:
        return floats[which];
    case HALVES:
        return halves[which] | (uint32_t)halves[other] << 16;
    default:
        break;
    }
    float narrow;
    memcpy(&narrow, &floats[which], sizeof narrow);
    double wide = narrow;
    uint64_t result;
    memcpy(&result, &wide, sizeof result);
    return which == 8 ? 1 : result;
}

/* A third special values, a third any bits, a third of moderate size. */
static uint64_t draw(operands kind, uint64_t *state)
{
    uint64_t bits = next_random(state), how = next_random(state) % 3;
    if (how == 0)
        return special(kind, bits);
    if (how == 1)
        return bits;
    switch (kind) {
    case INTEGERS:
        return (uint64_t)((int64_t)bits >> (bits & 63));
    case FLOATS:
        return (bits & 0x80ffffff) | (0x3c + (bits >> 40 & 7)) << 24;
    case HALVES:
        return (bits & 0x8fff8fff) | 0x30003000;
    default:
        return (bits & UINT64_C(0x807fffffffffffff)) | UINT64_C(0x3f80000000000000);
    }
}

/* ---- one instruction ---- */

static const char head[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
    "  .reg .b64 %l<8>, %lo, %ln; .reg .b32 %r<8>, %ro; .reg .b16 %h<8>, %ho;\n"
    "  .reg .f32 %f<8>, %fo; .reg .f64 %d<8>, %do; .reg .pred %p<8>, %po;\n"
    "  .reg .b32 %t<4>; .reg .b64 %in, %out, %at;\n"
    "  mov.b64 %lo, 0; mov.b32 %ro, 0; mov.b16 %ho, 0; mov.f32 %fo, 0f00000000;\n"
    "  mov.f64 %do, 0d0000000000000000; mov.pred %po, 0;\n"
    "  ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n"
    "  mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x;\n"
    "  mad.lo.u32 %t3, %t0, %t1, %t2; mul.wide.u32 %at, %t3, 24; add.u64 %in, %in, %at;\n"
    "  mul.wide.u32 %at, %t3, 8; add.u64 %out, %out, %at;\n"
    "  ld.global.u64 %l0, [%in]; ld.global.u64 %l1, [%in+8]; ld.global.u64 %l2, [%in+16];\n"
    "  cvt.u32.u64 %r0, %l0; cvt.u32.u64 %r1, %l1; cvt.u32.u64 %r2, %l2;\n"
    "  cvt.u16.u32 %h0, %r0; cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2;\n"
    "  mov.b32 %f0, %r0; mov.b32 %f1, %r1; mov.b32 %f2, %r2;\n"
    "  mov.b64 %d0, %l0; mov.b64 %d1, %l1; mov.b64 %d2, %l2;\n  ";
static const char tail[] = "\n  cvt.u64.u32 %ln, %ro; or.b64 %lo, %lo, %ln;\n"
                           "  cvt.u64.u16 %ln, %ho; or.b64 %lo, %lo, %ln;\n"
                           "  mov.b32 %r7, %fo; cvt.u64.u32 %ln, %r7; or.b64 %lo, %lo, %ln;\n"
                           "  mov.b64 %ln, %do; or.b64 %lo, %lo, %ln;\n"
                           "  selp.b64 %ln, 4294967296, 0, %po; or.b64 %lo, %lo, %ln;\n"
                           "  st.global.u64 [%out], %lo; ret;\n}\n";

static double as_number(uint64_t bits, const opcode *op)
{
    if (op->operands == DOUBLES) {
        double wide;
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    }
    float narrow;
    uint32_t low = (uint32_t)bits;
    memcpy(&narrow, &low, sizeof narrow);
    return narrow;
}

/* Approximations: both NaN or infinite, or near; results below the normal range are not judged. */
static bool agrees(const opcode *op, uint64_t a, uint64_t b, double *worst)
{
    if (a == b)
        return true;
    if (op->relative == 0)
        return false;
    double x = as_number(a, op), y = as_number(b, op);
    double least = op->operands == DOUBLES ? 0x1p-1022 : 0x1p-126;
    if (x != x || y != y)
        return x != x && y != y;
    if (fabs(x) < least * 2 && fabs(y) < least * 2)
        return true;
    double error = fabs(x - y) / fabs(y);
    *worst = error > *worst ? error : *worst;
    return error <= op->relative;
}

typedef struct tally {
    const char *family;
    int instructions, differing, refused;
    double worst;
} tally;

static void compare(const opcode *op, driver *gpu, driver *emulator, tally *t)
{
    static uint64_t in[VALUES], want[LANES], got[LANES];
    char ptx[8192];
    uint64_t state = 42;
    int wrong = 0;
    for (size_t i = 0; i < VALUES; i++)
        in[i] = draw(op->operands, &state);
    snprintf(ptx, sizeof ptx, "%s%s%s", head, op->code, tail);
    t->instructions++;
    bool on_gpu = run(gpu, ptx, in, want), on_emulator = run(emulator, ptx, in, got);
    if (!on_gpu || !on_emulator) {
        t->refused++;
        printf("  %s: refused by %s\n", op->code, on_gpu ? "the emulator" : "the GPU");
        return;
    }
    for (size_t i = 0; i < LANES; i++) {
        if (agrees(op, got[i], want[i], &t->worst) || wrong++)
            continue;
        printf("  %s: a=%llx b=%llx c=%llx: GPU %llx, emulator %llx\n", op->code,
               (unsigned long long)in[3 * i], (unsigned long long)in[3 * i + 1],
               (unsigned long long)in[3 * i + 2], (unsigned long long)want[i],
               (unsigned long long)got[i]);
    }
    if (wrong)
        printf("    %d of %d differ\n", wrong, LANES);
    t->differing += wrong != 0;
}

static int report(const tally *t)
{
    printf("%-12s %3d instructions, %d differ, %d refused", t->family, t->instructions,
           t->differing, t->refused);
    if (t->worst > 0)
        printf(", largest relative error 2^%.1f", log2(t->worst));
    printf("\n");
    return t->differing + t->refused;
}

int main(int count, char **words)
{
    driver gpu = {0}, emulator = {0};
    int bad = 0;
    open_driver(&emulator, count > 1 ? words[1] : "build/libgputune-emu.so");
    open_driver(&gpu, count > 2 ? words[2] : "libcuda.so.1");
    tally t = {.family = opcodes[0].family};
    for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++) {
        if (strcmp(t.family, opcodes[i].family) != 0) {
            bad += report(&t);
            t = (tally){.family = opcodes[i].family};
        }
        compare(&opcodes[i], &gpu, &emulator, &t);
    }
    bad += report(&t);
    return bad != 0;
}
