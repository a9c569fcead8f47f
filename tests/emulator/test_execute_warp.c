/* Tests shuffles, votes, matches and other warp operations, and clusters of blocks. */
#include "machine_fixture.h"

#define HEAD ".version 8.8\n.target sm_90\n.address_size 64\n"
#define REGS ".reg .b64 %d<16>; .reg .b32 %r<16>; .reg .pred %p<6>;\n"
#define BEGIN                                                                                      \
    HEAD ".visible .entry k(.param .u64 a)\n{\n" REGS                                              \
         "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4;\n"                 \
         "add.u64 %d1, %d0, %d1;\n"
#define END          "st.global.u32 [%d1], %r1; ret;\n}\n"
#define KERNEL(body) BEGIN body END

/* Runs the body with one warp. The body leaves its result in %r1. */
static void run_warp(const char *ptx, uint32_t threads, uint32_t out[32])
{
    GT_SCOPED(machine_free) machine m = machine_of(ptx);
    uint32_t *a = machine_alloc(&m, 128);
    machine_launch(&m, "k", 1, threads, &a);
    memcpy(out, a, 128);
}

TEST(test_shuffles)
{
    uint32_t out[32];
    run_warp(KERNEL("shfl.sync.up.b32 %r1|%p0, %r0, 3, 0, -1; @!%p0 add.u32 %r1, %r1, 100;\n"), 32,
             out);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i < 3 ? i + 100 : i - 3);
    run_warp(KERNEL("shfl.sync.down.b32 %r1|%p0, %r0, 5, 0x181f, -1;\n"
                    "@!%p0 add.u32 %r1, %r1, 100;\n"),
             32, out);
    for (uint32_t i = 0; i < 32; i++) /* segments of 8 */
        assert_int_equal(out[i], i % 8 + 5 < 8 ? i + 5 : i + 100);
    run_warp(KERNEL("shfl.sync.bfly.b32 %r1, %r0, 16, 31, 0xffffffff;\n"), 32, out);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i ^ 16);
    run_warp(KERNEL("mul.lo.u32 %r2, %r0, 7; shfl.sync.idx.b32 %r1, %r0, %r2, 0x1c1f, -1;\n"), 32,
             out);
    for (uint32_t i = 0; i < 32; i++) /* segments of 4 lanes */
        assert_int_equal(out[i], (i & 28) | (7 * i & 3));
}

TEST(shuffle_waits_for_its_members)
{
    uint32_t out[32];
    run_warp(KERNEL("and.b32 %r2, %r0, 1; setp.eq.u32 %p0, %r2, 0; mov.u32 %r3, %r0;\n"
                    "@%p0 bra EVEN; add.u32 %r3, %r3, 1000; bra MEET;\n"
                    "EVEN: add.u32 %r3, %r3, 2000;\n"
                    "MEET: shfl.sync.bfly.b32 %r1, %r3, 1, 31, -1;\n"),
             32, out);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], (i ^ 1) + (i & 1 ? 2000 : 1000));
}

/* Some compilers place the end of a loop before its beginning. */
TEST(lanes_that_branch_back_separately_meet)
{
    uint32_t out[32];
    run_warp(KERNEL("and.b32 %r2, %r0, 1; setp.eq.u32 %p0, %r2, 0; mov.u32 %r3, 0; bra BODY;\n"
                    "NEXT: add.u32 %r3, %r3, 1;\n"
                    "BODY: shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;\n"
                    "setp.eq.u32 %p1, %r3, 2; @%p1 bra OUT; @%p0 bra NEXT; bra NEXT;\n"
                    "OUT:\n"),
             32, out);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i ^ 1);
}

TEST(warp_barriers_in_branches_meet)
{
    uint32_t out[32];
    run_warp(KERNEL(".shared .align 4 .b32 cell[32]; mov.u32 %r4, cell; shl.b32 %r5, %r0, 2;\n"
                    "add.u32 %r5, %r5, %r4; setp.lt.u32 %p0, %r0, 16; @%p0 bra LOW;\n"
                    "st.shared.u32 [%r5], %r0; bar.warp.sync -1; mov.u32 %r1, 0; bra OUT;\n"
                    "LOW: bar.warp.sync -1; ld.shared.u32 %r1, [%r5+64];\n"
                    "OUT:\n"),
             32, out);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i < 16 ? i + 16 : 0);
}

