/* Tests single instructions: adds the surrounding PTX, and checks the results. */
#pragma once

#include "machine_fixture.h"

/* An instruction with its operands and expected result. The instruction reads %l0 to %l2 (64 bits;
 * %r, %h, %f and %d are their low bits) and writes one or more of %lo, %ro, %ho, %fo, %do, %po. */
typedef struct op_case {
    const char *code;
    uint64_t a, b, c;
    uint64_t want; /* bitwise or of all results; results that are not written are 0 */
} op_case;

static const char op_case_head[] =
    ".version 8.8\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u64 a, .param .u64 b, .param .u64 c,\n"
    "    .param .u32 diverge)\n"
    "{\n"
    "  .reg .b64 %l<8>, %lo, %ln; .reg .b32 %r<8>, %ro; .reg .b16 %h<8>, %ho;\n"
    "  .reg .f32 %f<8>, %fo; .reg .f64 %d<8>, %do; .reg .pred %p<8>, %po; .reg .b128 %q<2>;\n"
    "  .reg .b32 %tid, %odd; .reg .b64 %out, %at; .reg .pred %skip;\n"
    "  mov.b64 %lo, 0; mov.b32 %ro, 0; mov.b16 %ho, 0; mov.f32 %fo, 0f00000000;\n"
    "  mov.f64 %do, 0d0000000000000000; mov.pred %po, 0;\n"
    "  ld.param.u64 %out, [out]; ld.param.b64 %l0, [a]; ld.param.b64 %l1, [b];\n"
    "  ld.param.b64 %l2, [c]; ld.param.u32 %odd, [diverge];\n"
    "  cvt.u32.u64 %r0, %l0; cvt.u32.u64 %r1, %l1; cvt.u32.u64 %r2, %l2;\n"
    "  cvt.u16.u32 %h0, %r0; cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2;\n"
    "  mov.b32 %f0, %r0; mov.b32 %f1, %r1; mov.b32 %f2, %r2;\n"
    "  mov.b64 %d0, %l0; mov.b64 %d1, %l1; mov.b64 %d2, %l2;\n"
    "  mov.u32 %tid, %tid.x; and.b32 %odd, %odd, %tid; setp.ne.u32 %skip, %odd, 0;\n"
    "  @%skip bra END;\n";

static const char op_case_tail[] = "\n"
                                   "  cvt.u64.u32 %ln, %ro; or.b64 %lo, %lo, %ln;\n"
                                   "  cvt.u64.u16 %ln, %ho; or.b64 %lo, %lo, %ln;\n"
                                   "  mov.b32 %r7, %fo; cvt.u64.u32 %ln, %r7;\n"
                                   "  or.b64 %lo, %lo, %ln;\n"
                                   "  mov.b64 %ln, %do; or.b64 %lo, %lo, %ln;\n"
                                   "  selp.b64 %ln, 1, 0, %po; or.b64 %lo, %lo, %ln;\n"
                                   "  mul.wide.u32 %at, %tid, 8; add.u64 %at, %at, %out;\n"
                                   "  st.global.u64 [%at], %lo;\n"
                                   "END:\n"
                                   "  ret;\n"
                                   "}\n";

/* Runs the case with all lanes, then with every second lane. Returns the number of wrong lanes. */
static inline int op_case_run(const op_case *one)
{
    char text[8192];
    machine m = {.count = 0};
    int wrong = 0;
    snprintf(text, sizeof text, "%s  %s%s", op_case_head, one->code, op_case_tail);
    machine_load(&m, text);
    uint64_t *out = machine_alloc(&m, 32 * sizeof *out);
    struct {
        uint64_t *out, a, b, c;
        uint32_t diverge;
    } params = {out, one->a, one->b, one->c, 0};
    for (uint32_t diverge = 0; diverge < 2; diverge++) {
        params.diverge = diverge;
        memset(out, 0x5a, 32 * sizeof *out);
        machine_launch(&m, "k", 1, 32, &params);
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint64_t want = diverge && lane % 2 ? 0x5a5a5a5a5a5a5a5a : one->want;
            if (out[lane] != want && !wrong++)
                print_error("%s\n  a=0x%llx b=0x%llx c=0x%llx lane %u: 0x%llx, want 0x%llx\n",
                            one->code, (unsigned long long)one->a, (unsigned long long)one->b,
                            (unsigned long long)one->c, lane, (unsigned long long)out[lane],
                            (unsigned long long)want);
        }
    }
    machine_free(&m);
    return wrong;
}

static inline void op_cases_run(const op_case *cases, size_t count)
{
    int wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += op_case_run(&cases[i]);
    assert_int_equal(wrong, 0);
}

/* A test of the cases in an array: OP_TEST(moves). */
#define OP_TEST(cases)                                                                             \
    TEST(test_##cases)                                                                             \
    {                                                                                              \
        op_cases_run(cases, sizeof(cases) / sizeof((cases)[0]));                                   \
    }
