/* Tests divergence, barriers, calls, and launches that never end. */
#include "machine_fixture.h"

#include <time.h>

#define HEAD ".version 8.8\n.target sm_90\n.address_size 64\n"

/* The lanes run loops of different lengths and reconverge. The sum of the shuffled values shows
 * whether all lanes took part in the shuffle. */
TEST(lanes_loop_differently_often)
{
    static const char ptx[] =
        HEAD ".visible .entry k(.param .u64 out)\n{\n"
             ".reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p<3>;\n"
             "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
             "LOOP: setp.gt.u32 %p0, %r1, %r0; @%p0 bra DONE;\n"
             "add.u32 %r2, %r2, %r1; add.u32 %r1, %r1, 1; bra LOOP;\n"
             "DONE: activemask.b32 %r3; popc.b32 %r4, %r3;\n"
             "mul.wide.u32 %d1, %r0, 8; add.u64 %d2, %d0, %d1;\n"
             "st.global.v2.u32 [%d2], {%r2, %r4}; ret;\n}\n";
    GT_SCOPED(machine_free) machine m = machine_of(ptx);
    uint32_t *out = machine_alloc(&m, 64 * sizeof *out);
    machine_launch(&m, "k", 1, 32, &out);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(out[2 * i], i * (i + 1) / 2);
        assert_int_equal(out[2 * i + 1], 32);
    }
}

/* A spinning lane must not keep the lane that holds the lock from running. */
TEST(lanes_of_a_warp_take_a_lock_in_turn)
{
    static const char ptx[] =
        HEAD ".visible .entry k(.param .u64 lock)\n{\n"
             ".reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p<3>;\n"
             "ld.param.u64 %d0, [lock];\n"
             "SPIN: atom.global.cas.b32 %r0, [%d0], 0, 1; setp.ne.u32 %p0, %r0, 0;\n"
             "@%p0 bra SPIN;\n"
             "ld.volatile.global.u32 %r1, [%d0+4]; add.u32 %r1, %r1, 1;\n"
             "st.volatile.global.u32 [%d0+4], %r1; membar.gl;\n"
             "atom.global.exch.b32 %r2, [%d0], 0; ret;\n}\n";
    GT_SCOPED(machine_free) machine m = machine_of(ptx);
    uint32_t *lock = machine_alloc(&m, 8);
    machine_launch(&m, "k", 2, 64, &lock);
    assert_int_equal(lock[1], 128);
}

/* Exited threads do not block a barrier. bar.red combines the values of all threads that arrive. */
TEST(test_barriers)
{
    static const char ptx[] =
        HEAD ".visible .entry k(.param .u64 out)\n{\n"
             ".reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p<5>;\n"
             ".shared .align 4 .b32 cell[256];\n"
             "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x;\n"
             "setp.ge.u32 %p0, %r0, 150; @%p0 exit;\n"
             "shl.b32 %r1, %r0, 2; mov.u32 %r2, cell; add.u32 %r1, %r1, %r2;\n"
             "st.shared.u32 [%r1], %r0; bar.sync 0;\n"
             "mov.u32 %r3, 149; sub.u32 %r3, %r3, %r0; shl.b32 %r3, %r3, 2;\n"
             "add.u32 %r3, %r3, %r2; ld.shared.u32 %r4, [%r3];\n"
             "setp.lt.u32 %p1, %r0, 40; bar.red.popc.u32 %r5, 1, %p1;\n"
             "bar.red.and.pred %p2, 2, %p1; bar.red.or.pred %p3, 2, %p1;\n"
             "@%p2 add.u32 %r5, %r5, 1000; @%p3 add.u32 %r5, %r5, 100;\n"
             "mul.wide.u32 %d1, %r0, 8; add.u64 %d2, %d0, %d1;\n"
             "st.global.v2.u32 [%d2], {%r4, %r5}; ret;\n}\n";
    GT_SCOPED(machine_free) machine m = machine_of(ptx);
    uint32_t *out = machine_alloc(&m, 512 * sizeof *out);
    machine_launch(&m, "k", 1, 250, &out);
    for (uint32_t i = 0; i < 150; i++) {
        assert_int_equal(out[2 * i], 149 - i);
        assert_int_equal(out[2 * i + 1], 140);
    }
    assert_int_equal(out[300], 0);
}

