/* Compares integer instructions with the results that PTX defines. */
#include "op_case.h"

static const op_case addition[] = {
    {"add.s32 %ro, %r0, %r1;", 0xffffffff, 2, 0, 1},
    {"add.s32 %ro, %r0, -5;", 3, 0, 0, 0xfffffffe},
    {"add.u16 %ho, %h0, %h1;", 0xffff, 2, 0, 1},
    {"add.s64 %lo, %l0, %l1;", UINT64_MAX, 3, 0, 2},
    {"add.sat.s32 %ro, %r0, %r1;", 0x7fffffff, 1, 0, 0x7fffffff},
    {"sub.sat.s32 %ro, %r0, %r1;", 0x80000000, 1, 0, 0x80000000},
    {"sub.s32 %ro, %r0, %r1;", 1, 2, 0, 0xffffffff},
    {"sub.u64 %lo, %l0, %l1;", 1, 2, 0, UINT64_MAX},
    {"add.cc.u32 %r3, %r0, %r1; addc.u32 %ro, %r0, 0;", 0xffffffff, 1, 0, 0},
    {"add.cc.u32 %r3, %r0, %r1; addc.cc.u32 %ro, %r2, 0;", 0xffffffff, 1, 7, 8},
    {"sub.cc.u32 %r3, %r0, %r1; subc.u32 %ro, %r2, 0;", 0, 1, 7, 6},
    {"add.cc.u64 %l3, %l0, %l1; addc.u64 %lo, %l2, 1;", UINT64_MAX, 1, 7, 9},
    {"abs.s32 %ro, %r0;", 0x80000000, 0, 0, 0x80000000},
    {"neg.s64 %lo, %l0;", 5, 0, 0, (uint64_t)-5},
    {"sad.s32 %ro, %r0, %r1, %r2;", (uint32_t)-3, 4, 10, 17},
    {"min.s32 %ro, %r0, %r1;", (uint32_t)-3, 4, 0, (uint32_t)-3},
    {"min.u32 %ro, %r0, %r1;", (uint32_t)-3, 4, 0, 4},
    {"max.s64 %lo, %l0, %l1;", (uint64_t)-3, 4, 0, 4},
    {"max.u16 %ho, %h0, %h1;", 0xfffd, 4, 0, 0xfffd},
};
OP_TEST(addition)

static const op_case multiplication[] = {
    {"mul.lo.s32 %ro, %r0, %r1;", 0x10001, 0x10001, 0, 0x20001},
    {"mul.hi.u32 %ro, %r0, %r1;", 0xffffffff, 0xffffffff, 0, 0xfffffffe},
    {"mul.hi.s32 %ro, %r0, %r1;", 0xffffffff, 0xffffffff, 0, 0},
    {"mul.wide.s32 %lo, %r0, %r1;", (uint32_t)-2, 3, 0, (uint64_t)-6},
    {"mul.wide.u32 %lo, %r0, -858993459;", 100, 0, 0, UINT64_C(100) * 3435973837},
    {"mul.wide.u16 %ro, %h0, %h1;", 0xffff, 0xffff, 0, 0xfffe0001},
    {"mul.wide.s16 %ro, %h0, %h1;", 0xffff, 2, 0, 0xfffffffe},
    {"mul.hi.u64 %lo, %l0, %l1;", UINT64_MAX, UINT64_MAX, 0, UINT64_MAX - 1},
    {"mul.hi.s64 %lo, %l0, %l1;", UINT64_MAX, 1, 0, UINT64_MAX},
    {"mad.lo.s32 %ro, %r0, %r1, %r2;", 3, 4, 5, 17},
    {"mad.wide.s32 %lo, %r0, %r1, %l2;", (uint32_t)-3, 4, 5, (uint64_t)-7},
    {"mad.hi.u32 %ro, %r0, %r1, %r2;", 0x80000000, 4, 5, 7},
    {"mad.lo.u16 %ho, %h0, %h1, %h2;", 0x100, 0x101, 1, 0x101},
    {"mul24.lo.s32 %ro, %r0, %r1;", 0xffffff, 3, 0, (uint32_t)-3},
    {"mul24.hi.u32 %ro, %r0, %r1;", 0xffffff, 0x10000, 0, 0xffffff},
    {"dp4a.s32.s32 %ro, %r0, %r1, %r2;", 0x01ff0203, 0x01010101, 10, 15},
    {"dp4a.u32.u32 %ro, %r0, %r1, %r2;", 0x01ff0203, 0x01010101, 10, 271},
    {"dp2a.hi.s32.s32 %ro, %r0, %r1, %r2;", 0x0002ffff, 0x03040000, 1, 3},
    {"mad.lo.cc.u32 %r3, %r0, %r1, %r2; madc.hi.u32 %ro, %r0, %r1, 0;", 0xffffffff, 2, 2, 2},
};
OP_TEST(multiplication)

