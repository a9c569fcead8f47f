/* Tests loads, stores and atomics in every address space, and bad addresses. */
#include "machine_fixture.h"

#define HEAD ".version 8.8\n.target sm_90\n.address_size 64\n"
#define REGS                                                                                       \
    ".reg .b64 %d<16>; .reg .b32 %r<16>; .reg .b16 %h<8>; .reg .f32 %f<16>; .reg .pred %p<4>;\n"
#define KERNEL(body)                                                                               \
    HEAD ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n" REGS                               \
         "ld.param.u64 %d0, [a]; ld.param.u64 %d1, [b];\n"                                         \
         "mov.u32 %r0, %tid.x; mul.wide.u32 %d2, %r0, 4; add.u64 %d3, %d0, %d2;\n"                 \
         "add.u64 %d4, %d1, %d2;\n" body "ret;\n}\n"

typedef struct two {
    void *a, *b;
} two;

TEST(loads_and_stores_have_all_sizes)
{
    static const char ptx[] = KERNEL("ld.global.s8 %r1, [%d1]; ld.global.u8 %r2, [%d1+1];\n"
                                     "ld.global.s16 %r3, [%d1+2]; ld.global.u16 %h0, [%d1+2];\n"
                                     "cvt.u32.u16 %r4, %h0; ld.global.s32 %d5, [%d1+4];\n"
                                     "st.global.v4.u32 [%d0], {%r1, %r2, %r3, %r4};\n"
                                     "st.global.u64 [%d0+16], %d5; st.global.u8 [%d0+24], %r4;\n");
    GT_SCOPED(machine_free) machine m = machine_of(ptx);
    uint32_t *a = machine_alloc(&m, 64);
    uint8_t *b = machine_alloc(&m, 8);
    memcpy(b, "\xfe\xfd\xfc\xfb\xfa\xff\xff\xff", 8);
    machine_launch(&m, "k", 1, 1, &(two){a, b});
    assert_int_equal(a[0], (uint32_t)-2);
    assert_int_equal(a[1], 0xfd);
    assert_int_equal(a[2], 0xfffffbfc);
    assert_int_equal(a[3], 0xfbfc);
    assert_int_equal(a[4], 0xfffffffa);
    assert_int_equal(a[5], 0xffffffff);
    assert_int_equal(a[6], 0xfc);
}

TEST(loads_and_stores_of_vectors)
{
    static const char ptx[] =
        KERNEL("shl.b64 %d5, %d2, 2; add.u64 %d6, %d1, %d5; add.u64 %d7, %d0, %d5;\n"
               "ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f0, %f1, _, %f3}, [%d6];\n"
               "st.global.cs.v2.f32 [%d7+8], {%f3, %f1}; st.global.f32 [%d7], %f0;\n"
               "ld.global.v2.u64 {%d8, %d9}, [%d6]; add.u64 %d9, %d8, %d9;\n");
    GT_SCOPED(machine_free) machine m = machine_of(ptx);
    float *a = machine_alloc(&m, 512), *b = machine_alloc(&m, 512);
    for (int i = 0; i < 128; i++)
        b[i] = (float)i;
    machine_launch(&m, "k", 1, 32, &(two){a, b});
    for (int i = 0; i < 32; i++) {
        assert_true(a[4 * i] == (float)(4 * i) && a[4 * i + 1] == 0);
        assert_true(a[4 * i + 2] == (float)(4 * i + 3) && a[4 * i + 3] == (float)(4 * i + 1));
    }
    assert_int_equal(m.counters.global_load_sectors, 32);
}

TEST(generic_addresses_find_their_space)
{
    static const char ptx[] =
        KERNEL(".shared .align 8 .b8 tile[128]; .local .align 4 .b8 own[16];\n"
               "mov.u64 %d5, tile; cvta.shared.u64 %d6, %d5; add.u64 %d6, %d6, %d2;\n"
               "mov.u64 %d7, own; cvta.local.u64 %d8, %d7; add.u64 %d8, %d8, 4;\n"
               "rem.u32 %r1, %r0, 3; setp.eq.u32 %p0, %r1, 0; setp.eq.u32 %p1, %r1, 1;\n"
               "selp.b64 %d9, %d6, %d8, %p0; selp.b64 %d9, %d4, %d9, %p1;\n"
               "st.u32 [%d9], %r0; ld.u32 %r2, [%d9]; add.u32 %r2, %r2, 1000;\n"
               "isspacep.shared %p2, %d9; @%p2 add.u32 %r2, %r2, 5000;\n"
               "cvta.to.local.u64 %d10, %d8; ld.local.u32 %r3, [%d10];\n"
               "st.global.u32 [%d3], %r2;\n");
    GT_SCOPED(machine_free) machine m = machine_of(ptx);
    uint32_t *a = machine_alloc(&m, 128), *b = machine_alloc(&m, 128);
    machine_launch(&m, "k", 1, 32, &(two){a, b});
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(a[i], i + 1000 + (i % 3 == 0 ? 5000 : 0));
        assert_int_equal(b[i], i % 3 == 1 ? i : 0);
    }
    assert_int_equal(emu_program_kernel(m.program, "k")->static_shared_bytes, 128);
    assert_int_equal(emu_program_kernel(m.program, "k")->local_bytes, 16);
}

