/* Tests which PTX is accepted or refused, and the properties of loaded kernels. */
#include "machine_fixture.h"

#define HEAD ".version 8.8\n.target sm_90\n.address_size 64\n"

static void refused(const char *ptx, const char *says)
{
    emu_program *program = NULL;
    char log[512] = "";
    int code = emu_program_load(&program, ptx, strlen(ptx), 90, log, sizeof log);
    if (code != 218 || !strstr(log, says))
        print_error("%d: %s (wanted: %s)\n", code, log, says);
    assert_int_equal(code, 218);
    assert_null(program);
    assert_non_null(strstr(log, says));
    assert_null(strchr(log, '\n'));
}

TEST(wrong_ptx_is_refused)
{
    refused("", "no .target");
    refused("\177ELF", "unexpected character");
    refused(".version 8.8\n.target sm_100\n.address_size 64\n", "sm_100 and the device is sm_90");
    refused(".version 8.8\n.target sm_90\n.address_size 32\n", "address_size 64");
    refused(HEAD ".entry k()\n{\n tcgen05.wait::ld.sync.aligned;\n ret;\n}\n",
            "PTX line 6: tcgen05.wait::ld.sync.aligned: the emulator has no such opcode");
    refused(HEAD ".entry k()\n{\n.reg .b32 %r<2>;\nadd.frob.s32 %r0, %r1, 1;\n}\n",
            "PTX line 7: add.frob.s32");
    refused(HEAD ".entry k()\n{\n.reg .f32 %f<2>;\nsqrt.f32 %f0, %f1, %f1;\n}\n", "operands");
    refused(HEAD ".entry k()\n{\n.reg .f32 %f<2>;\nadd.relu.f32 %f0, %f1, %f1;\n}\n",
            "modifier .relu");
    refused(HEAD ".entry k()\n{\n.reg .b32 %r<2>;\nadd.s64 %r0, %r1, 1;\n}\n", "64 bits");
    refused(HEAD ".entry k()\n{\n.reg .b32 %r<2>;\nadd.s32 %r0, %r2, 1;\n}\n", "unknown name %r2");
    refused(HEAD ".entry k()\n{\nbra NOWHERE;\n}\n", "unknown label NOWHERE");
    refused(HEAD ".entry k()\n{\n.frobnicate 3;\n}\n", "unknown directive '.frobnicate'");
    refused(HEAD ".frobnicate 3;\n", "unknown directive '.frobnicate'");
    refused(HEAD ".entry k()\n{\n.reg .b32 %r;\nmov.u32 %r, %nosuch;\n}\n", "unknown name %nosuch");
    refused(HEAD ".extern .func f();\n.entry k()\n{\ncall.uni f;\n}\n", "f is not defined");
    refused(HEAD ".entry k()\n{\nret;\n", "k has no end");
    refused(HEAD ".entry k()\n{\nret;\n}\n.entry k()\n{\nret;\n}\n", "defined twice");
    refused(HEAD ".global .u32 x = y;\n", "needs 8 bytes");
    refused(HEAD ".global .u8 x[2] = {1, 2, 3};\n", "too many initial values");
}

TEST(kernel_is_described)
{
    static const char ptx[] =
        HEAD ".const .align 4 .b8 coefficients[256];\n"
             ".extern .shared .align 32 .b8 dynamic[];\n"
             ".visible .entry k(.param .u32 a, .param .align 8 .b8 s[20], .param .u64 p,\n"
             "  .param .u8 c)\n"
             ".maxntid 128, 2, 1\n.minnctapersm 3\n.reqnctapercluster 2, 1, 1\n"
             ".maxnreg 64\n{\n.local .align 8 .b8 depot[40];\n"
             ".shared .align 4 .b8 tile[100];\n.shared .align 16 .b8 unused[1000];\n"
             ".reg .b32 %r<3>;\nmov.u32 %r0, tile; mov.u32 %r1, dynamic; ret;\n}\n"
             ".visible .entry other()\n{\nret;\n}\n";
    GT_SCOPED(machine_free) machine m = machine_of(ptx);
    assert_int_equal(emu_program_kernel_count(m.program), 2);
    const emu_kernel *k = emu_program_kernel(m.program, "k");
    assert_ptr_equal(k, emu_program_kernel_at(m.program, 0));
    assert_int_equal(k->param_count, 4);
    assert_int_equal(k->params[1].offset, 8);
    assert_int_equal(k->params[1].bytes, 20);
    assert_int_equal(k->params[2].offset, 32);
    assert_int_equal(k->params[3].offset, 40);
    assert_int_equal(k->param_bytes, 41);
    assert_int_equal(k->static_shared_bytes, 100);
    assert_int_equal(k->dynamic_shared_offset, 128);
    assert_int_equal(k->local_bytes, 48);
    assert_int_equal(k->const_bytes, 256);
    assert_int_equal(k->max_threads[0], 128);
    assert_int_equal(k->max_threads[1], 2);
    assert_int_equal(k->min_blocks, 3);
    assert_int_equal(k->cluster[0], 2);
    assert_int_equal(k->max_registers, 64);
    assert_null(emu_program_kernel(m.program, "nothing"));
    assert_string_equal(emu_program_global_at(m.program, 0)->name, "coefficients");
    assert_int_equal(emu_program_global_at(m.program, 0)->space, EMU_SPACE_CONST);
}