static const op_case division[] = {
    {"div.s32 %ro, %r0, %r1;", (uint32_t)-7, 2, 0, (uint32_t)-3},
    {"rem.s32 %ro, %r0, %r1;", (uint32_t)-7, 2, 0, (uint32_t)-1},
    {"div.u32 %ro, %r0, %r1;", (uint32_t)-7, 2, 0, 0x7ffffffc},
    {"div.s32 %ro, %r0, %r1;", 0x80000000, (uint32_t)-1, 0, 0x80000000},
    {"rem.s32 %ro, %r0, %r1;", 0x80000000, (uint32_t)-1, 0, 0},
    {"div.u32 %ro, %r0, %r1;", 5, 0, 0, 0xffffffff},
    {"rem.u64 %lo, %l0, %l1;", 5, 0, 0, 5},
    {"div.s64 %lo, %l0, %l1;", UINT64_C(1) << 63, (uint64_t)-1, 0, UINT64_C(1) << 63},
    {"rem.s64 %lo, %l0, %l1;", (uint64_t)-9, 4, 0, (uint64_t)-1},
    {"div.u16 %ho, %h0, %h1;", 1000, 7, 0, 142},
};
OP_TEST(division)

static const op_case logic_and_shifts[] = {
    {"lop3.b32 %ro, %r0, %r1, %r2, 0x96;", 0xff00ff00, 0xf0f0f0f0, 0xcccccccc, 0xc33cc33c},
    {"lop3.b32 %ro, %r0, %r1, %r2, 0xe8;", 0xc, 0xa, 0x9, 0x8},
    {"not.b32 %ro, %r0;", 0xff, 0, 0, 0xffffff00},
    {"cnot.b32 %ro, %r0;", 0, 0, 0, 1},
    {"shl.b32 %ro, %r0, %r1;", 1, 31, 0, 0x80000000},
    {"shl.b32 %ro, %r0, %r1;", 1, 32, 0, 0},
    {"shl.b64 %lo, %l0, %r1;", 1, 64, 0, 0},
    {"shr.u32 %ro, %r0, %r1;", 0x80000000, 40, 0, 0},
    {"shr.s32 %ro, %r0, %r1;", 0x80000000, 40, 0, 0xffffffff},
    {"shr.s64 %lo, %l0, %r1;", UINT64_C(1) << 63, 62, 0, (uint64_t)-2},
    {"shr.s16 %ho, %h0, %r1;", 0x8000, 99, 0, 0xffff},
    {"shf.l.wrap.b32 %ro, %r0, %r1, %r2;", 0x80000000, 1, 1, 3},
    {"shf.r.wrap.b32 %ro, %r0, %r1, %r2;", 2, 1, 33, 0x80000001},
    {"shf.l.clamp.b32 %ro, %r0, %r1, %r2;", 7, 1, 40, 7},
    {"shf.r.clamp.b32 %ro, %r0, %r1, %r2;", 7, 9, 40, 9},
    {"setp.eq.s32 %p0, %r0, %r1; not.pred %p1, %p0; and.pred %po, %p0, %p0;", 4, 4, 0, 1},
    {"xor.b64 %lo, %l0, %l1;", 0xff, 0x0f, 0, 0xf0},
};
OP_TEST(logic_and_shifts)

static const op_case bits[] = {
    {"popc.b32 %ro, %r0;", 0xf0f, 0, 0, 8},
    {"popc.b64 %ro, %l0;", UINT64_MAX, 0, 0, 64},
    {"clz.b32 %ro, %r0;", 0, 0, 0, 32},
    {"clz.b64 %ro, %l0;", 1, 0, 0, 63},
    {"brev.b32 %ro, %r0;", 1, 0, 0, 0x80000000},
    {"brev.b64 %lo, %l0;", 2, 0, 0, UINT64_C(1) << 62},
    {"bfind.u32 %ro, %r0;", 0x1000, 0, 0, 12},
    {"bfind.s32 %ro, %r0;", 0xffffffff, 0, 0, 0xffffffff},
    {"bfind.shiftamt.u32 %ro, %r0;", 0x1000, 0, 0, 19},
    {"bfe.u32 %ro, %r0, %r1, %r2;", 0x12345678, 8, 8, 0x56},
    {"bfe.s32 %ro, %r0, %r1, %r2;", 0x0000f000, 12, 4, 0xffffffff},
    {"bfe.s32 %ro, %r0, %r1, %r2;", 0x80000000, 28, 8, 0xfffffff8},
    {"bfe.u32 %ro, %r0, 3, 0;", 0xffffffff, 0, 0, 0},
    {"bfe.u64 %lo, %l0, 60, 10;", UINT64_MAX, 0, 0, 15},
    {"bfi.b32 %ro, %r0, %r1, 8, 8;", 0xab, 0x11111111, 0, 0x1111ab11},
    {"bfi.b64 %lo, %l0, %l1, 32, 32;", 0xab, 0x11111111, 0, UINT64_C(0xab11111111)},
    {"bfi.b32 %ro, %r0, %r1, 40, 8;", 0xab, 0x11111111, 0, 0x11111111},
    {"prmt.b32 %ro, %r0, %r1, 0x5410;", 0x33221100, 0x77665544, 0, 0x55441100},
    {"prmt.b32 %ro, %r0, %r1, 0x888b;", 0x80221100, 0, 0, 0x000000ff},
    {"prmt.b32.f4e %ro, %r0, %r1, %r2;", 0x33221100, 0x77665544, 1, 0x44332211},
    {"prmt.b32.rc16 %ro, %r0, %r1, %r2;", 0x33221100, 0, 1, 0x33223322},
    {"bmsk.clamp.b32 %ro, %r0, %r1;", 4, 8, 0, 0xff0},
    {"szext.wrap.s32 %ro, %r0, %r1;", 0xf8, 8, 0, 0xfffffff8},
    {"vabsdiff4.u32.u32.u32 %ro, %r0, %r1, %r2;", 0x01ff0005, 0x0300ff05, 0, 0x02ffff00},
    {"vabsdiff4.u32.u32.u32.add %ro, %r0, %r1, %r2;", 0x01ff0005, 0x0300ff05, 7, 519},
    {"vabsdiff2.u32.u32.u32.add %ro, %r0, %r1, %r2;", 0x00050001, 0x0001ffff, 1, 0x10003},
    {"fns.b32 %ro, %r0, 0, 2;", 0x90, 0, 0, 7},
};
OP_TEST(bits)