TEST(test_named_barrier)
{
    static const char ptx[] =
        HEAD ".visible .entry k(.param .u64 out)\n{\n"
             ".reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p<3>;\n"
             ".shared .align 4 .b32 cell[32];\n"
             "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 31;\n"
             "shl.b32 %r2, %r1, 2; mov.u32 %r3, cell; add.u32 %r3, %r3, %r2;\n"
             "setp.ge.u32 %p0, %r0, 32; @%p0 bra PRODUCE;\n"
             "barrier.sync 3, 64; ld.shared.u32 %r4, [%r3];\n"
             "cvt.u64.u32 %d1, %r2; add.u64 %d2, %d0, %d1; st.global.u32 [%d2], %r4; ret;\n"
             "PRODUCE: mul.lo.u32 %r4, %r1, 7; st.shared.u32 [%r3], %r4;\n"
             "barrier.arrive 3, 64; ret;\n}\n";
    GT_SCOPED(machine_free) machine m = machine_of(ptx);
    uint32_t *out = machine_alloc(&m, 32 * sizeof *out);
    machine_launch(&m, "k", 1, 64, &out);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], 7 * i);
}

TEST(test_branch_table)
{
    static const char ptx[] =
        HEAD ".visible .entry k(.param .u64 out)\n{\n"
             ".reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p<3>;\n"
             "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 3;\n"
             "table: .branchtargets A, B, C, A;\n"
             "brx.idx %r1, table;\n"
             "A: mov.u32 %r2, 10; bra.uni END;\n"
             "B: mov.u32 %r2, 20; bra.uni END;\n"
             "C: mov.u32 %r2, 30;\n"
             "END: mul.wide.u32 %d1, %r0, 4; add.u64 %d2, %d0, %d1;\n"
             "st.global.u32 [%d2], %r2;\n}\n";
    static const uint32_t want[] = {10, 20, 30, 10};
    GT_SCOPED(machine_free) machine m = machine_of(ptx);
    uint32_t *out = machine_alloc(&m, 32 * sizeof *out);
    machine_launch(&m, "k", 1, 32, &out);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], want[i & 3]);
}

/* A recursive function with a different depth in each lane, and a call through a pointer. */
static const char calls[] =
    HEAD ".func (.param .b32 r) sum(.param .b32 n)\n{\n"
         ".reg .b32 %a<5>; .reg .pred %p;\n"
         "ld.param.b32 %a0, [n]; setp.eq.u32 %p, %a0, 0; mov.u32 %a1, 0; @%p bra OUT;\n"
         "sub.u32 %a2, %a0, 1;\n"
         "{ .param .b32 x; st.param.b32 [x+0], %a2; .param .b32 y;\n"
         "call.uni (y), sum, (x); ld.param.b32 %a3, [y+0]; }\n"
         "add.u32 %a1, %a3, %a0;\n"
         "OUT: st.param.b32 [r+0], %a1; ret;\n}\n"
         ".func (.param .b32 r) twice(.param .b32 n)\n{\n"
         ".reg .b32 %a<3>; ld.param.b32 %a0, [n]; add.u32 %a1, %a0, %a0;\n"
         "st.param.b32 [r+0], %a1; ret;\n}\n"
         ".visible .entry k(.param .u64 out)\n{\n"
         ".reg .b32 %r<9>; .reg .b64 %d<6>; .reg .pred %p<3>;\n"
         "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 1;\n"
         "mov.u64 %d3, twice; mov.u64 %d4, sum; setp.eq.u32 %p0, %r1, 0;\n"
         "selp.b64 %d5, %d3, %d4, %p0;\n"
         "{ .param .b32 x; st.param.b32 [x+0], %r0; .param .b32 y;\n"
         "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
         "call (y), %d5, (x), proto; ld.param.b32 %r2, [y+0]; }\n"
         "mul.wide.u32 %d1, %r0, 4; add.u64 %d2, %d0, %d1;\n"
         "st.global.u32 [%d2], %r2; ret;\n}\n";