/* Inline assembly repeats names, so they are local to the braces around them. */
TEST(labels_and_registers_belong_to_their_block)
{
    static const char ptx[] =
        HEAD ".visible .entry k(.param .u64 out)\n{\n"
             ".reg .b32 %r<4>; .reg .b64 %d; .reg .pred %p;\n"
             "ld.param.u64 %d, [out]; mov.u32 %r0, 0;\n"
             "{ .reg .b32 t; mov.u32 t, 3;\n"
             "L: add.u32 %r0, %r0, 1; sub.u32 t, t, 1; setp.ne.u32 %p, t, 0; @%p bra L; }\n"
             "{ .reg .b64 t; mov.u64 t, 4;\n"
             "L: add.u32 %r0, %r0, 10; sub.u64 t, t, 1; setp.ne.u64 %p, t, 0; @%p bra L; }\n"
             "st.global.u32 [%d], %r0;\n}\n";
    GT_SCOPED(machine_free) machine m = machine_of(ptx);
    uint32_t *out = machine_alloc(&m, 4);
    machine_launch(&m, "k", 1, 1, &out);
    assert_int_equal(*out, 43);
}

TEST(live_registers_do_not_share_storage)
{
    static const char ptx[] =
        HEAD ".visible .entry k(.param .u64 out)\n{\n"
             ".reg .b32 %r<40>; .reg .b64 %d; .reg .pred %p<4>;\n"
             "ld.param.u64 %d, [out]; mov.u32 %r1, 1; mov.u32 %r2, 2; mov.u32 %r9, 5;\n"
             "LOOP: add.u32 %r3, %r1, %r2; mov.u32 %r4, %r3; add.u32 %r5, %r4, %r4;\n"
             "add.u32 %r1, %r5, %r2; setp.eq.u32 %p1, %r9, 3; @%p1 mov.u32 %r2, 7;\n"
             "sub.u32 %r9, %r9, 1; setp.ne.u32 %p0, %r9, 0; @%p0 bra LOOP;\n"
             "st.global.v2.u32 [%d], {%r1, %r2}; ret;\n}\n";
    GT_SCOPED(machine_free) machine m = {.count = 0};
    uint32_t a = 1, b = 2;
    for (int i = 5; i > 0; i--) {
        a = 2 * (a + b) + b;
        b = i == 3 ? 7 : b;
    }
    machine_load(&m, ptx);
    uint32_t *out = machine_alloc(&m, 8);
    machine_launch(&m, "k", 1, 1, &out);
    assert_int_equal(out[0], a);
    assert_int_equal(out[1], b);
    assert_true(emu_program_kernel(m.program, "k")->registers <= 16);
}

/* Code that several branches share has line 0, so errors report the last known line. */
TEST(line_of_a_fault_in_shared_code)
{
    GT_SCOPED(machine_free)
    machine m = machine_of(HEAD ".file 1 \"a.cu\"\n.visible .entry k(.param .u64 out)\n{\n"
                                ".reg .b64 %d; .reg .b32 %r;\n"
                                ".loc 1 7 4\nld.param.u64 %d, [out];\n"
                                ".loc 1 0 4\nld.global.u32 %r, [%d];\nret;\n}\n");
    const uint64_t nowhere = 0;
    assert_int_not_equal(machine_run(&m, "k", 1, 1, &nowhere), 0);
    assert_non_null(strstr(m.fault.message, "a.cu:7"));
}

TEST(directives_without_effect_are_accepted)
{
    static const char ptx[] =
        "// comment\n/* another */\n" HEAD ".file 1 \"a.cu\", 123, 456\n"
        ".weak .global .align 4 .u32 w = 5;\n"
        ".visible .entry k(.param .u64 .ptr .global .align 16 out)\n.pragma \"x\";\n{\n"
        ".loc 1 3 4\n.reg .b64 %d; .reg .b32 %r;\n.pragma \"nounroll\";\n"
        ".loc 1 5 6, function_name $L__info_string0, inlined_at 1 2 3\n"
        "ld.param.u64 %d, [out]; ld.global.u32 %r, [w]; prefetch.global.L2 [%d];\n"
        "st.global.u32 [%d], %r; ret;\n}\n"
        ".section .debug_str\n{\n.b8 1,2,3\n}\n";
    GT_SCOPED(machine_free) machine m = machine_of(ptx);
    uint32_t *out = machine_alloc(&m, 4);
    machine_launch(&m, "k", 1, 1, &out);
    assert_int_equal(*out, 5);
}