static const op_case select_and_compare[] = {
    {"setp.lt.s32 %po, %r0, %r1;", (uint32_t)-1, 1, 0, 1},
    {"setp.lt.u32 %po, %r0, %r1;", (uint32_t)-1, 1, 0, 0},
    {"setp.hs.u32 %po, %r0, %r1;", (uint32_t)-1, 1, 0, 1},
    {"setp.ge.u64 %po, %l0, %l1;", 1, UINT64_MAX, 0, 0},
    {"setp.gt.s16 %po, %h0, %h1;", 0x8000, 1, 0, 0},
    {"setp.eq.u32 %p0, %r0, 1; setp.ne.and.u32 %po, %r1, 0, %p0;", 1, 1, 0, 1},
    {"setp.eq.u32 %p0, %r0, 1; setp.ne.and.u32 %po, %r1, 0, !%p0;", 1, 1, 0, 0},
    {"setp.eq.u32 %p0, %r0, 1; setp.eq.or.u32 %p1|%po, %r1, 5, !%p0;", 1, 1, 0, 1},
    {"setp.eq.u32 %p0, %r0, 1; selp.b32 %ro, %r1, %r2, %p0;", 1, 11, 12, 11},
    {"setp.eq.u32 %p0, %r0, 1; selp.b64 %lo, %l1, -1, %p0;", 0, 11, 12, UINT64_MAX},
    {"setp.eq.u32 %p0, %r0, 1; @!%p0 mov.u32 %ro, 9;", 0, 0, 0, 9},
    {"set.lt.u32.s32 %ro, %r0, %r1;", 1, 2, 0, 0xffffffff},
    {"set.lt.f32.s32 %fo, %r0, %r1;", 1, 2, 0, 0x3f800000},
    {"slct.u32.s32 %ro, %r0, %r1, %r2;", 5, 6, (uint32_t)-1, 6},
    {"slct.b32.f32 %ro, %r0, %r1, %f2;", 5, 6, 0x80000000, 5},
};
OP_TEST(select_and_compare)

static const op_case moves[] = {
    {"mov.b64 {%r3, %ro}, %l0;", UINT64_C(0x1234567800000001), 0, 0, 0x12345678},
    {"mov.b64 {%ro, _}, %l0;", UINT64_C(0x1234567800000001), 0, 0, 1},
    {"mov.b64 %lo, {%r0, %r1};", 1, 2, 0, UINT64_C(0x200000001)},
    {"mov.b32 {%h3, %ho}, %r0;", 0xabcd1234, 0, 0, 0xabcd},
    {"mov.b32 %ro, {%h0, %h1};", 0x11, 0x22, 0, 0x220011},
    {"mov.b64 %lo, {%h0, %h1, %h2, %h0};", 1, 2, 3, UINT64_C(0x0001000300020001)},
    {"mov.b128 %q0, {%l0, %l1}; mov.b128 {%l3, %lo}, %q0;", 1, 99, 0, 99},
    {"cvt.s64.s8 %lo, %r0;", 0x80, 0, 0, (uint64_t)-128},
    {"cvt.u8.u32 %ro, %r0;", 0x1ff, 0, 0, 0xff},
    {"cvt.sat.u8.s32 %ro, %r0;", (uint32_t)-5, 0, 0, 0},
    {"cvt.sat.s8.s32 %ro, %r0;", 300, 0, 0, 127},
    {"cvt.s32.s16 %ro, %h0;", 0x8000, 0, 0, 0xffff8000},
    {"cvt.u64.s32 %lo, %r0;", 0x80000000, 0, 0, UINT64_C(0xffffffff80000000)},
    {"mov.u32 %ro, %ntid.x;", 0, 0, 0, 32},
    {"mov.u32 %ro, %nctaid.y;", 0, 0, 0, 1},
    {"{ .reg .b32 %ro2; mov.u32 %ro2, 5; mov.b32 %ro, %ro2; }", 0, 0, 0, 5},
};
OP_TEST(moves)