TEST(test_calls)
{
    GT_SCOPED(machine_free) machine m = machine_of(calls);
    uint32_t *out = machine_alloc(&m, 32 * sizeof *out);
    machine_launch(&m, "k", 1, 32, &out);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(out[i], i & 1 ? i * (i + 1) / 2 : 2 * i);
}

TEST(stack_overflow_faults)
{
    GT_SCOPED(machine_free) machine m = {.count = 0};
    m.limits.stack_bytes = 64;
    machine_load(&m, calls);
    uint32_t *out = machine_alloc(&m, 32 * sizeof *out);
    assert_int_equal(machine_run(&m, "k", 1, 32, &out), 719);
    assert_non_null(strstr(m.fault.message, "stack overflow"));
}

/* A kernel in which every block waits for all blocks of the grid. */
static const char grid_barrier[] =
    HEAD ".visible .entry k(.param .u64 count)\n{\n"
         ".reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p<3>;\n"
         "ld.param.u64 %d0, [count]; mov.u32 %r0, %nctaid.x;\n"
         "atom.global.add.u32 %r1, [%d0], 1;\n"
         "SPIN: ld.acquire.gpu.global.u32 %r2, [%d0]; setp.lt.u32 %p0, %r2, %r0;\n"
         "@%p0 bra SPIN; ret;\n}\n";

TEST(blocks_wait_for_the_whole_grid)
{
    GT_SCOPED(machine_free) machine m = {.count = 0};
    m.limits = (emu_limits){.workers = 2, .sm_count = 4, .blocks_per_sm = 2};
    machine_load(&m, grid_barrier);
    uint32_t *count = machine_alloc(&m, 4);
    machine_launch(&m, "k", 8, 1, &count);
    assert_int_equal(*count, 8);
}

static void *cancel_soon(void *argument)
{
    struct timespec time = {.tv_nsec = 50000000};
    nanosleep(&time, NULL);
    atomic_store((atomic_int *)argument, 1);
    return NULL;
}

static void run_until_cancelled(const char *ptx, uint32_t grid, uint32_t block)
{
    GT_SCOPED(machine_free) machine m = {.count = 0};
    pthread_t thread;
    machine_load(&m, ptx);
    uint32_t *out = machine_alloc(&m, 4);
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &m.cancel), 0);
    assert_int_equal(machine_run(&m, "k", grid, block, &out), 719);
    assert_non_null(strstr(m.fault.message, "cancelled"));
    pthread_join(thread, NULL);
}

TEST(endless_loop_is_cancelled)
{
    run_until_cancelled(HEAD ".visible .entry k(.param .u64 p)\n{\nL: bra L;\n}\n", 100, 64);
}

/* The blocks wait for each other, but the device cannot hold all of them at the same time. */
TEST(grid_too_large_for_its_barrier_is_cancelled)
{
    run_until_cancelled(grid_barrier, 40, 1);
}

TEST(deadlock_is_cancelled)
{
    run_until_cancelled(HEAD ".visible .entry k(.param .u64 p)\n{\n"
                             ".reg .b32 %r<3>; .reg .pred %p;\n"
                             "mov.u32 %r0, %tid.x; setp.lt.u32 %p, %r0, 32; @%p bra A;\n"
                             "bar.sync 1; ret;\nA: bar.sync 2; ret;\n}\n",
                        3, 64);
}
