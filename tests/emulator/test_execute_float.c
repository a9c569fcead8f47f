/* Tests floating-point instructions: rounding, subnormals, saturation, NaN, conversions. */
#include "op_case.h"

#define ONE   0x3f800000u
#define TWO   0x40000000u
#define NAN32 0x7fffffffu
#define INF32 0x7f800000u
#define TINY  0x00000001u /* the smallest subnormal */
#define D(x)  UINT64_C(x)

static const op_case single_arithmetic[] = {
    {"add.f32 %fo, %f0, %f1;", ONE, TWO, 0, 0x40400000},
    {"add.rn.f32 %fo, %f0, 0f40000000;", ONE, 0, 0, 0x40400000},
    {"sub.f32 %fo, %f0, %f1;", INF32, INF32, 0, NAN32},
    {"mul.f32 %fo, %f0, %f1;", INF32, 0, 0, NAN32},
    {"add.f32 %fo, %f0, %f1;", 0xffc12345, ONE, 0, NAN32},
    {"add.rz.f32 %fo, %f0, %f1;", ONE, 0x33ffffff, 0, ONE},
    {"add.rp.f32 %fo, %f0, %f1;", ONE, TINY, 0, ONE + 1},
    {"add.rm.f32 %fo, %f0, %f1;", ONE, 0x80000001, 0, ONE - 1},
    {"add.rm.f32 %fo, %f0, %f1;", ONE, 0xbf800000, 0, 0x80000000},
    {"mul.rp.f32 %fo, %f0, %f1;", ONE + 1, ONE + 1, 0, ONE + 3},
    {"mul.rn.f32 %fo, %f0, %f1;", ONE + 1, ONE + 1, 0, ONE + 2},
    {"add.f32 %fo, %f0, %f1;", TINY, TINY, 0, 2},
    {"add.ftz.f32 %fo, %f0, %f1;", TINY, TINY, 0, 0},
    {"mul.ftz.f32 %fo, %f0, %f1;", 0x80800000, 0x3f000000, 0, 0x80000000},
    {"add.sat.f32 %fo, %f0, %f1;", ONE, ONE, 0, ONE},
    {"add.sat.f32 %fo, %f0, %f1;", 0xbf800000, 0, 0, 0},
    {"mul.sat.f32 %fo, %f0, %f1;", INF32, 0, 0, 0},
    {"fma.rn.f32 %fo, %f0, %f1, %f2;", ONE + 1, ONE + 1, 0xbf800002, 0x28800000},
    {"fma.rz.f32 %fo, %f0, %f1, %f2;", ONE + 1, ONE + 1, 0, ONE + 2},
    {"fma.rp.f32 %fo, %f0, %f1, %f2;", ONE + 1, ONE + 1, 0, ONE + 3},
    {"fma.rn.ftz.f32 %fo, %f0, %f1, %f2;", TINY, ONE, ONE, ONE},
    {"fma.rn.sat.f32 %fo, %f0, %f1, %f2;", TWO, TWO, ONE, ONE},
    {"mad.rn.f32 %fo, %f0, %f1, %f2;", TWO, TWO, ONE, 0x40a00000},
    {"div.rn.f32 %fo, %f0, %f1;", ONE, 0x40400000, 0, 0x3eaaaaab},
    {"div.rz.f32 %fo, %f0, %f1;", ONE, 0x40400000, 0, 0x3eaaaaaa},
    {"div.full.f32 %fo, %f0, %f1;", ONE, 0x40400000, 0, 0x3eaaaaab},
    {"div.approx.f32 %fo, %f0, %f1;", ONE, 0x7f000000, 0, 0},
    {"sqrt.rn.f32 %fo, %f0;", TWO, 0, 0, 0x3fb504f3},
    {"sqrt.rp.f32 %fo, %f0;", TWO, 0, 0, 0x3fb504f4},
    {"sqrt.rn.f32 %fo, %f0;", 0xbf800000, 0, 0, NAN32},
    {"rcp.rn.f32 %fo, %f0;", 0x40400000, 0, 0, 0x3eaaaaab},
    {"rcp.approx.ftz.f32 %fo, %f0;", 0x40800000, 0, 0, 0x3e800000},
    {"rcp.approx.ftz.f32 %fo, %f0;", TINY, 0, 0, INF32},
};
OP_TEST(single_arithmetic)