TEST(test_large_parameters)
{
    static const char ptx[] =
        HEAD ".visible .entry k(.param .align 16 .b8 p[32000], .param .u64 out)\n{\n" REGS
             "mov.u32 %r0, %tid.x; ld.param.u64 %d0, [out]; mov.b64 %d1, p;\n"
             "mul.wide.u32 %d2, %r0, 900; add.u64 %d3, %d1, %d2; ld.param.u32 %r1, [%d3+4];\n"
             "cvta.param.u64 %d4, %d3; ld.u32 %r2, [%d4+8]; add.u32 %r1, %r1, %r2;\n"
             "ld.param.v2.u32 {%r3, %r4}, [p+31992]; add.u32 %r1, %r1, %r4;\n"
             "mul.wide.u32 %d5, %r0, 4; add.u64 %d5, %d5, %d0; st.global.u32 [%d5], %r1; ret;\n}\n";
    static struct {
        uint32_t words[8000];
        uint64_t out;
    } params;
    GT_SCOPED(machine_free) machine m = machine_of(ptx);
    const emu_kernel *kernel = emu_program_kernel(m.program, "k");
    assert_int_equal(kernel->param_count, 2);
    assert_int_equal(kernel->params[1].offset, 32000);
    assert_int_equal(kernel->param_bytes, 32008);
    uint32_t *out = machine_alloc(&m, 128);
    for (uint32_t i = 0; i < 8000; i++)
        params.words[i] = i;
    params.out = (uint64_t)(uintptr_t)out;
    machine_launch(&m, "k", 1, 32, &params);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], 225 * i + 1 + 225 * i + 2 + 7999);
}

TEST(test_variables_with_initial_values)
{
    static const char ptx[] =
        HEAD ".global .align 4 .u32 table[4] = {1, 2, 0xFF, 4};\n"
             ".global .align 8 .u64 to = generic(table)+8;\n"
             ".const .align 4 .f32 half[2] = {0f3F000000, 0.25};\n"
             ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n" REGS
             "ld.param.u64 %d0, [a]; ld.global.u64 %d1, [to]; ld.u32 %r0, [%d1];\n"
             "mov.u64 %d2, table; ld.global.u32 %r1, [%d2+4]; ld.const.f32 %f0, [half+4];\n"
             "st.global.u32 [%d0], %r0; st.global.u32 [%d0+4], %r1;\n"
             "st.global.f32 [%d0+8], %f0; ret;\n}\n";
    GT_SCOPED(machine_free) machine m = machine_of(ptx);
    uint32_t *a = machine_alloc(&m, 64);
    machine_launch(&m, "k", 1, 1, &(two){a, NULL});
    float quarter = 0.25f;
    assert_int_equal(a[0], 255);
    assert_int_equal(a[1], 2);
    assert_memory_equal(&a[2], &quarter, 4);
}

TEST(test_atomics)
{
    static const char ptx[] =
        KERNEL("atom.global.add.u32 %r1, [%d0], %r0; red.global.max.s32 [%d0+4], %r0;\n"
               "atom.global.min.u32 _, [%d0+8], %r0; red.global.or.b32 [%d0+12], %r0;\n"
               "cvt.rn.f32.u32 %f0, %r0; red.global.add.f32 [%d0+16], %f0;\n"
               "atom.global.inc.u32 %r2, [%d0+20], 5; atom.global.dec.u32 %r3, [%d0+24], 9;\n"
               "cvt.u64.u32 %d5, %r0; red.relaxed.gpu.global.add.u64 [%d0+32], %d5;\n"
               "mov.b32 %r4, 0x3c003c00; red.global.add.noftz.f16x2 [%d0+40], %r4;\n"
               "atom.global.exch.b32 %r5, [%d4], 7; st.global.u32 [%d4], %r5;\n"
               "red.global.add.v2.f32 [%d0+48], {%f0, %f0};\n");
    GT_SCOPED(machine_free) machine m = machine_of(ptx);
    uint32_t *a = machine_alloc(&m, 64), *b = machine_alloc(&m, 128);
    a[2] = 100;
    for (uint32_t i = 0; i < 32; i++)
        b[i] = i * 3;
    machine_launch(&m, "k", 1, 32, &(two){a, b});
    float sum;
    memcpy(&sum, &a[4], 4);
    assert_int_equal(a[0], 496);
    assert_int_equal(a[1], 31);
    assert_int_equal(a[2], 0);
    assert_int_equal(a[3], 31);
    assert_true(sum == 496);
    assert_int_equal(a[5], 32 % 6);
    assert_int_equal(a[6], (9 - 31 % 10 + 10) % 10);
    assert_int_equal(a[8], 496);
    assert_int_equal(a[10], 0x50005000);
    assert_int_equal(b[5], 15);
    memcpy(&sum, &a[13], 4);
    assert_true(sum == 496);
}