TEST(test_votes)
{
    uint32_t out[32];
    run_warp(KERNEL("setp.lt.u32 %p0, %r0, 20; vote.sync.ballot.b32 %r1, %p0, -1;\n"), 32, out);
    assert_int_equal(out[7], 0xfffff);
    run_warp(KERNEL("setp.lt.u32 %p0, %r0, 20; vote.sync.all.pred %p1, %p0, -1;\n"
                    "vote.sync.any.pred %p2, !%p0, -1; vote.sync.uni.pred %p3, %p0, -1;\n"
                    "selp.u32 %r1, 1, 0, %p1; @%p2 add.u32 %r1, %r1, 2;\n"
                    "@%p3 add.u32 %r1, %r1, 4;\n"),
             32, out);
    assert_int_equal(out[0], 2);
    run_warp(KERNEL("setp.lt.u32 %p0, %r0, 20; vote.sync.all.pred %p1, %p0, -1;\n"
                    "selp.u32 %r1, 1, 0, %p1; activemask.b32 %r2; add.u32 %r1, %r1, %r2;\n"),
             8, out);
    assert_int_equal(out[7], 0xff + 1);
    assert_int_equal(out[8], 0);
}

TEST(test_matches)
{
    uint32_t out[32];
    run_warp(KERNEL("rem.u32 %r2, %r0, 3; match.any.sync.b32 %r1, %r2, -1;\n"), 32, out);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], 0x49249249u << i % 3);
    run_warp(KERNEL("cvt.u64.u32 %d2, 5; match.all.sync.b64 %r1|%p0, %d2, -1;\n"
                    "@%p0 shr.u32 %r1, %r1, 4;\n"),
             32, out);
    assert_int_equal(out[3], 0x0fffffff);
}

TEST(test_reductions)
{
    uint32_t out[32];
    run_warp(KERNEL("redux.sync.add.u32 %r1, %r0, -1;\n"), 32, out);
    assert_int_equal(out[9], 496);
    run_warp(KERNEL("sub.u32 %r2, %r0, 4; redux.sync.min.s32 %r1, %r2, -1;\n"), 32, out);
    assert_int_equal(out[9], (uint32_t)-4);
    run_warp(KERNEL("sub.u32 %r2, %r0, 4; redux.sync.max.u32 %r1, %r2, -1;\n"), 32, out);
    assert_int_equal(out[9], (uint32_t)-1);
    run_warp(KERNEL("elect.sync %r2|%p0, -1; selp.u32 %r1, 1, 0, %p0; add.u32 %r1, %r1, %r2;\n"),
             32, out);
    assert_int_equal(out[0], 1);
    assert_int_equal(out[1], 0);
}

/* The even lanes and the odd lanes pass different lane masks, so each set gets its own result. */
TEST(two_sets_of_lanes_meet_separately)
{
    static const char *const bodies[] = {
        "redux.sync.add.u32 %r1, %r0, %r2;\n",
        "rem.u32 %r3, %r0, 2; match.any.sync.b32 %r1, %r3, %r2;\n",
        "setp.gt.u32 %p0, %r0, 15; vote.sync.ballot.b32 %r1, %p0, %r2;\n",
        "rem.u32 %r3, %r0, 2; setp.eq.u32 %p0, %r3, 1; vote.sync.all.pred %p1, %p0, %r2;\n"
        "selp.u32 %r1, 1, 0, %p1;\n",
        "elect.sync %r1|%p0, %r2; @%p0 add.u32 %r1, %r1, 100;\n",
    };
    static const uint32_t even[] = {240, 0x55555555, 0x55550000, 0, 0},
                          odd[] = {256, 0xaaaaaaaa, 0xaaaa0000, 1, 1};
    uint32_t out[32];
    char text[1024];
    for (int i = 0; i < 5; i++) {
        snprintf(text, sizeof text, "%s%s%s",
                 BEGIN "and.b32 %r3, %r0, 1; shl.b32 %r2, 0x55555555, %r3;\n", bodies[i], END);
        run_warp(text, 32, out);
        assert_int_equal(out[30], even[i]);
        assert_int_equal(out[31], odd[i]);
    }
}