static const op_case double_arithmetic[] = {
    {"add.f64 %do, %d0, %d1;", D(0x3ff0000000000000), D(0x3ff0000000000000), 0,
     D(0x4000000000000000)},
    {"add.rp.f64 %do, %d0, %d1;", D(0x3ff0000000000000), 1, 0, D(0x3ff0000000000001)},
    {"mul.rz.f64 %do, %d0, %d1;", D(0x3ff0000000000001), D(0x3ff0000000000001), 0,
     D(0x3ff0000000000002)},
    {"fma.rn.f64 %do, %d0, %d1, %d2;", D(0x3ff0000000000001), D(0x3ff0000000000001),
     D(0xbff0000000000002), D(0x3970000000000000)},
    {"div.rn.f64 %do, %d0, %d1;", D(0x3ff0000000000000), D(0x4008000000000000), 0,
     D(0x3fd5555555555555)},
    {"sqrt.rn.f64 %do, %d0;", D(0x4010000000000000), 0, 0, D(0x4000000000000000)},
    {"neg.f64 %do, %d0;", D(0x4010000000000000), 0, 0, D(0xc010000000000000)},
    {"rcp.approx.ftz.f64 %do, %d0;", D(0x4008000000000000), 0, 0, D(0x3fd5555500000000)},
};
OP_TEST(double_arithmetic)

static const op_case extremes_and_signs[] = {
    {"min.f32 %fo, %f0, %f1;", NAN32, ONE, 0, ONE},
    {"max.f32 %fo, %f0, %f1;", ONE, 0x7fc00000, 0, ONE},
    {"max.f32 %fo, %f0, %f1;", 0xffc00000, 0x7fc00000, 0, NAN32},
    {"max.NaN.f32 %fo, %f0, %f1;", ONE, 0x7fc00000, 0, NAN32},
    {"min.f32 %fo, %f0, %f1;", 0, 0x80000000, 0, 0x80000000},
    {"max.f32 %fo, %f0, %f1;", 0x80000000, 0, 0, 0},
    {"max.xorsign.abs.f32 %fo, %f0, %f1;", 0xbf800000, TWO, 0, 0xc0000000},
    {"min.ftz.f32 %fo, %f0, %f1;", TINY, ONE, 0, 0},
    {"abs.f32 %fo, %f0;", 0xc0000000, 0, 0, TWO},
    {"neg.ftz.f32 %fo, %f0;", TINY, 0, 0, 0x80000000},
    {"copysign.f32 %fo, %f0, %f1;", 0x80000000, TWO, 0, 0xc0000000},
    {"testp.subnormal.f32 %po, %f0;", TINY, 0, 0, 1},
    {"testp.notanumber.f64 %po, %d0;", D(0x7ff8000000000000), 0, 0, 1},
    {"testp.infinite.f32 %po, %f0;", 0xff800000, 0, 0, 1},
    {"setp.lt.f32 %po, %f0, %f1;", 0x7fc00000, ONE, 0, 0},
    {"setp.ltu.f32 %po, %f0, %f1;", 0x7fc00000, ONE, 0, 1},
    {"setp.ne.f32 %po, %f0, %f1;", 0x7fc00000, ONE, 0, 0},
    {"setp.neu.f32 %po, %f0, %f1;", 0x7fc00000, ONE, 0, 1},
    {"setp.num.f32 %po, %f0, %f1;", TWO, ONE, 0, 1},
    {"setp.eq.ftz.f32 %po, %f0, %f1;", TINY, 0, 0, 1},
    {"setp.eq.f32 %po, %f0, %f1;", 0x80000000, 0, 0, 1},
    {"setp.gt.f64 %po, %d0, %d1;", D(0x4000000000000000), D(0x3ff0000000000000), 0, 1},
};
OP_TEST(extremes_and_signs)