TEST(test_asynchronous_copy)
{
    static const char ptx[] =
        KERNEL(".shared .align 16 .b8 tile[512];\n"
               "shl.b32 %r1, %r0, 4; mov.u32 %r2, tile; add.u32 %r2, %r2, %r1;\n"
               "mul.wide.u32 %d5, %r0, 16; add.u64 %d6, %d1, %d5; and.b32 %r3, %r0, 15;\n"
               "cp.async.cg.shared.global.L2::128B [%r2], [%d6], 16, %r3;\n"
               "cp.async.commit_group; cp.async.wait_group 0;\n"
               "ld.shared.u32 %r4, [%r2+12]; st.global.u32 [%d3], %r4;\n");
    GT_SCOPED(machine_free) machine m = machine_of(ptx);
    uint32_t *a = machine_alloc(&m, 128), *b = machine_alloc(&m, 512);
    memset(b, 0x11, 512);
    machine_launch(&m, "k", 1, 32, &(two){a, b});
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t kept = i & 15; /* the lane copies the first `kept` bytes of 16 */
        uint32_t want = kept <= 12 ? 0 : 0x11111111 >> (16 - kept) * 8;
        assert_int_equal(a[i], want);
    }
}

/* One thread starts a bulk copy and all threads wait for it. Then the bytes are copied back. */
TEST(test_bulk_copy)
{
    static const char ptx[] = KERNEL(
        ".shared .align 16 .b8 tile[256]; .shared .align 8 .b64 full;\n"
        "mov.u32 %r1, full; mov.u32 %r2, tile; setp.eq.u32 %p0, %r0, 0;\n"
        "@%p0 mbarrier.init.shared::cta.b64 [%r1], 1; fence.mbarrier_init.release.cluster;\n"
        "bar.sync 0; @!%p0 bra WAIT;\n"
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 128;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%d1], 128, "
        "[%r1];\n"
        "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0; @!%p1 bra WAIT;\n"
        "shl.b32 %r3, %r0, 2; add.u32 %r3, %r3, %r2; ld.shared.u32 %r4, [%r3];\n"
        "add.u32 %r4, %r4, 1; st.shared.u32 [%r3], %r4; fence.proxy.async; bar.sync 0;\n"
        "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%d0], [%r2], 128;\n"
        "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;\n");
    GT_SCOPED(machine_free) machine m = machine_of(ptx);
    uint32_t *a = machine_alloc(&m, 128), *b = machine_alloc(&m, 128);
    for (uint32_t i = 0; i < 32; i++)
        b[i] = i * i;
    machine_launch(&m, "k", 1, 32, &(two){a, b});
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(a[i], i * i + 1);
}

TEST(warps_wait_for_phases_of_an_mbarrier)
{
    static const char ptx[] =
        KERNEL(".shared .align 8 .b64 gate; .shared .align 4 .b32 sum; mov.u32 %r1, gate;\n"
               "setp.ne.u32 %p0, %r0, 0; @%p0 bra START; mbarrier.init.shared.b64 [%r1], 96;\n"
               "st.shared.u32 [sum], %r0;\n"
               "START: bar.sync 0; mov.u32 %r2, 0; mov.u32 %r5, 0;\n"
               "ROUND: atom.shared.add.u32 %r3, [sum], 1;\n"
               "mbarrier.arrive.shared.b64 %d5, [%r1];\n"
               "WAIT: mbarrier.test_wait.shared.b64 %p1, [%r1], %d5; @!%p1 bra WAIT;\n"
               "ld.shared.u32 %r4, [sum]; add.u32 %r5, %r5, %r4;\n"
               "mbarrier.arrive.shared.b64 %d5, [%r1];\n"
               "WAIT2: mbarrier.test_wait.shared.b64 %p1, [%r1], %d5; @!%p1 bra WAIT2;\n"
               "add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 3; @%p2 bra ROUND;\n"
               "st.global.u32 [%d3], %r5;\n");
    GT_SCOPED(machine_free) machine m = machine_of(ptx);
    uint32_t *a = machine_alloc(&m, 96 * 4);
    machine_launch(&m, "k", 1, 96, &(two){a, NULL});
    for (uint32_t i = 0; i < 96; i++)
        assert_int_equal(a[i], 96 + 192 + 288);
}