TEST(test_special_registers)
{
    uint32_t out[32];
    run_warp(KERNEL("mov.u32 %r1, %laneid; mov.u32 %r2, %lanemask_lt; add.u32 %r1, %r1, %r2;\n"),
             32, out);
    assert_int_equal(out[5], 5 + 31);
    run_warp(KERNEL("mov.u64 %d2, %clock64; mov.u64 %d3, %clock64; setp.gt.u64 %p0, %d3, %d2;\n"
                    "selp.u32 %r1, 1, 0, %p0;\n"),
             1, out);
    assert_int_equal(out[0], 1);
}

/* Each block writes to the next block's shared memory, by a shared and by a generic address. */
static const char ring[] =
    HEAD ".visible .entry k(.param .u64 a)\n{\n" REGS ".shared .align 8 .b32 box[2];\n"
         "ld.param.u64 %d0, [a]; mov.u32 %r0, %cluster_ctarank; mov.u32 %r1, %cluster_nctarank;\n"
         "mov.u32 %r2, %ctaid.x; add.u32 %r3, %r0, 1; rem.u32 %r3, %r3, %r1;\n"
         "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;\n"
         "mov.u32 %r4, box; mapa.shared::cluster.u32 %r5, %r4, %r3;\n"
         "st.shared::cluster.u32 [%r5], %r2;\n"
         "mov.u64 %d1, box; cvta.shared.u64 %d1, %d1; mapa.u64 %d2, %d1, %r3;\n"
         "getctarank.u64 %r7, %d2; atom.add.u32 %r8, [%d2+4], %r7;\n"
         "barrier.cluster.arrive; barrier.cluster.wait;\n"
         "ld.shared.v2.u32 {%r5, %r6}, [box]; mul.wide.u32 %d3, %r2, 8; add.u64 %d3, %d3, %d0;\n"
         "st.global.v2.u32 [%d3], {%r5, %r6}; ret;\n}\n";

TEST(test_distributed_shared_memory)
{
    for (uint32_t size = 1; size <= 16; size *= 2) {
        machine m = {.count = 0};
        machine_load(&m, ring);
        uint32_t *a = machine_alloc(&m, 32 * 8), grid = 32;
        m.cluster = size;
        machine_launch(&m, "k", grid, 1, &a);
        for (uint32_t i = 0; i < grid; i++) {
            uint32_t before = i / size * size + (i + size - 1) % size;
            assert_int_equal(a[2 * i], before);
            /* nobody has initialised this shared memory, so every byte has the value with which the
             * emulator filled it */
            uint32_t held = a[2 * i + 1] - i % size;
            assert_int_equal(held, (held & 0xff) * 0x01010101u);
        }
        assert_true(size == 1 || m.counters.cluster_requests == grid);
        machine_free(&m);
    }
}

TEST(access_to_a_missing_block_of_the_cluster)
{
    GT_SCOPED(machine_free) machine m = {.count = 0};
    machine_load(&m, KERNEL("mov.u32 %r2, 0; mapa.shared::cluster.u32 %r3, %r2, 2;\n"
                            ".shared .align 4 .b32 cell; mov.u32 %r4, cell;\n"
                            "ld.shared::cluster.u32 %r1, [%r3];\n"));
    uint32_t *a = machine_alloc(&m, 128);
    m.cluster = 2;
    assert_int_equal(machine_run(&m, "k", 2, 1, &a), 700);
}

TEST(access_to_shared_memory_of_an_exited_block)
{
    GT_SCOPED(machine_free) machine m = {.count = 0};
    machine_load(&m, KERNEL(".shared .align 4 .b32 cell; mov.u32 %r2, %cluster_ctarank;\n"
                            "setp.eq.u32 %p0, %r2, 0; @%p0 exit;\n"
                            "mov.u32 %r3, cell; mapa.shared::cluster.u32 %r3, %r3, 0;\n"
                            "ld.shared::cluster.u32 %r1, [%r3];\n"));
    uint32_t *a = machine_alloc(&m, 128);
    m.cluster = 2;
    assert_int_equal(machine_run(&m, "k", 2, 1, &a), 719);
    assert_non_null(strstr(m.fault.message, "has exited"));
}