static const op_case conversions[] = {
    {"cvt.rzi.s32.f32 %ro, %f0;", 0xc0200000, 0, 0, (uint32_t)-2},
    {"cvt.rni.s32.f32 %ro, %f0;", 0x40200000, 0, 0, 2},
    {"cvt.rmi.s32.f32 %ro, %f0;", 0xc0200000, 0, 0, (uint32_t)-3},
    {"cvt.rpi.s32.f32 %ro, %f0;", 0x40200000, 0, 0, 3},
    {"cvt.rzi.s32.f32 %ro, %f0;", 0x7f000000, 0, 0, 0x7fffffff},
    {"cvt.rzi.s32.f32 %ro, %f0;", 0xff000000, 0, 0, 0x80000000},
    {"cvt.rzi.s32.f32 %ro, %f0;", NAN32, 0, 0, 0},
    {"cvt.rzi.u32.f32 %ro, %f0;", 0xbf800000, 0, 0, 0},
    {"cvt.rzi.u32.f32 %ro, %f0;", 0x4f800000, 0, 0, 0xffffffff},
    {"cvt.rzi.u64.f32 %lo, %f0;", 0x5f800000, 0, 0, UINT64_MAX},
    {"cvt.rzi.s64.f64 %lo, %d0;", D(0x7ff8000000000000), 0, 0, D(0x8000000000000000)},
    {"cvt.rzi.s8.f32 %ro, %f0;", 0x43960000, 0, 0, 127},
    {"cvt.rn.f32.s32 %fo, %r0;", 16777217, 0, 0, 0x4b800000},
    {"cvt.rp.f32.s32 %fo, %r0;", 16777217, 0, 0, 0x4b800001},
    {"cvt.rz.f32.u64 %fo, %l0;", UINT64_MAX, 0, 0, 0x5f7fffff},
    {"cvt.rn.f32.u64 %fo, %l0;", UINT64_MAX, 0, 0, 0x5f800000},
    {"cvt.rn.f32.u64 %fo, %l0;", D(0x8000008000000001), 0, 0, 0x5f000001},
    {"cvt.rn.f64.s64 %do, %l0;", (uint64_t)-1, 0, 0, D(0xbff0000000000000)},
    {"cvt.rm.f64.u64 %do, %l0;", UINT64_MAX, 0, 0, D(0x43efffffffffffff)},
    {"cvt.f64.f32 %do, %f0;", ONE, 0, 0, D(0x3ff0000000000000)},
    {"cvt.rn.f32.f64 %fo, %d0;", D(0x3ff0000010000000), 0, 0, ONE},
    {"cvt.rp.f32.f64 %fo, %d0;", D(0x3ff0000000000001), 0, 0, ONE + 1},
    {"cvt.rn.f32.f64 %fo, %d0;", D(0x7ff0000000000001), 0, 0, NAN32},
    {"cvt.rni.f32.f32 %fo, %f0;", 0x40200000, 0, 0, TWO},
    {"cvt.rzi.f32.f32 %fo, %f0;", 0xc0200000, 0, 0, 0xc0000000},
    {"cvt.sat.f32.f32 %fo, %f0;", TWO, 0, 0, ONE},
    {"cvt.ftz.f32.f32 %fo, %f0;", TINY, 0, 0, 0},
    {"cvt.rna.tf32.f32 %ro, %f0;", 0x3f801000, 0, 0, 0x3f802000},
    {"cvt.rn.tf32.f32 %ro, %f0;", 0x3f801000, 0, 0, 0x3f800000},
};
OP_TEST(conversions)