typedef struct bad {
    const char *ptx, *says;
    int code;
} bad;

TEST(bad_addresses_fault)
{
    static const bad all[] = {
        {KERNEL("ld.global.u32 %r1, [%d3+4];\n"), "load of 4 bytes", 700},
        {KERNEL("ld.global.v2.u32 {%r1, %r2}, [%d0+120];\n"
                "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d0+128];\n"),
         "not in an allocation", 700},
        {KERNEL("st.global.u32 [%d3+4], %r1;\n"), "store of 4 bytes", 700},
        {KERNEL("ld.global.u8 %r1, [%d0+-1];\n"), "not in an allocation", 700},
        {KERNEL("ld.global.u32 %r1, [16];\n"), "not in an allocation", 700},
        {KERNEL("ld.global.u32 %r1, [%d0+2];\n"), "not a multiple of 4", 716},
        {KERNEL("ld.global.v2.u32 {%r1, %r2}, [%d0+4];\n"), "not a multiple of 8", 716},
        {KERNEL("cvta.shared.u64 %d5, 0; ld.global.u32 %r1, [%d5];\n"), "not global memory", 717},
        {KERNEL("ld.shared.u32 %r1, [64];\n"), "shared memory", 700},
        {KERNEL("atom.global.add.u32 %r1, [%d3+4], 1;\n"), "atomic of 4 bytes", 700},
        {KERNEL("setp.eq.u32 %p0, %r0, 5; @%p0 trap;\n"), "thread (5,0,0)", 719},
        {KERNEL("setp.eq.u32 %p0, %r0, 5; @%p0 st.global.u32 [%d1], %r0;\n"), "read-only", 700},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        machine m = {.count = 0};
        machine_load(&m, all[i].ptx);
        two params = {machine_alloc(&m, 128), machine_alloc(&m, 128)};
        m.ranges[1].is_read_only = true;
        int code = machine_run(&m, "k", 2, 32, &params);
        if (code != all[i].code || !strstr(m.fault.message, all[i].says))
            print_error("%s", all[i].ptx);
        assert_int_equal(code, all[i].code);
        assert_non_null(strstr(m.fault.message, all[i].says));
        assert_non_null(strstr(m.fault.message, "kernel k"));
        assert_non_null(strstr(m.fault.message, "PTX line 1"));
        machine_free(&m);
    }
}

/* A lane whose guard is false accesses no memory, so its address may be invalid. */
TEST(inactive_lanes_do_not_fault)
{
    static const char ptx[] = KERNEL("setp.lt.u32 %p0, %r0, 3; @%p0 ld.global.u32 %r1, [%d3];\n"
                                     "@%p0 add.u32 %r1, %r1, 1; @%p0 st.global.u32 [%d3], %r1;\n");
    GT_SCOPED(machine_free) machine m = machine_of(ptx);
    uint32_t *a = machine_alloc(&m, 12);
    machine_launch(&m, "k", 1, 256, &(two){a, NULL});
    assert_int_equal(a[2], 1);
}

TEST(memory_traffic_is_counted)
{
    static const char ptx[] =
        KERNEL(".shared .align 4 .b8 tile[4096];\n"
               "mul.wide.u32 %d5, %r0, 128; add.u64 %d6, %d1, %d5; ld.global.u32 %r1, [%d6];\n"
               "ld.global.u32 %r2, [%d4]; ld.global.u32 %r3, [%d4];\n"
               "shl.b32 %r4, %r0, 7; mov.u32 %r5, tile; add.u32 %r5, %r5, %r4;\n"
               "st.shared.u32 [%r5], %r1; st.shared.u32 [tile], %r2;\n"
               "st.global.u32 [%d3], %r3; red.global.add.u32 [%d0], 1;\n");
    GT_SCOPED(machine_free) machine m = {.count = 0};
    m.limits.l1_bytes = 32768;
    machine_load(&m, ptx);
    uint32_t *a = machine_alloc(&m, 128), *b = machine_alloc(&m, 4096);
    machine_launch(&m, "k", 1, 32, &(two){a, b});
    const emu_counters *c = &m.counters;
    assert_int_equal(c->warps, 1);
    assert_int_equal(c->global_load_lines, 34);
    assert_int_equal(c->global_load_sectors, 40);
    assert_int_equal(c->global_load_l1_hits, 1 + 4);
    assert_int_equal(c->global_store_sectors, 4);
    assert_int_equal(c->shared_requests, 2);
    assert_int_equal(c->shared_wavefronts, 33);
    assert_int_equal(c->hottest_address_lanes, 32);
    assert_int_equal(c->memory_waits, 1);
}