static const op_case half_precision[] = {
    {"cvt.rn.f16.f32 %ho, %f0;", ONE, 0, 0, 0x3c00},
    {"cvt.rn.f16.f32 %ho, %f0;", 0x477ff000, 0, 0, 0x7c00},
    {"cvt.rz.f16.f32 %ho, %f0;", 0x477ff000, 0, 0, 0x7bff},
    {"cvt.rn.satfinite.f16.f32 %ho, %f0;", 0x477ff000, 0, 0, 0x7bff},
    {"cvt.rn.f16.f32 %ho, %f0;", 0x33000000, 0, 0, 0},
    {"cvt.rn.f16.f32 %ho, %f0;", 0x33000001, 0, 0, 1},
    {"cvt.rn.f16.f32 %ho, %f0;", 0xffc00000, 0, 0, 0x7fff},
    {"cvt.rn.bf16.f32 %ho, %f0;", 0x3f808000, 0, 0, 0x3f80},
    {"cvt.rn.bf16.f32 %ho, %f0;", 0x3f818000, 0, 0, 0x3f82},
    {"cvt.rn.relu.bf16.f32 %ho, %f0;", 0xbf800000, 0, 0, 0},
    {"cvt.f32.f16 %fo, %h0;", 0x0001, 0, 0, 0x33800000},
    {"cvt.f32.f16 %fo, %h0;", 0xfc00, 0, 0, 0xff800000},
    {"cvt.f32.bf16 %fo, %h0;", 0x4000, 0, 0, TWO},
    {"cvt.rn.f16x2.f32 %ro, %f0, %f1;", ONE, TWO, 0, 0x3c004000},
    {"cvt.rn.bf16x2.f32 %ro, %f0, %f1;", ONE, TWO, 0, 0x3f804000},
    {"cvt.rn.f16.s32 %ho, %r0;", 2049, 0, 0, 0x6800},
    {"cvt.rzi.s32.f16 %ro, %h0;", 0xc100, 0, 0, (uint32_t)-2},
    {"add.f16 %ho, %h0, %h1;", 0x3c00, 0x4000, 0, 0x4200},
    {"add.rn.f16x2 %ro, %r0, %r1;", 0x3c004000, 0x40003c00, 0, 0x42004200},
    {"fma.rn.f16 %ho, %h0, %h1, %h2;", 0x3c01, 0x3c01, 0xbc02, 0x0010},
    {"fma.rn.relu.f16 %ho, %h0, %h1, %h2;", 0x3c00, 0x3c00, 0xc000, 0},
    {"mul.f16x2 %ro, %r0, %r1;", 0x40004000, 0x3c00c000, 0, 0x4000c400},
    {"fma.rn.bf16 %ho, %h0, %h1, %h2;", 0x3f81, 0x3f81, 0x0001, 0x3f82},
    {"fma.rn.bf16x2 %ro, %r0, %r1, %r2;", 0x3f803f80, 0x40003f80, 0, 0x40003f80},
    {"max.f16 %ho, %h0, %h1;", 0x7e00, 0x3c00, 0, 0x3c00},
    {"max.NaN.f16x2 %ro, %r0, %r1;", 0x7e003c00, 0x3c004000, 0, 0x7fff4000},
    {"neg.f16x2 %ro, %r0;", 0x3c004000, 0, 0, 0xbc00c000},
    {"setp.gt.f16 %po, %h0, %h1;", 0x4000, 0x3c00, 0, 1},
    {"setp.gt.f16x2 %p0|%po, %r0, %r1;", 0x40003c00, 0x3c003c00, 0, 1},
    {"set.eq.f16x2.f16x2 %ro, %r0, %r1;", 0x40003c00, 0x3c003c00, 0, 0x00003c00},
};
OP_TEST(half_precision)

static const op_case conversions_to_eight_bits[] = {
    {"cvt.rn.satfinite.e4m3x2.f32 %ho, %f0, %f1;", ONE, 0x43e00000, 0, 0x387e},
    {"cvt.rn.satfinite.e4m3x2.f32 %ho, %f0, %f1;", 0xff800000, NAN32, 0, 0xfe7f},
    {"cvt.rn.satfinite.e5m2x2.f32 %ho, %f0, %f1;", 0x48000000, TWO, 0, 0x7b40},
    {"cvt.rn.satfinite.e4m3x2.f16x2 %ho, %r0;", 0x3c000001, 0, 0, 0x3800},
    {"cvt.rn.f16x2.e4m3x2 %ro, %h0;", 0x38fe, 0, 0, 0x3c00df00},
    {"cvt.rn.f16x2.e4m3x2 %ro, %h0;", 0x0180, 0, 0, 0x18008000},
    {"cvt.rn.f16x2.e5m2x2 %ro, %h0;", 0x7c01, 0, 0, 0x7c000100},
};
OP_TEST(conversions_to_eight_bits)

static const op_case approximations[] = {
    {"ex2.approx.f32 %fo, %f0;", 0x40400000, 0, 0, 0x41000000},
    {"ex2.approx.ftz.f32 %fo, %f0;", 0xff800000, 0, 0, 0},
    {"lg2.approx.f32 %fo, %f0;", 0x41000000, 0, 0, 0x40400000},
    {"lg2.approx.f32 %fo, %f0;", 0, 0, 0, 0xff800000},
    {"rsqrt.approx.f32 %fo, %f0;", 0x40800000, 0, 0, 0x3f000000},
    {"rsqrt.approx.ftz.f64 %do, %d0;", D(0x4010000000000000), 0, 0, D(0x3fe0000000000000)},
    {"sin.approx.f32 %fo, %f0;", 0, 0, 0, 0},
    {"cos.approx.f32 %fo, %f0;", 0, 0, 0, ONE},
    {"tanh.approx.f32 %fo, %f0;", INF32, 0, 0, ONE},
    {"sqrt.approx.f32 %fo, %f0;", 0x40800000, 0, 0, TWO},
    {"ex2.approx.f16 %ho, %h0;", 0x4200, 0, 0, 0x4800},
};
OP_TEST(approximations)

/* A value is flushed if it is subnormal after rounding. A value that rounds up to the smallest
 * normal number is kept. */
static const op_case subnormals_are_flushed_after_rounding[] = {
    {"mul.rn.ftz.f32 %fo, %f0, %f1;", 0x3f7fffff, 0x00800000, 0, 0},
    {"mul.rn.f32 %fo, %f0, %f1;", 0x3f7fffff, 0x00800000, 0, 0x00800000},
    {"mul.rm.ftz.f32 %fo, %f0, %f1;", 0x3f7fffff, 0x80800000, 0, 0x80000000},
    {"mul.rp.ftz.sat.f32 %fo, %f0, %f1;", 0x3f7fffff, 0x00800000, 0, 0},
    {"mul.rn.ftz.f32 %fo, %f0, %f1;", 0x3f7ffffe, 0x00800001, 0, 0x00800000},
    {"fma.rn.ftz.f32 %fo, %f0, %f1, %f2;", 0x80800000, 0x3f7fffff, 0x400000, 0x80000000},
    {"fma.rn.ftz.f32 %fo, %f0, %f1, %f2;", 0x80800000, 0x1f800000, 0x00800000, 0x00800000},
    {"fma.rm.ftz.f32 %fo, %f0, %f1, %f2;", 0x80800000, 0x3f7fffff, 0x400000, 0x80000000},
    {"div.rp.ftz.f32 %fo, %f0, %f1;", 0x00800000, 0x3f800001, 0, 0},
    {"div.rm.ftz.f32 %fo, %f0, %f1;", 0x80800000, 0x3f800001, 0, 0x80000000},
    {"mul.rn.ftz.f16 %ho, %h0, %h1;", 0x3bff, 0x0400, 0, 0},
    {"mul.rn.ftz.f16 %ho, %h0, %h1;", 0x3bfe, 0x0401, 0, 0x0400},
    {"mul.rn.ftz.f16x2 %ro, %r0, %r1;", 0x3bff1400, 0x840003ff, 0, 0x80000000},
    {"fma.rn.ftz.relu.f16 %ho, %h0, %h1, %h2;", 0x3bff, 0x8400, 0, 0},
};
OP_TEST(subnormals_are_flushed_after_rounding)

static const op_case special_operands[] = {
    {"testp.normal.f32 %po, %f0;", 0x80000000, 0, 0, 1},
    {"testp.normal.f64 %po, %d0;", 0, 0, 0, 1},
    {"testp.normal.f32 %po, %f0;", 1, 0, 0, 0},
    {"cvt.rn.satfinite.relu.e4m3x2.f32 %ho, %f0, %f1;", 0x80000000, 0x3f800000, 0, 0x38},
    {"cvt.rn.satfinite.relu.e5m2x2.f32 %ho, %f0, %f1;", ONE, 0x80000000, 0, 0x3c00},
    {"abs.ftz.f16 %ho, %h0;", 0x83ff, 0, 0, 0},
    {"neg.ftz.f16 %ho, %h0;", 0x03ff, 0, 0, 0x8000},
    {"abs.ftz.f16x2 %ro, %r0;", 0x840083ff, 0, 0, 0x04000000},
    {"neg.ftz.f16x2 %ro, %r0;", 0x000183ff, 0, 0, 0x80000000},
    {"slct.ftz.s32.f32 %ro, %r0, %r1, %f2;", 5, 6, 0x80000001, 5},
    {"slct.s32.f32 %ro, %r0, %r1, %f2;", 5, 6, 0x80000001, 6},
    {"div.approx.f32 %fo, %f0, %f1;", 0x7fc00000, 0x7f7fffff, 0, 0x7fffffff},
    {"div.approx.ftz.f32 %fo, %f0, %f1;", ONE, 0x7f7fffff, 0, 0},
    {"rsqrt.approx.ftz.f64 %do, %d0;", 1, 0, 0, D(0x7ff0000000000000)},
    {"rcp.approx.ftz.f64 %do, %d0;", 1, 0, 0, D(0x7ff0000000000000)},
    {"isspacep.const %po, %l0;", 0x10000, 0, 0, 0},
};
OP_TEST(special_operands)

TEST(narrowing_equals_host_rounding)
{
    uint64_t seed = 1;
    for (int i = 0; i < 60; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        uint64_t bits = (seed & D(0x8007ffffffffffff)) | (D(0x380) - 200 + (uint64_t)i * 8) << 52;
        double wide;
        memcpy(&wide, &bits, sizeof wide);
        float narrow = (float)wide;
        uint32_t want;
        memcpy(&want, &narrow, sizeof want);
        op_case one = {"cvt.rn.f32.f64 %fo, %d0;", bits, 0, 0, want};
        assert_int_equal(op_case_run(&one), 0);
    }
}
